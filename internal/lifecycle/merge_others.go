package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// verdictRegister is the part of a relation with all it says. Whether the relation exists is a set of
// one member.
func verdictRegister() register {
	said := func(r *engram.RelationRecord) (s engram.Relation) {
		for _, f := range engram.Fields[engram.Relation]() {
			if f.Part == engram.PartVerdict {
				f.Copy(&s, &r.Relation)
			}
		}
		return s
	}
	return register{engram.PartVerdict, func(r engram.Record) any { return said(r.Relation) }, func(into, from engram.Record) {
		into.Relation.Relation = said(from.Relation)
	}}
}

// mergeRelation merges what is not a part of a relation.
func mergeRelation(m *engram.RelationRecord, a, b engram.RelationRecord) {
	m.Source, m.Target = leastRef(a.Source, b.Source), leastRef(a.Target, b.Target)
	m.Relation.ID = least(a.Relation.ID, b.Relation.ID)
	m.Relation.CreatedAt = earlier(a.Relation.CreatedAt, b.Relation.CreatedAt)
}

// laterSaid returns the change time of a merged relation: that of the later write; for the same
// write, which a removal may follow, the later time.
func laterSaid(a, b engram.Record) time.Time {
	x, y := changedAt(a), changedAt(b)
	c := lastSaid(b).Compare(lastSaid(a))
	if c > 0 || c == 0 && y.After(x) {
		return y
	}
	return x
}

// lastSaid returns the latest write of a relation's verdict or presence.
func lastSaid(r engram.Record) engram.VersionStamp {
	last := r.Causal.Of(engram.PartVerdict)
	for device, d := range fullSets(r.Causal.Clone(), membersOf(r))[""] {
		if s := (engram.VersionStamp{At: d.Added, Device: device}); s.Compare(last) > 0 {
			last = s
		}
	}
	return last
}

// leastRef picks one of two names of a memory.
func leastRef(a, b engram.Ref) engram.Ref {
	if a.ID == b.ID && b.SyncID < a.SyncID || b.ID != "" && (a.ID == "" || b.ID < a.ID) {
		a = b
	}
	return engram.Ref{ID: a.ID, SyncID: a.SyncID}
}
