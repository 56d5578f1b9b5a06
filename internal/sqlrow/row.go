// Package sqlrow reads rows of tables and encodes the values of their columns, in one way for the stores on SQLite and on
// Postgres.
package sqlrow

import (
	"context"
	"errors"
	"fmt"
)

// Scanner is a row of a query.
type Scanner interface{ Scan(into ...any) error }

// Querier is a transaction of a store.
type Querier interface {
	// Rows runs a query and calls scan for each row, until it returns an error. Rows returns nil for ErrStop.
	Rows(ctx context.Context, query string, args []any, scan func(Scanner) error) error
}

// ErrStop ends an iteration early.
var ErrStop = errors.New("stop")

// List reads the rows of a query; doing is the context of errors.
func List[T any](ctx context.Context, q Querier, doing, query string, args []any, scan func(Scanner) (T, error)) (all []T, err error) {
	err = q.Rows(ctx, query, args, func(s Scanner) error {
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
func Column[T any](ctx context.Context, q Querier, query string, args ...any) ([]T, error) {
	return List(ctx, q, "read a column", query, args, One[T])
}

// One reads a row of a single column.
func One[T any](s Scanner) (v T, err error) {
	err = s.Scan(&v)
	return v, err
}

// Each calls fn for each value of a single column.
func Each[T any](ctx context.Context, q Querier, query string, fn func(T), args ...any) error {
	return q.Rows(ctx, query, args, func(s Scanner) error {
		v, err := One[T](s)
		fn(v)
		return err
	})
}

// Pairs reads two columns as a map.
func Pairs[K comparable, V any](ctx context.Context, q Querier, query string, args ...any) (map[K]V, error) {
	all := map[K]V{}
	err := q.Rows(ctx, query, args, func(s Scanner) error {
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
