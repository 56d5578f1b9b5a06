package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// mayWrite rejects a write to or out of a disabled project. A relation belongs to two projects, so it may be
// changed from the enabled one.
func (o *Tx) mayWrite(t Thing, project string, was map[string]any) error {
	if o.off == nil || t.Entity == engram.EntityRelation {
		return nil
	}
	names := []string{project}
	if t.Entity == engram.EntityProject {
		names = append(names, t.Key)
	}
	if from, moved := was["project"].(string); moved {
		names = append(names, from)
	}
	for _, name := range names {
		if name != "" && o.off(name) {
			return engram.Errorf(engram.CodeForbidden, "Engram is switched off for project %q, and this would write in it: nothing was done", name).
				WithHint("the user runs {on --project %s}", name)
		}
	}
	return nil
}

// Live returns the memory that ref names unless it was forgotten.
func Live(ctx context.Context, r engram.Reader, ref engram.Ref) (engram.Memory, error) {
	m, err := r.Memory(ctx, screen.NormalRef(ref))
	if err != nil {
		return m, err
	}
	if m.Forgotten() {
		return m, engram.Errorf(engram.CodeNotFound, "memory %s was forgotten", ref).WithHint("{log %d} shows what forgot it, and {undo OP} takes that back", m.Num)
	}
	return m, nil
}

// Live returns the memory that ref names unless it was forgotten.
func (o *Tx) Live(ctx context.Context, ref engram.Ref) (engram.Memory, error) {
	return Live(ctx, o.Store, ref)
}

// Instant truncates a time to the resolution of stores; the zero time for an impossible one.
func Instant(t time.Time) time.Time {
	if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}

// Tx is one operation in its transaction. Its methods write state, causal metadata and journal entry together, so
// that no operation can forget one of them.
type Tx struct {
	Ledger           *Ledger
	Store            engram.Tx
	operation        string
	At               time.Time
	Clock            engram.Clock
	First            int64     // Seq of the operation's first journal entry; 0 before it
	Last             int64     // Seq of the newest journal entry before the operation
	Undoes           int64     // the operation that this one takes back; 0: none
	Device           string    // the store's id
	Hides            bool      // what it forgets is only hidden here, and not replicated
	Then             time.Time // when the written events happened; zero: now
	RelationsChanged bool      // a visible relation was removed or changed; re-resolve its pair before commit

	added map[int64][]engram.Relation // memories that InsertMemory added, with the relations that it added to them

	Embedded map[string][]float32           // vectors by text, computed before the operation; nil: none
	Judged   map[string][]screen.Suspicious // flags by judgedBy, as far as computed before the operation; nil: none
	Logged   map[Thing]bool                 // things it wrote about; nil: not recorded
	Pending  map[int64]bool                 // memories that it wrote and that wait for approval because they are flagged
	off      func(string) bool              // reports whether a project is disabled for the caller; nil: no project is
	reason   [2]string                      // the last reason of an entry, and the same without secrets
}

// Write runs fn as one operation in one transaction.
func (l *Ledger) Write(ctx context.Context, operation string, fn func(*Tx) error) error {
	return l.Update(ctx, l.operation(ctx, operation, fn))
}

// WriteAfter is Write that runs look first, on a snapshot after which others may have written (Store.UpdateAfter).
func (l *Ledger) WriteAfter(ctx context.Context, operation string, look func(engram.Reader) error, fn func(*Tx) error) error {
	return l.updateAfter(ctx, look, l.operation(ctx, operation, fn))
}

// operation returns fn as one operation.
func (l *Ledger) operation(ctx context.Context, operation string, fn func(*Tx) error) func(engram.Tx) error {
	return func(tx engram.Tx) error {
		head, err := tx.Replica().Head(ctx) // clocks of other stores may be ahead
		if err != nil {
			return err
		}
		o := &Tx{Ledger: l, Store: tx, operation: operation, At: l.Now(), Clock: head.Clock, Device: head.Device, Last: head.Seq,
			Pending: map[int64]bool{}, off: l.Excluded()}
		if err := fn(o); err != nil || !o.RelationsChanged {
			return err
		}
		return o.ResolveRelations(ctx, nil)
	}
}

