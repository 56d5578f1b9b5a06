package lifecycle_test

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func TestReconciled(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	state := func(content string, edited int, forgotten int) engram.Memory {
		m := engram.Memory{Title: "t", Content: content, UpdatedAt: day(edited)}
		if forgotten > 0 {
			m.DeletedAt = day(forgotten)
		}
		return m
	}
	for _, tt := range []struct {
		name        string
		here, there engram.Memory
		want        engram.Memory
	}{
		{"the later edit holds", state("old", 1, 0), state("new", 2, 0), state("new", 2, 0)},
		{"an older edit changes nothing", state("new", 2, 0), state("old", 1, 0), state("new", 2, 0)},
		{"of two edits of one moment the greater text holds", state("a", 1, 0), state("b", 1, 0), state("b", 1, 0)},
		{"what was forgotten elsewhere is forgotten", state("a", 1, 0), state("a", 1, 3), state("a", 1, 3)},
		{"an older edit does not bring back", state("a", 1, 3), state("b", 2, 0), state("b", 2, 3)},
		{"a later edit brings back", state("a", 1, 3), state("b", 4, 0), state("b", 4, 0)},
		{"an edit here after it was forgotten there stands", state("b", 4, 0), state("a", 1, 3), state("b", 4, 0)},
		{"of two that forgot it the later one is told", state("a", 1, 3), state("a", 1, 5), state("a", 1, 5)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := lifecycle.Reconciled(tt.here, tt.there); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Reconciled(%+v, %+v)\n got %+v\nwant %+v", tt.here, tt.there, got, tt.want)
			}
		})
	}
}

// Two stores that exchange what they have come to the same, whoever begins, and however
// often.
func TestReconciledComesToTheSameFromBothSides(t *testing.T) {
	days := rapid.IntRange(0, 4)
	draw := rapid.Custom(func(t *rapid.T) engram.Memory {
		day := func(name string) time.Time {
			n := days.Draw(t, name)
			if n == 0 {
				return time.Time{}
			}
			return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)
		}
		m := engram.Memory{Title: "t", Content: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "content"), Importance: 0.5,
			Tags: rapid.SampledFrom([][]string{nil, {"x"}, {"x", "y"}}).Draw(t, "tags"), UpdatedAt: day("updated"), DeletedAt: day("deleted"),
			AccessCount: days.Draw(t, "accesses"), LastAccessedAt: day("accessed"), DuplicateCount: 1 + days.Draw(t, "repeats")}
		return m
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		ab, _ := lifecycle.Reconciled(a, b)
		ba, _ := lifecycle.Reconciled(b, a)
		if !reflect.DeepEqual(ab, ba) {
			t.Fatalf("the sides differ\n a %+v\n b %+v\nab %+v\nba %+v", a, b, ab, ba)
		}
		if again, theirs := lifecycle.Reconciled(ab, b); !reflect.DeepEqual(again, ab) || theirs {
			t.Fatalf("a second time changed something\n first %+v\nsecond %+v", ab, again)
		}
		if again, _ := lifecycle.Reconciled(ab, a); !reflect.DeepEqual(again, ab) {
			t.Fatalf("its own old state changed something\n first %+v\nsecond %+v", ab, again)
		}
	})
}
