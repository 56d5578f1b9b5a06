package conn

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// ErrNone is the error of Row without a row.
var ErrNone = pgx.ErrNoRows

// Rows runs a query and calls scan for each row, until it returns an error; scan must not use the transaction.
// Rows returns nil for sqlrow.ErrStop. A query with a text that Postgres cannot hold has no rows.
func (t *Tx) Rows(ctx context.Context, query string, args []any, scan func(sqlrow.Scanner) error) error {
	text, values, err := t.ready(ctx, query, args)
	if isUnstorable(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if t.hand != nil && len(t.queue) == 0 {
		return t.await(&reading{text: text, values: values, scan: scan})
	}
	var rows pgx.Rows
	if len(t.queue) == 0 {
		if t.lost != nil {
			return t.lost
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t.pool.tell(text)
		rows, err = t.conn.Query(ctx, text, values...)
	} else {
		results, failed := t.send(ctx, &queued{text: text, args: values})
		if failed != nil {
			return failed
		}
		defer func() { _ = results.Close() }() // the error of the rows is that of the batch
		if _, err = t.done(results); err == nil {
			rows, err = results.Query()
		}
	}
	if err != nil {
		return t.spoiled(err)
	}
	return t.scan(rows, scan)
}

// scan calls scan for each row, and closes rows.
func (t *Tx) scan(rows pgx.Rows, scan func(sqlrow.Scanner) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			if errors.Is(err, sqlrow.ErrStop) {
				err = nil
			}
			return err
		}
	}
	return t.spoiled(rows.Err())
}

// spoiled notes that a read failed, and the transaction with it.
func (t *Tx) spoiled(err error) error {
	if err != nil && t.lost == nil {
		t.lost = err
	}
	return err
}

// Row reads the one row of a query; none is ErrNone. A query with a text that Postgres cannot hold leaves into
// unchanged.
func (t *Tx) Row(ctx context.Context, query string, args []any, into ...any) error {
	found, err := t.Maybe(ctx, query, args, into...)
	if err == nil && !found && t.sendable(args) {
		err = ErrNone
	}
	return err
}

func (t *Tx) sendable(args []any) bool {
	for _, a := range args {
		if _, err := value(a); err != nil {
			return false
		}
	}
	return true
}

// Maybe is Row for a query that may have no row; then it leaves into unchanged.
func (t *Tx) Maybe(ctx context.Context, query string, args []any, into ...any) (found bool, err error) {
	err = t.Rows(ctx, query, args, func(s sqlrow.Scanner) error {
		if found {
			return sqlrow.ErrStop
		}
		found = true
		return s.Scan(into...)
	})
	return found && err == nil, err
}
