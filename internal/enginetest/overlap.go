package enginetest

import (
	"context"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Overlap is a reranker without a model: a text scores the share of the question's
// words that it has.
type Overlap struct{}

// Name is "overlap".
func (Overlap) Name() string { return "overlap" }

// Rerank returns for each text the share of the query's words that stand in it, 0 to 1.
func (Overlap) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	terms := text.Query(query)
	scores := make([]float64, len(texts))
	for i, t := range texts {
		words := map[string]bool{}
		text.Scan(t, func(tok text.Token) { words[tok.Text()] = true })
		for _, term := range terms {
			if words[term.Word] {
				scores[i] += 1 / float64(len(terms))
			}
		}
	}
	return scores, ctx.Err()
}
