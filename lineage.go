package engram

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// VersionStamp names one write anywhere: when, by hybrid clock, and in which store. Of two writes
// the one with the greater stamp is the later; the zero Stamp is older than every write.
//
// What was written where no stamps were kept has one that Derived made: its Device begins
// with a tilde and belongs to the words, so that a stamp always tells one value from another.
type VersionStamp struct {
	At     Clock
	Device string
}

// Compare orders stamps: by clock, then by device.
func (s VersionStamp) Compare(o VersionStamp) int {
	if c := cmp.Compare(s.At, o.At); c != 0 {
		return c
	}
	return cmp.Compare(s.Device, o.Device)
}

// Derived reports whether the stamp was made of the words, where no stamps were kept.
func (s VersionStamp) Derived() bool { return strings.HasPrefix(s.Device, "~") }

// String is the stamp as it travels: 16 hex digits of the clock, a hyphen, the device; "" for
// the zero Stamp.
func (s VersionStamp) String() string {
	if s == (VersionStamp{}) {
		return ""
	}
	return fmt.Sprintf("%016x-%s", uint64(s.At), s.Device)
}

// ParseVersionStamp reads what String wrote; anything else is CodeInvalid.
func ParseVersionStamp(text string) (VersionStamp, error) {
	if text == "" {
		return VersionStamp{}, nil
	}
	clock, device, found := strings.Cut(text, "-")
	at, err := strconv.ParseUint(clock, 16, 63)
	if !found || err != nil || len(clock) != 16 || len(device) > MaxName {
		return VersionStamp{}, Errorf(CodeInvalid, "stamp %.80q is none", text).WithHint("16 hex digits, a hyphen and a device")
	}
	return VersionStamp{At: Clock(at), Device: device}, CheckText("device", device, MaxName)
}

// MarshalText implements encoding.TextMarshaler.
func (s VersionStamp) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *VersionStamp) UnmarshalText(text []byte) (err error) {
	*s, err = ParseVersionStamp(string(text))
	return err
}

var (
	_ encoding.TextMarshaler   = VersionStamp{}
	_ encoding.TextUnmarshaler = (*VersionStamp)(nil)
)

// Part is what is written of a thing at once: of two replicas the later write of each part
// holds. Parts are called as their fields are in a Mutation's Was, but for these.
type Part string

// The parts that are not a field by themselves.
const (
	PartText     Part = "text"     // of a memory: title and content; PartSummary and PartToolName go with it
	PartVerdict  Part = "verdict"  // of a relation: all that it says
	PartDeleted  Part = "deleted"  // that it was forgotten, deleted or removed
	PartRestored Part = "restored" // that this was taken back
	// PartSummary and PartToolName are of a text: whoever writes that writes them with it, and
	// they may be written again by themselves (Lineage.Of). A session has a summary, too.
	PartSummary  Part = "summary"
	PartToolName Part = "tool_name"
	// PartLeft is for those who know a memory in a project: the move by which it left. Unlike
	// PartDeleted it says nothing to who knows of that move, or of a later one.
	PartLeft Part = "left"
	// PartDirectory is the folder that a session works in: a path of one machine, which no batch
	// carries. A lineage by whose Parts it comes from no write says nothing of it.
	PartDirectory Part = "directory"
)

// Dot says of a member of a set when a store last added it, and which of that store's adds
// were there when it was removed. It is in the set while some Added is above its Removed:
// a removal takes away what it had seen, so that of an add and a removal at once the add wins.
//
// Source: Bieniusa, Zawirski, Preguiça, Shapiro, Baquero, Balegas, Duarte, "An Optimized
// Conflict-Free Replicated Set", INRIA RR-8083, 2012.
type Dot struct {
	Added   Clock `json:"a,omitempty"`
	Removed Clock `json:"r,omitempty"`
}

// Dots are the dots of one member, by device.
type Dots map[string]Dot

// Member reports whether the member is in the set.
func (d Dots) Member() bool {
	for _, dot := range d {
		if dot.Added > dot.Removed {
			return true
		}
	}
	return false
}

