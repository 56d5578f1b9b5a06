package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// The engine treats memories, sessions, prompts, relations and projects alike where it can: as records. The functions
// here return, for a record of any kind, what merging, pushing, importing and undoing ask of it.

func memoryRecord(m engram.Memory) engram.Record {
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}
}

func relationRecord(r engram.Relation) engram.Record {
	return engram.Record{Relation: &engram.RelationRecord{Relation: r}}
}

func sessionRecord(s engram.Session) engram.Record { return engram.Record{Session: &s} }
func promptRecord(p engram.Prompt) engram.Record   { return engram.Record{Prompt: &p} }
func projectRecord(p engram.Project) engram.Record { return engram.Record{Project: &p} }

// keyOf returns the key under which the journal and the causal metadata have the thing of a record.
func keyOf(r engram.Record) string {
	switch {
	case r.Memory != nil:
		return key(r.Memory.Memory.Num)
	case r.Session != nil:
		return r.Session.ID
	case r.Prompt != nil:
		return key(r.Prompt.Num)
	case r.Relation != nil:
		return key(r.Relation.Relation.Num)
	case r.Project != nil:
		return r.Project.Name
	}
	return ""
}

// projectOf returns the project that a record names; "" for relations, which belong where their memories are.
func projectOf(r engram.Record) string {
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

// namesOf returns the names that all replicas have for a memory, a session or a prompt. A name may be "".
func namesOf(r engram.Record) []string {
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

// nameOf returns how a record names itself in messages.
func nameOf(r engram.Record) string {
	switch {
	case r.Project != nil:
		return line(r.Project.Name)
	case r.Relation != nil:
		return line(r.Relation.Relation.ID)
	case r.Erased != nil:
		return line(r.Erased.ID)
	}
	i := slices.IndexFunc(namesOf(r), func(name string) bool { return name != "" })
	if i < 0 {
		return ""
	}
	return line(namesOf(r)[i])
}

// isOver reports whether a record is of something forgotten, deleted or removed.
func isOver(r engram.Record) bool {
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

// placing points to the fields of a memory, a session or a prompt that may be shown otherwise than they were written.
type placing struct {
	project, session *string
	deleted          *time.Time // when it was forgotten or deleted
	made             time.Time
}

// placeOf returns the place of a memory, a session or a prompt. A session has no session and no time of deletion.
func placeOf(r engram.Record) placing {
	switch {
	case r.Memory != nil:
		m := &r.Memory.Memory
		return placing{&m.Project, &m.SessionID, &m.DeletedAt, m.CreatedAt}
	case r.Prompt != nil:
		return placing{&r.Prompt.Project, &r.Prompt.SessionID, &r.Prompt.DeletedAt, r.Prompt.CreatedAt}
	}
	return placing{&r.Session.Project, new(string), new(time.Time), r.Session.StartedAt}
}

func (p placing) location() location { return location{*p.project, *p.session} }
func (p placing) moveTo(to location) { *p.project, *p.session = to.project, to.session }

// knownMetadata reads the causal metadata of a thing; known is false when it has none.
func knownMetadata(ctx context.Context, r engram.Reader, kind engram.Entity, key string) (l engram.CausalMetadata, known bool, err error) {
	all, err := r.Replica().CausalMetadata(ctx, kind, []string{key})
	l, known = all[key]
	return l, known, err
}

// metadataOf returns the causal metadata of a stored thing; without any, the one derived from its state.
func metadataOf(ctx context.Context, r engram.Reader, state engram.Record) (engram.CausalMetadata, error) {
	l, known, err := knownMetadata(ctx, r, state.Entity(), keyOf(state))
	if err == nil && !known {
		l = lifecycle.Derived(state)
	}
	return l, err
}

func mapped[T, U any](all []T, of func(T) U) []U {
	out := make([]U, len(all))
	for i, one := range all {
		out[i] = of(one)
	}
	return out
}

// ifThere turns not_found into found being false.
func ifThere[T any](one T, err error) (_ T, found bool, _ error) {
	if engram.CodeOf(err) == engram.CodeNotFound {
		return one, false, nil
	}
	return one, err == nil, err
}

// everyPage reads a list of pages of a size to its end.
func everyPage[T any](size int, read func(engram.Page) ([]T, error)) (all []T, err error) {
	for offset := 0; ; offset += size {
		page, err := read(engram.Page{Limit: size, Offset: offset})
		if err != nil {
			return nil, err
		}
		if all = append(all, page...); len(page) < size {
			return all, nil
		}
	}
}

// eachAfter calls each with everything read finds, page by page; each returns where the next page begins.
func eachAfter[T, K any](read func(after K) ([]T, error), each func(T) (K, error)) error {
	var after K
	for {
		page, err := read(after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, one := range page {
			if after, err = each(one); err != nil {
				return err
			}
		}
	}
}

// allAfter returns everything eachAfter passes to each.
func allAfter[T, K any](read func(after K) ([]T, error), last func(T) K) (things []T, err error) {
	err = eachAfter(read, func(one T) (K, error) {
		things = append(things, one)
		return last(one), nil
	})
	return things, err
}
