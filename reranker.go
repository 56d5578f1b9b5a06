package engram

import "context"

// Reranker reads a question and a text together, which says more than two vectors
// can and costs more; it orders the best of what was found. It may be used by many
// goroutines.
type Reranker interface {
	// Name is what explanations and settings call it.
	Name() string
	// Rerank returns one score per text, in order; greater is better, comparable within
	// one call only. Errors carry CodeUnavailable when it cannot answer now.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}