// ErrDryRun rolls back a transaction that succeeded.
var ErrDryRun = errors.New("dry run")

// TryWrite is write; with dry it rolls back what fn wrote.
func (l *Ledger) TryWrite(ctx context.Context, dry bool, operation string, fn func(*Tx) error) error {
	err := l.Write(ctx, operation, func(o *Tx) error {
		if err := fn(o); err != nil || !dry {
			return err
		}
		return ErrDryRun
	})
	if errors.Is(err, ErrDryRun) {
		return nil
	}
	return err
}

// Log appends a journal entry; was has the old field values, nil when the thing did not exist. Every write is
// journaled, so this is where writes to disabled projects are rejected (mayWrite).
func (o *Tx) Log(ctx context.Context, entity engram.Entity, key, project, reason string, was map[string]any) error {
	m, err := o.entry(entity, key, project, reason, was)
	if err != nil {
		return err
	}
	return o.append(ctx, m)
}

func (o *Tx) entry(entity engram.Entity, key, project, reason string, was map[string]any) (*engram.Mutation, error) {
	if err := o.mayWrite(Thing{entity, key}, project, was); err != nil {
		return nil, err
	}
	m := &engram.Mutation{Op: o.First, At: o.next(), Actor: o.Ledger.Caller.Actor, Operation: o.operation, Entity: entity, Key: key, Project: project, Reason: o.reasoned(reason)}
	if was != nil {
		b, err := json.Marshal(was)
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		m.Was = b
	}
	return m, nil
}

func (o *Tx) append(ctx context.Context, ms ...*engram.Mutation) error {
	if o.First == 0 {
		ms[0].Undoes = o.Undoes
	}
	if err := o.Store.Append(ctx, ms...); err != nil {
		return err
	}
	if o.First == 0 {
		o.First = ms[0].Seq
	}
	if o.Logged != nil {
		for _, m := range ms {
			o.Logged[Thing{m.Entity, m.Key}] = true
		}
	}
	return nil
}

// reasoned removes secrets from a reason, which may quote user input. Entries in a row mostly share the reason, so
// the last result is kept.
func (o *Tx) reasoned(reason string) string {
	if reason != o.reason[0] {
		o.reason = [2]string{reason, o.Ledger.Screen.Redactor().Secrets(reason)}
	}
	return o.reason[1]
}

// InsertMemory adds a draft. It is made now unless it has a creation time; strength and review date count from now in
// any case.
func (o *Tx) InsertMemory(ctx context.Context, m *engram.Memory, reason string) error {
	if m.TouchedAt = o.At; m.CreatedAt.IsZero() {
		m.CreatedAt, m.UpdatedAt = o.At, o.At
	}
	m.ReviewAfter = lifecycle.ReviewAfter(*m, o.At, o.Ledger.Policy)
	m.Num, m.ID = 0, o.Ledger.NewID()
	m.SyncID = engram.SyncIDOf(m.ID)
	if err := o.AddMemory(ctx, m); err != nil {
		return err
	}
	if o.added == nil {
		o.added = map[int64][]engram.Relation{}
	}
	o.added[m.Num] = nil
	return o.inserted(ctx, engram.EntityMemory, m.Project, reason, Key(m.Num))
}

// RelationsOfNew returns the relations of a memory that this operation added; made is false if it did not, or if it
// has changed relations since.
func (o *Tx) RelationsOfNew(num int64) (rs []engram.Relation, made bool) {
	rs, made = o.added[num]
	return rs, made && !o.RelationsChanged
}

// inserted stamps and journals things whose rows were just added.
func (o *Tx) inserted(ctx context.Context, entity engram.Entity, project, reason string, keys ...string) error {
	metadata := make(map[string]engram.CausalMetadata, len(keys))
	entries := make([]*engram.Mutation, len(keys))
	for i, key := range keys {
		metadata[key] = engram.CausalMetadata{Base: o.Stamp()}
		var err error
		if entries[i], err = o.entry(entity, key, project, reason, nil); err != nil {
			return err
		}
	}
	if err := o.Store.ReplicaTx().PutCausalMetadata(ctx, entity, metadata); err != nil {
		return err
	}
	return o.append(ctx, entries...)
}

