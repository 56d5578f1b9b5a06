package engine

import (
	"encoding/json"
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

// isHeld reports whether a part is shown otherwise than it was written.
func isHeld(l engram.Lineage, p engram.Part) bool {
	_, held := l.Held[p]
	return held
}

// heldValue sets into to the value that was written of a part, if it is held.
func heldValue(l engram.Lineage, p engram.Part, into any) {
	if v, held := l.Held[p]; held {
		_ = json.Unmarshal(v, into) // it was marshalled here
	}
}

// withHeld is l with the value that was written of a part, which is not shown.
func withHeld(l engram.Lineage, p engram.Part, written any) engram.Lineage {
	l = l.Clone()
	if l.Held == nil {
		l.Held = map[engram.Part]json.RawMessage{}
	}
	l.Held[p], _ = json.Marshal(written) // a text or a time
	return l
}

// withoutHeld is l with a part shown as it was written.
func withoutHeld(l engram.Lineage, p engram.Part) engram.Lineage {
	if !isHeld(l, p) {
		return l
	}
	l = l.Clone()
	if delete(l.Held, p); len(l.Held) == 0 {
		l.Held = nil
	}
	return l
}

// writtenMemory is what was written of a memory that is here, with what every store counted;
// device is this one. known says that it has a lineage.
func writtenMemory(r engram.MemoryRecord, l engram.Lineage, known bool, device string) engram.Record {
	if !known {
		return engram.Record{Memory: &r}
	}
	m := &r.Memory
	w := writtenSpot(spot{m.Project, m.SessionID}, l)
	m.Project, m.SessionID = w.project, w.session
	heldValue(l, "topic_key", &m.TopicKey)
	heldValue(l, engram.PartDeleted, &m.DeletedAt)
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
	return engram.Record{Memory: &r, Lineage: &l}
}

// writtenRelation is writtenMemory for a relation.
func writtenRelation(r engram.RelationRecord, l engram.Lineage, known bool) engram.Record {
	if !known {
		return engram.Record{Relation: &r}
	}
	if isHeld(l, engram.PartDeleted) || isHeld(l, engram.PartVerdict) {
		r.Relation.RemovedAt = time.Time{}
	}
	return engram.Record{Relation: &r, Lineage: &l}
}

// writtenPrompt is writtenMemory for a prompt.
func writtenPrompt(p engram.Prompt, l engram.Lineage, known bool) engram.Record {
	if !known {
		return engram.Record{Prompt: &p}
	}
	w := writtenSpot(spot{p.Project, p.SessionID}, l)
	p.Project, p.SessionID = w.project, w.session
	heldValue(l, engram.PartDeleted, &p.DeletedAt)
	return engram.Record{Prompt: &p, Lineage: &l}
}

// sittingSession is writtenMemory for a session that has a row. What no write of it says, and
// all of one that is gone and stays because something is in it, the row has for show.
func sittingSession(s engram.Session, l engram.Lineage, known bool) engram.Record {
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
	return engram.Record{Session: &w, Lineage: &l}
}
