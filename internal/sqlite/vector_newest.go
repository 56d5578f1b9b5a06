package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// The newest vectors, by memories_recent and memories_project_recent alone: no memory
// is read for them.
const (
	newestVectorsSQL = `SELECT v.row FROM (SELECT num FROM memories WHERE deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT ?) AS m
		CROSS JOIN vectors v ON v.model = ? AND v.memory = m.num`
	projectNewestVectorsSQL = `SELECT v.row FROM (SELECT num FROM memories WHERE project = ? AND deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT ?) AS m
		CROSS JOIN vectors v ON v.model = ? AND v.memory = m.num`
)

// mostKeptNewest is of how many vectors a project may have that they are kept for whoever
// asks again: what many have in common is remembered by who asks.
const mostKeptNewest = 128

// NewestVectors returns the vectors of the newest live memories of a project. They are
// not the caller's to change.
func (t *tx) NewestVectors(ctx context.Context, fingerprint, project string, most int) ([][]float32, error) {
	m, found, err := t.model(ctx, fingerprint)
	if err != nil || !found {
		return nil, err
	}
	u, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	key := newestOf{m.num, project, most}
	if u != nil {
		if vs, known := u.newest[key]; known {
			return vs, nil
		}
	}
	query, args := newestVectorsSQL, []any{most, m.num}
	if project != "" {
		num, known, err := t.knownProject(ctx, project)
		if err != nil || !known {
			return nil, err
		}
		query, args = projectNewestVectorsSQL, []any{num, most, m.num}
	}
	var vs [][]float32
	err = t.rows(ctx, query, args, func(s scanner) error {
		var row []byte
		if err := s.Scan(&row); err != nil {
			return err
		}
		v, ok := vector.Row(row, m.dimensions)
		if !ok {
			return engram.Errorf(engram.CodeInternal, "a vector is damaged").WithHint("{reembed --all} makes it anew")
		}
		vs = append(vs, v)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the newest vectors: %w", err)
	}
	if u != nil && len(vs) <= mostKeptNewest {
		u.grow(len(vs) * (4*m.dimensions + 100))
		u.newest[key] = vs
	}
	return vs, nil
}
