package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// projectWas is what an entry notes of a move: what went from one project to another.
type projectWas struct {
	From     string           `json:"from"`
	To       string           `json:"to"`
	Memories []int64          `json:"memories"`
	Sessions []string         `json:"sessions"`
	Prompts  []int64          `json:"prompts"`
	Topics   map[int64]string `json:"topics"` // that memories lost by the move
	Given    map[int64]string `json:"given"`  // that memories got back by it
}

func (u *undoing) takeProject(ctx context.Context, entry engram.Mutation) error {
	var move projectWas
	if err := readWas(entry, &move); err != nil {
		return err
	}
	if move.From != "" {
		return u.moveBack(ctx, entry, move)
	}
	p, known, err := u.tx.Project(ctx, entry.Key)
	if err != nil {
		return err
	}
	known = known && p.Name == entry.Key // else it is an alias by now
	switch {
	case entry.Was == nil && !known:
		return nil
	case entry.Was == nil:
		return u.unmakeProject(ctx, entry, p)
	case known:
		if err := u.unmoved(ctx, entry, fmt.Sprintf("project %q", p.Name), projectFields(p)); err != nil {
			return err
		}
	default:
		p = engram.Project{Name: entry.Key}
	}
	now := p
	made, err := projectTable(&now).takeBackWith(entry, "created_at")
	switch {
	case err != nil:
		return err
	case known:
		u.changed(entry, "restored")
		return u.replaceProject(ctx, p, now, u.reason())
	case !made:
		u.leave("project %q is gone", entry.Key)
		return nil
	}
	if err := u.free(ctx, append([]string{now.Name}, now.Aliases...)...); err != nil {
		return err
	}
	u.changed(entry, "made again")
	return u.insertProject(ctx, now, u.reason())
}

// free refuses names that mean another project by now.
func (u *undoing) free(ctx context.Context, names ...string) error {
	for _, name := range names {
		p, known, err := u.tx.Project(ctx, name)
		if err != nil {
			return err
		}
		if known {
			return u.renamed(ctx, name, p.Name)
		}
	}
	return nil
}

// renamed is the error of a name that means another project by now.
func (u *undoing) renamed(ctx context.Context, name, now string) error {
	refused := engram.Errorf(engram.CodeConflict, "%q is project %q by now", name, now)
	entries, err := u.tx.Mutations(ctx, engram.EntityProject, name, engram.Page{Limit: 1})
	if err != nil || len(entries) == 0 {
		return refused.WithHint("{log --all-projects} shows what became of it")
	}
	return offering(refused, entries[0].Op, "{undo %d} first; nothing was changed")
}

// moveBack gives back what went from one project to another.
func (u *undoing) moveBack(ctx context.Context, entry engram.Mutation, was projectWas) error {
	for _, name := range []string{was.From, was.To} {
		p, known, err := u.tx.Project(ctx, name)
		if err != nil {
			return err
		}
		if !known {
			u.leave("project %q is gone, and what was moved stays where it is", name)
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
	moved, err := u.giveBack(ctx, some, was.To, was.From)
	if err != nil {
		return err
	}
	if n := len(some.Memories) - len(moved.Memories); n > 0 {
		u.leave("%d of the memories that were moved are elsewhere by now", n)
	}
	u.changed(entry, "%s, %s and %s back from %s", so(len(moved.Memories), "memory", "memories"),
		so(len(moved.Sessions), "session", "sessions"), so(len(moved.Prompts), "prompt", "prompts"), was.To)
	given := moved.Topics
	moved.Topics = was.Given
	return u.logMove(ctx, moved, given, was.To, was.From, u.reason())
}

// so is "1 memory" or "2 memories".
func so(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// takeTopics takes topic keys away again that a move gave back. The entry of the move
// says so: it needs none of its own.
func (u *undoing) takeTopics(ctx context.Context, given map[int64]string) error {
	for num, topic := range given {
		m, err := u.tx.Memory(ctx, engram.ByNum(num))
		if engram.CodeOf(err) == engram.CodeNotFound || err == nil && m.TopicKey != topic {
			continue
		}
		if err != nil {
			return err
		}
		now := m
		now.TopicKey = ""
		if _, err := u.stampMemory(ctx, m, now); err != nil {
			return err
		}
		if err := u.tx.ReplaceMemory(ctx, now); err != nil {
			return err
		}
	}
	return nil
}

// unmakeProject removes a project that the operation made, if nothing is in it. One that
// was changed since is a conflict; another of its name, made later, is left.
func (u *undoing) unmakeProject(ctx context.Context, entry engram.Mutation, p engram.Project) error {
	anew, since, err := u.madeAnew(ctx, entry, "created_at", p.CreatedAt)
	if err != nil {
		return err
	}
	if anew {
		u.leave("project %q was removed since, and made anew", p.Name)
		return nil
	}
	full, err := u.inUse(ctx, p.Name)
	if err != nil || full {
		return err
	}
	if _, err := u.restorable(fmt.Sprintf("project %q", p.Name), since.left(), projectFields(p), since); err != nil {
		return err
	}
	if err := u.log(ctx, engram.EntityProject, p.Name, p.Name, u.reason(), projectFields(p)); err != nil {
		return err
	}
	u.changed(entry, "removed")
	return u.removeProject(ctx, p)
}

// inUse reports whether anything is kept under a project, forgotten or hidden things too.
func (u *undoing) inUse(ctx context.Context, name string) (bool, error) {
	one := engram.Page{Limit: 1}
	live, err := u.tx.List(ctx, engram.Filter{Project: name}, one)
	if err != nil {
		return false, err
	}
	forgotten, err := u.tx.List(ctx, engram.Filter{Project: name, Forgotten: true}, one)
	if err != nil {
		return false, err
	}
	sessions, err := u.tx.Sessions(ctx, name, one)
	if err != nil {
		return false, err
	}
	prompts, err := u.tx.Prompts(ctx, name, "", one)
	if err != nil {
		return false, err
	}
	hidden, err := u.tx.DeletedPrompts(ctx, name)
	return slices.Max([]int{len(live), len(forgotten), len(sessions), len(prompts), len(hidden)}) > 0, err
}
