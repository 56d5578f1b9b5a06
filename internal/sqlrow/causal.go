package sqlrow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// kindsOfThings maps numbers in tables lineages and carried to kinds. The order is part of the format. In SQLite the
// first two numbers take no space in a row.
var kindsOfThings = [...]engram.Entity{engram.EntityRelation, engram.EntityMemory, engram.EntityPrompt, engram.EntitySession,
	engram.EntityProject, engram.EntityErased}

// KindNum returns the number of a kind, -1 for an unknown one, which no row has.
func KindNum(entity engram.Entity) int { return slices.Index(kindsOfThings[:], entity) }

// Stamp encodes a version stamp: hex digits of the clock, then a hyphen and the device unless it is own, the store's;
// "" for the zero stamp.
func Stamp(s engram.VersionStamp, own string) string {
	switch {
	case s == (engram.VersionStamp{}):
		return ""
	case s.Device == own:
		return strconv.FormatInt(int64(s.At), 16)
	}
	return strconv.FormatInt(int64(s.At), 16) + "-" + s.Device
}

// ReadStamp decodes what Stamp encoded.
func ReadStamp(text, own string) (engram.VersionStamp, error) {
	if text == "" {
		return engram.VersionStamp{}, nil
	}
	clock, device, foreign := strings.Cut(text, "-")
	at, err := strconv.ParseInt(clock, 16, 64)
	if err != nil {
		return engram.VersionStamp{}, fmt.Errorf("stamp %q: %w", text, err)
	}
	if !foreign {
		device = own
	}
	return engram.VersionStamp{At: engram.Clock(at), Device: device}, nil
}

// causal is the JSON of the parts of causal metadata that most things do not have. Own stamps and counts omit the
// device.
type causal struct {
	Parts  map[engram.Part]string  `json:"p,omitempty"`
	Sets   map[string]engram.Dots  `json:"s,omitempty"`
	Counts map[string]engram.Count `json:"c,omitempty"`
	Past   int64                   `json:"t,omitempty"`
}

// Causal is the column value of the parts, sets and counts of m as JSON: NULL without any.
func Causal(m engram.CausalMetadata, own string) (any, error) {
	if len(m.Parts) == 0 && len(m.Sets) == 0 && len(m.Counts) == 0 && m.Past == 0 {
		return nil, nil
	}
	text := causal{Counts: m.Counts, Past: m.Past, Sets: renamed(m.Sets, own, "")}
	if len(m.Parts) > 0 {
		text.Parts = make(map[engram.Part]string, len(m.Parts))
		for p, s := range m.Parts {
			text.Parts[p] = Stamp(s, own)
		}
	}
	b, err := json.Marshal(text)
	return string(b), err
}

// ReadCausal decodes into m what Causal encoded, which is not NULL.
func ReadCausal(column, own string, m *engram.CausalMetadata) error {
	var text causal
	if err := json.Unmarshal([]byte(column), &text); err != nil {
		return err
	}
	m.Counts, m.Past, m.Sets = text.Counts, text.Past, renamed(text.Sets, "", own)
	if len(text.Parts) > 0 {
		m.Parts = make(map[engram.Part]engram.VersionStamp, len(text.Parts))
	}
	for p, s := range text.Parts {
		stamp, err := ReadStamp(s, own)
		if err != nil {
			return err
		}
		m.Parts[p] = stamp
	}
	return nil
}

// renamed copies sets with the dots of one device under another name.
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
