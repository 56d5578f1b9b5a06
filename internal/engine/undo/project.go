package undo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

func (u *undoing) takeProject(ctx context.Context, entry engram.Mutation) error {
	var move view.ProjectWas
	if err := ledger.ReadWas(entry, &move); err != nil {
		return err
	}
	if move.From != "" {
		return u.moveBack(ctx, entry, move)
	}
	p, known, err := u.tx.Store.Project(ctx, entry.Key)
	if err != nil {
		return err
	}
	known = known && p.Name == entry.Key // else it is an alias today
	switch {
	case entry.Was == nil && !known:
		return nil
	case entry.Was == nil:
		return u.unmakeProject(ctx, entry, p)
	case known:
		if err := u.unmoved(ctx, entry, fmt.Sprintf("project %q", p.Name), ledger.ProjectFields(p)); err != nil {
			return err
		}
	default:
		p = engram.Project{Name: entry.Key}
	}
	now := p
	made, err := ledger.TableOf(&now).TakeBackWith(entry, "created_at")
	switch {
	case err != nil:
		return err
	case known:
		u.changed(entry, "restored")
		return projects.ReplaceProject(ctx, u.tx, p, now, u.reason())
	case !made:
		u.leave("project %q is gone", entry.Key)
		return nil
	}
	if err := u.free(ctx, append([]string{now.Name}, now.Aliases...)...); err != nil {
		return err
	}
	u.changed(entry, "made again")
	return u.tx.InsertProject(ctx, now, u.reason())
}

// free rejects names that mean another project today.
func (u *undoing) free(ctx context.Context, names ...string) error {
	for _, name := range names {
		p, known, err := u.tx.Store.Project(ctx, name)
		if err != nil {
			return err
		}
		if known {
			return u.renamed(ctx, name, p.Name)
		}
	}
	return nil
}

// renamed is the error of a name that means another project today.
func (u *undoing) renamed(ctx context.Context, name, now string) error {
	refused := engram.Errorf(engram.CodeConflict, "%q is project %q by now", name, now)
	entries, err := u.tx.Store.Mutations(ctx, engram.JournalSpan{Entity: engram.EntityProject, Key: name}, engram.Page{Limit: 1})
	if err != nil || len(entries) == 0 {
		return refused.WithHint("{log --all-projects} shows what became of it")
	}
	return offering(refused, entries[0].Op, "run {undo %d} first; nothing was changed")
}

func (u *undoing) moveBack(ctx context.Context, entry engram.Mutation, was view.ProjectWas) error {
	for _, name := range []string{was.From, was.To} {
		p, known, err := u.tx.Store.Project(ctx, name)
		if err != nil {
			return err
		}
		if !known {
			u.leave("project %q is gone; moved things stay where they are", name)
			return nil
		}
		if p.Name != name {
			return u.renamed(ctx, name, p.Name)
		}
	}
	if err := u.takeTopics(ctx, was.Given); err != nil {
		return err
	}
	some := engram.Moved{Memories: was.Memories, Sessions: was.Sessions, Prompts: was.Prompts, Topics: was.Topics}
	moved, err := u.tx.GiveBack(ctx, some, was.To, was.From)
	if err != nil {
		return err
	}
	if n := len(some.Memories) - len(moved.Memories); n > 0 {
		u.leave("%d of the memories that were moved are elsewhere by now", n)
	}
	u.changed(entry, "%s, %s and %s back from %s", So(len(moved.Memories), "memory", "memories"),
		So(len(moved.Sessions), "session", "sessions"), So(len(moved.Prompts), "prompt", "prompts"), was.To)
	given := moved.Topics
	moved.Topics = was.Given
	return projects.LogMove(ctx, u.tx, moved, given, was.To, was.From, u.reason())
}

