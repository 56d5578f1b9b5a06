package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// scanner is a *sql.Row or *sql.Rows.
type scanner interface{ Scan(into ...any) error }

// list reads the rows of a query; doing is the context of errors.
func list[T any](ctx context.Context, t *tx, doing, query string, args []any, scan func(scanner) (T, error)) (all []T, err error) {
	err = t.rows(ctx, query, args, func(s scanner) error {
		one, err := scan(s)
		all = append(all, one)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return all, nil
}

// listIn is list for a query whose argument 1 is the number of a project, negative for all projects
// (""). An unknown project has no rows.
func listIn[T any](ctx context.Context, t *tx, doing, query, project string, args []any, scan func(scanner) (T, error)) ([]T, error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return list(ctx, t, doing, query, append([]any{num}, args...), scan)
}

// column reads a single column.
func column[T any](ctx context.Context, t *tx, query string, args ...any) ([]T, error) {
	return list(ctx, t, "read a column", query, args, scanOne[T])
}

func scanOne[T any](s scanner) (v T, err error) {
	err = s.Scan(&v)
	return v, err
}

// each calls fn for each value of a single column.
func each[T any](ctx context.Context, t *tx, query string, fn func(T), args ...any) error {
	return t.rows(ctx, query, args, func(s scanner) error {
		v, err := scanOne[T](s)
		fn(v)
		return err
	})
}

// pairs reads two columns as a map.
func pairs[K comparable, V any](ctx context.Context, t *tx, query string, args ...any) (map[K]V, error) {
	all := map[K]V{}
	err := t.rows(ctx, query, args, func(s scanner) error {
		var k K
		var v V
		err := s.Scan(&k, &v)
		all[k] = v
		return err
	})
	return all, err
}

// first returns the first row, and whether there is one.
func first[T any](all []T, err error) (one T, found bool, _ error) {
	if err != nil || len(all) == 0 {
		return one, false, err
	}
	return all[0], true, nil
}

// maybe is row for a query that may have no row; then it leaves into unchanged.
func (t *tx) maybe(ctx context.Context, query string, args []any, into ...any) (found bool, err error) {
	err = t.row(ctx, query, args, into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// run is exec without the result.
func (t *tx) run(ctx context.Context, query string, args ...any) error {
	_, err := t.exec(ctx, query, args...)
	return err
}

// statement is a query with its arguments.
type statement struct {
	query string
	args  []any
}

func with(query string, args ...any) statement { return statement{query, args} }

// runAll runs statements one after the other.
func (t *tx) runAll(ctx context.Context, all ...statement) error {
	for _, s := range all {
		if err := t.run(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// doing adds context to an error, if there is one.
func doing(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
