package database

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Columns returns the columns of a table; none if it does not exist or is a view, whose effects are
// unknown.
func (d *DB) Columns(ctx context.Context, table string) ([]string, error) {
	const query = `SELECT c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.name = ? ORDER BY c.cid`
	return d.names(ctx, query, table)
}

// names returns the results of a query for one text column.
func (d *DB) names(ctx context.Context, query string, args ...any) (all []string, err error) {
	_, err = d.Rows(ctx, query, args, func(rows *sql.Rows) (bool, error) {
		all = append(all, "")
		return true, rows.Scan(&all[len(all)-1])
	})
	return all, err
}

// Rows calls fn with each row of a query until it returns false; then more is false.
func (d *DB) Rows(ctx context.Context, query string, args []any, fn func(*sql.Rows) (bool, error)) (more bool, err error) {
	rows, err := d.db.QueryContext(ctx, query, args...)
	if err != nil {
		return false, Broken(d.name, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if more, err = fn(rows); err != nil {
			return false, Broken(d.name, err)
		}
		if !more {
			return false, nil
		}
	}
	if err := rows.Err(); err != nil {
		return false, Broken(d.name, err)
	}
	return true, nil
}

// Table describes the useful columns of another program's table; missing ones are read as NULL.
type Table struct {
	Name  string
	Needs []string // required, else it is another or a later table
	Likes []string
	Order string // a unique column
	// Record converts a row, for Records.
	Record func(Values) engram.Record
}

// Records yields the records of tables, one after the other; stopped reports that yield returned
// false.
func (d *DB) Records(ctx context.Context, yield func(engram.Record) bool, tables ...Table) (stopped bool, err error) {
	good, bad := 0, error(nil)
	for _, t := range tables {
		err := d.Each(ctx, t, func(v Values) bool {
			good++
			item := v.item(t)
			v.doubts = func(reason string) { d.remark(item, reason) }
			r := t.Record(v)
			r.Item = item
			v.checkTimes()
			stopped = !yield(r)
			return !stopped
		}, func(lost engram.Record) {
			bad = lost.Flaw
			stopped = stopped || !yield(lost)
		})
		if err != nil || stopped {
			return stopped, err
		}
	}
	if good == 0 && bad != nil {
		return false, Broken(d.name, bad) // everything is damaged
	}
	return false, d.Settled()
}

// remark notes something about an imported item.
func (d *DB) remark(item, reason string) {
	if d.Note != nil {
		d.Note(item, reason)
	}
}

// Each calls fn with every row, in the order of writing, and lost for rows on damaged pages. A
// missing table has no rows, nor has one without the needed columns.
func (d *DB) Each(ctx context.Context, t Table, fn func(Values) (more bool), lost func(engram.Record)) error {
	have, err := d.Columns(ctx, t.Name)
	if err != nil || len(have) == 0 {
		return err
	}
	if len(t.Needs) > 0 && slices.ContainsFunc(t.Needs, func(name string) bool { return !slices.Contains(have, name) }) {
		return nil // another table of that name; leftOut reports it
	}
	s := &scanned{DB: d, Table: t}
	for _, name := range slices.Concat(t.Needs, t.Likes) {
		if slices.Contains(have, name) {
			s.names = append(s.names, name)
		}
	}
	d.readTables[t.Name] = true
	return s.all(ctx, fn, lost)
}

// Require reports whether a database has the needed tables: CodeInvalid if it has none of them, as
// it belongs to another program, CodeConflict if they differ from every known version.
func (d *DB) Require(ctx context.Context, program string, tables ...Table) error {
	found := 0
	var lacks []string
	for _, t := range tables {
		have, err := d.Columns(ctx, t.Name)
		if err != nil {
			return err
		}
		if len(have) == 0 {
			lacks = append(lacks, "table "+t.Name)
			continue
		}
		found++
		for _, name := range t.Needs {
			if !slices.Contains(have, name) {
				lacks = append(lacks, t.Name+"."+name)
			}
		}
	}
	own, err := d.Columns(ctx, "lineages") // only this program has it
	switch {
	case err != nil:
		return err
	case len(own) > 0 && len(lacks) > 0:
		return engram.Errorf(engram.CodeInvalid, "%s is a database of this program", d.name).
			WithHint("use {export FILE}, with --data-dir, and {import FILE}")
	case found == 0:
		return engram.Errorf(engram.CodeInvalid, "%s is not a database of %s", d.name, program).WithHint("name another file, or another system with --from; it has none of the expected tables")
	case len(lacks) > 0:
		return engram.Errorf(engram.CodeConflict, "%s has an unknown version of %s: it has no %s", d.name, program, strings.Join(lacks, ", ")).
			WithHint("use a newer engram, or the export of that program")
	}
	return nil
}

// Count returns the number of rows of a table, for a progress bar; 0 if unknown.
func (d *DB) Count(ctx context.Context, name string) int {
	var n int
	// Ignore errors: reading the rows reports them.
	_ = d.db.QueryRowContext(ctx, `SELECT count(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`).Scan(&n)
	return n
}

// Values is a row by columns; missing values are nil.
type Values struct {
	Row    map[string]any
	num    int64               // row number; 0 in a table without
	doubts func(reason string) // receives faults of the row; nil for none
}

func scan(rows *sql.Rows, names []string, numbered bool) (v Values, err error) {
	got := make([]any, len(names)+1)
	into := make([]any, 0, len(got))
	if numbered {
		into = append(into, &v.num)
	}
	for i := range names {
		into = append(into, &got[i])
	}
	if err := rows.Scan(into...); err != nil {
		return v, err
	}
	v.Row = make(map[string]any, len(names))
	for i, name := range names {
		v.Row[name] = got[i]
	}
	return v, nil
}

// item names a row by table and id.
func (v Values) item(t Table) string {
	if id := v.Text(t.Order); id != "" {
		return t.Name + " " + id
	}
	return fmt.Sprintf("%s, row %d", t.Name, v.num)
}

// Doubt reports a fault of an imported row.
func (v Values) Doubt(format string, args ...any) {
	if v.doubts != nil {
		v.doubts(fmt.Sprintf(format, args...))
	}
}

// checkTimes reports invalid times.
func (v Values) checkTimes() {
	for _, name := range slices.Sorted(maps.Keys(v.Row)) {
		if !strings.HasSuffix(name, "_at") && name != "review_after" && name != "last_accessed" {
			continue
		}
		if text := v.Text(name); text != "" && text != "0" && v.Moment(name).IsZero() {
			v.Doubt("its %s is not a time: %.40q", name, text)
		}
	}
}

// Text returns a value as text.
func (v Values) Text(name string) string {
	switch x := v.Row[name].(type) {
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

// First returns the first non-empty column as text.
func (v Values) First(names ...string) string {
	for _, name := range names {
		if text := v.Text(name); text != "" {
			return text
		}
	}
	return ""
}

// Moment returns the first column that is a time: a text, or a number since 1970.
func (v Values) Moment(names ...string) time.Time {
	for _, name := range names {
		at := source.When(v.Text(name))
		if n := v.Number(name); at.IsZero() && n != 0 {
			at = source.Epoch(n)
		}
		if !at.IsZero() && at.Year() < 9999 {
			return at
		}
	}
	return time.Time{}
}

// Number returns a value as an integer; 0 if it is not one.
func (v Values) Number(name string) int64 {
	switch x := v.Row[name].(type) {
	case int64:
		return x
	case float64:
		if x > -1<<53 && x < 1<<53 {
			return int64(x)
		}
	case bool:
		if x {
			return 1
		}
	case string:
		n, _ := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
		return n
	}
	return 0
}

// Share returns the first column that is a number, limited to 0 to 1.
func (v Values) Share(names ...string) (x float64, is bool) {
	for _, name := range names {
		switch n := v.Row[name].(type) {
		case float64:
			x, is = n, n == n
		case int64:
			x, is = float64(n), true
		}
		if is {
			break
		}
	}
	return min(max(x, 0), 1), is
}

// Shares sets importance and strength, if present.
func (v Values) Shares(m *engram.Memory, importance, strength string) {
	if x, is := v.Share(importance); is {
		m.Importance = x
	}
	if x, is := v.Share(strength); is {
		m.Strength = x
	}
}
