package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Date sets the times of revisions from their version stamps, if known: unlike local times, these are the same
// on every machine. It returns the time of the current text, which the stamp now wrote.
func Date(m engram.Memory, revisions []engram.Revision, now engram.VersionStamp) (writtenAt time.Time) {
	writtenAt = m.CreatedAt
	stamps := make([]engram.VersionStamp, len(revisions)+1)
	for i, r := range revisions {
		stamps[i], writtenAt = r.Stamp, r.ReplacedAt
	}
	if !now.Derived() { // a derived stamp says when anything was last written
		stamps[len(revisions)] = now
	}
	for i, r := range revisions {
		if r.Stamp.At == 0 {
			continue
		}
		revisions[i].WrittenAt = r.Stamp.At.Time()
		if at := nextAfter(stamps, r.Stamp); !at.IsZero() {
			revisions[i].ReplacedAt = at
		}
		if revisions[i].ReplacedAt.Before(revisions[i].WrittenAt) { // written under disagreeing clocks
			revisions[i].ReplacedAt = revisions[i].WrittenAt
		}
	}
	if now := stamps[len(revisions)]; now.At > 0 {
		return now.At.Time()
	}
	return writtenAt
}

// nextAfter returns the time of the earliest write after s; the zero Time without one.
func nextAfter(stamps []engram.VersionStamp, s engram.VersionStamp) time.Time {
	var next engram.VersionStamp
	for _, other := range stamps {
		if other.Compare(s) > 0 && (next == engram.VersionStamp{} || other.Compare(next) < 0) {
			next = other
		}
	}
	if next.At == 0 {
		return time.Time{}
	}
	return next.At.Time()
}

// SessionReplaced is the reason of entries that give a session its fields which existed only for its content. An undo
// does not restore the empty fields: writing them would be a claim that other replicas follow.
const SessionReplaced = "fields received for a session that existed only for its contents"

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

// IsShadowed reports whether the visible value of a part differs from its merged value.
func IsShadowed(l engram.CausalMetadata, p engram.Part) bool {
	_, shadowed := l.Shadowed[p]
	return shadowed
}

// ShadowedValue sets into to the merged value of a part, if it is shadowed.
func ShadowedValue(l engram.CausalMetadata, p engram.Part, into any) {
	if v, shadowed := l.Shadowed[p]; shadowed {
		_ = json.Unmarshal(v, into) // it was marshalled here
	}
}

// WithShadowed returns l with a merged value of a part that is not visible.
func WithShadowed(l engram.CausalMetadata, p engram.Part, written any) engram.CausalMetadata {
	l = l.Clone()
	if l.Shadowed == nil {
		l.Shadowed = map[engram.Part]json.RawMessage{}
	}
	l.Shadowed[p], _ = json.Marshal(written) // a text or a time
	return l
}

// WithoutShadowed returns l with the merged value of a part visible.
func WithoutShadowed(l engram.CausalMetadata, p engram.Part) engram.CausalMetadata {
	if !IsShadowed(l, p) {
		return l
	}
	l = l.Clone()
	if delete(l.Shadowed, p); len(l.Shadowed) == 0 {
		l.Shadowed = nil
	}
	return l
}

