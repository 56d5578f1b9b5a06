package enginetest

import (
	"context"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Overlap is a reranker without a model: it scores the share of the question's words in a text.
type Overlap struct{}

// Name returns "overlap".
func (Overlap) Name() string { return "overlap" }

// Rerank returns the share of the query's words in each text, 0 to 1.
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
