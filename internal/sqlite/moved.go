package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// clashingSQL selects the live memories of project ?2 whose topic project ?1 has too.
const clashingSQL = `SELECT m.num, m.topic_key FROM memories m
	WHERE m.project = ?2 AND m.deleted_at IS NULL AND m.topic_key IS NOT NULL AND EXISTS
	(SELECT 1 FROM memories o WHERE o.topic_key = m.topic_key AND o.project = ?1 AND o.scope = m.scope AND o.deleted_at IS NULL)`

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
	err = t.RunAll(ctx, conn.With(`UPDATE uses SET project = ?1 WHERE project = ?2`, target, source),
		conn.With(`UPDATE lineages SET project = ?1 WHERE project = ?2 AND entity = 3`, target, source), // deleted sessions
		conn.With(`UPDATE project_aliases SET project = ?1 WHERE project = ?2`, target, source),
		// Scans the whole journal, because an index by project would slow down every save.
		conn.With(`UPDATE mutations SET project = ?1 WHERE project = ?2`, target, source),
		conn.With(`UPDATE OR REPLACE deferred SET project = ? WHERE project = ?`, to, from))
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
	const among = ` AND num IN (SELECT value FROM json_each(?)) ORDER BY num`
	if some == nil {
		m.Memories, err = sqlrow.Column[int64](ctx, t, `SELECT num FROM memories WHERE project = ? ORDER BY num`, project)
		if err == nil {
			m.Prompts, err = sqlrow.Column[int64](ctx, t, `SELECT num FROM prompts WHERE project = ? ORDER BY num`, project)
		}
		if err == nil {
			m.Sessions, err = sqlrow.Column[string](ctx, t, `SELECT id FROM sessions WHERE project = ? ORDER BY id`, project)
		}
		return m, err
	}
	m.Memories, err = sqlrow.Column[int64](ctx, t, `SELECT num FROM memories WHERE project = ?`+among, project, conn.JSONNums(some.Memories))
	if err == nil {
		m.Prompts, err = sqlrow.Column[int64](ctx, t, `SELECT num FROM prompts WHERE project = ?`+among, project, conn.JSONNums(some.Prompts))
	}
	if err == nil {
		m.Sessions, err = sqlrow.Column[string](ctx, t, `SELECT id FROM sessions WHERE project = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id`,
			project, jsonText(some.Sessions))
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
	for _, move := range []struct{ query, which string }{
		{`UPDATE memories SET project = ?1 WHERE project = ?2 AND num IN (SELECT value FROM json_each(?3))`, conn.JSONNums(these.Memories)},
		{`UPDATE prompts SET project = ?1 WHERE project = ?2 AND num IN (SELECT value FROM json_each(?3))`, conn.JSONNums(these.Prompts)},
		{`UPDATE sessions SET project = ?1 WHERE project = ?2 AND id IN (SELECT value FROM json_each(?3))`, jsonText(these.Sessions)},
	} {
		err := t.Run(ctx, move.query, target, source, move.which)
		if conn.IsUnique(err) {
			return engram.Errorf(engram.CodeConflict, "a topic to restore belongs to another memory now").
				WithHint("give that memory another topic key first")
		}
		if err != nil {
			return fmt.Errorf("move to another project: %w", err)
		}
	}
	which := make(map[int64]bool, len(these.Memories))
	for _, num := range these.Memories {
		which[num] = true
	}
	if err := t.index.Move(ctx, source, target, func(num int64) bool { return which[num] }); err != nil {
		return err
	}
	return t.movePrompts(ctx, target, these.Prompts)
}

// journalSQL moves the entries of project ?2 about things that moved to ?1: memories, prompts and
// sessions by key, deleted sessions by the project in their entry, relations by their source, and
// project ?1 itself. If nothing is left in ?2 (?6), it was only another name for ?1, and all its entries
// move.
const journalSQL = `UPDATE mutations SET project = ?1 WHERE project = ?2 AND (?6 OR CASE entity
	WHEN 'memory' THEN key IN (SELECT value FROM json_each(?3))
	WHEN 'prompt' THEN key IN (SELECT value FROM json_each(?4))
	WHEN 'session' THEN key IN (SELECT value FROM json_each(?5)) OR key IN (SELECT d.key FROM mutations d WHERE d.entity = 'session' AND
		NOT EXISTS (SELECT 1 FROM sessions WHERE id = d.key) AND
		CASE WHEN json_valid(d.was) THEN d.was ->> '$.project' END = (SELECT name FROM projects WHERE num = ?1))
	WHEN 'relation' THEN key IN (SELECT num FROM relations WHERE source IN (SELECT value FROM json_each(?3)))
	WHEN 'project' THEN key = (SELECT name FROM projects WHERE num = ?1) AND
		CASE WHEN json_valid(was) THEN was ->> '$.from' END IS NULL
	END)`

// moveJournal moves the journal entries about things that moved from project source to target.
func (t *tx) moveJournal(ctx context.Context, these engram.Moved, source, target int64) error {
	const emptySQL = `SELECT NOT EXISTS (SELECT 1 FROM memories WHERE project = ?1) AND NOT EXISTS (SELECT 1 FROM prompts WHERE project = ?1)
		AND NOT EXISTS (SELECT 1 FROM sessions WHERE project = ?1)`
	var empty bool
	err := t.Row(ctx, emptySQL, []any{source}, &empty)
	if err != nil {
		return fmt.Errorf("check what is left in a project: %w", err)
	}
	err = t.Run(ctx, journalSQL, target, source, conn.JSONNums(these.Memories), conn.JSONNums(these.Prompts), jsonText(these.Sessions), empty)
	return sqlrow.Doing(err, "move the journal to another project")
}

// loseTopics removes the topic keys of memories: the target keeps a topic that both projects have.
func (t *tx) loseTopics(ctx context.Context, nums []int64) error {
	for _, num := range nums {
		m, err := t.Memory(ctx, engram.ByNum(num))
		if err != nil {
			return err
		}
		m.TopicKey = ""
		if err := t.ReplaceMemory(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// giveTopic restores a memory's topic key, unless it has one, is forgotten, or another memory has the
// key now.
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

// movePrompts rewrites the full-text rows of prompts, which contain the project.
func (t *tx) movePrompts(ctx context.Context, project int64, nums []int64) error {
	for _, num := range nums {
		p, err := engram.PromptAt(ctx, t, num)
		if err == nil {
			err = t.Run(ctx, `DELETE FROM prompts_fts WHERE rowid = ?`, num)
		}
		if err == nil && !p.Deleted() {
			err = t.indexPrompt(ctx, project, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
