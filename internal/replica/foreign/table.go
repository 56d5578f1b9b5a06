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

// columns are the columns of a table; none where there is no such table. A view of that
// name is none: what it would do is anybody's guess.
func (d *database) columns(ctx context.Context, table string) ([]string, error) {
	const query = `SELECT c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.name = ? ORDER BY c.cid`
	return d.names(ctx, query, table)
}

// names returns what a query for one column of texts finds.
func (d *database) names(ctx context.Context, query string, args ...any) (all []string, err error) {
	_, err = d.rows(ctx, query, args, func(rows *sql.Rows) (bool, error) {
		all = append(all, "")
		return true, rows.Scan(&all[len(all)-1])
	})
	return all, err
}

// rows calls fn with each row that a query finds, until it returns false: then more is false.
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

// records calls yield with the records of tables, one after the other, until it returns false:
// then stopped is true.
func (d *database) records(ctx context.Context, yield func(engram.Record) bool, tables ...rowReader) (stopped bool, err error) {
	good, bad := 0, error(nil)
	for _, t := range tables {
		err := d.each(ctx, t.table, func(v values) bool {
			good++
			item := v.item(t.table)
			v.doubts = func(reason string) { d.told(item, reason) }
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
		return false, d.broken(bad) // there is nothing but damage
	}
	return false, d.settled()
}

// told notes something of an item that comes in all the same.
func (d *database) told(item, reason string) {
	if d.note != nil {
		d.note(item, reason)
	}
}

// each calls fn with every row, in the order in which they were written. A table that is not
// there has none, unless it needs columns. Rows on damaged pages are passed over, and lost is
// called with what says which they are.
func (d *database) each(ctx context.Context, t table, fn func(values) (more bool), lost func(engram.Record)) error {
	have, err := d.columns(ctx, t.name)
	if err != nil || len(have) == 0 {
		return err
	}
	if len(t.needs) > 0 && slices.ContainsFunc(t.needs, func(name string) bool { return !slices.Contains(have, name) }) {
		return nil // another table of that name; leftOut tells of it
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
	_ = d.db.QueryRowContext(ctx, `SELECT count(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`).Scan(&n)
	return n
}

// values is a row by its columns; what is not there is nil.
type values struct {
	row    map[string]any
	num    int64               // the row's own number; 0 in a table whose rows have none
	doubts func(reason string) // is told what of the row is not as it should be; nil: nobody
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

// item is how a row is called: by the table and its id there.
func (v values) item(t table) string {
	if id := v.text(t.order); id != "" {
		return t.name + " " + id
	}
	return fmt.Sprintf("%s, row %d", t.name, v.num)
}

// doubt tells that something of the row is not as it should be; the row comes in all the same.
func (v values) doubt(format string, args ...any) {
	if v.doubts != nil {
		v.doubts(fmt.Sprintf(format, args...))
	}
}

// checkTimes tells of times that are none.
func (v values) checkTimes() {
	for _, name := range slices.Sorted(maps.Keys(v.row)) {
		if !strings.HasSuffix(name, "_at") && name != "review_after" && name != "last_accessed" {
			continue
		}
		if text := v.text(name); text != "" && text != "0" && v.moment(name).IsZero() {
			v.doubt("its %s is no time: %.40q", name, text)
		}
	}
}

// text is a value as text, however it was stored.
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

// first is the first of several columns that has something, as text.
func (v values) first(names ...string) string {
	for _, name := range names {
		if text := v.text(name); text != "" {
			return text
		}
	}
	return ""
}

// moment is the first of several columns that is a time: a text, or a number since 1970.
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

// number is a value as a whole number; 0 where it is none.
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

// share is the first of several columns that is a number, cut to 0 and 1.
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

// shares takes importance and strength, where there are any.
func (v values) shares(m *engram.Memory, importance, strength string) {
	if x, is := v.share(importance); is {
		m.Importance = x
	}
	if x, is := v.share(strength); is {
		m.Strength = x
	}
}
