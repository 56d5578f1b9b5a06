package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

const (
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
	all, err := conn.List(ctx, t, "look up memories", namedSQL, []any{jsonText(names)}, func(r conn.Scanner) (n engram.MemoryName, err error) {
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
type inJSON struct{ v any }

// Scan reads a column.
func (j inJSON) Scan(v any) error {
	s, is := v.(string)
	if !is && v != nil {
		return fmt.Errorf("JSON is %T", v)
	}
	if s == "" || s == "[]" {
		return nil
	}
	return json.Unmarshal([]byte(s), j.v)
}

// given scans a text; NULL leaves "".
type given struct{ s *string }

// Scan reads a column.
func (g given) Scan(v any) error {
	s, is := v.(string)
	if !is && v != nil {
		return fmt.Errorf("a text is %T", v)
	}
	*g.s = s
	return nil
}

// columnsOf returns what scanInto reads in the row of a table: the number, if T has one, and the fields.
func columnsOf[T any](row string, fields []engram.Field[T]) string {
	special := map[string]string{"project": `(SELECT name FROM projects WHERE num = ` + row + `.project)`,
		// Most memories have none, and an aggregate costs more than a look.
		"tags":    `CASE WHEN EXISTS (SELECT 1 FROM tags WHERE memory = m.num) THEN (SELECT json_group_array(tag ORDER BY tag) FROM tags WHERE memory = m.num) ELSE '[]' END`,
		"aliases": `(SELECT json_group_array(alias ORDER BY alias) FROM project_aliases WHERE project = p.num)`}
	if row != "r" { // a relation has the name of its session
		special["session_id"] = `(SELECT id FROM sessions WHERE num = ` + row + `.session)`
	}
	var columns []string
	if _, numbered := reflect.TypeFor[T]().FieldByName("Num"); numbered {
		columns = []string{row + ".num"}
	}
	for _, f := range fields {
		columns = append(columns, cmp.Or(special[f.Name], row+"."+f.Name))
	}
	return strings.Join(columns, ", ")
}

// scanInto returns what reads rows of columnsOf and more columns. It reads every row into noun, because pointers to all
// fields for each row would cost a tenth of the time.
func scanInto[T any](noun *T, fields []engram.Field[T], more ...any) func(conn.Scanner) (T, error) {
	into := make([]any, 0, 1+len(fields)+len(more))
	if num := reflect.ValueOf(noun).Elem().FieldByName("Num"); num.IsValid() {
		into = append(into, num.Addr().Interface())
	}
	for _, f := range fields {
		switch field := f.Of(noun).(type) {
		case *string:
			into = append(into, given{field})
		case *time.Time:
			into = append(into, instant{field})
		case *[]string, *map[string]any, *[]engram.Anchor, **engram.ProjectDecay:
			into = append(into, inJSON{field})
		default:
			into = append(into, field)
		}
	}
	into = append(into, more...)
	return func(s conn.Scanner) (T, error) {
		*noun = *new(T)
		err := s.Scan(into...)
		return *noun, err
	}
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
