package lifecycle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Merge brings two states of one thing together, as replicas do that went on apart.
//
// States form a join semilattice, and Merge is its join: merging is commutative, associative
// and idempotent, so that replicas which have seen the same states are in the same one, in
// whatever order, however often and by whatever detours they saw them. What each has comes of
// a few joins of its own:
//
//   - Each part is a register of which the greater Stamp holds; of equal stamps, which honest
//     stores do not make for two values, the one whose JSON is greater.
//   - Tags, aliases and whether a relation is there are add-wins sets (Dot).
//   - The texts of a memory only become more, and the greatest stamp's is what it says; all
//     others are its Revisions, by stamp. What a text is told from is its stamp and its words.
//   - Counters are per device, merged by maximum, and summed.
//   - A thing is forgotten while PartDeleted is later than all that was written of it since
//     (Forgotten): an older edit does not bring it back, a later one does.
//   - Of when it was made the earlier counts; of when it was changed, seen or asked for, the later.
//     When a relation was changed goes with the write that it is by: who takes a write back
//     takes its time back, too.
//
// What differs between replicas all the same is what Shared leaves out.
//
// The outcome is in the form that Normal gives. Both must be states of the same thing, of one
// kind; what they may share with the outcome is not theirs to change any more.
//
// Sources: Shapiro, Preguiça, Baquero, Zawirski, "Conflict-free Replicated Data Types", SSS
// 2011 (state-based objects, registers, counters); Bieniusa et al., INRIA RR-8083, 2012 (sets).
func Merge(a, b engram.Record) engram.Record { return MergeNormal(Normal(a), Normal(b)) }

// MergeNormal is Merge of two states in the form that Normal gives. Neither may be used after it.
func MergeNormal(a, b engram.Record) engram.Record {
	m := blank(a)
	l := joined(a, b)
	m.Causal = &l
	for _, r := range registersOf(a) {
		from := a
		if r.later(b, a) {
			from = b
		}
		r.take(m, from)
	}
	mergeRest(m, a, b)
	switch {
	case m.Memory != nil:
		mergeTexts(m.Memory, a, b)
	case m.Relation != nil:
		m.Relation.Relation.UpdatedAt = laterSaid(a, b)
	}
	return resolved(m)
}

// mergeRest brings together what of two states is no register and no set.
func mergeRest(m, a, b engram.Record) {
	switch {
	case m.Memory != nil:
		mergeMemory(&m.Memory.Memory, a.Memory.Memory, b.Memory.Memory)
	case m.Relation != nil:
		mergeRelation(m.Relation, *a.Relation, *b.Relation)
	case m.Project != nil:
		m.Project.CreatedAt = earlier(a.Project.CreatedAt, b.Project.CreatedAt)
	case m.Prompt != nil:
		m.Prompt.CreatedAt = earlier(a.Prompt.CreatedAt, b.Prompt.CreatedAt)
	case m.Session != nil:
		m.Session.ActiveAt = later(a.Session.ActiveAt, b.Session.ActiveAt)
	}
}

// Normal is a state in the form in which equal states are equal to the byte: Lineage says no
// more than it must, members and texts are in order, and what stores number for themselves is
// numbered by that order. A state without a Lineage gets the one that Derived makes.
func Normal(r engram.Record) engram.Record {
	l, registers := engram.CausalMetadata{}, registersOf(r)
	if r.Causal == nil {
		l = derivedOf(r, registers)
	} else {
		l = r.Causal.Clone()
	}
	l.Shadowed, l.Past = nil, 0
	maps.DeleteFunc(l.Sets, func(member string, dots engram.Dots) bool {
		// Not everything has a set, and that of a relation has one member.
		return len(dots) == 0 || r.Session != nil || r.Prompt != nil || r.Relation != nil && member != ""
	})
	m := blank(r)
	m.Causal = &l
	for _, reg := range registers {
		reg.take(m, r)
	}
	mergeRest(m, r, r)
	switch {
	case m.Memory != nil:
		normalMemory(m.Memory, *r.Memory, &l)
	case m.Relation != nil:
		m.Relation.Relation.UpdatedAt = changedAt(r)
		if r.Relation.Relation.Removed() && l.Sets[""] == nil {
			l.Sets = map[string]engram.Dots{"": without(byBase(l))}
		}
	}
	l.Sets = fullSets(l, membersOf(r))
	return resolved(m)
}

// blank is a record of the thing that r is about, which says nothing yet.
func blank(r engram.Record) engram.Record {
	m := engram.Record{Item: r.Item}
	switch {
	case r.Memory != nil:
		m.Memory = &engram.MemoryRecord{}
	case r.Relation != nil:
		m.Relation = &engram.RelationRecord{}
	case r.Session != nil:
		m.Session = &engram.Session{ID: r.Session.ID}
	case r.Prompt != nil:
		m.Prompt = &engram.Prompt{SyncID: r.Prompt.SyncID}
	case r.Project != nil:
		m.Project = &engram.Project{Name: r.Project.Name}
	}
	return m
}

