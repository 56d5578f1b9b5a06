package lifecycle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Merge merges two states of one thing that diverged on replicas.
//
// States form a join semilattice and Merge is its join: commutative, associative and idempotent. Replicas that
// have seen the same states converge, in any order and however often. Each kind of value has its own join:
//
//   - Each part is a register; the greater stamp wins. On equal stamps, which honest stores do not
//     make for two values, the greater JSON wins.
//   - Tags, aliases and the presence of a relation are add-wins sets (Dot).
//   - The texts of a memory only grow: the greatest stamp is current, all others are Revisions. A
//     text is identified by its stamp and its words.
//   - Counters are per device, merged by maximum and summed.
//   - A thing is forgotten while PartDeleted is later than every write since (Forgotten): an older
//     edit does not bring it back, a later one does.
//   - The earlier creation time wins, and the later time of change, view or access. The change time
//     of a relation goes with its write, so undoing a write undoes the time.
//
// Shared drops what may still differ between replicas.
//
// The result is in the form of Normal. Both must be states of the same thing. The result may share
// memory with them, so they must not be changed afterwards.
//
// Sources: Shapiro, Preguiça, Baquero, Zawirski, "Conflict-free Replicated Data Types", SSS 2011
// (state-based objects, registers, counters); Bieniusa et al., INRIA RR-8083, 2012 (sets).
func Merge(a, b engram.Record) engram.Record { return MergeNormal(Normal(a), Normal(b)) }

// MergeNormal is Merge of states in the form of Normal. Neither may be used afterwards.
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

// mergeRest merges the values that are neither registers nor sets.
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

// Normal returns a state in canonical form: equal states are equal bytes. Causal metadata is minimal, members
// and texts are sorted, and local numbers follow that order. A state without metadata gets the one of Derived.
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

// blank returns an empty record of the same thing as r.
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

// resolved derives the values that follow from m's causal metadata and shortens the metadata. Until
// then every member of a set has its dots.
func resolved(m engram.Record) engram.Record {
	l := m.Causal
	forgotten := Forgotten(*l)
	switch {
	case m.Memory != nil:
		resolveMemory(m.Memory, l, forgotten)
	case m.Prompt != nil:
		m.Prompt.DeletedAt = deletedAt(m.Prompt.DeletedAt, *l, forgotten)
	case m.Session != nil:
		m.Tombstone = forgotten
	case m.Project != nil:
		m.Project.Aliases = members(l.Sets)
	case m.Relation != nil:
		// No stamp says when a relation was removed. Removing changes it, and a removed one is not changed.
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

// deletedAt returns when a thing was forgotten; zero if it was not.
func deletedAt(at time.Time, l engram.CausalMetadata, forgotten bool) time.Time {
	switch {
	case !forgotten:
		return time.Time{}
	case !deleted(l):
		return l.Parts[engram.PartLeft].At.Time()
	case at.IsZero():
		return l.Parts[engram.PartDeleted].At.Time()
	}
	return at
}

// MergeErased merges two records of an erasure of one Key: the earlier time, and the ID if either
// has one. It counts everywhere if it does in either.
func MergeErased(a, b engram.Erased) engram.Erased {
	if a.ID == a.Name() || b.ID != b.Name() && b.ID < a.ID {
		a.ID = b.ID
	}
	a.At, a.Bound = min(a.At, b.At), a.Bound && b.Bound
	return a
}

// Forgotten reports whether a thing was forgotten, deleted or moved away since it was last written
// or restored. A move does not restore it, unless it had only left and moves on.
func Forgotten(l engram.CausalMetadata) bool { return deleted(l) || left(l) }

func deleted(l engram.CausalMetadata) bool {
	s, was := l.Parts[engram.PartDeleted]
	return was && !writtenSince(l, s)
}

func left(l engram.CausalMetadata) bool {
	s, was := l.Parts[engram.PartLeft]
	return was && l.Parts[partProject].Compare(s) < 0 && !writtenSince(l, s)
}

// deletedBy returns the last write that took a forgotten thing away.
func deletedBy(l engram.CausalMetadata) engram.VersionStamp {
	return slices.MaxFunc([]engram.VersionStamp{l.Parts[engram.PartDeleted], l.Parts[engram.PartLeft]}, engram.VersionStamp.Compare)
}

// writtenSince reports whether a thing was written or restored by s or later. A move is neither.
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

// register is one part of a thing: how to read it and how to copy it.
type register struct {
	part engram.Part
	says func(engram.Record) any
	take func(into, from engram.Record)
}

// fieldRegisters returns the registers of the fields with a part; of returns the thing that a record holds.
func fieldRegisters[T any](of func(engram.Record) *T) (all []register) {
	for _, f := range engram.Fields[T]() {
		if f.Part != "" {
			all = append(all, register{f.Part, func(r engram.Record) any { return f.Value(of(r)) },
				func(into, from engram.Record) { f.Copy(of(into), of(from)) }})
		}
	}
	return all
}

// registers has the parts of each kind, without its set. The text of a prompt is one as well: it never
// changes, but stores may have received it separately.
var registers = sync.OnceValue(func() map[engram.Entity][]register {
	return map[engram.Entity][]register{
		engram.EntityMemory:   append(fieldRegisters(memoryOf), textRegister()),
		engram.EntityRelation: {verdictRegister()},
		engram.EntitySession:  fieldRegisters(func(r engram.Record) *engram.Session { return r.Session }),
		engram.EntityPrompt:   fieldRegisters(func(r engram.Record) *engram.Prompt { return r.Prompt }),
		engram.EntityProject:  fieldRegisters(func(r engram.Record) *engram.Project { return r.Project }),
	}
})

// later reports whether b's value of the part wins over a's.
func (r register) later(b, a engram.Record) bool {
	if c := stampOf(*b.Causal, r.part).Compare(stampOf(*a.Causal, r.part)); c != 0 {
		return c > 0
	}
	return bytes.Compare(spelled(r.says(b)), spelled(r.says(a))) > 0
}

// spelled returns a value as comparable bytes. No store holds a value that is not JSON.
func spelled(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

// stampOf returns the write of a part. Deletion and restoration do not default to Base.
func stampOf(l engram.CausalMetadata, p engram.Part) engram.VersionStamp {
	if p == engram.PartDeleted || p == engram.PartRestored {
		return l.Parts[p]
	}
	return l.Of(p)
}

// registersOf returns the parts of r's kind, without its set.
func registersOf(r engram.Record) []register {
	if r.Erased != nil {
		return nil
	}
	return registers()[r.Entity()]
}

// earlier returns the earlier of two times, ignoring zero ones.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// least returns the smaller of two values, ignoring zero ones.
func least[T cmp.Ordered](a, b T) T {
	var none T
	if a == none || b != none && b < a {
		return b
	}
	return a
}
