package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// op is one verb at work in its transaction. Its methods write the state, its lineage and
// the journal entry together, so that no verb can forget one of them.
type op struct {
	*Engine
	tx               engram.Tx
	operation        string
	at               time.Time
	clock            engram.Clock
	first            int64     // Seq of the op's first journal entry; 0 before it
	last             int64     // Seq of the newest journal entry before the op
	undoes           int64     // the op that this one takes back; 0: none
	device           string    // the store's id; "" until a write was stamped
	hides            bool      // what it forgets is only hidden here, and does not spread
	then             time.Time // when that happened which it writes; zero: now
	relationsChanged bool      // it took away or changed what was shown of a pair: another relation may be shown now

	embedded map[string][]float32    // vectors by text that were reckoned before the op; nil: none
	judged   map[string][]suspicious // what reads like an order, by judgedBy, as far as it was looked for before the op; nil: none
	logged   map[thing]bool          // what it has written of; nil: nobody asks
	pending  map[int64]bool          // memories that it wrote and that wait for a person, since they read like an order
	off      func(string) bool       // reports whether a project is kept apart from who asks (Excluding); nil: none is
	reason   [2]string               // the last one of an entry, and what it is without secrets
}

// write runs fn as one verb in one transaction.
func (e *Engine) write(ctx context.Context, verb string, fn func(*op) error) error {
	return e.store.Update(ctx, func(tx engram.Tx) error {
		last, err := tx.LastMutation(ctx)
		if err != nil {
			return err
		}
		clock, err := tx.LatestClock(ctx) // others may be ahead
		if err != nil {
			return err
		}
		o := &op{Engine: e, tx: tx, operation: verb, at: e.now(), clock: clock, last: last.Seq, pending: map[int64]bool{}, off: e.excluded()}
		if err := fn(o); err != nil || !o.relationsChanged {
			return err
		}
		return o.resolveRelations(ctx, nil)
	})
}

// log appends a journal entry; was is what the thing was, nil when it did not exist. All that an op
// does is journaled, so that here is where it is kept out of what it must not touch (mayWrite).
func (o *op) log(ctx context.Context, entity engram.Entity, key, project, reason string, was map[string]any) error {
	if err := o.mayWrite(thing{entity, key}, project, was); err != nil {
		return err
	}
	m := engram.Mutation{Op: o.first, At: o.next(), Actor: o.actor, Operation: o.operation, Entity: entity, Key: key, Project: project, Reason: o.reasoned(reason)}
	if o.first == 0 {
		m.Undoes = o.undoes
	}
	if was != nil {
		b, err := json.Marshal(was)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		m.Was = b
	}
	if err := o.tx.Append(ctx, &m); err != nil {
		return err
	}
	if o.first == 0 {
		o.first = m.Seq
	}
	if o.logged != nil {
		o.logged[thing{entity, key}] = true
	}
	return nil
}

// reasoned is a reason without secrets: it may name what somebody typed. That of many entries in a
// row is mostly the same, and looked through once.
func (o *op) reasoned(reason string) string {
	if reason != o.reason[0] {
		o.reason = [2]string{reason, o.redactor().secrets(reason)}
	}
	return o.reason[1]
}

// insertMemory adds a draft, which is made now unless it has the time at which it was made.
// How strong it is and when it falls due counts from now in any case.
func (o *op) insertMemory(ctx context.Context, m *engram.Memory, reason string) error {
	if m.TouchedAt = o.at; m.CreatedAt.IsZero() {
		m.CreatedAt, m.UpdatedAt = o.at, o.at
	}
	m.ReviewAfter = lifecycle.ReviewAfter(*m, o.at, o.policy)
	m.Num, m.ID = 0, o.newID()
	m.SyncID = syncID(m.ID)
	return o.putMemory(ctx, m, reason)
}

