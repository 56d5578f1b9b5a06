package sqlite

import (
	"context"

	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// listIn is list for a query whose argument 1 is the number of a project, negative for all projects
// (""). An unknown project has no rows.
func listIn[T any](ctx context.Context, t *tx, doing, query, project string, args []any, scan func(sqlrow.Scanner) (T, error)) ([]T, error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return sqlrow.List(ctx, t, doing, query, append([]any{num}, args...), scan)
}

// forAll calls fn for each of all until one fails.
func forAll[T any](all []T, fn func(T) error) error {
	for _, v := range all {
		if err := fn(v); err != nil {
			return err
		}
	}
	return nil
}
