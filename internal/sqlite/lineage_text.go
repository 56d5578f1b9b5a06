package sqlite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// kindsOfThings has the kinds by their numbers in lineages and carried; they stay what they
// are. The first two take no room in a row.
var kindsOfThings = [...]engram.Entity{engram.EntityRelation, engram.EntityMemory, engram.EntityPrompt, engram.EntitySession,
	engram.EntityProject, engram.EntityErased}

// kindNum is the number of a kind; none is -1, under which nothing stands.
func kindNum(entity engram.Entity) int { return slices.Index(kindsOfThings[:], entity) }

// lineageText is what stands of a lineage in column more. Own stamps and counts do not
// repeat the device.
type lineageText struct {
	Parts  map[engram.Part]string  `json:"p,omitempty"`
	Sets   map[string]engram.Dots  `json:"s,omitempty"`
	Counts map[string]engram.Count `json:"c,omitempty"`
	Past   int64                   `json:"t,omitempty"`
}

// stampText is a stamp as it is stored: hex digits of the clock, and the device after a
// hyphen unless it is the store's own; "" for the zero one.
func stampText(s engram.Stamp, own string) string {
	switch {
	case s == (engram.Stamp{}):
		return ""
	case s.Device == own:
		return strconv.FormatInt(int64(s.At), 16)
	}
	return strconv.FormatInt(int64(s.At), 16) + "-" + s.Device
}

func readStamp(text, own string) (engram.Stamp, error) {
	if text == "" {
		return engram.Stamp{}, nil
	}
	clock, device, foreign := strings.Cut(text, "-")
	at, err := strconv.ParseInt(clock, 16, 64)
	if err != nil {
		return engram.Stamp{}, fmt.Errorf("stamp %q: %w", text, err)
	}
	if !foreign {
		device = own
	}
	return engram.Stamp{At: engram.Clock(at), Device: device}, nil
}

// moreText is column more of a lineage; nil for none.
func moreText(l engram.Lineage, own string) (any, error) {
	if len(l.Parts) == 0 && len(l.Sets) == 0 && len(l.Counts) == 0 && l.Past == 0 {
		return nil, nil
	}
	text := lineageText{Counts: l.Counts, Past: l.Past, Sets: renamed(l.Sets, own, "")}
	if len(l.Parts) > 0 {
		text.Parts = make(map[engram.Part]string, len(l.Parts))
		for p, s := range l.Parts {
			text.Parts[p] = stampText(s, own)
		}
	}
	b, err := json.Marshal(text)
	return string(b), err
}

func readMore(more, own string, l *engram.Lineage) error {
	var text lineageText
	if err := json.Unmarshal([]byte(more), &text); err != nil {
		return err
	}
	l.Counts, l.Past, l.Sets = text.Counts, text.Past, renamed(text.Sets, "", own)
	if len(text.Parts) > 0 {
		l.Parts = make(map[engram.Part]engram.Stamp, len(text.Parts))
	}
	for p, s := range text.Parts {
		stamp, err := readStamp(s, own)
		if err != nil {
			return err
		}
		l.Parts[p] = stamp
	}
	return nil
}

// renamed is a copy of sets in which the dots of one device have another name.
func renamed(sets map[string]engram.Dots, from, to string) map[string]engram.Dots {
	if len(sets) == 0 {
		return nil
	}
	out := make(map[string]engram.Dots, len(sets))
	for member, dots := range sets {
		out[member] = make(engram.Dots, len(dots))
		for device, d := range dots {
			if device == from {
				device = to
			}
			out[member][device] = d
		}
	}
	return out
}