// putMemory adds a memory that has its names and its times.
func (o *op) putMemory(ctx context.Context, m *engram.Memory, reason string) error {
	if err := o.addMemory(ctx, m); err != nil {
		return err
	}
	if err := o.born(ctx, engram.EntityMemory, key(m.Num)); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityMemory, key(m.Num), m.Project, reason, nil)
}

// addMemory adds the row and the vector of a memory alone.
func (o *op) addMemory(ctx context.Context, m *engram.Memory) error {
	if err := o.tx.InsertMemory(ctx, m); err != nil {
		return err
	}
	if err := o.judgeText(ctx, nil, *m); err != nil {
		return err
	}
	return o.embed(ctx, *m)
}

// replaceMemory writes now over was, keeping the old text as a revision when it changed.
func (o *op) replaceMemory(ctx context.Context, was, now engram.Memory, reason string) error {
	said, err := o.stampMemory(ctx, was, now)
	if err != nil {
		return err
	}
	if err := o.rewriteMemory(ctx, was, now, said, reason); err != nil {
		return err
	}
	return o.resolveAfter(ctx, was, now)
}

// stampMemory is the lineage of a memory that becomes now. It returns the write that the
// text of was comes from.
func (o *op) stampMemory(ctx context.Context, was, now engram.Memory) (said engram.VersionStamp, err error) {
	old, err := memoryLineage(ctx, o.tx, was)
	if err != nil {
		return said, err
	}
	l, err := o.stamped(ctx, edit{lineage: old, was: memoryFields(was), now: memoryFields(now), gone: "deleted_at", part: memoryPart,
		had: was.Tags, has: now.Tags, words: was.Title != now.Title || was.Content != now.Content})
	if err != nil {
		return said, err
	}
	if l.Past, err = o.past(ctx, was, now, old, l); err != nil {
		return said, err
	}
	return old.Of(engram.PartText), o.tx.PutCausalMetadata(ctx, engram.EntityMemory, key(was.Num), l)
}

// rewriteMemory writes now over was without a lineage: a local write is replaceMemory. said
// is the write that the text of was comes from.
func (o *op) rewriteMemory(ctx context.Context, was, now engram.Memory, said engram.VersionStamp, reason string) error {
	changed := changes(memoryFields(was), memoryFields(now))
	if was.Title != now.Title || was.Content != now.Content {
		err := o.tx.InsertRevision(ctx, engram.Revision{Memory: was.Num, Number: was.RevisionCount, Type: was.Type, Title: was.Title,
			Content: was.Content, WrittenAt: was.UpdatedAt, ReplacedAt: o.at, Reason: reason, Stamp: said})
		if err != nil {
			return err
		}
		changed["revision"] = was.RevisionCount
	}
	if err := o.tx.ReplaceMemory(ctx, now); err != nil {
		return err
	}
	if err := o.judgeText(ctx, &was, now); err != nil {
		return err
	}
	if embeddedText(was) != embeddedText(now) || was.Forgotten() && !now.Forgotten() {
		if err := o.embed(ctx, now); err != nil {
			return err
		}
	}
	return o.log(ctx, engram.EntityMemory, key(was.Num), now.Project, reason, changed)
}

// eraseMemory removes m for good. The entry says that it happened and no more. It is
// written first: the tombstone takes its clock.
func (o *op) eraseMemory(ctx context.Context, m engram.Memory) error {
	if err := o.log(ctx, engram.EntityMemory, key(m.Num), m.Project, "", map[string]any{}); err != nil {
		return err
	}
	o.relationsChanged = true
	if err := o.tx.EraseMemory(ctx, m.Num); err != nil || m.TopicKey == "" {
		return err
	}
	return o.resolveContests(ctx, contest{m.Project, m.Scope, m.TopicKey})
}

// putSession writes now; was is nil when the session is new.
func (o *op) putSession(ctx context.Context, was *engram.Session, now engram.Session, reason string) error {
	old := engram.Session{ID: now.ID}
	if was != nil {
		old = *was
	}
	if err := o.stampSession(ctx, old, now, was == nil); err != nil {
		return err
	}
	return o.rewriteSession(ctx, was, now, reason)
}