// PutMetadata sets the causal metadata of one thing.
func (o *Tx) PutMetadata(ctx context.Context, entity engram.Entity, key string, l engram.CausalMetadata) error {
	return o.Store.ReplicaTx().PutCausalMetadata(ctx, entity, map[string]engram.CausalMetadata{key: l})
}

// AddMemory adds the row and the vector of a memory, nothing else.
func (o *Tx) AddMemory(ctx context.Context, m *engram.Memory) error {
	if err := o.Store.InsertMemory(ctx, m); err != nil {
		return err
	}
	if err := o.JudgeText(ctx, nil, *m); err != nil {
		return err
	}
	return o.Embed(ctx, *m)
}

// ReplaceMemory writes now over was, keeping the old text as a revision when it changed.
func (o *Tx) ReplaceMemory(ctx context.Context, was, now engram.Memory, reason string) error {
	textStamp, err := o.StampMemory(ctx, was, now)
	if err != nil {
		return err
	}
	if err := o.rewriteMemory(ctx, was, now, textStamp, reason); err != nil {
		return err
	}
	return o.resolveAfter(ctx, was, now)
}

// StampMemory stamps the edit of a memory that becomes now. It returns the write that the text of was comes from.
func (o *Tx) StampMemory(ctx context.Context, was, now engram.Memory) (textStamp engram.VersionStamp, err error) {
	old, err := MemoryMetadata(ctx, o.Store, was)
	if err != nil {
		return textStamp, err
	}
	l := o.stamped(Edit{metadata: old, Was: MemoryFields(was), Now: MemoryFields(now), deleted: "deleted_at", Part: PartOf[engram.Memory],
		Had: was.Tags, Has: now.Tags, words: was.Title != now.Title || was.Content != now.Content})
	if l.Past, err = o.past(ctx, was, now, old, l); err != nil {
		return textStamp, err
	}
	return old.Of(engram.PartText), o.PutMetadata(ctx, engram.EntityMemory, Key(was.Num), l)
}

// rewriteMemory writes now over was without stamping: a local write is replaceMemory. textStamp is the write that the
// text of was comes from.
func (o *Tx) rewriteMemory(ctx context.Context, was, now engram.Memory, textStamp engram.VersionStamp, reason string) error {
	changed := Changes(MemoryFields(was), MemoryFields(now))
	if was.Title != now.Title || was.Content != now.Content {
		err := o.Store.InsertRevision(ctx, engram.Revision{Memory: was.Num, Number: was.RevisionCount, Type: was.Type, Title: was.Title,
			Content: was.Content, WrittenAt: was.UpdatedAt, ReplacedAt: o.At, Reason: reason, Stamp: textStamp})
		if err != nil {
			return err
		}
		changed["revision"] = was.RevisionCount
	}
	return o.StoreMemory(ctx, was, now, reason, changed)
}

// StoreMemory writes the row of now over was, its flags, its vector and a journal entry of the old values.
func (o *Tx) StoreMemory(ctx context.Context, was, now engram.Memory, reason string, old map[string]any) error {
	if err := o.Store.ReplaceMemory(ctx, now); err != nil {
		return err
	}
	if err := o.JudgeText(ctx, &was, now); err != nil {
		return err
	}
	if EmbeddedText(was) != EmbeddedText(now) || was.Forgotten() && !now.Forgotten() {
		if err := o.Embed(ctx, now); err != nil {
			return err
		}
	}
	return o.Log(ctx, engram.EntityMemory, Key(was.Num), now.Project, reason, old)
}

// EraseMemory removes m for good. The journal entry has no details. It is written first because the tombstone takes
// its clock.
func (o *Tx) EraseMemory(ctx context.Context, m engram.Memory) error {
	if err := o.Log(ctx, engram.EntityMemory, Key(m.Num), m.Project, "", map[string]any{}); err != nil {
		return err
	}
	o.RelationsChanged = true
	if err := o.Store.EraseMemory(ctx, m.Num); err != nil || m.TopicKey == "" {
		return err
	}
	return o.resolveContests(ctx, contest{m.Project, m.Scope, m.TopicKey})
}

