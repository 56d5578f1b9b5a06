package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// relationRegisters has one part for the whole verdict. Whether the relation exists is a set of one
// member.
func relationRegisters() []register {
	said := func(r engram.Relation) engram.Relation {
		return engram.Relation{Verb: r.Verb, Status: r.Status, Strength: r.Strength, Reason: r.Reason, Evidence: r.Evidence,
			Confidence: r.Confidence, Actor: r.Actor, ActorKind: r.ActorKind, Model: r.Model, SessionID: r.SessionID}
	}
	return []register{{engram.PartVerdict, func(r engram.Record) any { return said(r.Relation.Relation) }, func(into, from engram.Record) {
		into.Relation.Relation = said(from.Relation.Relation)
	}}}
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

// sessionRegisters are the parts of a session.
func sessionRegisters() []register {
	of := func(r engram.Record) *engram.Session { return r.Session }
	return []register{
		part(engram.PartDirectory, of, func(s *engram.Session) *string { return &s.Directory }),
		part("started_at", of, func(s *engram.Session) *time.Time { return &s.StartedAt }),
		part("ended_at", of, func(s *engram.Session) *time.Time { return &s.EndedAt }),
		part(engram.PartSummary, of, func(s *engram.Session) *string { return &s.Summary }),
		part(partProject, of, func(s *engram.Session) *string { return &s.Project }),
	}
}

// promptRegisters are the parts of a prompt. The text is one as well: it never changes, but stores
// may have received it separately.
func promptRegisters() []register {
	of := func(r engram.Record) *engram.Prompt { return r.Prompt }
	return []register{
		part(engram.PartText, of, func(p *engram.Prompt) *string { return &p.Content }),
		part(partProject, of, func(p *engram.Prompt) *string { return &p.Project }),
		part(partSession, of, func(p *engram.Prompt) *string { return &p.SessionID }),
		part(engram.PartDeleted, of, func(p *engram.Prompt) *time.Time { return &p.DeletedAt }),
	}
}

// projectRegisters are the parts of a project. Its last folder is local to the machine.
func projectRegisters() []register {
	of := func(r engram.Record) *engram.Project { return r.Project }
	return []register{
		part("remote", of, func(p *engram.Project) *string { return &p.Remote }),
		part("decay", of, func(p *engram.Project) **engram.ProjectDecay { return &p.Decay }),
	}
}
