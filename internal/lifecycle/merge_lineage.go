package lifecycle

import (
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Parts that are called as their field is, where more than one kind of thing has them.
const (
	partProject engram.Part = "project"
	partSession engram.Part = "session_id"
)

// Stamped is l with parts that were written anew by s.
func Stamped(l engram.CausalMetadata, parts []engram.Part, s engram.VersionStamp) engram.CausalMetadata {
	if len(parts) == 0 {
		return l
	}
	l.Parts = maps.Clone(l.Parts)
	if l.Parts == nil {
		l.Parts = make(map[engram.Part]engram.VersionStamp, len(parts))
	}
	for _, p := range parts {
		l.Parts[p] = s
	}
	if slices.Contains(parts, engram.PartText) {
		for _, p := range withText() {
			if l.Parts[p].Compare(s) <= 0 {
				delete(l.Parts, p)
			}
		}
	}
	return withoutDeleted(l)
}

// withText are the parts that a write of the text writes, too.
func withText() []engram.Part { return []engram.Part{engram.PartSummary, engram.PartToolName} }

// withoutDeleted is l without that the thing was forgotten, where what was written since says that
// it is not, nor that it left by a move that it shows. A later edit shows it where it left all the
// same, and yet it is known there that it moved. Its Parts must not be shared.
func withoutDeleted(l engram.CausalMetadata) engram.CausalMetadata {
	if _, was := l.Parts[engram.PartDeleted]; was && !deleted(l) {
		delete(l.Parts, engram.PartDeleted)
	}
	if s, was := l.Parts[engram.PartLeft]; was && l.Parts[partProject].Compare(s) >= 0 {
		delete(l.Parts, engram.PartLeft)
	}
	return l
}

// Retagged is l after a set of members became another one by s: tags of a memory, aliases of
// a project. Of a relation that is there the one member is "".
func Retagged(l engram.CausalMetadata, was, now []string, s engram.VersionStamp) engram.CausalMetadata {
	var sets map[string]engram.Dots
	put := func(member string, d engram.Dots) {
		if sets == nil {
			if sets = maps.Clone(l.Sets); sets == nil {
				sets = map[string]engram.Dots{}
			}
			l.Sets = sets
		}
		sets[member] = d
	}
	for _, member := range was {
		if !slices.Contains(now, member) {
			put(member, without(dotsOf(l, member, true)))
		}
	}
	for _, member := range now {
		if slices.Contains(was, member) {
			continue
		}
		d := maps.Clone(dotsOf(l, member, false))
		if d == nil {
			d = engram.Dots{}
		}
		removed := d[s.Device].Removed // never less than it was: that it was removed is known elsewhere
		d[s.Device] = engram.Dot{Added: max(s.At, removed+1), Removed: removed}
		put(member, d)
	}
	l.Parts = maps.Clone(l.Parts)
	return withoutDeleted(l)
}

// byBase are the dots of a member that came with the thing. The oldest clock there is would
// be none: a dot of 0 adds nothing.
func byBase(l engram.CausalMetadata) engram.Dots {
	return engram.Dots{l.Base.Device: {Added: max(l.Base.At, 1)}}
}

// dotsOf are the dots of a member; there says that the thing has it.
func dotsOf(l engram.CausalMetadata, member string, there bool) engram.Dots {
	if d, own := l.Sets[member]; own || !there {
		return d
	}
	return byBase(l)
}

// without are dots all of which were seen and removed.
func without(d engram.Dots) engram.Dots {
	gone := make(engram.Dots, len(d))
	for device, dot := range d {
		gone[device] = engram.Dot{Added: dot.Added, Removed: max(dot.Added, dot.Removed)}
	}
	return gone
}

// membersOf are the members of the one set of a thing.
func membersOf(r engram.Record) []string {
	switch {
	case r.Memory != nil:
		return r.Memory.Memory.Tags
	case r.Project != nil:
		return r.Project.Aliases
	case r.Relation != nil && (!r.Relation.Relation.Removed() || r.Causal != nil && r.Causal.Sets[""] != nil):
		return []string{""}
	}
	return nil
}

// fullSets are the sets of l with every member in them.
func fullSets(l engram.CausalMetadata, there []string) map[string]engram.Dots {
	sets := l.Sets
	if sets == nil && len(there) > 0 {
		sets = make(map[string]engram.Dots, len(there))
	}
	for _, member := range there {
		if _, own := sets[member]; !own {
			sets[member] = byBase(l)
		}
	}
	return sets
}

// members are those that are in the set, sorted.
func members(sets map[string]engram.Dots) []string {
	var in []string
	for member, dots := range sets {
		if dots.Member() {
			in = append(in, member)
		}
	}
	slices.Sort(in)
	return in
}

// joined is the lineage of two states together; every member of its set has its dots.
func joined(a, b engram.Record) engram.CausalMetadata {
	la, lb := a.Causal.Clone(), b.Causal.Clone()
	la.Sets, lb.Sets = fullSets(la, membersOf(a)), fullSets(lb, membersOf(b))
	l := engram.CausalMetadata{Base: la.Base, Parts: map[engram.Part]engram.VersionStamp{}, Sets: la.Sets, Counts: la.Counts}
	// The zero Base is of a state that says no more than what is in its Parts.
	if none := (engram.VersionStamp{}); la.Base == none || lb.Base != none && lb.Base.Compare(la.Base) < 0 {
		l.Base = lb.Base
	}
	for _, from := range []engram.CausalMetadata{la, lb} {
		for p, s := range from.Parts {
			if s.Compare(l.Parts[p]) > 0 {
				l.Parts[p] = s
			}
		}
	}
	for _, r := range registersOf(a) {
		l.Parts[r.part] = stampOf(la, r.part)
		if s := stampOf(lb, r.part); s.Compare(l.Parts[r.part]) > 0 {
			l.Parts[r.part] = s
		}
	}
	if l.Sets == nil {
		l.Sets = lb.Sets
	} else {
		joinSets(l.Sets, lb.Sets)
	}
	if l.Counts == nil {
		l.Counts = lb.Counts
	} else {
		for device, c := range lb.Counts {
			own := l.Counts[device]
			l.Counts[device] = engram.Count{Accesses: max(own.Accesses, c.Accesses), Repeats: max(own.Repeats, c.Repeats)}
		}
	}
	return l
}

// joinSets adds what from says of members to what into says.
func joinSets(into, from map[string]engram.Dots) {
	for member, dots := range from {
		if into[member] == nil {
			into[member] = dots
			continue
		}
		for device, d := range dots {
			own := into[member][device]
			into[member][device] = engram.Dot{Added: max(own.Added, d.Added), Removed: max(own.Removed, d.Removed)}
		}
	}
}

// shortenParts takes out of l what its Base says already, and that the thing was forgotten
// where what was written since says that it is not.
func shortenParts(l *engram.CausalMetadata, known []register) {
	*l = withoutDeleted(*l)
	maps.DeleteFunc(l.Parts, func(p engram.Part, s engram.VersionStamp) bool {
		switch isPart := slices.ContainsFunc(known, func(r register) bool { return r.part == p }); {
		case !isPart, p == engram.PartDeleted, p == engram.PartRestored:
			return s == (engram.VersionStamp{})
		case slices.Contains(withText(), p):
			return s.Compare(l.Of(engram.PartText)) <= 0
		}
		return s == l.Base
	})
}

// shorten takes members and counts out of l that its Base says already, and what is empty.
func shorten(l *engram.CausalMetadata) {
	base := byBase(*l)
	maps.DeleteFunc(l.Sets, func(_ string, dots engram.Dots) bool { return maps.Equal(dots, base) })
	maps.DeleteFunc(l.Counts, func(_ string, c engram.Count) bool { return c == engram.Count{} })
	if len(l.Parts) == 0 {
		l.Parts = nil
	}
	if len(l.Sets) == 0 {
		l.Sets = nil
	}
	if len(l.Counts) == 0 {
		l.Counts = nil
	}
}
