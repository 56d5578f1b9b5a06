package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/lexicon"
)

// Everything is read in the order of its table, so that consecutive pages do not read rows twice; the
// indexes by project leave out forgotten rows.
var (
	memoriesAfterSQL  = `SELECT ` + memoryColumns + ` FROM memories m WHERE m.num > ?2 AND (?1 < 0 OR m.project = ?1) ORDER BY m.num LIMIT ?3`
	promptsAfterSQL   = `SELECT ` + promptColumns + ` FROM prompts p WHERE p.num > ?2 AND (?1 < 0 OR p.project = ?1) ORDER BY p.num LIMIT ?3`
	sessionsAfterSQL  = `SELECT ` + sessionColumns + ` FROM sessions s WHERE s.id > ?2 AND s.num <> 0 AND (?1 < 0 OR s.project = ?1)%s ORDER BY s.id LIMIT ?3`
	relationsAfterSQL = `SELECT ` + relationColumns + ` FROM relations r WHERE r.num > ?2 AND (?1 < 0 OR
		(SELECT project FROM memories WHERE num = r.source) = ?1 AND (SELECT project FROM memories WHERE num = r.target) = ?1)
		ORDER BY r.num LIMIT ?3`
	namedSQL = `SELECT ` + nameColumns + ` FROM json_each(?1) AS asked CROSS JOIN memories m ON m.id = asked.value
		UNION ALL SELECT ` + nameColumns + ` FROM json_each(?1) AS asked CROSS JOIN memories m ON m.sync_id = asked.value`
	nameColumns       = `m.num, m.id, m.sync_id, m.scope, (SELECT name FROM projects WHERE num = m.project)`
	promptBySyncIDSQL = `SELECT ` + promptColumns + ` FROM prompts p WHERE p.sync_id = ?`
)

// whole returns the number of a project, lexicon.Several for ""; none is true if the project does not exist.
func (t *tx) whole(ctx context.Context, project string) (num int64, none bool, err error) {
	if project == "" {
		return lexicon.Several, false, nil
	}
	num, known, err := t.knownProject(ctx, project)
	return num, !known, err
}

// MemoriesAfter returns memories by number.
func (t *tx) MemoriesAfter(ctx context.Context, project string, after int64, limit int) ([]engram.Memory, error) {
	return listIn(ctx, t, readMemories, memoriesAfterSQL, project, []any{after, limit}, scanMemory)
}

// PromptsAfter returns prompts by number.
func (t *tx) PromptsAfter(ctx context.Context, project string, after int64, limit int) ([]engram.Prompt, error) {
	return listIn(ctx, t, "read prompts", promptsAfterSQL, project, []any{after, limit}, scanPrompt)
}

// SessionsAfter returns sessions by id.
func (t *tx) SessionsAfter(ctx context.Context, project, after string, limit int) ([]engram.Session, error) {
	return listIn(ctx, t, "read sessions", fmt.Sprintf(sessionsAfterSQL, t.hidden.and("s.project")), project, []any{after, limit}, scanSession)
}

// RelationsAfter returns relations by number.
func (t *tx) RelationsAfter(ctx context.Context, project string, after int64, limit int) ([]engram.Relation, error) {
	return listIn(ctx, t, "read relations", relationsAfterSQL, project, []any{after, limit}, scanRelation)
}

// Named returns the memories with one of these ids or sync ids.
func (t *tx) Named(ctx context.Context, names []string) ([]engram.MemoryName, error) {
	all, err := list(ctx, t, "look up memories", namedSQL, []any{jsonText(names)}, func(r scanner) (n engram.MemoryName, err error) {
		err = r.Scan(&n.Num, &n.ID, &n.SyncID, &n.Scope, &n.Project)
		return n, err
	})
	if err != nil {
		return nil, err
	}
	// Sorted here, because SQLite would copy the rows to sort them.
	slices.SortFunc(all, func(a, b engram.MemoryName) int { return cmp.Compare(a.Num, b.Num) })
	return slices.Compact(all), nil
}

// PromptBySyncID returns the prompt with a sync id.
func (t *tx) PromptBySyncID(ctx context.Context, syncID string) (engram.Prompt, bool, error) {
	return first(t.prompts(ctx, promptBySyncIDSQL, syncID))
}

// instant scans milliseconds since 1970 into a time, NULL into the zero time.
type instant struct{ t *time.Time }

// Scan reads a column.
func (i instant) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*i.t = time.Time{}
	case int64:
		*i.t = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("a time is %T", v)
	}
	return nil
}

// inJSON scans JSON; NULL and an empty list leave the zero value.
type inJSON[T any] struct{ v *T }

// Scan reads a column.
func (j inJSON[T]) Scan(v any) error {
	s, is := v.(string)
	if !is && v != nil {
		return fmt.Errorf("JSON is %T", v)
	}
	if s == "" || s == "[]" {
		return nil
	}
	return json.Unmarshal([]byte(s), j.v)
}

// millis is the column value of a time: NULL for the zero time.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// orNull is the column value of a text: NULL for "".
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// orZero is the column value of a number: NULL for 0.
func orZero(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// jsonOrNull encodes v, of n elements, as a column value: NULL if n is 0.
func jsonOrNull(v any, n int) (any, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}
