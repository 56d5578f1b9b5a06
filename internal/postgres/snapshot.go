package postgres

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// every stands for the number of a project where all are meant.
const every = int64(-1)

const (
	namedSQL = `SELECT ` + nameColumns + ` FROM memories m WHERE m.space = $space AND m.id = ANY(?1)
		UNION ALL SELECT ` + nameColumns + ` FROM memories m WHERE m.space = $space AND m.sync_id = ANY(?1)`
	nameColumns = `m.num, m.id, m.sync_id, m.scope, (SELECT name FROM projects WHERE space = $space AND num = m.project)`
)

// whole returns the number of a project, every for ""; none is true if the project does not exist.
func (t *tx) whole(ctx context.Context, project string) (num int64, none bool, err error) {
	if project == "" {
		return every, false, nil
	}
	num, known, err := t.knownProject(ctx, project)
	return num, !known, err
}

// listIn is sqlrow.List for a query whose argument 1 is the number of a project, negative for all projects (""). An
// unknown project has no rows.
func listIn[T any](ctx context.Context, t *tx, doing, query, project string, args []any, scan func(sqlrow.Scanner) (T, error)) ([]T, error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return sqlrow.List(ctx, t, doing, query, append([]any{num}, args...), scan)
}

// forAll calls fn for each of all until one fails.
func forAll[T any](all []T, fn func(T) error) error {
	for _, v := range all {
		if err := fn(v); err != nil {
			return err
		}
	}
	return nil
}

// Named returns the memories with one of these ids or sync ids.
func (t *tx) Named(ctx context.Context, names []string) ([]engram.MemoryName, error) {
	all, err := sqlrow.List(ctx, t, "look up memories", namedSQL, []any{names}, func(r sqlrow.Scanner) (n engram.MemoryName, err error) {
		err = r.Scan(&n.Num, &n.ID, &n.SyncID, &n.Scope, &n.Project)
		return n, err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b engram.MemoryName) int { return cmp.Compare(a.Num, b.Num) })
	return slices.Compact(all), nil
}

// columnsOf returns what scanInto reads in the row of a table: the number, if T has one, and the fields.
func columnsOf[T any](row string, fields []engram.Field[T]) string {
	in := ` WHERE space = $space AND `
	special := map[string]string{"project": `(SELECT name FROM projects` + in + `num = ` + row + `.project)`,
		"tags":    `(SELECT json_agg(tag ORDER BY tag)::text FROM tags` + in + `memory = m.num)`,
		"aliases": `(SELECT json_agg(alias ORDER BY alias)::text FROM project_aliases` + in + `project = p.num)`}
	if row != "r" { // a relation has the name of its session
		special["session_id"] = `(SELECT id FROM sessions` + in + `num = ` + row + `.session)`
	}
	var columns []string
	if _, numbered := reflect.TypeFor[T]().FieldByName("Num"); numbered {
		columns = []string{row + ".num"}
	}
	for _, f := range fields {
		column := row + "." + f.Name
		if query := special[f.Name]; query != "" {
			column = query + " AS " + f.Name // Citus names each column in ORDER BY by its output
		}
		columns = append(columns, column)
	}
	return strings.Join(columns, ", ")
}

// scanInto returns what reads rows of columnsOf and more columns, each into noun.
func scanInto[T any](noun *T, fields []engram.Field[T], more ...any) func(sqlrow.Scanner) (T, error) {
	return sqlrow.ScanInto(noun, fields, column, more...)
}

// column returns what reads the column of a field.
func column(pointer any) any {
	switch field := pointer.(type) {
	case *string:
		return conn.Given{Text: field}
	case *time.Time:
		return conn.Instant{Time: field}
	case *[]string, *map[string]any, *[]engram.Anchor, **engram.ProjectDecay:
		return conn.JSON{Value: field}
	}
	return pointer
}
