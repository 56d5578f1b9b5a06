package sqlite

import (
	"context"
	"database/sql"

	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

type scanner = conn.Scanner

func list[T any](ctx context.Context, t *tx, doing, query string, args []any, scan func(scanner) (T, error)) (all []T, err error) {
	return conn.List(ctx, t, doing, query, args, scan)
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

func column[T any](ctx context.Context, t *tx, query string, args ...any) ([]T, error) {
	return conn.Column[T](ctx, t, query, args...)
}

func scanOne[T any](s scanner) (v T, err error) { return conn.One[T](s) }

func each[T any](ctx context.Context, t *tx, query string, fn func(T), args ...any) error {
	return conn.Each(ctx, t, query, fn, args...)
}

func pairs[K comparable, V any](ctx context.Context, t *tx, query string, args ...any) (map[K]V, error) {
	return conn.Pairs[K, V](ctx, t, query, args...)
}

func first[T any](all []T, err error) (one T, found bool, _ error) { return conn.First(all, err) }

func with(query string, args ...any) conn.Statement { return conn.With(query, args...) }

func doing(err error, format string, args ...any) error { return conn.Doing(err, format, args...) }

func jsonNums(nums []int64) string { return conn.JSONNums(nums) }

func (t *tx) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return t.Exec(ctx, query, args...)
}

func (t *tx) row(ctx context.Context, query string, args []any, into ...any) error {
	return t.Row(ctx, query, args, into...)
}

func (t *tx) rows(ctx context.Context, query string, args []any, scan func(scanner) error) error {
	return t.Rows(ctx, query, args, scan)
}

func (t *tx) maybe(ctx context.Context, query string, args []any, into ...any) (found bool, err error) {
	return t.Maybe(ctx, query, args, into...)
}

func (t *tx) run(ctx context.Context, query string, args ...any) error {
	return t.Run(ctx, query, args...)
}

func (t *tx) runAll(ctx context.Context, all ...conn.Statement) error { return t.RunAll(ctx, all...) }

// forAll calls fn for each of all until one fails.
func forAll[T any](all []T, fn func(T) error) error {
	for _, v := range all {
		if err := fn(v); err != nil {
			return err
		}
	}
	return nil
}
