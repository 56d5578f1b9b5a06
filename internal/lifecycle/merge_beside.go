package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// relationRegisters are the parts of a relation: what it says, at once. Whether it is there at
// all is a set of one member.
func relationRegisters() []register {
	said := func(r engram.Relation) engram.Relation {
		return engram.Relation{Verb: r.Verb, Status: r.Status, Strength: r.Strength, Reason: r.Reason, Evidence: r.Evidence,
			Confidence: r.Confidence, Actor: r.Actor, ActorKind: r.ActorKind, Model: r.Model, SessionID: r.SessionID}
	}
	return []register{{engram.PartVerdict, func(r engram.Record) any { return said(r.Relation.Relation) }, func(into, from engram.Record) {
		into.Relation.Relation = said(from.Relation.Relation)
	}}}
}

// mergeRelation brings together what of a relation is no part.
func mergeRelation(m *engram.RelationRecord, a, b engram.RelationRecord) {
	m.Source, m.Target = leastRef(a.Source, b.Source), leastRef(a.Target, b.Target)
	m.Relation.ID = least(a.Relation.ID, b.Relation.ID)
	m.Relation.CreatedAt = earlier(a.Relation.CreatedAt, b.Relation.CreatedAt)
}

// laterSaid is when a relation was changed, of two states of it: as the one says of which a
// write is the later; of one write, which may have been followed by a removal, the later time.
func laterSaid(a, b engram.Record) time.Time {
	x, y := changedAt(a), changedAt(b)
	c := lastSaid(b).Compare(lastSaid(a))
	if c > 0 || c == 0 && y.After(x) {
		return y
	}
	return x
}

// lastSaid is the latest write of a relation: by which it says what it does, or is there.
func lastSaid(r engram.Record) engram.VersionStamp {
	last := r.Causal.Of(engram.PartVerdict)
	for device, d := range fullSets(r.Causal.Clone(), membersOf(r))[""] {
		if s := (engram.VersionStamp{At: d.Added, Device: device}); s.Compare(last) > 0 {
			last = s
		}
	}
	return last
}

// leastRef is one of two names of a memory.
func leastRef(a, b engram.Ref) engram.Ref {
	if a.ID == b.ID && b.SyncID < a.SyncID || b.ID != "" && (a.ID == "" || b.ID < a.ID) {
		a = b
	}
	return engram.Ref{ID: a.ID, SyncID: a.SyncID}
}

// sessionRegisters are the parts of a session.
func sessionRegisters() []register {
	field := func(p engram.Part, says func(engram.Session) any, take func(into *engram.Session, from engram.Session)) register {
		return register{p, func(r engram.Record) any { return says(*r.Session) }, func(into, from engram.Record) { take(into.Session, *from.Session) }}
	}
	return []register{
		field("directory", func(s engram.Session) any { return s.Directory }, func(s *engram.Session, from engram.Session) { s.Directory = from.Directory }),
		field("started_at", func(s engram.Session) any { return s.StartedAt }, func(s *engram.Session, from engram.Session) { s.StartedAt = from.StartedAt }),
		field("ended_at", func(s engram.Session) any { return s.EndedAt }, func(s *engram.Session, from engram.Session) { s.EndedAt = from.EndedAt }),
		field("summary", func(s engram.Session) any { return s.Summary }, func(s *engram.Session, from engram.Session) { s.Summary = from.Summary }),
		field(partProject, func(s engram.Session) any { return s.Project }, func(s *engram.Session, from engram.Session) { s.Project = from.Project }),
	}
}

// promptRegisters are the parts of a prompt. What it says is one, too: nobody changes it, but
// stores may have come by it apart.
func promptRegisters() []register {
	field := func(p engram.Part, says func(engram.Prompt) any, take func(into *engram.Prompt, from engram.Prompt)) register {
		return register{p, func(r engram.Record) any { return says(*r.Prompt) }, func(into, from engram.Record) { take(into.Prompt, *from.Prompt) }}
	}
	return []register{
		field(engram.PartText, func(p engram.Prompt) any { return p.Content }, func(p *engram.Prompt, from engram.Prompt) { p.Content = from.Content }),
		field(partProject, func(p engram.Prompt) any { return p.Project }, func(p *engram.Prompt, from engram.Prompt) { p.Project = from.Project }),
		field(partSession, func(p engram.Prompt) any { return p.SessionID }, func(p *engram.Prompt, from engram.Prompt) { p.SessionID = from.SessionID }),
		field(engram.PartDeleted, func(p engram.Prompt) any { return p.DeletedAt }, func(p *engram.Prompt, from engram.Prompt) { p.DeletedAt = from.DeletedAt }),
	}
}

// projectRegisters are the parts of a project. The folder that it was last seen in is a
// matter of the machine.
func projectRegisters() []register {
	return []register{
		{"remote", func(r engram.Record) any { return r.Project.Remote }, func(into, from engram.Record) { into.Project.Remote = from.Project.Remote }},
		{"decay", func(r engram.Record) any { return r.Project.Decay }, func(into, from engram.Record) { into.Project.Decay = from.Project.Decay }},
	}
}
