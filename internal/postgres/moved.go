package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// clashingSQL selects the live memories of project ?2 whose topic project ?1 has too.
const clashingSQL = `SELECT m.num, m.topic_key FROM memories m
	WHERE m.space = $space AND m.project = ?2 AND m.deleted_at IS NULL AND m.topic_key IS NOT NULL AND EXISTS
	(SELECT 1 FROM memories o WHERE o.space = $space AND o.topic_key = m.topic_key AND o.project = ?1 AND o.scope = m.scope AND o.deleted_at IS NULL)`

// MoveProject moves everything of one project to another.
func (t *tx) MoveProject(ctx context.Context, from, to string) (engram.Moved, error) {
	source, target, err := t.bothProjects(ctx, from, to)
	if err != nil || source == target { // every topic would clash with itself
		return engram.Moved{}, err
	}
	topics, err := sqlrow.Pairs[int64, string](ctx, t, clashingSQL, target, source)
	if err == nil {
		err = t.loseTopics(ctx, slices.Sorted(maps.Keys(topics)))
	}
	if err != nil {
		return engram.Moved{Topics: topics}, err
	}
	t.renamed()
	err = t.RunAll(ctx, conn.With(`UPDATE uses SET project = ?1 WHERE space = $space AND project = ?2`, target, source),
		conn.With(`UPDATE lineages SET project = ?1 WHERE space = $space AND project = ?2 AND entity = 3`, target, source), // deleted sessions
		conn.With(`UPDATE project_aliases SET project = ?1 WHERE space = $space AND project = ?2`, target, source),
		// Scans the journal of the space, because an index by project would slow down every save.
		conn.With(`UPDATE mutations SET project = ?1 WHERE space = $space AND project = ?2`, target, source),
		conn.With(`DELETE FROM deferred d WHERE d.space = $space AND d.project = ?1 AND EXISTS (SELECT 1 FROM deferred o
			WHERE o.space = $space AND o.project = ?2 AND o.entity = d.entity AND o.id = d.id AND o.batch = d.batch)`, to, from),
		conn.With(`UPDATE deferred SET project = ?1 WHERE space = $space AND project = ?2`, to, from))
	if err != nil {
		return engram.Moved{Topics: topics}, fmt.Errorf("move project %q to %q: %w", from, to, err)
	}
	if err = t.moveTombstones(ctx, to, from); err == nil {
		err = t.moveCounters(ctx, source, target)
	}
	if err != nil {
		return engram.Moved{Topics: topics}, err
	}
	moved, err := t.inProject(ctx, source, nil)
	if moved.Topics = topics; err != nil {
		return moved, err
	}
	return moved, t.moveThese(ctx, moved, source, target)
}

// inProject returns what is in a project; with some, only the things in it.
func (t *tx) inProject(ctx context.Context, project int64, some *engram.Moved) (m engram.Moved, err error) {
	nums, ids := ` ORDER BY num`, ` ORDER BY id`
	memories, prompts, sessions := []any{project}, []any{project}, []any{project}
	if some != nil {
		nums, ids = ` AND num = ANY(?)`+nums, ` AND id = ANY(?)`+ids
		memories, prompts, sessions = append(memories, some.Memories), append(prompts, some.Prompts), append(sessions, some.Sessions)
	}
	m.Memories, err = sqlrow.Column[int64](ctx, t, `SELECT num FROM memories WHERE space = $space AND project = ?`+nums, memories...)
	if err == nil {
		m.Prompts, err = sqlrow.Column[int64](ctx, t, `SELECT num FROM prompts WHERE space = $space AND project = ?`+nums, prompts...)
	}
	if err == nil {
		m.Sessions, err = sqlrow.Column[string](ctx, t, `SELECT id FROM sessions WHERE space = $space AND project = ?`+ids, sessions...)
	}
	return m, err
}

// MoveBack moves some things of one project back to another.
func (t *tx) MoveBack(ctx context.Context, some engram.Moved, from, to string) (engram.Moved, error) {
	source, target, err := t.bothProjects(ctx, from, to)
	if err != nil || source == target {
		return engram.Moved{Topics: map[int64]string{}}, err
	}
	moved, err := t.inProject(ctx, source, &some)
	moved.Topics = map[int64]string{}
	if err == nil {
		err = t.moveThese(ctx, moved, source, target)
	}
	if err == nil {
		err = t.moveJournal(ctx, moved, source, target)
	}
	if err != nil {
		return moved, err
	}
	for _, num := range moved.Memories {
		if key := some.Topics[num]; key != "" {
			given, err := t.giveTopic(ctx, num, key)
			if err != nil {
				return moved, err
			}
			if given {
				moved.Topics[num] = key
			}
		}
	}
	return moved, nil
}

func (t *tx) bothProjects(ctx context.Context, from, to string) (source, target int64, err error) {
	if source, err = t.projectNum(ctx, from); err != nil {
		return 0, 0, err
	}
	target, err = t.projectNum(ctx, to)
	return source, target, err
}

