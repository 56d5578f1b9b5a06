package conn

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Scanner is a row.
type Scanner interface{ Scan(into ...any) error }

// Querier is a Tx, or a type that embeds one.
type Querier interface {
	Rows(ctx context.Context, query string, args []any, scan func(Scanner) error) error
}

// ErrStop ends an iteration early.
var ErrStop = errors.New("stop")

// ErrNone is the error of Row without a row.
var ErrNone = pgx.ErrNoRows

// Rows runs a query and calls scan for each row, until it returns an error; scan must not use the transaction.
// Rows returns nil for ErrStop. A query with a text that Postgres cannot hold has no rows.
func (t *Tx) Rows(ctx context.Context, query string, args []any, scan func(Scanner) error) error {
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
func (t *Tx) scan(rows pgx.Rows, scan func(Scanner) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			if errors.Is(err, ErrStop) {
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
	err = t.Rows(ctx, query, args, func(s Scanner) error {
		if found {
			return ErrStop
		}
		found = true
		return s.Scan(into...)
	})
	return found && err == nil, err
}

// List reads the rows of a query; doing is the context of errors.
func List[T any](ctx context.Context, t Querier, doing, query string, args []any, scan func(Scanner) (T, error)) (all []T, err error) {
	err = t.Rows(ctx, query, args, func(s Scanner) error {
		one, err := scan(s)
		all = append(all, one)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return all, nil
}

// Column reads a single column.
func Column[T any](ctx context.Context, t Querier, query string, args ...any) ([]T, error) {
	return List(ctx, t, "read a column", query, args, One[T])
}

// One reads a row of a single column.
func One[T any](s Scanner) (v T, err error) {
	err = s.Scan(&v)
	return v, err
}

// Pairs reads two columns as a map.
func Pairs[K comparable, V any](ctx context.Context, t Querier, query string, args ...any) (map[K]V, error) {
	all := map[K]V{}
	err := t.Rows(ctx, query, args, func(s Scanner) error {
		var k K
		var v V
		err := s.Scan(&k, &v)
		all[k] = v
		return err
	})
	return all, err
}

// First returns the first row of a list, and whether there is one.
func First[T any](all []T, err error) (one T, found bool, _ error) {
	if err != nil || len(all) == 0 {
		return one, false, err
	}
	return all[0], true, nil
}

// Doing adds context to an error, if there is one.
func Doing(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
