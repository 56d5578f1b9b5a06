package engram_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestWeakFindsAreForWhoFoundLittle(t *testing.T) {
	for _, tt := range []struct{ hits, weak, want int }{
		{0, 0, 0}, {0, 2, 2}, {0, 9, 3}, {1, 9, 3}, {2, 4, 3}, {3, 1, 0}, {3, 9, 0}, {20, 9, 0},
	} {
		f := engram.Found{Hits: make([]engram.Hit, tt.hits), BelowThreshold: make([]engram.Hit, tt.weak)}
		if f.LimitBelowThreshold(); len(f.Hits) != tt.hits || len(f.BelowThreshold) != tt.want {
			t.Errorf("of %d relevant and %d weak finds: %d and %d are left, want %d weak ones", tt.hits, tt.weak, len(f.Hits), len(f.BelowThreshold), tt.want)
		}
	}
}

func TestUncertainFindsAreNotCertain(t *testing.T) {
	f := engram.Found{Hits: []engram.Hit{{Score: 2}}, BelowThreshold: []engram.Hit{{Score: 3}, {Score: 1}}, Uncertain: true}
	hits, below := f.InOrder()
	for i, h := range hits {
		if h.Score != float64(3-i) || !below[i] {
			t.Errorf("place %d: score %v, below the threshold is %v, want %d and true", i, h.Score, below[i], 3-i)
		}
	}
	if f.LimitBelowThreshold(); len(f.Hits) != 1 || len(f.BelowThreshold) != 0 {
		t.Errorf("beside the nearest %d are left below, want none", len(f.BelowThreshold))
	}
}