// stampSession is the lineage of a session that is written. One that is made may have been
// there before: it is brought back, and says nothing of what it said.
func (o *op) stampSession(ctx context.Context, was, now engram.Session, made bool) error {
	all, err := o.tx.CausalMetadata(ctx, engram.EntitySession, []string{now.ID})
	if err != nil {
		return err
	}
	old, known := all[now.ID]
	if made && !known {
		return o.born(ctx, engram.EntitySession, now.ID)
	}
	if made || known && (lifecycle.Forgotten(old) || claimsNothing(now.ID, old)) { // nothing that it shows was written
		s, err := o.stamp(ctx)
		if err != nil {
			return err
		}
		old.Shadowed = nil
		parts := []engram.Part{engram.PartRestored, projectPart, "directory", "started_at", "ended_at", "summary"}
		return o.tx.PutCausalMetadata(ctx, engram.EntitySession, now.ID, alive(lifecycle.Stamped(old, parts, s)))
	}
	if !known {
		old = lifecycle.Derived(engram.Record{Session: &was})
	}
	l, err := o.stamped(ctx, edit{lineage: old, was: sessionFields(was), now: sessionFields(now), part: fieldPart})
	if err != nil {
		return err
	}
	return o.tx.PutCausalMetadata(ctx, engram.EntitySession, now.ID, l)
}

// rewriteSession is putSession without a lineage.
func (o *op) rewriteSession(ctx context.Context, was *engram.Session, now engram.Session, reason string) error {
	if err := o.tx.PutSession(ctx, now); err != nil {
		return err
	}
	var changed map[string]any
	if was != nil {
		changed = changes(sessionFields(*was), sessionFields(now))
	}
	return o.log(ctx, engram.EntitySession, now.ID, now.Project, reason, changed)
}

// deleteSession removes s; hard leaves nothing of it in the journal. Then the entry
// comes first: what it says would be taken out otherwise.
func (o *op) deleteSession(ctx context.Context, s engram.Session, hard bool) error {
	if hard {
		if err := o.log(ctx, engram.EntitySession, s.ID, s.Project, "asked for", map[string]any{}); err != nil {
			return err
		}
		return o.tx.EraseSession(ctx, s.ID)
	}
	l, err := lineageOf(ctx, o.tx, engram.EntitySession, s.ID, engram.Record{Session: &s})
	if err != nil {
		return err
	}
	if o.hides {
		l = withShadowed(l, engram.PartDeleted, s)
	} else {
		l, err = o.stampLife(ctx, l, edit{gone: "gone", was: map[string]any{"gone": time.Time{}}, now: map[string]any{"gone": o.at}}, engram.VersionStamp{})
	}
	if err != nil {
		return err
	}
	if err := o.tx.PutCausalMetadata(ctx, engram.EntitySession, s.ID, l); err != nil {
		return err
	}
	return o.dropSessionRow(ctx, s, "asked for")
}

// dropSessionRow is deleteSession without a lineage.
func (o *op) dropSessionRow(ctx context.Context, s engram.Session, reason string) error {
	if err := o.tx.DeleteSession(ctx, s.ID); err != nil {
		return err
	}
	return o.log(ctx, engram.EntitySession, s.ID, s.Project, reason, sessionFields(s))
}

// insertRelation adds r, which is made now.
func (o *op) insertRelation(ctx context.Context, r *engram.Relation, project, reason string) error {
	r.ID = engram.RelationIDPrefix + digest(string(o.newID()))
	r.CreatedAt, r.UpdatedAt = o.at, o.at
	if err := o.tx.InsertRelation(ctx, r); err != nil {
		return err
	}
	if err := o.born(ctx, engram.EntityRelation, key(r.Num)); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityRelation, key(r.Num), project, reason, nil)
}

