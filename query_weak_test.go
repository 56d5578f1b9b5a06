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
