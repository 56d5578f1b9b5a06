package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// op is one operation in its transaction. Its methods write state, causal metadata and journal entry together, so
// that no operation can forget one of them.
type op struct {
	*Engine
	tx               engram.Tx
	operation        string
	at               time.Time
	clock            engram.Clock
	first            int64     // Seq of the op's first journal entry; 0 before it
	last             int64     // Seq of the newest journal entry before the op
	undoes           int64     // the op that this one takes back; 0: none
	device           string    // the store's id
	hides            bool      // what it forgets is only hidden here, and not replicated
	then             time.Time // when the written events happened; zero: now
	relationsChanged bool      // a visible relation was removed or changed; re-resolve its pair before commit

	embedded map[string][]float32    // vectors by text, computed before the op; nil: none
	judged   map[string][]suspicious // flags by judgedBy, as far as computed before the op; nil: none
	logged   map[thing]bool          // things it wrote about; nil: not recorded
	pending  map[int64]bool          // memories that it wrote and that wait for approval because they are flagged
	off      func(string) bool       // reports whether a project is disabled for the caller; nil: no project is
	reason   [2]string               // the last reason of an entry, and the same without secrets
}

// write runs fn as one operation in one transaction.
func (e *Engine) write(ctx context.Context, operation string, fn func(*op) error) error {
	return e.store.Update(ctx, func(tx engram.Tx) error {
		last, err := tx.LastMutation(ctx)
		if err != nil {
			return err
		}
		clock, err := tx.LatestClock(ctx) // clocks of other stores may be ahead
		if err != nil {
			return err
		}
		device, err := tx.Device(ctx)
		if err != nil {
			return err
		}
		o := &op{Engine: e, tx: tx, operation: operation, at: e.now(), clock: clock, device: device, last: last.Seq,
			pending: map[int64]bool{}, off: e.excluded()}
		if err := fn(o); err != nil || !o.relationsChanged {
			return err
		}
		return o.resolveRelations(ctx, nil)
	})
}

// errDryRun rolls back a transaction that succeeded.
var errDryRun = errors.New("dry run")

