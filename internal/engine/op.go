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

// op is one verb at work in its transaction. Its methods write the state and the
// journal entry together, so that no verb can forget one of them.
type op struct {
	*Engine
	tx     engram.Tx
	verb   string
	at     time.Time
	clock  engram.Clock
	first  int64 // Seq of the op's first journal entry; 0 before it
	last   int64 // Seq of the newest journal entry before the op
	undoes int64 // the op that this one takes back; 0: none

	embedded map[string][]float32 // vectors by text that were reckoned before the op; nil: none
}

// write runs fn as one verb in one transaction.
func (e *Engine) write(ctx context.Context, verb string, fn func(*op) error) error {
	return e.store.Update(ctx, func(tx engram.Tx) error {
		last, err := tx.LastMutation(ctx)
		if err != nil {
			return err
		}
		return fn(&op{Engine: e, tx: tx, verb: verb, at: e.now(), clock: last.At, last: last.Seq})
	})
}

// log appends a journal entry; was is what the thing was, nil when it did not exist.
func (o *op) log(ctx context.Context, entity engram.Entity, key, project, reason string, was map[string]any) error {
	o.clock = o.clock.Tick(o.at)
	m := engram.Mutation{Op: o.first, At: o.clock, Actor: o.actor, Verb: o.verb, Entity: entity, Key: key, Project: project, Reason: reason}
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
	return nil
}

// insertMemory adds a draft, which is made now.
func (o *op) insertMemory(ctx context.Context, m *engram.Memory, reason string) error {
	m.CreatedAt, m.UpdatedAt, m.TouchedAt = o.at, o.at, o.at
	m.ReviewAfter = lifecycle.ReviewAfter(*m, o.at, o.policy)
	m.ID = o.newID()
	m.SyncID = syncID(m.ID)
	return o.putMemory(ctx, m, reason)
}

// putMemory adds a memory that has its names and its times.
func (o *op) putMemory(ctx context.Context, m *engram.Memory, reason string) error {
	if err := o.tx.InsertMemory(ctx, m); err != nil {
		return err
	}
	if err := o.embed(ctx, *m); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityMemory, key(m.Num), m.Project, reason, nil)
}

// replaceMemory writes now over was, keeping the old text as a revision when it changed.
func (o *op) replaceMemory(ctx context.Context, was, now engram.Memory, reason string) error {
	changed := changes(memoryFields(was), memoryFields(now))
	if was.Title != now.Title || was.Content != now.Content {
		err := o.tx.InsertRevision(ctx, engram.Revision{Memory: was.Num, Number: was.RevisionCount, Type: was.Type, Title: was.Title,
			Content: was.Content, WrittenAt: was.UpdatedAt, ReplacedAt: o.at, Reason: reason})
		if err != nil {
			return err
		}
		changed["revision"] = was.RevisionCount
	}
	if err := o.tx.ReplaceMemory(ctx, now); err != nil {
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
	return o.tx.EraseMemory(ctx, m.Num)
}

// putSession writes now; was is nil when the session is new.
func (o *op) putSession(ctx context.Context, was *engram.Session, now engram.Session, reason string) error {
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
	if err := o.tx.DeleteSession(ctx, s.ID); err != nil {
		return err
	}
	return o.log(ctx, engram.EntitySession, s.ID, s.Project, "asked for", sessionFields(s))
}

// insertRelation adds r, which is made now.
func (o *op) insertRelation(ctx context.Context, r *engram.Relation, project, reason string) error {
	r.ID = engram.RelationIDPrefix + digest(string(o.newID()))
	r.CreatedAt, r.UpdatedAt = o.at, o.at
	if err := o.tx.InsertRelation(ctx, r); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityRelation, key(r.Num), project, reason, nil)
}

// replaceRelation writes now over was.
func (o *op) replaceRelation(ctx context.Context, was, now engram.Relation, project, reason string) error {
	if err := o.tx.ReplaceRelation(ctx, now); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityRelation, key(was.Num), project, reason, changes(relationFields(was), relationFields(now)))
}

// replacePrompt writes where a prompt belongs, and whether it was deleted.
func (o *op) replacePrompt(ctx context.Context, was, now engram.Prompt, reason string) error {
	if err := o.tx.ReplacePrompt(ctx, now); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityPrompt, key(was.Num), was.Project, reason, changes(promptFields(was), promptFields(now)))
}

// memoryFields are the journalled fields of a memory by their names in Was: all that
// can change but the texts, which revisions hold.
func memoryFields(m engram.Memory) map[string]any {
	return map[string]any{
		"project": m.Project, "scope": m.Scope, "type": m.Type, "summary": m.Summary, "tags": m.Tags, "metadata": m.Metadata,
		"topic_key": m.TopicKey, "session_id": m.SessionID, "tool_name": m.ToolName, "origin": m.Origin,
		"importance": m.Importance, "strength": m.Strength, "touched_at": m.TouchedAt, "permanent": m.Permanent,
		"access_count": m.AccessCount, "last_accessed_at": m.LastAccessedAt, "updated_at": m.UpdatedAt,
		"review_after": m.ReviewAfter, "valid_from": m.ValidFrom, "valid_to": m.ValidTo, "revision_count": m.RevisionCount,
		"duplicate_count": m.DuplicateCount, "last_seen_at": m.LastSeenAt, "deleted_at": m.DeletedAt,
	}
}

func sessionFields(s engram.Session) map[string]any {
	return map[string]any{"project": s.Project, "directory": s.Directory, "started_at": s.StartedAt,
		"ended_at": s.EndedAt, "summary": s.Summary}
}

// relationFields are all that can change of a relation.
func relationFields(r engram.Relation) map[string]any {
	return map[string]any{"verb": r.Verb, "status": r.Status, "strength": r.Strength, "reason": r.Reason, "evidence": r.Evidence,
		"confidence": r.Confidence, "actor": r.Actor, "actor_kind": r.ActorKind, "model": r.Model, "session_id": r.SessionID,
		"updated_at": r.UpdatedAt, "removed_at": r.RemovedAt}
}

func promptFields(p engram.Prompt) map[string]any {
	return map[string]any{"project": p.Project, "session_id": p.SessionID, "deleted_at": p.DeletedAt}
}

// projectFields are what a project is, but for what is in it.
func projectFields(p engram.Project) map[string]any {
	return map[string]any{"aliases": append([]string{}, p.Aliases...), // never null: an undo must see that there were none
		"root": p.Root, "remote": p.Remote, "decay": p.Decay, "created_at": p.CreatedAt}
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

// syncID is the sync id of a memory that was made here.
func syncID(id engram.ID) string { return "obs-" + digest(string(id)) }

// digest is 16 hex digits that belong to an id: the form of the ids that git chunks
// and older programs use.
func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}
