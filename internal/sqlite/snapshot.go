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

var (
	namedSQL = `SELECT ` + nameColumns + ` FROM json_each(?1) AS asked CROSS JOIN memories m ON m.id = asked.value
		UNION ALL SELECT ` + nameColumns + ` FROM json_each(?1) AS asked CROSS JOIN memories m ON m.sync_id = asked.value`
	nameColumns = `m.num, m.id, m.sync_id, m.scope, (SELECT name FROM projects WHERE num = m.project)`
)

// whole returns the number of a project, lexicon.Several for ""; none is true if the project does not exist.
func (t *tx) whole(ctx context.Context, project string) (num int64, none bool, err error) {
	if project == "" {
		return lexicon.Several, false, nil
	}
	num, known, err := t.knownProject(ctx, project)
	return num, !known, err
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