// PutSession writes now; was is nil when the session is new.
func (o *Tx) PutSession(ctx context.Context, was *engram.Session, now engram.Session, reason string) error {
	old := engram.Session{ID: now.ID}
	if was != nil {
		old = *was
	}
	if err := o.stampSession(ctx, old, now, was == nil); err != nil {
		return err
	}
	return o.RewriteSession(ctx, was, now, reason)
}

// stampSession updates the causal metadata of a session that is written. One that is made may have existed
// before: it is brought back with none of its old fields.
func (o *Tx) stampSession(ctx context.Context, was, now engram.Session, made bool) error {
	old, known, err := KnownMetadata(ctx, o.Store, engram.EntitySession, now.ID)
	switch {
	case err != nil:
		return err
	case made && !known:
		return o.PutMetadata(ctx, engram.EntitySession, now.ID, engram.CausalMetadata{Base: o.Stamp()})
	case made || known && (lifecycle.Forgotten(old) || ClaimsNothing(now.ID, old)): // no write made what it shows
		old.Shadowed = nil
		parts := []engram.Part{engram.PartRestored, ProjectPart, "directory", "started_at", "ended_at", "summary"}
		return o.PutMetadata(ctx, engram.EntitySession, now.ID, revived(lifecycle.Stamped(old, parts, o.Stamp())))
	}
	return o.StampEdit(ctx, SessionRecord(was), Edit{Was: SessionFields(was), Now: SessionFields(now), Part: PartOf[engram.Session]})
}

// RewriteSession is putSession without stamping.
func (o *Tx) RewriteSession(ctx context.Context, was *engram.Session, now engram.Session, reason string) error {
	if err := o.Store.PutSession(ctx, now); err != nil {
		return err
	}
	var changed map[string]any
	if was != nil {
		changed = Changes(SessionFields(*was), SessionFields(now))
	}
	return o.Log(ctx, engram.EntitySession, now.ID, now.Project, reason, changed)
}

// DeleteSession removes s; hard leaves nothing of it in the journal, and writes the entry first, or the erase would
// remove its content too.
func (o *Tx) DeleteSession(ctx context.Context, s engram.Session, hard bool) error {
	if hard {
		if err := o.Log(ctx, engram.EntitySession, s.ID, s.Project, "requested", map[string]any{}); err != nil {
			return err
		}
		return o.Store.DeleteSession(ctx, s.ID, true)
	}
	l, err := metadataOf(ctx, o.Store, SessionRecord(s))
	if err != nil {
		return err
	}
	if o.Hides {
		l = WithShadowed(l, engram.PartDeleted, s)
	} else {
		l = o.stampLife(l, Edit{deleted: "gone", Was: map[string]any{"gone": time.Time{}}, Now: map[string]any{"gone": o.At}}, engram.VersionStamp{})
	}
	if err := o.PutMetadata(ctx, engram.EntitySession, s.ID, l); err != nil {
		return err
	}
	return o.DropSessionRow(ctx, s, "requested")
}

// DropSessionRow is deleteSession without stamping.
func (o *Tx) DropSessionRow(ctx context.Context, s engram.Session, reason string) error {
	if err := o.Store.DeleteSession(ctx, s.ID, false); err != nil {
		return err
	}
	return o.Log(ctx, engram.EntitySession, s.ID, s.Project, reason, SessionFields(s))
}

// InsertRelations adds relations.
func (o *Tx) InsertRelations(ctx context.Context, project, reason string, rs ...*engram.Relation) error {
	if len(rs) == 0 {
		return nil
	}
	for i, id := range relationIDs(o.Ledger.NewID(), len(rs)) {
		r := rs[i]
		r.Num, r.ID = 0, id
		r.CreatedAt, r.UpdatedAt = o.At, o.At
	}
	if err := o.Store.InsertRelation(ctx, rs...); err != nil {
		return err
	}
	for _, r := range rs {
		for _, num := range []int64{r.Source, r.Target} {
			if known, made := o.added[num]; made {
				o.added[num] = append(known, *r)
			}
		}
	}
	return o.inserted(ctx, engram.EntityRelation, project, reason, walk.Mapped(rs, func(r *engram.Relation) string { return Key(r.Num) })...)
}

// relationIDs returns ids of relations that are made together: they follow each other, so that an index of them
// changes in one place.
func relationIDs(from engram.ID, n int) []string {
	digest := sha256.Sum256([]byte(from))
	first, ids := binary.BigEndian.Uint64(digest[:]), make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%016x", engram.RelationIDPrefix, first+uint64(i))
	}
	return ids
}

