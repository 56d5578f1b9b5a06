package engine

import (
	"context"
	"errors"

	"github.com/alanbuscaglia/engram"
)

// What is read here is what leaves: things as they were written, with all that belongs to
// them and their lineages. Those of one call are read together.

// recordsWith makes a record of each thing with its lineage; known is false for one that has none.
func recordsWith[T any](ctx context.Context, r engram.Reader, kind engram.Entity, all []T, key func(T) string,
	record func(one T, l engram.Lineage, known bool) engram.Record) ([]engram.Record, error) {
	lineages, err := r.Lineages(ctx, kind, mapped(all, key))
	if err != nil {
		return nil, err
	}
	return mapped(all, func(one T) engram.Record {
		l, known := lineages[key(one)]
		return record(one, l, known)
	}), nil
}

// mapped is what of makes of each of all.
func mapped[T, U any](all []T, of func(T) U) []U {
	out := make([]U, len(all))
	for i, one := range all {
		out[i] = of(one)
	}
	return out
}

func memoryKey(m engram.Memory) string  { return key(m.Num) }
func promptKey(p engram.Prompt) string  { return key(p.Num) }
func sessionID(s engram.Session) string { return s.ID }

// memoryRecords are memories with their revisions.
func memoryRecords(ctx context.Context, r engram.Reader, ms []engram.Memory) ([]engram.Record, error) {
	device, err := r.Device(ctx)
	if err != nil {
		return nil, err
	}
	var unread error
	all, err := recordsWith(ctx, r, engram.EntityMemory, ms, memoryKey, func(m engram.Memory, l engram.Lineage, known bool) engram.Record {
		rec := writtenMemory(engram.MemoryRecord{Memory: m}, l, known, device)
		if m.RevisionCount > 1 && unread == nil { // a text that was replaced was counted
			rec.Memory.Revisions, unread = r.Revisions(ctx, m.Num)
			date(m, rec.Memory.Revisions, l.Of(engram.PartText))
		}
		return rec
	})
	return all, errors.Join(err, unread)
}

// sessionRecords are sessions that are there.
func sessionRecords(ctx context.Context, r engram.Reader, ss []engram.Session) ([]engram.Record, error) {
	return recordsWith(ctx, r, engram.EntitySession, ss, sessionID, sittingSession)
}

// goneRecords are sessions that left no row.
func goneRecords(ctx context.Context, r engram.Reader, ss []engram.Session) ([]engram.Record, error) {
	return recordsWith(ctx, r, engram.EntitySession, ss, sessionID, func(s engram.Session, l engram.Lineage, known bool) engram.Record {
		rec := writtenSession(s, l)
		if !known {
			rec.Lineage = nil // it was erased since
		}
		return rec
	})
}

// promptRecords are prompts.
func promptRecords(ctx context.Context, r engram.Reader, ps []engram.Prompt) ([]engram.Record, error) {
	return recordsWith(ctx, r, engram.EntityPrompt, ps, promptKey, writtenPrompt)
}

// relationRecords are relations whose memories have names.
func relationRecords(ctx context.Context, r engram.Reader, rs []engram.Relation) ([]engram.Record, error) {
	named, err := recordsOf(ctx, r, rs)
	if err != nil {
		return nil, err
	}
	return recordsWith(ctx, r, engram.EntityRelation, named, func(rel engram.RelationRecord) string { return key(rel.Relation.Num) }, writtenRelation)
}

// projectRecords are projects.
func projectRecords(ctx context.Context, r engram.Reader, ps []engram.Project) ([]engram.Record, error) {
	return recordsWith(ctx, r, engram.EntityProject, ps, func(p engram.Project) string { return p.Name }, func(p engram.Project, l engram.Lineage, known bool) engram.Record {
		if !known {
			return engram.Record{Project: &p}
		}
		return engram.Record{Project: &p, Lineage: &l}
	})
}