// moveThese moves things from project source to project target.
func (t *tx) moveThese(ctx context.Context, these engram.Moved, source, target int64) error {
	tallied := map[engram.Type]int64{}
	err := t.Rows(ctx, `SELECT type, count(*) FROM memories WHERE space = $space AND project = ? AND num = ANY(?) AND deleted_at IS NULL GROUP BY type`,
		[]any{source, these.Memories}, func(s sqlrow.Scanner) error {
			var typ engram.Type
			var n int64
			err := s.Scan(&typ, &n)
			tallied[typ] = n
			return err
		})
	if err != nil {
		return fmt.Errorf("move to another project: %w", err)
	}
	_, err = t.Attempt(ctx, `UPDATE memories SET project = ?1 WHERE space = $space AND project = ?2 AND num = ANY(?3)`, target, source, these.Memories)
	if conn.IsUnique(err) {
		return engram.Errorf(engram.CodeConflict, "a topic to restore belongs to another memory now").
			WithHint("give that memory another topic key first")
	}
	if err == nil {
		err = t.RunAll(ctx, conn.With(`UPDATE prompts SET project = ?1 WHERE space = $space AND project = ?2 AND num = ANY(?3)`, target, source, these.Prompts),
			conn.With(`UPDATE sessions SET project = ?1 WHERE space = $space AND project = ?2 AND id = ANY(?3)`, target, source, these.Sessions))
	}
	for typ, n := range tallied {
		t.count(home{Project: source}, typ, -n, 0)
		t.count(home{Project: target}, typ, n, 0)
	}
	if t.names.forgetSessions(); err != nil {
		return fmt.Errorf("move to another project: %w", err)
	}
	if err := t.index.Move(ctx, source, target, among(these.Memories)); err != nil {
		return err
	}
	return t.asked.Move(ctx, source, target, among(these.Prompts))
}

// among reports whether a number is one of these.
func among(nums []int64) func(int64) bool {
	which := make(map[int64]bool, len(nums))
	for _, num := range nums {
		which[num] = true
	}
	return func(num int64) bool { return which[num] }
}

// moveJournal moves the journal entries about things that moved from project source to target: memories, prompts
// and sessions by key, deleted sessions by the project in their entry, relations by their source, and project
// target itself. If nothing is left in source, it was only another name for target, and all its entries move.
func (t *tx) moveJournal(ctx context.Context, these engram.Moved, source, target int64) error {
	const emptySQL = `SELECT NOT EXISTS (SELECT 1 FROM memories WHERE space = $space AND project = ?1) AND NOT EXISTS (SELECT 1 FROM prompts WHERE space = $space AND project = ?1)
		AND NOT EXISTS (SELECT 1 FROM sessions WHERE space = $space AND project = ?1), (SELECT name FROM projects WHERE space = $space AND num = ?2)`
	var empty bool
	var name string
	if err := t.Row(ctx, emptySQL, []any{source, target}, &empty, &name); err != nil {
		return fmt.Errorf("check what is left in a project: %w", err)
	}
	if empty {
		err := t.Run(ctx, `UPDATE mutations SET project = ?1 WHERE space = $space AND project = ?2`, target, source)
		return sqlrow.Doing(err, "move the journal to another project")
	}
	sessions, entries, err := t.toldOf(ctx, source, name)
	if err != nil {
		return err
	}
	const journalSQL = `UPDATE mutations SET project = ?1 WHERE space = $space AND project = ?2 AND (CASE entity
		WHEN 'memory' THEN key = '' AND num = ANY(?3)
		WHEN 'prompt' THEN key = '' AND num = ANY(?4)
		WHEN 'session' THEN num = 0 AND key = ANY(?5)
		WHEN 'relation' THEN key = '' AND num IN (SELECT num FROM relations WHERE space = $space AND source = ANY(?3))
		ELSE false END OR seq = ANY(?6))`
	err = t.Run(ctx, journalSQL, target, source, these.Memories, these.Prompts, append(sessions, these.Sessions...), entries)
	return sqlrow.Doing(err, "move the journal to another project")
}

// toldOf returns the deleted sessions whose entries, in any project, say that they were in the project with a
// name, and the entries of a project about that project itself, moves excepted.
func (t *tx) toldOf(ctx context.Context, project int64, name string) (sessions []string, entries []int64, err error) {
	const query = `SELECT j.seq, j.entity, j.key, coalesce(j.was, '') FROM mutations j WHERE j.space = $space AND (j.entity = 'project' AND j.project = ?1 AND j.key = ?2
		OR j.entity = 'session' AND j.was IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sessions WHERE space = $space AND id = j.key))`
	entries = []int64{}
	err = t.Rows(ctx, query, []any{project, name}, func(s sqlrow.Scanner) error {
		var seq int64
		var entity engram.Entity
		var key, was string
		if err := s.Scan(&seq, &entity, &key, &was); err != nil {
			return err
		}
		var said struct {
			Project *string         `json:"project"`
			From    json.RawMessage `json:"from"`
		}
		_ = json.Unmarshal([]byte(was), &said) // what is not JSON says nothing
		switch {
		case entity == engram.EntityProject && said.From == nil:
			entries = append(entries, seq)
		case entity == engram.EntitySession && said.Project != nil && *said.Project == name:
			sessions = append(sessions, key)
		}
		return nil
	})
	return sessions, entries, sqlrow.Doing(err, "read journal")
}

// loseTopics removes the topic keys of memories: the target keeps a topic that both projects have.
func (t *tx) loseTopics(ctx context.Context, nums []int64) error {
	return forAll(nums, func(num int64) error {
		m, err := t.Memory(ctx, engram.ByNum(num))
		if err != nil {
			return err
		}
		m.TopicKey = ""
		return t.ReplaceMemory(ctx, m)
	})
}

// giveTopic restores a memory's topic key, unless it has one, is forgotten, or another memory has the key now.
func (t *tx) giveTopic(ctx context.Context, num int64, key string) (bool, error) {
	m, err := t.Memory(ctx, engram.ByNum(num))
	if err != nil || m.TopicKey != "" || m.Forgotten() {
		return false, err
	}
	_, taken, err := engram.ByTopic(ctx, t, m.Project, m.Scope, key)
	if err != nil || taken {
		return false, err
	}
	m.TopicKey = key
	return true, t.ReplaceMemory(ctx, m)
}
