package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Everything of a kind is read in the order of the table itself, so that no page reads a
// row twice: a project's own index would leave out what was forgotten.
const (
	memoriesAfterSQL  = `SELECT ` + memoryColumns + ` FROM memories m WHERE m.num > ?1 AND (?2 < 0 OR m.project = ?2) ORDER BY m.num LIMIT ?3`
	promptsAfterSQL   = `SELECT ` + promptColumns + ` FROM prompts p WHERE p.num > ?1 AND (?2 < 0 OR p.project = ?2) ORDER BY p.num LIMIT ?3`
	sessionsAfterSQL  = `SELECT ` + sessionColumns + ` FROM sessions s WHERE s.id > ?1 AND s.num <> 0 AND (?2 < 0 OR s.project = ?2) ORDER BY s.id LIMIT ?3`
	relationsAfterSQL = `SELECT ` + relationColumns + ` FROM relations r WHERE r.num > ?1 AND (?2 < 0 OR
		(SELECT project FROM memories WHERE num = r.source) = ?2 AND (SELECT project FROM memories WHERE num = r.target) = ?2)
		ORDER BY r.num LIMIT ?3`
	erasedAfterSQL = `SELECT ` + erasedColumns + ` FROM tombstones t WHERE entity = ? AND id > ? ORDER BY id LIMIT ?`
	namedSQL       = `SELECT ` + nameColumns + ` FROM json_each(?1) AS asked CROSS JOIN memories m ON m.id = asked.value
		UNION ALL SELECT ` + nameColumns + ` FROM json_each(?1) AS asked CROSS JOIN memories m ON m.sync_id = asked.value`
	nameColumns       = `m.num, m.id, m.sync_id, m.scope, (SELECT name FROM projects WHERE num = m.project)`
	promptBySyncIDSQL = `SELECT ` + promptColumns + ` FROM prompts p WHERE p.sync_id = ?`
)

// whole is the number of a project by name, or several for ""; none when there is no such
// project.
func (t *tx) whole(ctx context.Context, project string) (num int64, none bool, err error) {
	if project == "" {
		return several, false, nil
	}
	num, known, err := t.knownProject(ctx, project)
	return num, !known, err
}

// MemoriesAfter returns memories by number.
func (t *tx) MemoriesAfter(ctx context.Context, project string, after int64, limit int) ([]engram.Memory, error) {
	in, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return t.memories(ctx, memoriesAfterSQL, after, in, limit)
}

// PromptsAfter returns prompts by number.
func (t *tx) PromptsAfter(ctx context.Context, project string, after int64, limit int) ([]engram.Prompt, error) {
	in, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return t.prompts(ctx, promptsAfterSQL, after, in, limit)
}

// SessionsAfter returns sessions by id.
func (t *tx) SessionsAfter(ctx context.Context, project, after string, limit int) ([]engram.Session, error) {
	in, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	var all []engram.Session
	err = t.rows(ctx, sessionsAfterSQL, []any{after, in, limit}, func(r scanner) error {
		s, err := scanSession(r)
		all = append(all, s)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	return all, nil
}

// RelationsAfter returns relations by number.
func (t *tx) RelationsAfter(ctx context.Context, project string, after int64, limit int) ([]engram.Relation, error) {
	in, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return t.relations(ctx, relationsAfterSQL, after, in, limit)
}

// ErasedAfter returns what was erased, by id.
func (t *tx) ErasedAfter(ctx context.Context, entity engram.Entity, after string, limit int) ([]engram.Erased, error) {
	var all []engram.Erased
	err := t.rows(ctx, erasedAfterSQL, []any{entity, after, limit}, func(r scanner) error {
		x, err := scanErased(r)
		all = append(all, x)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what was erased: %w", err)
	}
	return all, nil
}

// Named returns the memories that have one of these IDs or sync ids.
func (t *tx) Named(ctx context.Context, names []string) ([]engram.MemoryName, error) {
	var all []engram.MemoryName
	err := t.rows(ctx, namedSQL, []any{jsonText(names)}, func(r scanner) error {
		var n engram.MemoryName
		err := r.Scan(&n.Num, &n.ID, &n.SyncID, &n.Scope, &n.Project)
		all = append(all, n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look memories up: %w", err)
	}
	// Here, and not by SQLite, which would keep a table of all that it found.
	slices.SortFunc(all, func(a, b engram.MemoryName) int { return cmp.Compare(a.Num, b.Num) })
	return slices.Compact(all), nil
}

// PromptBySyncID returns the prompt of that name.
func (t *tx) PromptBySyncID(ctx context.Context, syncID string) (engram.Prompt, bool, error) {
	ps, err := t.prompts(ctx, promptBySyncIDSQL, syncID)
	if err != nil || len(ps) == 0 {
		return engram.Prompt{}, false, err
	}
	return ps[0], true, nil
}

// erasedColumns is what scanErased reads; t is the tombstones table.
const erasedColumns = `t.entity, t.id, t.sync_id, t.at, coalesce((SELECT name FROM projects WHERE num = t.project), '')`

func scanErased(r scanner) (x engram.Erased, err error) {
	err = r.Scan(&x.Entity, &x.ID, &x.SyncID, &x.At, &x.Project)
	return x, err
}

// PutErased remembers that something was erased elsewhere.
func (t *tx) PutErased(ctx context.Context, x engram.Erased) error {
	const query = `INSERT INTO tombstones (entity, id, sync_id, at, project) VALUES (?,?,?,?,nullif(?, 0))
		ON CONFLICT (entity, id) DO UPDATE SET at = min(at, excluded.at), project = coalesce(project, excluded.project)`
	project, _, err := t.knownProject(ctx, x.Project)
	if err != nil {
		return err
	}
	if _, err := t.exec(ctx, query, x.Entity, x.ID, x.SyncID, x.At, project); err != nil {
		return fmt.Errorf("remember what was erased: %w", err)
	}
	return t.dropWaiting(ctx, x.Entity, x.ID, x.SyncID)
}

// DropErased takes back that something was erased elsewhere.
func (t *tx) DropErased(ctx context.Context, entity engram.Entity, id string) (x engram.Erased, found bool, err error) {
	const query = `SELECT ` + erasedColumns + ` FROM tombstones t WHERE t.entity = ? AND t.id = ?`
	err = t.rows(ctx, query, []any{entity, id}, func(r scanner) error {
		found = true
		x, err = scanErased(r)
		return err
	})
	if err == nil && found {
		_, err = t.exec(ctx, `DELETE FROM tombstones WHERE entity = ? AND id = ?`, entity, id)
	}
	if err == nil && found {
		_, err = t.exec(ctx, `DELETE FROM carried WHERE entity = ? AND key = ?`, kindNum(engram.EntityErased), x.Key())
	}
	if err != nil {
		return engram.Erased{}, false, fmt.Errorf("forget what was erased: %w", err)
	}
	return x, found, nil
}
