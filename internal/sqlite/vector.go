package sqlite

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Nearest ranks live memories by cosine.
func (t *tx) Nearest(ctx context.Context, q engram.VectorQuery) ([]engram.Ranked, error) {
	return nil, nil
}

// Vectors returns the memories' vectors of a model.
func (t *tx) Vectors(ctx context.Context, model string, nums []int64) (map[int64][]float32, error) {
	return nil, nil
}

// Models returns the models that have vectors.
func (t *tx) Models(ctx context.Context) ([]engram.ModelUse, error) { return nil, nil }

// Unembedded returns live memories without a vector of the model.
func (t *tx) Unembedded(ctx context.Context, model string, after int64, limit int) ([]engram.Memory, error) {
	return nil, nil
}

// PutVectors sets vectors of a model.
func (t *tx) PutVectors(ctx context.Context, m engram.Model, vs []engram.Vector) error { return nil }

// DropModel removes a model and its vectors.
func (t *tx) DropModel(ctx context.Context, fingerprint string) error { return nil }
