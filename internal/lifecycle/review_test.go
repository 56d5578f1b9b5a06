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
			if got := lifecycle.ReviewAfter(tt.typ, tt.from, lifecycle.DefaultPolicy()); !got.Equal(tt.want) {
				t.Errorf("ReviewAfter(%q, %v) = %v, want %v", tt.typ, tt.from, got, tt.want)
			}
		})
	}
	if got := lifecycle.ReviewAfter("decision", noon(), lifecycle.Policy{}); !got.IsZero() {
		t.Errorf("a policy without months says %v", got)
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
