package search_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// judge is a reranker with given scores.
type judge func(ctx context.Context, query string, texts []string) ([]float64, error)

func (judge) Name() string { return "judge" }

func (j judge) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	return j(ctx, query, texts)
}

// upsideDown scores the last text highest.
func upsideDown(_ context.Context, _ string, texts []string) ([]float64, error) {
	scores := make([]float64, len(texts))
	for i := range scores {
		scores[i] = float64(i)
	}
	return scores, nil
}

// valves is a world with a dozen memories that a question about valves finds.
func valves(t testing.TB) enginetest.World {
	w := enginetest.NewWorld(t)
	for _, what := range []string{"greased", "counted", "painted red", "replaced", "closed at night", "ordered", "checked", "lost", "found", "sold", "drawn", "named"} {
		w.Note("Valves were "+what, "The valves of the boiler were "+what+" in spring.")
	}
	return w
}

func TestARerankerOrdersTheBestAgain(t *testing.T) {
	t.Parallel()
	w := valves(t)
	in := search.SearchInput{Query: "valves of the boiler", Limit: 5}
	before := w.MustSearch(search.SearchInput{Query: in.Query, Limit: 50})
	e := w.With(engine.Options{Embedder: enginetest.Embedder(), Reranker: judge(upsideDown)})
	plain, err := e.Search(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "without being asked for", enginetest.HitNums(plain.Hits), enginetest.HitNums(before.Hits)[:5])

	in.Rerank = true
	found, err := e.Search(t.Context(), in)
	if err != nil || len(found.Degraded) > 0 {
		t.Fatalf("got %v, degraded %q", err, found.Degraded)
	}
	want := enginetest.HitNums(before.Hits)
	slices.Reverse(want)
	enginetest.Same(t, "reranked: what stood last of all, though only five are wanted", enginetest.HitNums(found.Hits), want[:5])
	for i, h := range found.Hits {
		last := h.Why.Channels[len(h.Why.Channels)-1]
		if last.Channel != engram.ChannelRerank || last.Rank != i+1 {
			t.Errorf("hit %d: its last channel is %+v, want rank %d of the reranker", i+1, last, i+1)
		}
		if i > 0 && h.Score > found.Hits[i-1].Score {
			t.Errorf("hit %d scores %v, the one before it %v", i+1, h.Score, found.Hits[i-1].Score)
		}
	}
}

func TestTheOverlapOfWordsReranks(t *testing.T) {
	t.Parallel()
	w := valves(t)
	e := w.With(engine.Options{Embedder: enginetest.Embedder(), Reranker: enginetest.Overlap{}})
	found, err := e.Search(t.Context(), search.SearchInput{Query: "boiler valves painted red", Rerank: true})
	if err != nil || len(found.Hits) == 0 || found.Hits[0].Memory.Title != "Valves were painted red" {
		t.Fatalf("got %v, %v, want those painted red first", enginetest.HitNums(found.Hits), err)
	}
	channels := found.Hits[0].Why.Channels
	if last := channels[len(channels)-1]; last.Channel != engram.ChannelRerank || math.Abs(last.Score-1) > 1e-9 {
		t.Errorf("its last channel is %+v, want a score of 1 of the reranker", last)
	}
}

func TestARerankerThatAnswersNothingOfUseLeavesTheOrder(t *testing.T) {
	t.Parallel()
	w := valves(t)
	in := search.SearchInput{Query: "valves of the boiler"}
	want := enginetest.HitNums(w.MustSearch(in).Hits)
	in.Rerank = true
	for _, tt := range []struct {
		name, reason string
		judge        judge
	}{
		{"it fails", "out of memory", func(context.Context, string, []string) ([]float64, error) { return nil, errors.New("out of memory") }},
		{"it answers nothing", "0 scores for", func(context.Context, string, []string) ([]float64, error) { return nil, nil }},
		{"it answers too little", "scores for", func(_ context.Context, _ string, texts []string) ([]float64, error) {
			return make([]float64, len(texts)-1), nil
		}},
		{"it answers what is no number", "not a number", func(_ context.Context, _ string, texts []string) ([]float64, error) {
			scores := make([]float64, len(texts))
			scores[len(scores)/2] = math.NaN()
			return scores, nil
		}},
		{"it answers what has no end", "not a number", func(_ context.Context, _ string, texts []string) ([]float64, error) {
			scores := make([]float64, len(texts))
			scores[len(scores)/2] = math.Inf(1)
			return scores, nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := w.With(engine.Options{Embedder: enginetest.Embedder(), Reranker: tt.judge}).Search(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			enginetest.Same(t, "order", enginetest.HitNums(found.Hits), want)
			if len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "judge") || !strings.Contains(found.Degraded[0], tt.reason) {
				t.Errorf("degraded says %q, want who and %q", found.Degraded, tt.reason)
			}
		})
	}
	t.Run("there is none", func(t *testing.T) {
		found := w.In(t).MustSearch(in)
		enginetest.Same(t, "order", enginetest.HitNums(found.Hits), want)
		enginetest.Same(t, "degraded", found.Degraded, []string{search.ReasonNoReranker})
	})
	t.Run("it is called off", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := w.With(engine.Options{Embedder: enginetest.Embedder(), Reranker: judge(func(ctx context.Context, _ string, _ []string) ([]float64, error) {
			cancel()
			return nil, ctx.Err()
		})})
		if _, err := e.Search(ctx, in); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that it was called off", err)
		}
	})
}

func TestWhatWasNamedStaysFirstWhenReranked(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	e := w.With(engine.Options{Embedder: enginetest.Embedder(), Reranker: judge(upsideDown)})
	found, err := e.Search(t.Context(), search.SearchInput{Query: "architecture/auth-model", Rerank: true})
	if err != nil || len(found.Hits) == 0 || found.Hits[0].Memory.Num != num["jwt"] {
		t.Errorf("got %v, %v, want #%d, whose topic was asked for, first", enginetest.HitNums(found.Hits), err, num["jwt"])
	}
}

func TestNothingToRerankAsksNobody(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	e := w.With(engine.Options{Embedder: enginetest.Embedder(), Reranker: judge(func(_ context.Context, _ string, texts []string) ([]float64, error) {
		if len(texts) == 0 {
			return nil, errors.New("no texts")
		}
		return make([]float64, len(texts)), nil
	})})
	if found, err := e.Search(t.Context(), search.SearchInput{Query: "valves", Rerank: true}); err != nil || len(found.Degraded) > 0 {
		t.Errorf("in an empty store: %q, %v, want no complaint", found.Degraded, err)
	}
}