// replaceRelation writes now over was.
func (o *op) replaceRelation(ctx context.Context, was, now engram.Relation, project, reason string) error {
	if now.Removed() && !was.Removed() && now.UpdatedAt.Before(was.UpdatedAt) {
		now.UpdatedAt = was.UpdatedAt // by a clock that is ahead: it was not removed before it was written
	}
	old, err := lineageOf(ctx, o.tx, engram.EntityRelation, key(was.Num), engram.Record{Relation: &engram.RelationRecord{Relation: was}})
	if err != nil {
		return err
	}
	l, err := o.relationEdit(ctx, old, was, now)
	if err != nil {
		return err
	}
	if err := o.tx.PutCausalMetadata(ctx, engram.EntityRelation, key(was.Num), l); err != nil {
		return err
	}
	o.relationsChanged = true
	return o.rewriteRelation(ctx, was, now, project, reason)
}

// rewriteRelation is replaceRelation without a lineage.
func (o *op) rewriteRelation(ctx context.Context, was, now engram.Relation, project, reason string) error {
	if err := o.tx.ReplaceRelation(ctx, now); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityRelation, key(was.Num), project, reason, changes(relationFields(was), relationFields(now)))
}

// insertPrompt adds a prompt that has its names and its times.
func (o *op) insertPrompt(ctx context.Context, p *engram.Prompt, reason string) error {
	p.Num = 0
	if err := o.tx.InsertPrompt(ctx, p); err != nil {
		return err
	}
	if err := o.born(ctx, engram.EntityPrompt, key(p.Num)); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityPrompt, key(p.Num), p.Project, reason, nil)
}

// replacePrompt writes where a prompt belongs, and whether it was deleted.
func (o *op) replacePrompt(ctx context.Context, was, now engram.Prompt, reason string) error {
	old, err := lineageOf(ctx, o.tx, engram.EntityPrompt, key(was.Num), engram.Record{Prompt: &was})
	if err != nil {
		return err
	}
	l, err := o.stamped(ctx, edit{lineage: old, was: promptFields(was), now: promptFields(now), gone: "deleted_at", part: fieldPart})
	if err != nil {
		return err
	}
	if err := o.tx.PutCausalMetadata(ctx, engram.EntityPrompt, key(was.Num), l); err != nil {
		return err
	}
	return o.rewritePrompt(ctx, was, now, reason)
}

// rewritePrompt is replacePrompt without a lineage.
func (o *op) rewritePrompt(ctx context.Context, was, now engram.Prompt, reason string) error {
	if err := o.tx.ReplacePrompt(ctx, now); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityPrompt, key(was.Num), was.Project, reason, changes(promptFields(was), promptFields(now)))
}

// insertProject adds a project.
func (o *op) insertProject(ctx context.Context, p engram.Project, reason string) error {
	if err := o.tx.PutProject(ctx, p); err != nil {
		return err
	}
	if err := o.born(ctx, engram.EntityProject, p.Name); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityProject, p.Name, p.Name, reason, nil)
}

// changes returns the fields of was that now has otherwise; never nil.
func changes(was, now map[string]any) map[string]any {
	changed := map[string]any{}
	for name, old := range was {
		if !reflect.DeepEqual(old, now[name]) {
			changed[name] = old
		}
	}
	return changed
}

// key spells a number as the journal does.
func key(num int64) string { return strconv.FormatInt(num, 10) }

// numOf reads what key wrote; 0 for what it did not.
func numOf(key string) int64 {
	n, _ := strconv.ParseInt(key, 10, 64)
	return n
}

// syncID is the sync id of a memory that was made here.
func syncID(id engram.ID) string { return engram.SyncIDOf(id) }

// digest is 16 hex digits that belong to an id: the form of the ids that git chunks
// and older programs use.
func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// happened is when something happened that is written now: at, or now where nobody says, or
// where that is still to come.
func (o *op) happened(at time.Time) time.Time {
	if at = instant(at); at.IsZero() || at.After(o.at) {
		return o.at
	}
	return at
}

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
