package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// The first sleep compares all memories of a project and type with each other.
func BenchmarkSleepPlan(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		for b.Loop() {
			if res, err := w.Sleep(b.Context(), consolidate.SleepInput{DryRun: true}); err != nil || len(res.Degraded) > 0 {
				b.Fatalf("%v, %v", res.Degraded, err)
			}
		}
	})
}