// WrittenState returns the record of a stored thing as it was written, with what every store counted; device is this
// store. known says that it has causal metadata. It changes what r points to.
func WrittenState(r engram.Record, l engram.CausalMetadata, known bool, device string) engram.Record {
	if !known {
		return r
	}
	r.Causal = &l
	switch {
	case r.Memory != nil:
		r.Causal = countedMetadata(r.Memory.Memory, l, device)
		ShadowedValue(l, TopicPart, &r.Memory.Memory.TopicKey)
	case r.Relation != nil && (IsShadowed(l, engram.PartDeleted) || IsShadowed(l, engram.PartVerdict)):
		r.Relation.Relation.RemovedAt = time.Time{}
	case r.Session != nil:
		return writtenSession(r, l)
	}
	if r.Memory != nil || r.Prompt != nil {
		p := PlaceOf(r)
		p.MoveTo(writtenLocation(p.Location(), l))
		ShadowedValue(l, engram.PartDeleted, p.Deleted)
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
// session while something is in it: of that, only the project is left, which says to whom its deletion is told.
func writtenSession(r engram.Record, l engram.CausalMetadata) engram.Record {
	s := *r.Session
	w := engram.Session{ID: s.ID, ActiveAt: s.ActiveAt}
	none := unwritten(s.ID).Base
	says := func(p engram.Part) bool { return l.Of(p) != none }
	if says(ProjectPart) {
		w.Project = writtenLocation(Location{Project: s.Project}, l).Project
	}
	if lifecycle.Forgotten(l) {
		r.Session = &w
		return r
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

// ReadRecords makes records of stored things as they were written, and reads their causal metadata together.
func ReadRecords[T any](ctx context.Context, r engram.Reader, all []T, record func(T) engram.Record) ([]engram.Record, error) {
	records := walk.Mapped(all, record)
	if len(records) == 0 {
		return records, nil
	}
	head, err := r.Replica().Head(ctx)
	if err != nil {
		return nil, err
	}
	metadata, err := r.Replica().CausalMetadata(ctx, records[0].Entity(), walk.Mapped(records, KeyOf))
	for n, one := range records {
		l, known := metadata[KeyOf(one)]
		records[n] = WrittenState(one, l, known, head.Device)
	}
	return records, err
}

// MemoryRecords returns the records of memories as they were written, with revisions and causal metadata.
func MemoryRecords(ctx context.Context, r engram.Reader, ms []engram.Memory) ([]engram.Record, error) {
	all, err := ReadRecords(ctx, r, ms, MemoryRecord)
	if err != nil {
		return nil, err
	}
	of, err := RevisionsOf(ctx, r, slices.DeleteFunc(slices.Clone(ms), func(m engram.Memory) bool { return m.RevisionCount < 2 })) // a replaced text was counted
	for n, m := range ms {
		var l engram.CausalMetadata
		if all[n].Causal != nil {
			l = *all[n].Causal
		}
		rec := all[n].Memory
		rec.Revisions = of[m.Num]
		Date(m, rec.Revisions, l.Of(engram.PartText))
	}
	return all, err
}

// RevisionsOf returns the earlier texts of memories, by number, oldest first.
func RevisionsOf(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64][]engram.Revision, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	all, err := r.Revisions(ctx, screen.MemoryNums(ms)...)
	of := map[int64][]engram.Revision{}
	for _, v := range all {
		of[v.Memory] = append(of[v.Memory], v)
	}
	return of, err
}

// SessionRecords returns sessions that have a row.
func SessionRecords(ctx context.Context, r engram.Reader, ss []engram.Session) ([]engram.Record, error) {
	return ReadRecords(ctx, r, ss, SessionRecord)
}

// TombstoneRecords returns sessions without a row.
func TombstoneRecords(ctx context.Context, r engram.Reader, ss []engram.Session) ([]engram.Record, error) {
	metadata, err := r.Replica().CausalMetadata(ctx, engram.EntitySession, walk.Mapped(ss, func(s engram.Session) string { return s.ID }))
	return walk.Mapped(ss, func(s engram.Session) engram.Record {
		l, known := metadata[s.ID]
		rec := DeletedSession(s, l)
		if !known {
			rec.Causal = nil // it was erased meanwhile
		}
		return rec
	}), err
}

// PromptRecords returns the records of prompts as they were written, with causal metadata.
func PromptRecords(ctx context.Context, r engram.Reader, ps []engram.Prompt) ([]engram.Record, error) {
	return ReadRecords(ctx, r, ps, PromptRecord)
}

// RelationRecords returns relations with the names of their memories: Engram's own, and those of other programs.
func RelationRecords(ctx context.Context, r engram.Reader, rs []engram.Relation) ([]engram.Record, error) {
	ms, err := r.Memories(ctx, screen.EndsOf(rs))
	if err != nil {
		return nil, err
	}
	refs := make(map[int64]engram.Ref, len(ms))
	for _, m := range ms {
		refs[m.Num] = engram.Ref{ID: string(m.ID), SyncID: m.SyncID}
	}
	return ReadRecords(ctx, r, rs, func(rel engram.Relation) engram.Record {
		return engram.Record{Relation: &engram.RelationRecord{Relation: rel, Source: refs[rel.Source], Target: refs[rel.Target]}}
	})
}
