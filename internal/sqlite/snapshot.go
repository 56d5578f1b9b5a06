package sqlite

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
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
	all, err := sqlrow.List(ctx, t, "look up memories", namedSQL, []any{jsonText(names)}, func(r sqlrow.Scanner) (n engram.MemoryName, err error) {
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
