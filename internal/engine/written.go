package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// CausalMetadata.Shadowed has, by part, a merged value that is not visible here:
//
//   - project: the name that was written, where it is an alias here, of a memory, a prompt or a session.
//   - session_id: the session of a memory or a prompt that is shown without, because the session belongs to another
//     project here.
//   - topic_key: the topic key of a memory that is shown without.
//   - deleted: when something was forgotten or deleted that an undo of an import or a pull hides here. Of a session,
//     the session itself; of a relation, an unused value.
//   - verdict: an unused value, of a relation that is hidden because another one is shown for it.
//
// The row of something hidden says that it is forgotten, deleted or removed.

// isShadowed reports whether the visible value of a part differs from its merged value.
func isShadowed(l engram.CausalMetadata, p engram.Part) bool {
	_, shadowed := l.Shadowed[p]
	return shadowed
}

// shadowedValue sets into to the merged value of a part, if it is shadowed.
func shadowedValue(l engram.CausalMetadata, p engram.Part, into any) {
	if v, shadowed := l.Shadowed[p]; shadowed {
		_ = json.Unmarshal(v, into) // it was marshalled here
	}
}

// withShadowed returns l with a merged value of a part that is not visible.
func withShadowed(l engram.CausalMetadata, p engram.Part, written any) engram.CausalMetadata {
	l = l.Clone()
	if l.Shadowed == nil {
		l.Shadowed = map[engram.Part]json.RawMessage{}
	}
	l.Shadowed[p], _ = json.Marshal(written) // a text or a time
	return l
}

// withoutShadowed returns l with the merged value of a part visible.
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

// writtenState returns the record of a stored thing as it was written, with what every store counted; device is this
// store. known says that it has causal metadata. It changes what r points to.
func writtenState(r engram.Record, l engram.CausalMetadata, known bool, device string) engram.Record {
	if !known {
		return r
	}
	r.Causal = &l
	switch {
	case r.Memory != nil:
		r.Causal = countedMetadata(r.Memory.Memory, l, device)
		shadowedValue(l, topicPart, &r.Memory.Memory.TopicKey)
	case r.Relation != nil && (isShadowed(l, engram.PartDeleted) || isShadowed(l, engram.PartVerdict)):
		r.Relation.Relation.RemovedAt = time.Time{}
	case r.Session != nil:
		return writtenSession(r, l)
	}
	if r.Memory != nil || r.Prompt != nil {
		p := placeOf(r)
		p.moveTo(writtenLocation(p.location(), l))
		shadowedValue(l, engram.PartDeleted, p.deleted)
	}
	return r
}

// countedMetadata returns the metadata of a memory with the counts of this store, which only its row has.
func countedMetadata(m engram.Memory, l engram.CausalMetadata, device string) *engram.CausalMetadata {
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
	return &l
}

// writtenSession is writtenState for a session that has a row. The row shows fields that no write made, and a deleted
// session while something is in it.
func writtenSession(r engram.Record, l engram.CausalMetadata) engram.Record {
	s := *r.Session
	w := engram.Session{ID: s.ID, ActiveAt: s.ActiveAt}
	none := unwritten(s.ID).Base
	says := func(p engram.Part) bool { return !lifecycle.Forgotten(l) && l.Of(p) != none }
	if says(projectPart) {
		w.Project = writtenLocation(location{project: s.Project}, l).project
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
	r.Session = &w
	return r
}

// The readers below return what leaves the store: things as they were written, with everything that belongs to them.

// readRecords makes records of stored things as they were written, and reads their causal metadata together.
func readRecords[T any](ctx context.Context, r engram.Reader, all []T, record func(T) engram.Record) ([]engram.Record, error) {
	records := mapped(all, record)
	if len(records) == 0 {
		return records, nil
	}
	device, err := r.Replica().Device(ctx)
	if err != nil {
		return nil, err
	}
	metadata, err := r.Replica().CausalMetadata(ctx, records[0].Entity(), mapped(records, keyOf))
	for n, one := range records {
		l, known := metadata[keyOf(one)]
		records[n] = writtenState(one, l, known, device)
	}
	return records, err
}

func memoryRecords(ctx context.Context, r engram.Reader, ms []engram.Memory) ([]engram.Record, error) {
	all, err := readRecords(ctx, r, ms, memoryRecord)
	for n, m := range ms {
		if err != nil || m.RevisionCount < 2 { // a replaced text was counted
			continue
		}
		var l engram.CausalMetadata
		if all[n].Causal != nil {
			l = *all[n].Causal
		}
		rec := all[n].Memory
		rec.Revisions, err = r.Revisions(ctx, m.Num)
		date(m, rec.Revisions, l.Of(engram.PartText))
	}
	return all, err
}

// sessionRecords returns sessions that have a row.
func sessionRecords(ctx context.Context, r engram.Reader, ss []engram.Session) ([]engram.Record, error) {
	return readRecords(ctx, r, ss, sessionRecord)
}

// tombstoneRecords returns sessions without a row.
func tombstoneRecords(ctx context.Context, r engram.Reader, ss []engram.Session) ([]engram.Record, error) {
	metadata, err := r.Replica().CausalMetadata(ctx, engram.EntitySession, mapped(ss, func(s engram.Session) string { return s.ID }))
	return mapped(ss, func(s engram.Session) engram.Record {
		l, known := metadata[s.ID]
		rec := deletedSession(s, l)
		if !known {
			rec.Causal = nil // it was erased meanwhile
		}
		return rec
	}), err
}

func promptRecords(ctx context.Context, r engram.Reader, ps []engram.Prompt) ([]engram.Record, error) {
	return readRecords(ctx, r, ps, promptRecord)
}

// relationRecords returns relations with the names of their memories: Engram's own, and those of other programs.
func relationRecords(ctx context.Context, r engram.Reader, rs []engram.Relation) ([]engram.Record, error) {
	ms, err := r.Memories(ctx, endsOf(rs))
	if err != nil {
		return nil, err
	}
	refs := make(map[int64]engram.Ref, len(ms))
	for _, m := range ms {
		refs[m.Num] = engram.Ref{ID: string(m.ID), SyncID: m.SyncID}
	}
	return readRecords(ctx, r, rs, func(rel engram.Relation) engram.Record {
		return engram.Record{Relation: &engram.RelationRecord{Relation: rel, Source: refs[rel.Source], Target: refs[rel.Target]}}
	})
}
