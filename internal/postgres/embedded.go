package postgres

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// Vectors returns the memories' vectors of a model, which the caller must not change.
func (t *tx) Vectors(ctx context.Context, fingerprint string, nums []int64) (map[int64][]float32, error) {
	return t.vectors.Values(ctx, fingerprint, nums)
}

// Models returns the models that have vectors, by coverage.
func (t *tx) Models(ctx context.Context) ([]engram.ModelCoverage, error) {
	return t.vectors.Models(ctx)
}

// PutVectors sets vectors of a model; those of missing and forgotten memories are left out.
func (t *tx) PutVectors(ctx context.Context, m engram.Model, vs []engram.Vector) error {
	return t.vectors.Put(ctx, m, vs)
}

// DropModel removes a model and its vectors.
func (t *tx) DropModel(ctx context.Context, fingerprint string) error {
	return t.vectors.Drop(ctx, fingerprint)
}

// dropVectors removes the vectors of a memory: they said what its words said.
func (t *tx) dropVectors(ctx context.Context, num int64) error {
	const query = `WITH gone AS (DELETE FROM vectors WHERE space = $space AND model IN (SELECT num FROM models WHERE space = $space) AND memory = ? RETURNING model)
		UPDATE models SET memories = memories - 1 WHERE space = $space AND num IN (SELECT model FROM gone)`
	t.vectors.Changing()
	return sqlrow.Doing(t.Run(ctx, query, num), "drop the vectors of memory %d", num)
}

// Nearest ranks memories by their vectors.
func (t *tx) Nearest(ctx context.Context, q engram.VectorQuery) ([]engram.Ranked, error) {
	in, err := t.indexFilter(ctx, q.Filter)
	if err != nil {
		return nil, err
	}
	return t.vectors.Nearest(ctx, q, in)
}

// NewestVectors returns the vectors of the newest live memories of a project.
func (t *tx) NewestVectors(ctx context.Context, fingerprint, project string, most int) (engram.StoredVectors, error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return engram.StoredVectors{}, err
	}
	return t.vectors.Newest(ctx, fingerprint, num, most)
}

// unembedded returns live memories without a vector of the model, by number.
func (t *tx) unembedded(ctx context.Context, fingerprint string, after int64, limit int) ([]engram.Memory, error) {
	nums, all, err := t.vectors.Missing(ctx, fingerprint, after, limit)
	if err != nil {
		return nil, err
	}
	if all {
		return t.memories(ctx, memoriesWhere(liveFrom), after, limit)
	}
	return t.Memories(ctx, nums)
}
