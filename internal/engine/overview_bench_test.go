package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// BenchmarkOverview counts a project and computes the strength of its memories.
func BenchmarkOverview(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		name := largest(b, w)
		for b.Loop() {
			if _, err := w.Overview(b.Context(), name); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkListAfter reads the page after the middle of a list.
func BenchmarkListAfter(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		f := engram.Filter{Project: largest(b, w), Current: true}
		st, err := w.Stats(b.Context(), f.Project)
		if err != nil {
			b.Fatal(err)
		}
		middle, err := w.List(b.Context(), f, engram.Page{Limit: 1, Offset: st.Memories / 2})
		if err != nil || len(middle) == 0 {
			b.Fatalf("the middle of %d: %v", st.Memories, err)
		}
		for b.Loop() {
			if _, err := w.List(b.Context(), f, engram.Page{Limit: 50, After: engram.PositionOf(middle[0])}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkTopics completes a topic key.
func BenchmarkTopics(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		for b.Loop() {
			if _, err := w.Topics(b.Context(), "", "", 101); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// largest returns the project with most memories.
func largest(b *testing.B, w enginetest.World) string {
	b.Helper()
	all, err := w.Projects(b.Context())
	if err != nil || len(all) == 0 {
		b.Fatalf("%d projects, error %v", len(all), err)
	}
	best := all[0]
	for _, p := range all {
		if p.Memories > best.Memories {
			best = p
		}
	}
	b.ReportMetric(float64(best.Memories), "memories")
	return best.Name
}
