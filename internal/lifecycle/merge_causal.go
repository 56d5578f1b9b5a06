package lifecycle

import (
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Parts of more than one kind, named after their field.
const (
	partProject engram.Part = "project"
	partSession engram.Part = "session_id"
)

// Stamped returns l with parts written by s.
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

// withText returns the parts that a write of the text also writes.
func withText() []engram.Part { return []engram.Part{engram.PartSummary, engram.PartToolName} }

// withoutDeleted drops a deletion that a later write undid, and a move away that the present project shows. A
// later edit makes the thing visible where it left, but the move stays known there. l.Parts must not be shared.
func withoutDeleted(l engram.CausalMetadata) engram.CausalMetadata {
	if _, was := l.Parts[engram.PartDeleted]; was && !deleted(l) {
		delete(l.Parts, engram.PartDeleted)
	}
	if s, was := l.Parts[engram.PartLeft]; was && l.Parts[partProject].Compare(s) >= 0 {
		delete(l.Parts, engram.PartLeft)
	}
	return l
}

// Retagged returns l after s changed a set of members: tags of a memory, aliases of a project. The
// one member of a relation is "".
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
		removed := d[s.Device].Removed // never lower it: others know of the removal
		d[s.Device] = engram.Dot{Added: max(s.At, removed+1), Removed: removed}
		put(member, d)
	}
	l.Parts = maps.Clone(l.Parts)
	return withoutDeleted(l)
}

// byBase returns the dots of a member that came with the thing. A dot of 0 would add nothing.
func byBase(l engram.CausalMetadata) engram.Dots {
	return engram.Dots{l.Base.Device: {Added: max(l.Base.At, 1)}}
}

// dotsOf returns the dots of a member; there means that the thing has it.
func dotsOf(l engram.CausalMetadata, member string, there bool) engram.Dots {
	if d, own := l.Sets[member]; own || !there {
		return d
	}
	return byBase(l)
}

// without returns dots with every add seen and removed.
func without(d engram.Dots) engram.Dots {
	removed := make(engram.Dots, len(d))
	for device, dot := range d {
		removed[device] = engram.Dot{Added: dot.Added, Removed: max(dot.Added, dot.Removed)}
	}
	return removed
}

// membersOf returns the members of the one set of a thing.
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

// fullSets returns the sets of l with an entry for every member.
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

// members returns the present members, sorted.
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

// joined merges the causal metadata of two states; every member of the set has its dots.
func joined(a, b engram.Record) engram.CausalMetadata {
	la, lb := a.Causal.Clone(), b.Causal.Clone()
	la.Sets, lb.Sets = fullSets(la, membersOf(a)), fullSets(lb, membersOf(b))
	l := engram.CausalMetadata{Base: la.Base, Parts: map[engram.Part]engram.VersionStamp{}, Sets: la.Sets, Counts: la.Counts}
	// A zero Base belongs to a state that only claims its Parts.
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

// joinSets merges from into into.
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

// shortenParts drops parts that Base implies, and a deletion that a later write undid.
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

// shorten drops members and counts that Base implies, and empty maps.
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
