package foreign

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
)

// columns returns the columns of a table; none if it does not exist or is a view, whose effects are
// unknown.
func (d *database) columns(ctx context.Context, table string) ([]string, error) {
	const query = `SELECT c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.name = ? ORDER BY c.cid`
	return d.names(ctx, query, table)
}

// names returns the results of a query for one text column.
func (d *database) names(ctx context.Context, query string, args ...any) (all []string, err error) {
	_, err = d.rows(ctx, query, args, func(rows *sql.Rows) (bool, error) {
		all = append(all, "")
		return true, rows.Scan(&all[len(all)-1])
	})
	return all, err
}

// rows calls fn with each row of a query until it returns false; then more is false.
func (d *database) rows(ctx context.Context, query string, args []any, fn func(*sql.Rows) (bool, error)) (more bool, err error) {
	rows, err := d.db.QueryContext(ctx, query, args...)
	if err != nil {
		return false, d.broken(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if more, err = fn(rows); err != nil {
			return false, d.broken(err)
		}
		if !more {
			return false, nil
		}
	}
	if err := rows.Err(); err != nil {
		return false, d.broken(err)
	}
	return true, nil
}

// table describes the useful columns of another program's table; missing ones are read as NULL.
type table struct {
	name  string
	needs []string // required, else it is another or a later table
	likes []string
	order string // a unique column
}

// rowReader is a table and the conversion of its rows.
type rowReader struct {
	table
	record func(values) engram.Record
}

// records yields the records of tables, one after the other; stopped reports that yield returned
// false.
func (d *database) records(ctx context.Context, yield func(engram.Record) bool, tables ...rowReader) (stopped bool, err error) {
	good, bad := 0, error(nil)
	for _, t := range tables {
		err := d.each(ctx, t.table, func(v values) bool {
			good++
			item := v.item(t.table)
			v.doubts = func(reason string) { d.remark(item, reason) }
			r := t.record(v)
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
		return false, d.broken(bad) // everything is damaged
	}
	return false, d.settled()
}

// remark notes something about an imported item.
func (d *database) remark(item, reason string) {
	if d.note != nil {
		d.note(item, reason)
	}
}

// each calls fn with every row, in the order of writing, and lost for rows on damaged pages. A
// missing table has no rows, nor has one without the needed columns.
func (d *database) each(ctx context.Context, t table, fn func(values) (more bool), lost func(engram.Record)) error {
	have, err := d.columns(ctx, t.name)
	if err != nil || len(have) == 0 {
		return err
	}
	if len(t.needs) > 0 && slices.ContainsFunc(t.needs, func(name string) bool { return !slices.Contains(have, name) }) {
		return nil // another table of that name; leftOut reports it
	}
	s := &scanned{database: d, table: t}
	for _, name := range slices.Concat(t.needs, t.likes) {
		if slices.Contains(have, name) {
			s.names = append(s.names, name)
		}
	}
	d.readTables[t.name] = true
	return s.all(ctx, fn, lost)
}

// require reports whether a database has the needed tables: CodeInvalid if it has none of them, as
// it belongs to another program, CodeConflict if they differ from every known version.
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
	own, err := d.columns(ctx, "lineages") // only this program has it
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

// count returns the number of rows of a table, for a progress bar; 0 if unknown.
func (d *database) count(ctx context.Context, name string) int {
	var n int
	// Ignore errors: reading the rows reports them.
	_ = d.db.QueryRowContext(ctx, `SELECT count(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`).Scan(&n)
	return n
}

// values is a row by columns; missing values are nil.
type values struct {
	row    map[string]any
	num    int64               // row number; 0 in a table without
	doubts func(reason string) // receives faults of the row; nil for none
}

func scan(rows *sql.Rows, names []string, numbered bool) (v values, err error) {
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
	v.row = make(map[string]any, len(names))
	for i, name := range names {
		v.row[name] = got[i]
	}
	return v, nil
}

// item names a row by table and id.
func (v values) item(t table) string {
	if id := v.text(t.order); id != "" {
		return t.name + " " + id
	}
	return fmt.Sprintf("%s, row %d", t.name, v.num)
}

// doubt reports a fault of an imported row.
func (v values) doubt(format string, args ...any) {
	if v.doubts != nil {
		v.doubts(fmt.Sprintf(format, args...))
	}
}

// checkTimes reports invalid times.
func (v values) checkTimes() {
	for _, name := range slices.Sorted(maps.Keys(v.row)) {
		if !strings.HasSuffix(name, "_at") && name != "review_after" && name != "last_accessed" {
			continue
		}
		if text := v.text(name); text != "" && text != "0" && v.moment(name).IsZero() {
			v.doubt("its %s is not a time: %.40q", name, text)
		}
	}
}

// text returns a value as text.
func (v values) text(name string) string {
	switch x := v.row[name].(type) {
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

// first returns the first non-empty column as text.
func (v values) first(names ...string) string {
	for _, name := range names {
		if text := v.text(name); text != "" {
			return text
		}
	}
	return ""
}

// moment returns the first column that is a time: a text, or a number since 1970.
func (v values) moment(names ...string) time.Time {
	for _, name := range names {
		at := when(v.text(name))
		if n := v.number(name); at.IsZero() && n != 0 {
			at = epoch(n)
		}
		if !at.IsZero() && at.Year() < 9999 {
			return at
		}
	}
	return time.Time{}
}

// number returns a value as an integer; 0 if it is not one.
func (v values) number(name string) int64 {
	switch x := v.row[name].(type) {
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

// share returns the first column that is a number, limited to 0 to 1.
func (v values) share(names ...string) (x float64, is bool) {
	for _, name := range names {
		switch n := v.row[name].(type) {
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

// shares sets importance and strength, if present.
func (v values) shares(m *engram.Memory, importance, strength string) {
	if x, is := v.share(importance); is {
		m.Importance = x
	}
	if x, is := v.share(strength); is {
		m.Strength = x
	}
}
