package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
)

func (u *undoing) takeRelation(ctx context.Context, entry engram.Mutation) error {
	num, err := strconv.ParseInt(entry.Key, 10, 64)
	if err != nil {
		return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
	}
	r, err := u.tx.Relation(ctx, engram.RelationRef{Num: num})
	if engram.CodeOf(err) == engram.CodeNotFound {
		u.leave("relation %d was erased with a memory", num)
		return nil
	}
	if err != nil {
		return err
	}
	what := fmt.Sprintf("relation %d", num)
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	made := was == nil
	if made {
		was = map[string]json.RawMessage{}
		for name, c := range since {
			was[name] = c.left
		}
	}
	names, err := u.restorable(what, was, relationFields(r), since)
	if err != nil {
		return err
	}
	now := r
	switch {
	case made && r.Removed():
		return nil
	case made:
		now.RemovedAt, now.UpdatedAt = u.at, u.at
		u.changed(entry, "removed: #%d %s #%d", r.Source, r.Verb, r.Target)
	default:
		for _, name := range names {
			if err := json.Unmarshal(was[name], relationField(&now, name)); err != nil {
				return fmt.Errorf("journal entry %d: %s: %w", entry.Seq, name, err)
			}
		}
		u.changed(entry, "restored: #%d %s #%d", now.Source, now.Verb, now.Target)
	}
	return u.replaceRelation(ctx, r, now, entry.Project, u.reason())
}

// read reads the old values of an entry, nil when the thing did not exist, and what
// became of the thing since.
func (u *undoing) read(ctx context.Context, entry engram.Mutation) (was map[string]json.RawMessage, since fieldsSince, err error) {
	if entry.Was != nil {
		if err := json.Unmarshal(entry.Was, &was); err != nil {
			return nil, nil, fmt.Errorf("journal entry %d: %w", entry.Seq, err)
		}
	}
	later, err := u.since(ctx, entry)
	if err != nil {
		return nil, nil, err
	}
	since, err = sinceOf(later)
	return was, since, err
}

// relationField points to the field that relationFields journals by a name.
func relationField(r *engram.Relation, name string) any {
	switch name {
	case "verb":
		return &r.Verb
	case "status":
		return &r.Status
	case "strength":
		return &r.Strength
	case "reason":
		return &r.Reason
	case "evidence":
		return &r.Evidence
	case "confidence":
		return &r.Confidence
	case "actor":
		return &r.Actor
	case "actor_kind":
		return &r.ActorKind
	case "model":
		return &r.Model
	case "session_id":
		return &r.SessionID
	case "updated_at":
		return &r.UpdatedAt
	case "removed_at":
		return &r.RemovedAt
	}
	return nil
}

func (u *undoing) takePrompt(ctx context.Context, entry engram.Mutation) error {
	num, err := strconv.ParseInt(entry.Key, 10, 64)
	if err != nil {
		return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
	}
	p, err := u.tx.Prompt(ctx, num)
	if engram.CodeOf(err) == engram.CodeNotFound {
		u.leave("prompt #%d was erased", num)
		return nil
	}
	if err != nil {
		return err
	}
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	now := p
	if was == nil {
		if p.Deleted() {
			return nil
		}
		now.DeletedAt = u.at
		u.changed(entry, "deleted")
		return u.replacePrompt(ctx, p, now, u.reason())
	}
	names, err := u.restorable(fmt.Sprintf("prompt #%d", num), was, promptFields(p), since)
	if err != nil {
		return err
	}
	for _, name := range names {
		into := map[string]any{"project": &now.Project, "session_id": &now.SessionID, "deleted_at": &now.DeletedAt}[name]
		if err := json.Unmarshal(was[name], into); err != nil {
			return fmt.Errorf("journal entry %d: %s: %w", entry.Seq, name, err)
		}
	}
	u.changed(entry, "restored")
	return u.replacePrompt(ctx, p, now, u.reason())
}

