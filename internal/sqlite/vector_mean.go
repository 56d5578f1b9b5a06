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

// MeanVector returns the mean of the newest vectors of a project.
func (t *tx) MeanVector(ctx context.Context, fingerprint, project string, most int) (mean []float32, of int, err error) {
	m, found, err := t.model(ctx, fingerprint)
	if err != nil || !found {
		return nil, 0, err
	}
	query, args := newestVectorsSQL, []any{most, m.num}
	if project != "" {
		num, known, err := t.knownProject(ctx, project)
		if err != nil || !known {
			return nil, 0, err
		}
		query, args = projectNewestVectorsSQL, []any{num, most, m.num}
	}
	sum := make([]float32, m.dimensions)
	err = t.rows(ctx, query, args, func(s scanner) error {
		var row []byte
		if err := s.Scan(&row); err != nil {
			return err
		}
		v, ok := vector.Row(row, m.dimensions)
		if !ok {
			return engram.Errorf(engram.CodeInternal, "a vector is damaged").WithHint("run reembed --all")
		}
		for i, x := range v {
			sum[i] += x
		}
		of++
		return nil
	})
	if err != nil || of == 0 {
		return nil, 0, wrapped(err)
	}
	for i := range sum {
		sum[i] /= float32(of)
	}
	return sum, of, nil
}

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read the mean of vectors: %w", err)
}
