package ledger

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// The engine treats memories, sessions, prompts, relations and projects alike where it can: as records. The functions
// here return, for a record of any kind, what merging, pushing, importing and undoing ask of it.

// MemoryRecord returns the record of a memory alone.
func MemoryRecord(m engram.Memory) engram.Record {
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}
}

// RelationRecord returns the record of a relation without its ends.
func RelationRecord(r engram.Relation) engram.Record {
	return engram.Record{Relation: &engram.RelationRecord{Relation: r}}
}

// SessionRecord returns the record of a session.
func SessionRecord(s engram.Session) engram.Record { return engram.Record{Session: &s} }

// PromptRecord returns the record of a prompt.
func PromptRecord(p engram.Prompt) engram.Record { return engram.Record{Prompt: &p} }

// ProjectRecord returns the record of a project.
func ProjectRecord(p engram.Project) engram.Record { return engram.Record{Project: &p} }

// KeyOf returns the key under which the journal and the causal metadata have the thing of a record.
func KeyOf(r engram.Record) string {
	switch {
	case r.Memory != nil:
		return Key(r.Memory.Memory.Num)
	case r.Session != nil:
		return r.Session.ID
	case r.Prompt != nil:
		return Key(r.Prompt.Num)
	case r.Relation != nil:
		return Key(r.Relation.Relation.Num)
	case r.Project != nil:
		return r.Project.Name
	}
	return ""
}

// ProjectOf returns the project that a record names; "" for relations, which belong where their memories are.
func ProjectOf(r engram.Record) string {
	switch {
	case r.Project != nil:
		return r.Project.Name
	case r.Session != nil:
		return r.Session.Project
	case r.Prompt != nil:
		return r.Prompt.Project
	case r.Memory != nil:
		return r.Memory.Memory.Project
	case r.Erased != nil:
		return r.Erased.Project
	}
	return ""
}

// NamesOf returns the names that all replicas have for a memory, a session or a prompt. A name may be "".
func NamesOf(r engram.Record) []string {
	switch {
	case r.Memory != nil:
		return []string{string(r.Memory.Memory.ID), r.Memory.Memory.SyncID}
	case r.Session != nil:
		return []string{r.Session.ID}
	case r.Prompt != nil:
		return []string{r.Prompt.SyncID}
	}
	return nil
}

// NameOf returns how a record names itself in messages.
func NameOf(r engram.Record) string {
	switch {
	case r.Project != nil:
		return screen.Line(r.Project.Name)
	case r.Relation != nil:
		return screen.Line(r.Relation.Relation.ID)
	case r.Erased != nil:
		return screen.Line(r.Erased.ID)
	}
	i := slices.IndexFunc(NamesOf(r), func(name string) bool { return name != "" })
	if i < 0 {
		return ""
	}
	return screen.Line(NamesOf(r)[i])
}

// IsOver reports whether a record is of something forgotten, deleted or removed.
func IsOver(r engram.Record) bool {
	switch {
	case r.Tombstone:
		return true
	case r.Memory != nil:
		return r.Memory.Memory.Forgotten()
	case r.Prompt != nil:
		return r.Prompt.Deleted()
	case r.Relation != nil:
		return r.Relation.Relation.Removed()
	}
	return false
}

// Placing points to the fields of a memory, a session or a prompt that may be shown otherwise than they were written.
type Placing struct {
	project, session *string
	Deleted          *time.Time // when it was forgotten or deleted
	Made             time.Time
}

// PlaceOf returns the place of a memory, a session or a prompt. A session has no session and no time of deletion.
func PlaceOf(r engram.Record) Placing {
	switch {
	case r.Memory != nil:
		m := &r.Memory.Memory
		return Placing{&m.Project, &m.SessionID, &m.DeletedAt, m.CreatedAt}
	case r.Prompt != nil:
		return Placing{&r.Prompt.Project, &r.Prompt.SessionID, &r.Prompt.DeletedAt, r.Prompt.CreatedAt}
	}
	return Placing{&r.Session.Project, new(string), new(time.Time), r.Session.StartedAt}
}

// Location returns the project and the session.
func (p Placing) Location() Location { return Location{*p.project, *p.session} }

// MoveTo sets the project and the session.
func (p Placing) MoveTo(to Location) { *p.project, *p.session = to.Project, to.Session }

// KnownMetadata reads the causal metadata of a thing; known is false when it has none.
func KnownMetadata(ctx context.Context, r engram.Reader, kind engram.Entity, key string) (l engram.CausalMetadata, known bool, err error) {
	all, err := r.Replica().CausalMetadata(ctx, kind, []string{key})
	l, known = all[key]
	return l, known, err
}

// metadataOf returns the causal metadata of a stored thing; without any, the one derived from its state.
func metadataOf(ctx context.Context, r engram.Reader, state engram.Record) (engram.CausalMetadata, error) {
	l, known, err := KnownMetadata(ctx, r, state.Entity(), KeyOf(state))
	if err == nil && !known {
		l = lifecycle.Derived(state)
	}
	return l, err
}
