package lifecycle_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func TestReviewAfter(t *testing.T) {
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 9, 30, 0, 0, time.UTC) }
	for _, tt := range []struct {
		name string
		typ  engram.Type
		from time.Time
		want time.Time
	}{
		{"a decision after half a year", "decision", day(2026, 1, 15), day(2026, 7, 15)},
		{"a policy after a year", "policy", day(2026, 1, 15), day(2027, 1, 15)},
		{"a preference after a quarter", "preference", day(2026, 1, 15), day(2026, 4, 15)},
		{"a bugfix never", "bugfix", day(2026, 1, 15), time.Time{}},
		{"an unknown type never", "poem", day(2026, 1, 15), time.Time{}},
		{"no type never", "", day(2026, 1, 15), time.Time{}},
		{"types are compared as they are stored", "Decision", day(2026, 1, 15), time.Time{}},
		{"across the end of a year", "decision", day(2026, 9, 1), day(2027, 3, 1)},
		{"a day that its month does not have goes over into the next", "decision", day(2026, 8, 31), day(2027, 3, 3)},
		{"in a leap year by a day less", "decision", day(2027, 8, 31), day(2028, 3, 2)},
		{"beyond 2038", "policy", day(2037, 12, 1), day(2038, 12, 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lifecycle.ReviewAfter(of(tt.typ, 0.5), tt.from, lifecycle.DefaultPolicy()); !got.Equal(tt.want) {
				t.Errorf("ReviewAfter(%q, %v) = %v, want %v", tt.typ, tt.from, got, tt.want)
			}
		})
	}
	if got := lifecycle.ReviewAfter(of("decision", 1), noon(), lifecycle.Policy{}); !got.IsZero() {
		t.Errorf("a policy without months says %v", got)
	}
}

func of(typ engram.Type, importance float64) engram.Memory {
	return engram.Memory{Type: typ, Importance: importance}
}

func TestWhatMattersIsReviewedSooner(t *testing.T) {
	from := time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)
	for _, tt := range []struct {
		name       string
		typ        engram.Type
		importance float64
		months     int
	}{
		{"an important decision in half the time", "decision", 0.8, 3},
		{"the most important one too", "decision", 1, 3},
		{"half of three months is two: rounded up", "preference", 0.9, 2},
		{"nearly important is ordinary", "decision", 0.79, 6},
		{"nearly unimportant is ordinary", "decision", 0.21, 6},
		{"an unimportant one in twice the time", "decision", 0.2, 12},
		{"the least important one too", "policy", 0, 24},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := lifecycle.ReviewAfter(of(tt.typ, tt.importance), from, lifecycle.DefaultPolicy()), from.AddDate(0, tt.months, 0); !got.Equal(want) {
				t.Errorf("ReviewAfter(%s of importance %v, %v) = %v, want %v", tt.typ, tt.importance, from, got, want)
			}
		})
	}
	if got := lifecycle.ReviewAfter(of("bugfix", 1), from, lifecycle.DefaultPolicy()); !got.IsZero() {
		t.Errorf("importance makes a bugfix fall due at %v", got)
	}
	one := lifecycle.Policy{ReviewMonths: map[engram.Type]int{"bugfix": 1}}
	if got, want := lifecycle.ReviewAfter(of("bugfix", 1), from, one), from.AddDate(0, 1, 0); !got.Equal(want) {
		t.Errorf("half of a month is %v, want %v: reviews never fall due at once", got, want)
	}
}

func TestState(t *testing.T) {
	for _, tt := range []struct {
		name string
		due  time.Time
		want engram.State
	}{
		{"never due", time.Time{}, engram.StateActive},
		{"due later", noon().Add(time.Millisecond), engram.StateActive},
		{"due this moment", noon(), engram.StateActive},
		{"due before", noon().Add(-time.Millisecond), engram.StateNeedsReview},
		{"due before 1970", time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC), engram.StateNeedsReview},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lifecycle.State(engram.Memory{ReviewAfter: tt.due}, noon()); got != tt.want {
				t.Errorf("State(due %v) at %v = %q, want %q", tt.due, noon(), got, tt.want)
			}
		})
	}
}
