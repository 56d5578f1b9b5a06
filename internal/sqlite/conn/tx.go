package conn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// Tx runs the statements of one transaction on its connection, prepared and cached. One goroutine uses it
// at a time. Conn is required.
type Tx struct {
	Conn   *Conn
	Writes bool // is the only writer
	Hook   Hook // nil for none
	// Keyed tells that statements look rows up by their keys: cancellation is looked for before them and between rows.
	Keyed bool
}

// Hook is called around the statements of a transaction.
type Hook interface {
	// Before is called before a query is run, may run others, and returns the text to run instead.
	Before(ctx context.Context, query string) (string, error)
	// Changing is called before a statement that Exec runs.
	Changing(query string)
}

// stmt prepares a statement that is run next, with the context to run it in.
//
// The driver starts a goroutine for every cancellable statement, which costs as much as a short one, and looks at the
// context for every row. Writing transactions run many short ones, so they check for cancellation between statements only;
// reading ones of a short-lived process, and look-ups by key, check between rows too.
func (t *Tx) stmt(ctx context.Context, query string) (context.Context, statement, error) {
	var err error
	if t.Hook != nil {
		if query, err = t.Hook.Before(ctx, query); err != nil {
			return ctx, nil, err
		}
	}
	s, err := t.Conn.stmt(ctx, query)
	if err != nil || !t.Writes && !t.Keyed && !t.Conn.unwatched {
		return ctx, s, err
	}
	return context.WithoutCancel(ctx), s, ctx.Err()
}

// Exec runs a statement.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	ctx, s, err := t.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	if t.Hook != nil {
		t.Hook.Changing(query)
	}
	values, err := t.Conn.valuesOf(args)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, values)
}

// Run is Exec without the result.
func (t *Tx) Run(ctx context.Context, query string, args ...any) error {
	_, err := t.Exec(ctx, query, args...)
	return err
}

// Statement is a query with its arguments.
type Statement struct {
	query string
	args  []any
}

// With returns a statement.
func With(query string, args ...any) Statement { return Statement{query, args} }

// RunAll runs statements one after the other, up to the first that fails.
func (t *Tx) RunAll(ctx context.Context, all ...Statement) error {
	for _, s := range all {
		if err := t.Run(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// Row reads the one row of a query; none is sql.ErrNoRows.
func (t *Tx) Row(ctx context.Context, query string, args []any, into ...any) error {
	rows, err := t.query(ctx, query, args)
	if err != nil {
		return err
	}
	return first(rows, into)
}

func (t *Tx) query(ctx context.Context, query string, args []any) (driver.Rows, error) {
	ctx, s, err := t.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	values, err := t.Conn.valuesOf(args)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, values)
}

// Maybe is Row for a query that may have no row; then it leaves into unchanged.
func (t *Tx) Maybe(ctx context.Context, query string, args []any, into ...any) (found bool, err error) {
	err = t.Row(ctx, query, args, into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Rows runs a query and calls scan for each row, until it returns an error. Rows returns nil for sqlrow.ErrStop.
func (t *Tx) Rows(ctx context.Context, query string, args []any, scan func(sqlrow.Scanner) error) error {
	rows, err := t.query(ctx, query, args)
	if err != nil {
		return err
	}
	r := newRow(rows)
	for {
		if !t.Writes {
			err = ctx.Err()
		}
		if err == nil {
			err = rows.Next(r.values)
		}
		if err == nil {
			err = scan(r)
		}
		if err != nil {
			break
		}
	}
	shut := rows.Close()
	if errors.Is(err, io.EOF) || errors.Is(err, sqlrow.ErrStop) {
		err = shut
	}
	return err
}

// JSONNums encodes numbers for json_each, so that one statement serves any number of them.
func JSONNums(nums []int64) string {
	b := []byte{'['}
	for i, n := range nums {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}

// JSONSet is JSONNums of each number once, ascending: a query that joins json_each must not meet one twice. To join takes
// a third of what IN (SELECT value FROM json_each(?)) does, which makes a table of the numbers first.
func JSONSet(nums []int64) string {
	nums = slices.Clone(nums)
	slices.Sort(nums)
	return JSONNums(slices.Compact(nums))
}