// resolved makes what follows from the lineage of m agree with it, and brings the lineage into
// its shortest form. Until then every member of a set has its dots.
func resolved(m engram.Record) engram.Record {
	l := m.Causal
	gone := Forgotten(*l)
	switch {
	case m.Memory != nil:
		resolveMemory(m.Memory, l, gone)
	case m.Prompt != nil:
		m.Prompt.DeletedAt = deletedAt(m.Prompt.DeletedAt, *l, gone)
	case m.Session != nil:
		m.Tombstone = gone
	case m.Project != nil:
		m.Project.Aliases = members(l.Sets)
	case m.Relation != nil:
		// When a tie was cut no stamp says. Who cuts it changes it, and nobody changes one that is
		// cut.
		if m.Relation.Relation.RemovedAt = (time.Time{}); !l.Sets[""].Member() {
			m.Relation.Relation.RemovedAt = m.Relation.Relation.UpdatedAt
		}
	}
	if len(l.Parts) > 0 {
		shortenParts(l, registersOf(m))
	}
	shorten(l)
	return m
}

// deletedAt is when something was forgotten, if it was.
func deletedAt(at time.Time, l engram.CausalMetadata, gone bool) time.Time {
	switch {
	case !gone:
		return time.Time{}
	case !deleted(l):
		return l.Parts[engram.PartLeft].At.Time()
	case at.IsZero():
		return l.Parts[engram.PartDeleted].At.Time()
	}
	return at
}

// MergeErased brings together what is known of an erasure of one Key: the earlier time, and the
// ID where either has one. It counts everywhere if either does.
func MergeErased(a, b engram.Erased) engram.Erased {
	if a.ID == a.Name() || b.ID != b.Name() && b.ID < a.ID {
		a.ID = b.ID
	}
	a.At, a.Bound = min(a.At, b.At), a.Bound && b.Bound
	return a
}

// Forgotten reports whether a thing of this lineage was forgotten, deleted or taken away since
// it was last written or brought back. That it was moved does not bring it back; only what had
// no more than left is where it was moved to.
func Forgotten(l engram.CausalMetadata) bool { return deleted(l) || left(l) }

func deleted(l engram.CausalMetadata) bool {
	s, was := l.Parts[engram.PartDeleted]
	return was && !writtenSince(l, s)
}

func left(l engram.CausalMetadata) bool {
	s, was := l.Parts[engram.PartLeft]
	return was && l.Parts[partProject].Compare(s) < 0 && !writtenSince(l, s)
}

// deletedBy is the write by which a thing that is forgotten was taken away last.
func deletedBy(l engram.CausalMetadata) engram.VersionStamp {
	deleted, left := l.Parts[engram.PartDeleted], l.Parts[engram.PartLeft]
	if left.Compare(deleted) > 0 {
		return left
	}
	return deleted
}

// writtenSince reports whether a thing was written or brought back by that write or later. To
// be moved is neither.
func writtenSince(l engram.CausalMetadata, s engram.VersionStamp) bool {
	if l.Base.Compare(s) >= 0 {
		return true
	}
	for p, of := range l.Parts {
		switch p {
		case engram.PartDeleted, engram.PartLeft, partProject, partSession:
			continue
		}
		if of.Compare(s) >= 0 {
			return true
		}
	}
	for _, dots := range l.Sets {
		for device, d := range dots {
			if d.Added > 0 && (engram.VersionStamp{At: d.Added, Device: device}).Compare(s) >= 0 {
				return true
			}
		}
	}
	return false
}

// register is one part of a thing: what it says, and how that is taken over.
type register struct {
	part engram.Part
	says func(engram.Record) any
	take func(into, from engram.Record)
}

// part is the register of one field of a thing of a kind, which of takes out of its record.
func part[T, F any](p engram.Part, of func(engram.Record) *T, field func(*T) *F) register {
	return register{p, func(r engram.Record) any { return *field(of(r)) },
		func(into, from engram.Record) { *field(of(into)) = *field(of(from)) }}
}

// later reports whether what b says of the part holds against what a says.
func (r register) later(b, a engram.Record) bool {
	if c := stampOf(*b.Causal, r.part).Compare(stampOf(*a.Causal, r.part)); c != 0 {
		return c > 0
	}
	return bytes.Compare(spelled(r.says(b)), spelled(r.says(a))) > 0
}

// spelled is a value as bytes that can be compared. What is no JSON is in no store.
func spelled(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

// stampOf is the write that a part comes from; that a thing was forgotten or brought back does
// not come of its being made.
func stampOf(l engram.CausalMetadata, p engram.Part) engram.VersionStamp {
	if p == engram.PartDeleted || p == engram.PartRestored {
		return l.Parts[p]
	}
	return l.Of(p)
}

// registersOf are the parts of things of the kind of r, but for their sets.
func registersOf(r engram.Record) []register {
	switch {
	case r.Memory != nil:
		return memoryRegisters()
	case r.Relation != nil:
		return relationRegisters()
	case r.Session != nil:
		return sessionRegisters()
	case r.Prompt != nil:
		return promptRegisters()
	case r.Project != nil:
		return projectRegisters()
	}
	return nil
}

// earlier returns the earlier of two times; one that is not known counts for nothing.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// least returns the smaller of two names; "" is none.
func least[T cmp.Ordered](a, b T) T {
	var none T
	if a == none || b != none && b < a {
		return b
	}
	return a
}