// ReplaceRelation writes now over was.
func (o *Tx) ReplaceRelation(ctx context.Context, was, now engram.Relation, project, reason string) error {
	if now.Removed() && !was.Removed() && now.UpdatedAt.Before(was.UpdatedAt) {
		now.UpdatedAt = was.UpdatedAt // written by a clock that is ahead: it cannot be removed before that
	}
	old, err := metadataOf(ctx, o.Store, RelationRecord(was))
	if err != nil {
		return err
	}
	if err := o.PutMetadata(ctx, engram.EntityRelation, Key(was.Num), o.relationEdit(old, was, now)); err != nil {
		return err
	}
	o.RelationsChanged = true
	return o.RewriteRelation(ctx, was, now, project, reason)
}

// RewriteRelation is replaceRelation without stamping.
func (o *Tx) RewriteRelation(ctx context.Context, was, now engram.Relation, project, reason string) error {
	if err := o.Store.ReplaceRelation(ctx, now); err != nil {
		return err
	}
	return o.Log(ctx, engram.EntityRelation, Key(was.Num), project, reason, Changes(RelationFields(was), RelationFields(now)))
}

// InsertPrompt adds a prompt that has its id and its time.
func (o *Tx) InsertPrompt(ctx context.Context, p *engram.Prompt, reason string) error {
	p.Num = 0
	if err := o.Store.InsertPrompt(ctx, p); err != nil {
		return err
	}
	return o.inserted(ctx, engram.EntityPrompt, p.Project, reason, Key(p.Num))
}

// ReplacePrompt writes the place of a prompt, and whether it is deleted.
func (o *Tx) ReplacePrompt(ctx context.Context, was, now engram.Prompt, reason string) error {
	err := o.StampEdit(ctx, PromptRecord(was), Edit{Was: PromptFields(was), Now: PromptFields(now), deleted: "deleted_at", Part: PartOf[engram.Prompt]})
	if err != nil {
		return err
	}
	return o.RewritePrompt(ctx, was, now, reason)
}

// RewritePrompt is replacePrompt without stamping.
func (o *Tx) RewritePrompt(ctx context.Context, was, now engram.Prompt, reason string) error {
	if err := o.Store.ReplacePrompt(ctx, now); err != nil {
		return err
	}
	return o.Log(ctx, engram.EntityPrompt, Key(was.Num), was.Project, reason, Changes(PromptFields(was), PromptFields(now)))
}

// InsertProject adds a project.
func (o *Tx) InsertProject(ctx context.Context, p engram.Project, reason string) error {
	if err := o.Store.PutProject(ctx, p); err != nil {
		return err
	}
	return o.inserted(ctx, engram.EntityProject, p.Name, reason, p.Name)
}

// Changes returns the fields of was that differ in now; never nil.
func Changes(was, now map[string]any) map[string]any {
	changed := map[string]any{}
	for name, old := range was {
		if !reflect.DeepEqual(old, now[name]) {
			changed[name] = old
		}
	}
	return changed
}

// Key formats a number as a journal key.
func Key(num int64) string { return strconv.FormatInt(num, 10) }

// NumOf parses a key; 0 for anything else.
func NumOf(key string) int64 {
	n, _ := strconv.ParseInt(key, 10, 64)
	return n
}

// Digest returns 16 hex digits derived from an id: the form of ids in git chunks and older programs.
func Digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// Happened returns at, or now for the zero time and for times in the future.
func (o *Tx) Happened(at time.Time) time.Time {
	if at = Instant(at); at.IsZero() || at.After(o.At) {
		return o.At
	}
	return at
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Action is the outcome of a save.
type Action = lifecycle.Action

// The actions.
const (
	ActionInserted = lifecycle.Insert
	ActionRevised  = lifecycle.Revise // the old text becomes a revision
	ActionRepeated = lifecycle.Repeat
	ActionMerged   = lifecycle.Absorb // merged into another memory; its old text becomes a revision
)

// Thing names what a journal entry is about.
type Thing struct {
	Entity engram.Entity
	Key    string
}
