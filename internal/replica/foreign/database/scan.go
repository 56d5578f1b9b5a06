package database

import (
	"context"
	"fmt"
	"math"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/alanbuscaglia/engram"
)

// scanned reads a table. Rows are read in the order of their numbers, so that reading can continue
// behind damaged pages.
type scanned struct {
	*DB
	Table
	names []string
}

// all calls fn with every readable row.
func (s *scanned) all(ctx context.Context, fn func(Values) (more bool), lost func(engram.Record)) error {
	if !s.numbered(ctx) {
		_, _, err := s.from(ctx, 0, false, fn)
		if err != nil {
			err = Broken(s.name, err)
		}
		return err
	}
	for next := int64(math.MinInt64); ; {
		last, stopped, err := s.from(ctx, next, true, fn)
		if err == nil || stopped {
			return nil
		}
		if CodeOf(err) != sqlite3.SQLITE_CORRUPT || lost == nil {
			return Broken(s.name, err)
		}
		readable, found := s.readable(ctx, max(last+1, next, 0)) // numbers begin at 1 by default
		if ctx.Err() != nil {
			return ctx.Err()
		}
		where := fmt.Sprintf("%s, rows after %d", s.Table.Name, last)
		if last == math.MinInt64 {
			where = s.Table.Name
		}
		if found && last != math.MinInt64 {
			where = fmt.Sprintf("%s, rows %d to %d", s.Table.Name, last+1, readable-1)
		} else if found {
			where = fmt.Sprintf("%s, rows before %d", s.Table.Name, readable)
		}
		lost(engram.Record{Item: where, Flaw: engram.Errorf(engram.CodeInvalid, "their page is damaged, and they are lost").WithCause(err)})
		if !found {
			return nil
		}
		next = readable
	}
}

// numbered reports whether the table has row numbers.
func (s *scanned) numbered(ctx context.Context) bool {
	rows, err := s.db.QueryContext(ctx, `SELECT rowid FROM "`+s.Table.Name+`" LIMIT 0`)
	if err != nil {
		return false
	}
	return rows.Close() == nil
}

// from calls fn with the rows from a number on, and returns the last number.
func (s *scanned) from(ctx context.Context, first int64, numbered bool, fn func(Values) (more bool)) (last int64, stopped bool, err error) {
	// Names come from the tables of this package, never from the database.
	columns := `"` + strings.Join(s.names, `", "`) + `"`
	query := `SELECT ` + columns + ` FROM "` + s.Table.Name + `" WHERE ? = 0`
	if numbered {
		query = `SELECT rowid, ` + columns + ` FROM "` + s.Table.Name + `" WHERE rowid >= ? ORDER BY rowid`
	}
	last = math.MinInt64
	if first != math.MinInt64 {
		last = first - 1
	}
	rows, err := s.db.QueryContext(ctx, query, first)
	if err != nil {
		return last, false, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		v, err := scan(rows, s.names, numbered)
		if err != nil {
			return last, false, err
		}
		last = v.num
		if !fn(v) {
			return last, true, nil
		}
	}
	return last, false, rows.Err()
}

// readable returns the first readable number behind a damaged page, by growing steps and then by
// bisection.
func (s *scanned) readable(ctx context.Context, from int64) (first int64, found bool) {
	end := s.end(ctx, from)
	bad, step, widest := from-1, int64(1), max(64, (end-from)/4096)
	good := from
	for ; !s.reads(ctx, good); good += step {
		if bad = good; good >= end || ctx.Err() != nil {
			return 0, false
		}
		step = min(2*step, widest)
	}
	for good-bad > 1 {
		if middle := bad + (good-bad)/2; s.reads(ctx, middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	return good, true
}

// end returns a number behind all rows.
func (s *scanned) end(ctx context.Context, from int64) int64 {
	var most *int64
	for _, query := range []string{`SELECT max(rowid) FROM "` + s.Table.Name + `"`, `SELECT seq FROM sqlite_sequence WHERE name = '` + s.Table.Name + `'`} {
		if err := s.db.QueryRowContext(ctx, query).Scan(&most); err == nil && most != nil && *most >= from {
			return *most
		}
	}
	return from + 1<<20 // more than any table has
}

// reads reports whether the first row from a number on is readable or missing.
func (s *scanned) reads(ctx context.Context, from int64) bool {
	_, _, err := s.from(ctx, from, true, func(Values) bool { return false })
	return err == nil
}

// LeftOut notes the rows of other tables after reading: recomputed here, or without use. Nothing is
// dropped silently.
func (d *DB) LeftOut(ctx context.Context) error {
	const query = `SELECT name FROM sqlite_schema t WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'
		AND NOT EXISTS (SELECT 1 FROM sqlite_schema v WHERE v.sql LIKE 'CREATE VIRTUAL%' AND t.name LIKE v.name || '\_%' ESCAPE '\') ORDER BY name`
	others, err := d.names(ctx, query)
	if err != nil {
		return err
	}
	var rows []string
	for _, name := range others {
		if n := d.Count(ctx, name); n > 0 && !d.readTables[name] {
			rows = append(rows, fmt.Sprintf("%s (%d)", name, n))
		}
	}
	if len(rows) > 0 {
		d.remark("rows of "+strings.Join(rows, ", "), "left out: vectors and indexes are computed again; only that program uses the rest")
	}
	return nil
}
