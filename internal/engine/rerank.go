package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// rerankDepth is how many of the best finds a reranker reads: behind them hardly
// anything relevant stands, and each costs it as much as the first.
const rerankDepth = 50

// ReasonNoReranker is what Degraded says when a reranking was asked for in vain.
const ReasonNoReranker = "no reranking model is configured; the order is that of the search"

// rerank lets the reranker order the best finds again. It runs outside of the
// transaction: a model takes as long as it takes. One that fails leaves the order and
// is told in Degraded.
func (e *Engine) rerank(ctx context.Context, found *engram.Found) error {
	if e.reranker == nil {
		found.Degraded = append(found.Degraded, ReasonNoReranker)
		return nil
	}
	first := 0
	if len(found.Hits) > 0 && isFrom(found.Hits[0], engram.ChannelTopic) {
		first = 1 // it was named, not found
	}
	hits := found.Hits[first:min(len(found.Hits), rerankDepth)]
	if len(hits) == 0 {
		return nil
	}
	texts := mapped(hits, func(h engram.Hit) string { return embeddedText(h.Memory) })
	scores, err := e.reranker.Rerank(ctx, found.Query, texts)
	if err == nil {
		err = checkScores(scores, len(hits))
	}
	if err != nil {
		found.Degraded = append(found.Degraded, fmt.Sprintf("%s could not rerank: %v", e.reranker.Name(), err))
		return ctx.Err()
	}
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	// The scores of a search fall with the rank; a reranker's are on a scale of their own.
	ranked := make([]engram.Hit, len(hits))
	for i, at := range order {
		h := hits[at]
		h.Score = hits[i].Score
		h.Why.Channels = append(slices.Clone(h.Why.Channels), engram.ChannelRank{Channel: engram.ChannelRerank, Rank: i + 1, Score: scores[at]})
		ranked[i] = h
	}
	copy(hits, ranked)
	return nil
}

// checkScores refuses an answer that orders nothing: what compares with no number would
// stand anywhere.
func checkScores(scores []float64, texts int) error {
	if len(scores) != texts {
		return fmt.Errorf("%d scores for %d texts", len(scores), texts)
	}
	none := func(s float64) bool { return math.IsNaN(s) || math.IsInf(s, 0) } // JSON has neither
	if i := slices.IndexFunc(scores, none); i >= 0 {
		return fmt.Errorf("the score of text %d is not a number", i+1)
	}
	return nil
}
