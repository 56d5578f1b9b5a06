package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// What Lineage.Held has, by part:
//
//   - project: the name that was written, where that is an alias here, of a memory, a prompt or a
//     session.
//   - session_id: the session that was written, of a memory or a prompt that is shown without,
//     because the session is another project's here.
//   - topic_key: the topic key that was written, of a memory that is shown without.
//   - deleted: when it was forgotten or deleted, as a time, of what an undo of an import or a
//     pull hides here. Of a relation, and of a session, which is not there then at all, the
//     value says nothing.
//   - verdict: of a relation that is hidden because another one is shown for it; the value says
//     nothing.
//
// The row of what is hidden says that it is forgotten, deleted or removed.

// isShadowed reports whether a part is shown otherwise than it was written.
func isShadowed(l engram.CausalMetadata, p engram.Part) bool {
	_, held := l.Shadowed[p]
	return held
}

// shadowedValue sets into to the value that was written of a part, if it is held.
func shadowedValue(l engram.CausalMetadata, p engram.Part, into any) {
	if v, held := l.Shadowed[p]; held {
		_ = json.Unmarshal(v, into) // it was marshalled here
	}
}

// withShadowed is l with the value that was written of a part, which is not shown.
func withShadowed(l engram.CausalMetadata, p engram.Part, written any) engram.CausalMetadata {
	l = l.Clone()
	if l.Shadowed == nil {
		l.Shadowed = map[engram.Part]json.RawMessage{}
	}
	l.Shadowed[p], _ = json.Marshal(written) // a text or a time
	return l
}

// withoutShadowed is l with a part shown as it was written.
func withoutShadowed(l engram.CausalMetadata, p engram.Part) engram.CausalMetadata {
	if !isShadowed(l, p) {
		return l
	}
	l = l.Clone()
	if delete(l.Shadowed, p); len(l.Shadowed) == 0 {
		l.Shadowed = nil
	}
	return l
}

// writtenMemory is what was written of a memory that is here, with what every store counted;
// device is this one. known says that it has a lineage.
func writtenMemory(r engram.MemoryRecord, l engram.CausalMetadata, known bool, device string) engram.Record {
	if !known {
		return engram.Record{Memory: &r}
	}
	m := &r.Memory
	w := writtenSpot(spot{m.Project, m.SessionID}, l)
	m.Project, m.SessionID = w.project, w.session
	shadowedValue(l, "topic_key", &m.TopicKey)
	shadowedValue(l, engram.PartDeleted, &m.DeletedAt)
	own := engram.Count{Accesses: m.AccessCount, Repeats: m.DuplicateCount - 1}
	for _, c := range l.Counts {
		own.Accesses, own.Repeats = own.Accesses-c.Accesses, own.Repeats-c.Repeats
	}
	l = l.Clone()
	if own.Accesses, own.Repeats = max(own.Accesses, 0), max(own.Repeats, 0); own != (engram.Count{}) {
		if l.Counts == nil {
			l.Counts = map[string]engram.Count{}
		}
		l.Counts[device] = own
	}
	return engram.Record{Memory: &r, Causal: &l}
}

// writtenRelation is writtenMemory for a relation.
func writtenRelation(r engram.RelationRecord, l engram.CausalMetadata, known bool) engram.Record {
	if !known {
		return engram.Record{Relation: &r}
	}
	if isShadowed(l, engram.PartDeleted) || isShadowed(l, engram.PartVerdict) {
		r.Relation.RemovedAt = time.Time{}
	}
	return engram.Record{Relation: &r, Causal: &l}
}

// writtenPrompt is writtenMemory for a prompt.
func writtenPrompt(p engram.Prompt, l engram.CausalMetadata, known bool) engram.Record {
	if !known {
		return engram.Record{Prompt: &p}
	}
	w := writtenSpot(spot{p.Project, p.SessionID}, l)
	p.Project, p.SessionID = w.project, w.session
	shadowedValue(l, engram.PartDeleted, &p.DeletedAt)
	return engram.Record{Prompt: &p, Causal: &l}
}

// sittingSession is writtenMemory for a session that has a row. What no write of it says, and
// all of one that is gone and stays because something is in it, the row has for show.
func sittingSession(s engram.Session, l engram.CausalMetadata, known bool) engram.Record {
	if !known {
		return engram.Record{Session: &s}
	}
	w := engram.Session{ID: s.ID, ActiveAt: s.ActiveAt}
	nobodys := unwritten(s.ID).Base
	says := func(p engram.Part) bool { return !lifecycle.Forgotten(l) && l.Of(p) != nobodys }
	if says(projectPart) {
		w.Project = writtenSpot(spot{project: s.Project}, l).project
	}
	if says("directory") {
		w.Directory = s.Directory
	}
	if says("started_at") {
		w.StartedAt = s.StartedAt
	}
	if says("ended_at") {
		w.EndedAt = s.EndedAt
	}
	if says("summary") {
		w.Summary = s.Summary
	}
	return engram.Record{Session: &w, Causal: &l}
}

// What is read here is what leaves: things as they were written, with all that belongs to
// them and their lineages. Those of one call are read together.

// recordsWith makes a record of each thing with its lineage; known is false for one that has none.
func recordsWith[T any](ctx context.Context, r engram.Reader, kind engram.Entity, all []T, key func(T) string,
	record func(one T, l engram.CausalMetadata, known bool) engram.Record) ([]engram.Record, error) {
	lineages, err := r.CausalMetadata(ctx, kind, mapped(all, key))
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
	all, err := recordsWith(ctx, r, engram.EntityMemory, ms, memoryKey, func(m engram.Memory, l engram.CausalMetadata, known bool) engram.Record {
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

// tombstoneRecords are sessions that left no row.
func tombstoneRecords(ctx context.Context, r engram.Reader, ss []engram.Session) ([]engram.Record, error) {
	return recordsWith(ctx, r, engram.EntitySession, ss, sessionID, func(s engram.Session, l engram.CausalMetadata, known bool) engram.Record {
		rec := writtenSession(s, l)
		if !known {
			rec.Causal = nil // it was erased since
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
	return recordsWith(ctx, r, engram.EntityProject, ps, func(p engram.Project) string { return p.Name }, func(p engram.Project, l engram.CausalMetadata, known bool) engram.Record {
		if !known {
			return engram.Record{Project: &p}
		}
		return engram.Record{Project: &p, Causal: &l}
	})
}