// tryWrite is write; with dry it rolls back what fn wrote.
func (e *Engine) tryWrite(ctx context.Context, dry bool, operation string, fn func(*op) error) error {
	err := e.write(ctx, operation, func(o *op) error {
		if err := fn(o); err != nil || !dry {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// log appends a journal entry; was has the old field values, nil when the thing did not exist. Every write is
// journaled, so this is where writes to disabled projects are rejected (mayWrite).
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

// reasoned removes secrets from a reason, which may quote user input. Entries in a row mostly share the reason, so
// the last result is kept.
func (o *op) reasoned(reason string) string {
	if reason != o.reason[0] {
		o.reason = [2]string{reason, o.redactor().secrets(reason)}
	}
	return o.reason[1]
}

// insertMemory adds a draft. It is made now unless it has a creation time; strength and review date count from now in
// any case.
func (o *op) insertMemory(ctx context.Context, m *engram.Memory, reason string) error {
	if m.TouchedAt = o.at; m.CreatedAt.IsZero() {
		m.CreatedAt, m.UpdatedAt = o.at, o.at
	}
	m.ReviewAfter = lifecycle.ReviewAfter(*m, o.at, o.policy)
	m.Num, m.ID = 0, o.newID()
	m.SyncID = engram.SyncIDOf(m.ID)
	if err := o.addMemory(ctx, m); err != nil {
		return err
	}
	return o.inserted(ctx, engram.EntityMemory, key(m.Num), m.Project, reason)
}

// inserted stamps and journals a thing whose row was just added.
func (o *op) inserted(ctx context.Context, entity engram.Entity, key, project, reason string) error {
	if err := o.stampNew(ctx, entity, key); err != nil {
		return err
	}
	return o.log(ctx, entity, key, project, reason, nil)
}

// addMemory adds the row and the vector of a memory, nothing else.
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
	textStamp, err := o.stampMemory(ctx, was, now)
	if err != nil {
		return err
	}
	if err := o.rewriteMemory(ctx, was, now, textStamp, reason); err != nil {
		return err
	}
	return o.resolveAfter(ctx, was, now)
}

// stampMemory stamps the edit of a memory that becomes now. It returns the write that the text of was comes from.
func (o *op) stampMemory(ctx context.Context, was, now engram.Memory) (textStamp engram.VersionStamp, err error) {
	old, err := memoryMetadata(ctx, o.tx, was)
	if err != nil {
		return textStamp, err
	}
	l := o.stamped(edit{metadata: old, was: memoryFields(was), now: memoryFields(now), deleted: "deleted_at", part: partOf[engram.Memory],
		had: was.Tags, has: now.Tags, words: was.Title != now.Title || was.Content != now.Content})
	if l.Past, err = o.past(ctx, was, now, old, l); err != nil {
		return textStamp, err
	}
	return old.Of(engram.PartText), o.tx.PutCausalMetadata(ctx, engram.EntityMemory, key(was.Num), l)
}

// rewriteMemory writes now over was without stamping: a local write is replaceMemory. textStamp is the write that the
// text of was comes from.
func (o *op) rewriteMemory(ctx context.Context, was, now engram.Memory, textStamp engram.VersionStamp, reason string) error {
	changed := changes(memoryFields(was), memoryFields(now))
	if was.Title != now.Title || was.Content != now.Content {
		err := o.tx.InsertRevision(ctx, engram.Revision{Memory: was.Num, Number: was.RevisionCount, Type: was.Type, Title: was.Title,
			Content: was.Content, WrittenAt: was.UpdatedAt, ReplacedAt: o.at, Reason: reason, Stamp: textStamp})
		if err != nil {
			return err
		}
		changed["revision"] = was.RevisionCount
	}
	return o.storeMemory(ctx, was, now, reason, changed)
}

// storeMemory writes the row of now over was, its flags, its vector and a journal entry of the old values.
func (o *op) storeMemory(ctx context.Context, was, now engram.Memory, reason string, old map[string]any) error {
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
	return o.log(ctx, engram.EntityMemory, key(was.Num), now.Project, reason, old)
}

// eraseMemory removes m for good. The journal entry has no details. It is written first because the tombstone takes
// its clock.
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

// stampSession updates the causal metadata of a session that is written. One that is made may have existed
// before: it is brought back with none of its old fields.
func (o *op) stampSession(ctx context.Context, was, now engram.Session, made bool) error {
	old, known, err := knownMetadata(ctx, o.tx, engram.EntitySession, now.ID)
	switch {
	case err != nil:
		return err
	case made && !known:
		return o.stampNew(ctx, engram.EntitySession, now.ID)
	case made || known && (lifecycle.Forgotten(old) || claimsNothing(now.ID, old)): // no write made what it shows
		old.Shadowed = nil
		parts := []engram.Part{engram.PartRestored, projectPart, "directory", "started_at", "ended_at", "summary"}
		return o.tx.PutCausalMetadata(ctx, engram.EntitySession, now.ID, revived(lifecycle.Stamped(old, parts, o.stamp())))
	}
	return o.stampEdit(ctx, sessionRecord(was), edit{was: sessionFields(was), now: sessionFields(now), part: partOf[engram.Session]})
}

// rewriteSession is putSession without stamping.
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

// deleteSession removes s; hard leaves nothing of it in the journal, and writes the entry first, or the erase would
// remove its content too.
func (o *op) deleteSession(ctx context.Context, s engram.Session, hard bool) error {
	if hard {
		if err := o.log(ctx, engram.EntitySession, s.ID, s.Project, "requested", map[string]any{}); err != nil {
			return err
		}
		return o.tx.EraseSession(ctx, s.ID)
	}
	l, err := metadataOf(ctx, o.tx, sessionRecord(s))
	if err != nil {
		return err
	}
	if o.hides {
		l = withShadowed(l, engram.PartDeleted, s)
	} else {
		l = o.stampLife(l, edit{deleted: "gone", was: map[string]any{"gone": time.Time{}}, now: map[string]any{"gone": o.at}}, engram.VersionStamp{})
	}
	if err := o.tx.PutCausalMetadata(ctx, engram.EntitySession, s.ID, l); err != nil {
		return err
	}
	return o.dropSessionRow(ctx, s, "requested")
}

// dropSessionRow is deleteSession without stamping.
func (o *op) dropSessionRow(ctx context.Context, s engram.Session, reason string) error {
	if err := o.tx.DeleteSession(ctx, s.ID); err != nil {
		return err
	}
	return o.log(ctx, engram.EntitySession, s.ID, s.Project, reason, sessionFields(s))
}

func (o *op) insertRelation(ctx context.Context, r *engram.Relation, project, reason string) error {
	r.ID = engram.RelationIDPrefix + digest(string(o.newID()))
	r.CreatedAt, r.UpdatedAt = o.at, o.at
	if err := o.tx.InsertRelation(ctx, r); err != nil {
		return err
	}
	return o.inserted(ctx, engram.EntityRelation, key(r.Num), project, reason)
}

func (o *op) replaceRelation(ctx context.Context, was, now engram.Relation, project, reason string) error {
	if now.Removed() && !was.Removed() && now.UpdatedAt.Before(was.UpdatedAt) {
		now.UpdatedAt = was.UpdatedAt // written by a clock that is ahead: it cannot be removed before that
	}
	old, err := metadataOf(ctx, o.tx, relationRecord(was))
	if err != nil {
		return err
	}
	if err := o.tx.PutCausalMetadata(ctx, engram.EntityRelation, key(was.Num), o.relationEdit(old, was, now)); err != nil {
		return err
	}
	o.relationsChanged = true
	return o.rewriteRelation(ctx, was, now, project, reason)
}

// rewriteRelation is replaceRelation without stamping.
func (o *op) rewriteRelation(ctx context.Context, was, now engram.Relation, project, reason string) error {
	if err := o.tx.ReplaceRelation(ctx, now); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityRelation, key(was.Num), project, reason, changes(relationFields(was), relationFields(now)))
}

// insertPrompt adds a prompt that has its id and its time.
func (o *op) insertPrompt(ctx context.Context, p *engram.Prompt, reason string) error {
	p.Num = 0
	if err := o.tx.InsertPrompt(ctx, p); err != nil {
		return err
	}
	return o.inserted(ctx, engram.EntityPrompt, key(p.Num), p.Project, reason)
}

// replacePrompt writes the place of a prompt, and whether it is deleted.
func (o *op) replacePrompt(ctx context.Context, was, now engram.Prompt, reason string) error {
	err := o.stampEdit(ctx, promptRecord(was), edit{was: promptFields(was), now: promptFields(now), deleted: "deleted_at", part: partOf[engram.Prompt]})
	if err != nil {
		return err
	}
	return o.rewritePrompt(ctx, was, now, reason)
}

// rewritePrompt is replacePrompt without stamping.
func (o *op) rewritePrompt(ctx context.Context, was, now engram.Prompt, reason string) error {
	if err := o.tx.ReplacePrompt(ctx, now); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityPrompt, key(was.Num), was.Project, reason, changes(promptFields(was), promptFields(now)))
}

func (o *op) insertProject(ctx context.Context, p engram.Project, reason string) error {
	if err := o.tx.PutProject(ctx, p); err != nil {
		return err
	}
	return o.inserted(ctx, engram.EntityProject, p.Name, p.Name, reason)
}

// changes returns the fields of was that differ in now; never nil.
func changes(was, now map[string]any) map[string]any {
	changed := map[string]any{}
	for name, old := range was {
		if !reflect.DeepEqual(old, now[name]) {
			changed[name] = old
		}
	}
	return changed
}

// key formats a number as a journal key.
func key(num int64) string { return strconv.FormatInt(num, 10) }

// numOf parses a key; 0 for anything else.
func numOf(key string) int64 {
	n, _ := strconv.ParseInt(key, 10, 64)
	return n
}

// digest returns 16 hex digits derived from an id: the form of ids in git chunks and older programs.
func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// happened returns at, or now for the zero time and for times in the future.
func (o *op) happened(at time.Time) time.Time {
	if at = instant(at); at.IsZero() || at.After(o.at) {
		return o.at
	}
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
