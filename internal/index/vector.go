package index

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Model is the row of a model of vectors.
type Model struct {
	Num        int64 // never used twice
	Dimensions int
	Changes    int64 // another one after each change of the model's codes
}

// VectorRow is the vector of a memory in the encoding of package vector.
type VectorRow struct {
	Memory int64
	Row    []byte // several, one after the other, for a text of passages
	First  bool   // this transaction inserted the memory, which has no vector of the model yet
}

// VectorRows keeps vectors, a row a memory and model, and the models, as one transaction sees and changes them. The
// rows of a memory are dropped, and that is counted, where it is replaced, forgotten or erased. Rows that it hands out are
// the caller's.
type VectorRows interface {
	// Model returns the model with a fingerprint; found is false if it is unknown.
	Model(ctx context.Context, fingerprint string) (m Model, found bool, err error)
	// Models returns all models.
	Models(ctx context.Context) ([]Model, error)
	// Coverage returns the models that have vectors, those of most memories first.
	Coverage(ctx context.Context) ([]engram.ModelCoverage, error)
	// AddModel adds a model, whose fingerprint must be unknown.
	AddModel(ctx context.Context, m engram.Model) (Model, error)
	// DropModel removes a model with its vectors and codes.
	DropModel(ctx context.Context, model int64) error
	// Count adds to the number of memories with a vector of a model.
	Count(ctx context.Context, model, more int64) error
	// Lacking returns how many live memories have no vector of a model, by the counts.
	Lacking(ctx context.Context, model int64) (int64, error)

	// PutRows sets vectors of live memories, each of another one, and returns the memories whose vectors it set and how
	// many of these had none before. It asks the store once for all that are not First.
	PutRows(ctx context.Context, model int64, rows []VectorRow) (put []int64, added int64, err error)
	// Rows calls each with the vectors that memories have, in any order, and asks the store once for all.
	Rows(ctx context.Context, model int64, memories []int64, each func(memory int64, row []byte) error) error
	// AllRows calls each with all vectors of a model, by memory.
	AllRows(ctx context.Context, model int64, each func(memory int64, row []byte) error) error
	// NewestRows calls each with the vectors of the most newest live memories of a project, or of all for -1, newest
	// first; rows may be kept. It reads no memories.
	NewestRows(ctx context.Context, model, project int64, most int, each func(row []byte) error) error
}
