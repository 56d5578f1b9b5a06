package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// BenchmarkFading measures what reading the decay settings adds to every search.
func BenchmarkFading(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		err := w.Store.View(b.Context(), func(r engram.Reader) error {
			for b.Loop() {
				if _, err := r.Decays(b.Context()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkDecay computes the strength of all memories.
func BenchmarkDecay(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		for b.Loop() {
			if _, err := w.Decay(b.Context(), consolidate.DecayInput{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkListStrong reads the twentieth page by minimum strength.
func BenchmarkListStrong(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		for b.Loop() {
			if _, err := w.List(b.Context(), engram.Filter{MinStrength: 0.2}, engram.Page{Limit: 20, Offset: 380}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