// So counts something: "1 memory", "2 memories".
func So(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// takeTopics takes away topic keys that a move gave back. The entry of the move covers it.
func (u *undoing) takeTopics(ctx context.Context, given map[int64]string) error {
	for num, topic := range given {
		m, found, err := walk.IfThere(u.tx.Store.Memory(ctx, engram.ByNum(num)))
		if err != nil {
			return err
		}
		if !found || m.TopicKey != topic {
			continue
		}
		now := m
		now.TopicKey = ""
		if _, err := u.tx.StampMemory(ctx, m, now); err != nil {
			return err
		}
		if err := u.tx.Store.ReplaceMemory(ctx, now); err != nil {
			return err
		}
	}
	return nil
}

// unmakeProject removes a project that the operation made, if it is empty. One that was changed since is a conflict;
// a later one of the same name stays.
func (u *undoing) unmakeProject(ctx context.Context, entry engram.Mutation, p engram.Project) error {
	anew, since, err := u.madeAnew(ctx, entry, "created_at", p.CreatedAt)
	if err != nil {
		return err
	}
	if anew {
		u.leave("project %q was removed and created again since", p.Name)
		return nil
	}
	full, err := u.inUse(ctx, p.Name)
	if err != nil || full {
		return err
	}
	if _, err := u.restorable(fmt.Sprintf("project %q", p.Name), since.left(), ledger.ProjectFields(p), since); err != nil {
		return err
	}
	if err := u.tx.Log(ctx, engram.EntityProject, p.Name, p.Name, u.reason(), ledger.ProjectFields(p)); err != nil {
		return err
	}
	u.changed(entry, "removed")
	return u.tx.RemoveProject(ctx, p)
}

func (u *undoing) inUse(ctx context.Context, name string) (bool, error) {
	one := engram.Page{Limit: 1}
	for _, forgotten := range []bool{false, true} {
		if ms, err := u.tx.Store.List(ctx, engram.Filter{Project: name, Forgotten: forgotten}, one); err != nil || len(ms) > 0 {
			return true, err
		}
	}
	if ss, err := u.tx.Store.Sessions(ctx, engram.SessionFilter{Project: name}, one); err != nil || len(ss) > 0 {
		return true, err
	}
	if ps, err := u.tx.Store.Prompts(ctx, engram.PromptFilter{Project: name}, one); err != nil || len(ps) > 0 {
		return true, err
	}
	hidden, err := engram.DeletedPrompts(ctx, u.tx.Store, name, "")
	return len(hidden) > 0, err
}

func (u *undoing) movesSince(ctx context.Context, undone engram.Operation) (moves []view.Move, err error) {
	var entries []engram.Mutation
	span := engram.JournalSpan{Entity: engram.EntityProject, After: undone.Op}
	if err := view.WalkBack(ctx, u.tx.Store, span, func(m engram.Mutation) { entries = append(entries, m) }); err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	return view.MovesAmong(entries)
}

// resolvePlacesOf resolves places in sessions whose project was restored.
func (u *undoing) resolvePlacesOf(ctx context.Context, entries []engram.Mutation) error {
	var sessions []string
	for _, e := range entries {
		var was struct {
			Project  *string
			Sessions []string
		}
		if e.Entity != engram.EntitySession && e.Entity != engram.EntityProject {
			continue
		}
		if err := ledger.ReadWas(e, &was); err != nil {
			return err
		}
		if sessions = append(sessions, was.Sessions...); was.Project != nil {
			sessions = append(sessions, e.Key)
		}
	}
	return u.tx.ResolvePlaces(ctx, sessions)
}

func (u *undoing) takePrompt(ctx context.Context, entry engram.Mutation) error {
	p, found, err := walk.IfThere(engram.PromptAt(ctx, u.tx.Store, ledger.NumOf(entry.Key)))
	if err != nil || found && entry.Reason == ledger.PlaceResolved {
		return err
	}
	if !found {
		u.leave("prompt #%s was erased", entry.Key)
		return nil
	}
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	now, what := p, "restored"
	if was != nil {
		_, err = u.restoreFields(entry, fmt.Sprintf("prompt #%d", p.Num), ledger.TableOf(&now), was, since)
	} else {
		now.DeletedAt, what = u.tx.At, "deleted"
	}
	if err != nil || was == nil && p.Deleted() {
		return err
	}
	u.changed(entry, "%s", what)
	return u.tx.ReplacePrompt(ctx, p, now, u.reason())
}

func (u *undoing) takeSession(ctx context.Context, entry engram.Mutation) error {
	s, known, err := walk.IfThere(u.tx.Store.Session(ctx, entry.Key))
	switch {
	case err != nil:
		return err
	case entry.Was == nil && !known, entry.Was != nil && (entry.Reason == ledger.PlaceResolved || entry.Reason == ledger.SessionReplaced):
		return nil
	case entry.Was == nil:
		return u.unmakeSession(ctx, entry, s)
	}
	now := s
	if !known {
		now.ID = entry.Key
	} else if err := u.unmoved(ctx, entry, fmt.Sprintf("session %q", s.ID), ledger.SessionFields(s)); err != nil {
		return err
	}
	begun, err := ledger.TableOf(&now).TakeBackWith(entry, "started_at")
	switch {
	case err != nil:
		return err
	case !known && !begun:
		u.leave("session %q is gone", entry.Key)
		return nil
	case !known:
		now.ActiveAt = now.StartedAt
		u.changed(entry, "made again")
		return u.tx.PutSession(ctx, nil, now, u.reason())
	case now == s:
		return nil
	}
	u.changed(entry, "restored")
	return u.tx.PutSession(ctx, &s, now, u.reason())
}

// unmoved returns a conflict if a field of an entry does not have what the operation left in it.
func (u *undoing) unmoved(ctx context.Context, entry engram.Mutation, what string, now map[string]any) error {
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	_, err = u.restorable(what, was, now, since)
	return err
}

// madeAnew reports whether a thing was made later under the same name, and is not the one of the entry. born is the
// field with its time of making, at the current value. It also returns the later changes.
func (u *undoing) madeAnew(ctx context.Context, entry engram.Mutation, stampNew string, at time.Time) (anew bool, since fieldsSince, err error) {
	later, err := u.since(ctx, entry)
	if err != nil {
		return false, nil, err
	}
	var made time.Time // of this one: the old value in the first later entry; others may have come and gone since
	for _, e := range later {
		if made.IsZero() {
			if err := (ledger.FieldTable{stampNew: &made}).TakeBack(e); err != nil {
				return false, nil, err
			}
		}
		if Erases(e.Operation) || !made.IsZero() && !made.Equal(at) {
			return true, nil, nil
		}
	}
	since, err = sinceOf(later)
	return false, since, err
}

// unmakeSession removes a session that the operation made, if it is empty; forgotten memories count as content. A
// session that was changed since is a conflict.
func (u *undoing) unmakeSession(ctx context.Context, entry engram.Mutation, s engram.Session) error {
	anew, since, err := u.madeAnew(ctx, entry, "started_at", s.StartedAt)
	if err != nil {
		return err
	}
	if anew {
		u.leave("session %q was deleted and created again since", s.ID)
		return nil
	}
	if _, err := u.restorable(fmt.Sprintf("session %q", s.ID), since.left(), ledger.SessionFields(s), since); err != nil {
		return err
	}
	memories, err := u.tx.Store.Count(ctx, engram.Filter{SessionID: s.ID, WithForgotten: true})
	if err != nil {
		return err
	}
	prompts, err := u.tx.Store.Prompts(ctx, engram.PromptFilter{SessionID: s.ID}, engram.Page{Limit: 1})
	if err != nil {
		return err
	}
	hidden, err := engram.DeletedPrompts(ctx, u.tx.Store, "", s.ID)
	if err != nil || memories > 0 || len(prompts) > 0 || len(hidden) > 0 {
		return err
	}
	u.changed(entry, "removed")
	return u.tx.DeleteSession(ctx, s, false)
}

type erasedWas struct {
	ID    string       `json:"id"`
	At    engram.Clock `json:"at"`
	Bound bool         `json:"bound"`
}

// takeErased undoes an erasure that a file brought, or the undo of one. An erasure that was shared stays.
func (u *undoing) takeErased(ctx context.Context, entry engram.Mutation) error {
	x := engram.ErasedKey(entry.Key)
	if entry.Was != nil {
		var was erasedWas
		if err := ledger.ReadWas(entry, &was); err != nil {
			return err
		}
		x.ID, x.At, x.Bound = was.ID, was.At, was.Bound
		if err := u.tx.Store.ReplicaTx().PutErased(ctx, x); err != nil {
			return err
		}
		u.changed(entry, "stays away")
		return u.tx.Log(ctx, engram.EntityErased, entry.Key, "", u.reason(), nil)
	}
	shared, err := u.tx.Store.Replica().Shared(ctx, engram.EntityErased, entry.Key)
	if err != nil {
		return err
	}
	if entry.Operation == "pull" || shared {
		// Batches with the erasure are not read again: without the tombstone this store would bring back for others
		// what was erased.
		u.leave("%s %s was erased in another store and stays erased", x.Entity, x.Name())
		return nil
	}
	x, known, err := u.tx.Store.ReplicaTx().DropErased(ctx, entry.Key)
	if err != nil || !known {
		return err
	}
	u.changed(entry, "may come in again")
	return u.tx.Log(ctx, engram.EntityErased, entry.Key, "", u.reason(), map[string]any{"id": x.ID, "at": x.At, "bound": x.Bound})
}