// sessionWas is a session as an entry notes it.
type sessionWas struct {
	Project   *string    `json:"project"`
	Directory *string    `json:"directory"`
	StartedAt *time.Time `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	Summary   *string    `json:"summary"`
}

func (w sessionWas) restore(s *engram.Session) {
	put(&s.Project, w.Project)
	put(&s.Directory, w.Directory)
	put(&s.StartedAt, w.StartedAt)
	put(&s.EndedAt, w.EndedAt)
	put(&s.Summary, w.Summary)
}

func put[T any](into, v *T) {
	if v != nil {
		*into = *v
	}
}

func (u *undoing) takeSession(ctx context.Context, entry engram.Mutation) error {
	s, err := u.tx.Session(ctx, entry.Key)
	known := err == nil
	if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
		return err
	}
	if entry.Was == nil {
		if !known {
			return nil
		}
		return u.unmakeSession(ctx, entry, s)
	}
	var was sessionWas
	if err := json.Unmarshal(entry.Was, &was); err != nil {
		return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
	}
	switch {
	case !known && was.StartedAt == nil:
		u.leave("session %q is gone", entry.Key)
		return nil
	case !known:
		now := engram.Session{ID: entry.Key, ActiveAt: *was.StartedAt}
		was.restore(&now)
		u.changed(entry, "made again")
		return u.putSession(ctx, nil, now, u.reason())
	}
	if err := u.unmoved(ctx, entry, fmt.Sprintf("session %q", s.ID), sessionFields(s)); err != nil {
		return err
	}
	now := s
	if was.restore(&now); now == s {
		return nil
	}
	u.changed(entry, "restored")
	return u.putSession(ctx, &s, now, u.reason())
}

// unmoved is an error when a field of an entry is not any more what the operation left
// in it.
func (u *undoing) unmoved(ctx context.Context, entry engram.Mutation, what string, now map[string]any) error {
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	_, err = u.restorable(what, was, now, since)
	return err
}

// unmakeSession removes a session that the operation made, if nothing is in it. A
// memory that was forgotten stands in it still.
func (u *undoing) unmakeSession(ctx context.Context, entry engram.Mutation, s engram.Session) error {
	memories, err := u.tx.CountInSession(ctx, s.ID, true)
	if err != nil {
		return err
	}
	prompts, err := u.tx.Prompts(ctx, "", s.ID, engram.Page{Limit: 1})
	if err != nil {
		return err
	}
	hidden, err := u.tx.DeletedPrompts(ctx, s.Project)
	if err != nil {
		return err
	}
	in := func(p engram.Prompt) bool { return p.SessionID == s.ID }
	if memories > 0 || len(prompts) > 0 || slices.ContainsFunc(hidden, in) {
		return nil
	}
	u.changed(entry, "removed")
	return u.deleteSession(ctx, s, false)
}

// projectWas is a project as an entry notes it: what was moved away from it, or what it
// was.
type projectWas struct {
	From     string           `json:"from"`
	To       string           `json:"to"`
	Memories []int64          `json:"memories"`
	Sessions []string         `json:"sessions"`
	Prompts  []int64          `json:"prompts"`
	Topics   map[int64]string `json:"topics"` // that memories lost by the move
	Given    map[int64]string `json:"given"`  // that memories got back by it

	Aliases   *[]string       `json:"aliases"`
	Root      *string         `json:"root"`
	Remote    *string         `json:"remote"`
	Decay     json.RawMessage `json:"decay"` // null: it had none of its own
	CreatedAt *time.Time      `json:"created_at"`
}

func (u *undoing) takeProject(ctx context.Context, entry engram.Mutation) error {
	var was projectWas
	if entry.Was != nil {
		if err := json.Unmarshal(entry.Was, &was); err != nil {
			return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
		}
	}
	if was.From != "" {
		return u.moveBack(ctx, entry, was)
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
	case !known && was.CreatedAt == nil:
		u.leave("project %q is gone", entry.Key)
		return nil
	}
	now := p
	if !known {
		now = engram.Project{Name: entry.Key}
	}
	if known {
		if err := u.unmoved(ctx, entry, fmt.Sprintf("project %q", p.Name), projectFields(p)); err != nil {
			return err
		}
	}
	put(&now.Aliases, was.Aliases)
	put(&now.Root, was.Root)
	put(&now.Remote, was.Remote)
	put(&now.CreatedAt, was.CreatedAt)
	if was.Decay != nil {
		now.Decay = nil
		if err := json.Unmarshal(was.Decay, &now.Decay); err != nil {
			return fmt.Errorf("journal entry %d: decay: %w", entry.Seq, err)
		}
	}
	if !known {
		u.changed(entry, "made again")
		if err := u.tx.PutProject(ctx, now); err != nil {
			return err
		}
		return u.log(ctx, engram.EntityProject, now.Name, now.Name, u.reason(), nil)
	}
	u.changed(entry, "restored")
	return u.replaceProject(ctx, p, now, u.reason())
}

// moveBack gives back what went from one project to another.
func (u *undoing) moveBack(ctx context.Context, entry engram.Mutation, was projectWas) error {
	for _, name := range []string{was.From, was.To} {
		if _, known, err := u.tx.Project(ctx, name); err != nil || !known {
			if err == nil {
				u.leave("project %q is gone, and what was moved stays where it is", name)
			}
			return err
		}
	}
	if err := u.takeTopics(ctx, was.Given); err != nil {
		return err
	}
	some := engram.Moved{Memories: was.Memories, Sessions: was.Sessions, Prompts: was.Prompts, Topics: was.Topics}
	moved, err := u.tx.MoveBack(ctx, some, was.To, was.From)
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
		m.TopicKey = ""
		if err := u.tx.ReplaceMemory(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// unmakeProject removes a project that the operation made, if nothing is in it.
func (u *undoing) unmakeProject(ctx context.Context, entry engram.Mutation, p engram.Project) error {
	full, err := u.inUse(ctx, p.Name)
	if err != nil || full {
		return err
	}
	if err := u.log(ctx, engram.EntityProject, p.Name, p.Name, u.reason(), projectFields(p)); err != nil {
		return err
	}
	u.changed(entry, "removed")
	return u.tx.DeleteProject(ctx, p.Name)
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
