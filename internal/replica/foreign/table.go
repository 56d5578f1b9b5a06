package foreign

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// columns are the columns of a table; none where there is no such table. A view of that
// name is none: what it would do is anybody's guess.
func (d *database) columns(ctx context.Context, table string) ([]string, error) {
	const query = `SELECT c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.name = ? ORDER BY c.cid`
	rows, err := d.db.QueryContext(ctx, query, table)
	if err != nil {
		return nil, d.broken(err)
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, d.broken(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return nil, d.broken(err)
	}
	return names, nil
}

// table is a table of another program: the columns that are of use, of which those that a
// version of it does not have are read as NULL.
type table struct {
	name  string
	needs []string // without these it is no such table, or one of a later time
	likes []string
	order string // a unique column
}

// rowReader is a table, and what a row of it is for us.
type rowReader struct {
	table
	record func(values) engram.Record
}

// records calls yield with the records of tables, one after the other, until it returns false.
func (d *database) records(ctx context.Context, yield func(engram.Record) bool, tables ...rowReader) error {
	for _, t := range tables {
		stopped := false
		err := d.each(ctx, t.table, func(v values) bool {
			r := t.record(v)
			r.Item = fmt.Sprintf("%s %s", t.name, v.text(t.order))
			stopped = !yield(r)
			return !stopped
		})
		if err != nil || stopped {
			return err
		}
	}
	return d.settled()
}

// each calls fn with every row. A table that is not there has none, unless it needs columns.
func (d *database) each(ctx context.Context, t table, fn func(values) (more bool)) error {
	have, err := d.columns(ctx, t.name)
	if err != nil || len(have) == 0 {
		return err
	}
	var names []string
	for _, name := range slices.Concat(t.needs, t.likes) {
		if slices.Contains(have, name) {
			names = append(names, name)
		}
	}
	// Names from the tables above, never from the database.
	query := `SELECT "` + strings.Join(names, `", "`) + `" FROM "` + t.name + `" ORDER BY "` + t.order + `"`
	rows, err := d.db.QueryContext(ctx, query)
	if err != nil {
		return d.broken(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		v, err := scan(rows, names)
		if err != nil {
			return d.broken(err)
		}
		if !fn(v) {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return d.broken(err)
	}
	return nil
}

// require says whether a database has what is needed of its tables: CodeInvalid where none
// of them is there, for then it is another program's, and CodeConflict where they look
// otherwise than any version that is known.
func (d *database) require(ctx context.Context, program string, tables ...table) error {
	found := 0
	var lacks []string
	for _, t := range tables {
		have, err := d.columns(ctx, t.name)
		if err != nil {
			return err
		}
		if len(have) == 0 {
			lacks = append(lacks, "table "+t.name)
			continue
		}
		found++
		for _, name := range t.needs {
			if !slices.Contains(have, name) {
				lacks = append(lacks, t.name+"."+name)
			}
		}
	}
	own, err := d.columns(ctx, "lineages") // of all these programs this one alone has it
	switch {
	case err != nil:
		return err
	case len(own) > 0 && len(lacks) > 0:
		return engram.Errorf(engram.CodeInvalid, "%s is a database of this program, and of no other", d.name).
			WithHint("it moves by {export FILE}, with --data-dir, and {import FILE}")
	case found == 0:
		return engram.Errorf(engram.CodeInvalid, "%s is no database of %s", d.name, program).WithHint("it has none of its tables; name another file, or another system with --from")
	case len(lacks) > 0:
		return engram.Errorf(engram.CodeConflict, "%s is of a version of %s that is not known: it has no %s", d.name, program, strings.Join(lacks, ", ")).
			WithHint("use a newer engram, or that program's own export")
	}
	return nil
}

// count is how many rows a table has, for a progress bar; 0 where nobody knows.
func (d *database) count(ctx context.Context, name string) int {
	var n int
	// A number that cannot be had is no reason to stop: whoever reads the rows will be told.
	_ = d.db.QueryRowContext(ctx, `SELECT count(*) FROM "`+name+`"`).Scan(&n)
	return n
}

// values is a row by its columns; what is not there is nil.
type values map[string]any

func scan(rows *sql.Rows, names []string) (values, error) {
	got := make([]any, len(names))
	into := make([]any, len(names))
	for i := range got {
		into[i] = &got[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	v := make(values, len(names))
	for i, name := range names {
		v[name] = got[i]
	}
	return v, nil
}

// text is a value as text, however it was stored.
func (v values) text(name string) string {
	switch x := v[name].(type) {
	case nil:
		return ""
	case string:
		return x
	case []byte:
		return string(x)
	case time.Time:
		return x.UTC().Format(time.RFC3339Nano)
	default:
		return fmt.Sprint(x)
	}
}

// number is a value as a whole number; 0 where it is none.
func (v values) number(name string) int64 {
	switch x := v[name].(type) {
	case int64:
		return x
	case float64:
		if x > -1<<53 && x < 1<<53 {
			return int64(x)
		}
	}
	return 0
}