// Count is what one store counted of a memory: each store counts for itself, and what is
// shown is the sum.
type Count struct {
	Accesses int `json:"a,omitempty"`
	Repeats  int `json:"r,omitempty"` // exact repeats after the first save
}

// CausalMetadata says which write each part of a thing comes from: what replicas need beside its
// values to bring two states of it together, in whatever order they come (lifecycle.Merge).
// Equal lineages, but for Counts and Held, mean equal values and, by Past, equal older texts.
type CausalMetadata struct {
	// Base is the write that made the thing, and holds for every part that is not in Parts
	// and every member of a set that is not in Sets.
	Base  VersionStamp          `json:"base,omitzero"`
	Parts map[Part]VersionStamp `json:"parts,omitempty"`
	// Sets has the members of the thing's one set, tags of a memory or aliases of a project,
	// that were added or removed after it was made, or by more than one store. A member that
	// the thing has and that is not here was added by Base.
	Sets map[string]Dots `json:"sets,omitempty"`
	// Counts is what stores counted, by device. In a store its own count is left out: it is
	// what the others leave of the sum.
	Counts map[string]Count `json:"counts,omitempty"`
	// Past is the set of texts that a memory said before, as one number (lifecycle.Past): no
	// stamp of a part tells of a text that came to be known after a later one. 0 is none. It
	// does not travel: the texts do.
	Past int64 `json:"-"`
	// Shadowed has parts that this store shows otherwise than they were written, with the values
	// that were written, because a rule of its own stands against them: a topic that another
	// memory has here, a memory that an undone import brought. It does not travel.
	Shadowed map[Part]json.RawMessage `json:"-"`
}

// Of is the write that a part comes from. What goes with a text is never older than that.
func (l CausalMetadata) Of(p Part) VersionStamp {
	s, own := l.Parts[p]
	if p == PartSummary || p == PartToolName {
		if text := l.Of(PartText); text.Compare(s) > 0 {
			return text
		}
		return s
	}
	if own {
		return s
	}
	return l.Base
}

// Newest is the latest write of any part or member.
func (l CausalMetadata) Newest() VersionStamp {
	newest := l.Base
	for _, s := range l.Parts {
		if s.Compare(newest) > 0 {
			newest = s
		}
	}
	for _, dots := range l.Sets {
		for device, d := range dots {
			if s := (VersionStamp{max(d.Added, d.Removed), device}); s.Compare(newest) > 0 {
				newest = s
			}
		}
	}
	return newest
}

// Digest is a number by which two lineages are compared: what Counts and Held say does not
// matter to it, nor does PartDirectory. It is never 0.
func (l CausalMetadata) Digest() int64 {
	h := fnv.New64a()
	put := func(words ...string) {
		for _, w := range words {
			h.Write([]byte(w))
			h.Write([]byte{0})
		}
	}
	put(l.Base.String())
	for _, p := range slices.Sorted(maps.Keys(l.Parts)) {
		if p != PartDirectory {
			put(string(p), l.Parts[p].String())
		}
	}
	for _, member := range slices.Sorted(maps.Keys(l.Sets)) {
		put("\x01", member)
		for _, device := range slices.Sorted(maps.Keys(l.Sets[member])) {
			d := l.Sets[member][device]
			put(device, strconv.FormatInt(int64(d.Added), 16), strconv.FormatInt(int64(d.Removed), 16))
		}
	}
	if l.Past != 0 {
		put("\x02", strconv.FormatInt(l.Past, 16))
	}
	return int64(h.Sum64() | 1)
}

// Clone is a copy that shares nothing with l.
func (l CausalMetadata) Clone() CausalMetadata {
	l.Parts, l.Counts, l.Shadowed = maps.Clone(l.Parts), maps.Clone(l.Counts), maps.Clone(l.Shadowed)
	l.Sets = maps.Clone(l.Sets)
	for member, dots := range l.Sets {
		l.Sets[member] = maps.Clone(dots)
	}
	return l
}
