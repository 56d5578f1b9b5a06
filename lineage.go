package engram

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// VersionStamp identifies one write in any store: when, by hybrid clock, and in which store. The greater of two
// stamps is the later write; the zero stamp is older than every write.
//
// Text written without a stamp has a derived one: its Device begins with a tilde and is computed from the text,
// so that stamps always distinguish values.
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

// Derived reports whether the stamp was computed from the text.
func (s VersionStamp) Derived() bool { return strings.HasPrefix(s.Device, "~") }

// String returns the replicated form: 16 hex digits of the clock, a hyphen, the device; "" for the zero stamp.
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
		return VersionStamp{}, Errorf(CodeInvalid, "%.80q is not a version stamp", text).WithHint("write 16 hex digits, a hyphen and a device")
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

// Part is the unit of merging: of two replicas the later write of each part wins. Parts are named like the
// fields in a Mutation's Was, except for these.
type Part string

// The parts that are not single fields.
const (
	PartText     Part = "text"     // of a memory: title and content, with PartSummary and PartToolName
	PartVerdict  Part = "verdict"  // of a relation: all it says
	PartDeleted  Part = "deleted"  // forgotten, deleted or removed
	PartRestored Part = "restored" // the reversal of that
	// PartSummary and PartToolName belong to a text: a write of the text includes them, and they may be written
	// alone (CausalMetadata.Of). A session has a summary, too.
	PartSummary  Part = "summary"
	PartToolName Part = "tool_name"
	// PartLeft is the move of a memory out of a project, for readers who know it there. Unlike PartDeleted it
	// is void for readers who know of that move or a later one.
	PartLeft Part = "left"
	// PartDirectory is the folder of a session: a path of one machine, which is not replicated. Causal metadata
	// whose Parts derive it from no write says nothing about it.
	PartDirectory Part = "directory"
)

// Dot says of a member of a set when a store last added it, and which of that store's adds were known when it
// was removed. It is in the set while some Added exceeds its Removed: a removal cancels only known adds, so of
// a concurrent add and removal the add wins.
//
// Source: Bieniusa, Zawirski, Preguiça, Shapiro, Baquero, Balegas, Duarte, "An Optimized Conflict-Free
// Replicated Set", INRIA RR-8083, 2012.
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

// Count is one store's counts of a memory; the visible value is the sum over stores.
type Count struct {
	Accesses int `json:"a,omitempty"`
	Repeats  int `json:"r,omitempty"` // exact repeats after the first save
}

// CausalMetadata says which write each part of a thing comes from: with its values, all that replicas need to
// merge two states in any order (lifecycle.Merge). Equal metadata, except for Counts and Shadowed, means equal
// values and, by Past, equal older texts.
type CausalMetadata struct {
	// Base is the write that made the thing; it applies to every part not in Parts and every member not in
	// Sets.
	Base  VersionStamp          `json:"base,omitzero"`
	Parts map[Part]VersionStamp `json:"parts,omitempty"`
	// Sets has the members of the thing's one set (tags of a memory or aliases of a project) that were added or
	// removed after it was made, or by more than one store. Members not here were added by Base.
	Sets map[string]Dots `json:"sets,omitempty"`
	// Counts is each store's count, by device. A store omits its own, which is the sum less the others.
	Counts map[string]Count `json:"counts,omitempty"`
	// Past represents the set of a memory's earlier texts as one number (lifecycle.Past), since no part's stamp
	// reflects a text that became known after a later one. 0 for none. It is not replicated: the texts are.
	Past int64 `json:"-"`
	// Shadowed holds the merged values of parts that this store shows differently, because of a rule of its
	// own: another memory has the topic here, an undone import brought the memory. It is not replicated.
	Shadowed map[Part]json.RawMessage `json:"-"`
}

// Of returns the write that a part comes from. Parts of a text are never older than the text.
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

// Newest returns the latest write of any part or member.
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

// Digest is a number for comparing causal metadata. It ignores Counts, Shadowed and PartDirectory, and is never
// 0.
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

// Clone returns a copy that shares nothing with l.
func (l CausalMetadata) Clone() CausalMetadata {
	l.Parts, l.Counts, l.Shadowed = maps.Clone(l.Parts), maps.Clone(l.Counts), maps.Clone(l.Shadowed)
	l.Sets = maps.Clone(l.Sets)
	for member, dots := range l.Sets {
		l.Sets[member] = maps.Clone(dots)
	}
	return l
}
