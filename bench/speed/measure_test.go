package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"of none", nil, 0},
		{"of one", []float64{3}, 3},
		{"the middle one, whatever the order", []float64{100, 1, 2}, 2},
		{"of two in the middle their mean", []float64{4, 1, 100, 2}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			given := slices.Clone(tt.values)
			if got := median(tt.values); got != tt.want {
				t.Errorf("median(%v) = %v, want %v", tt.values, got, tt.want)
			}
			if !slices.Equal(given, tt.values) {
				t.Errorf("median changed %v to %v", given, tt.values)
			}
		})
	}
}

func TestRatioIsThatOfBlocksSideBySide(t *testing.T) {
	// The machine is ten times slower in the last round: medians of each lane would say 1.
	r := result{lanes: map[string][]sample{
		"a": {{cost: 2}, {cost: 4}, {cost: 200}},
		"b": {{cost: 1}, {cost: 4}, {cost: 50}, {cost: 7}},
	}}
	if got, ok := r.ratio("a", "b"); got != 2 || !ok {
		t.Errorf("ratio = %v, %v; want 2", got, ok)
	}
	if got, ok := r.ratio("a", "absent"); ok {
		t.Errorf("ratio to a lane that did not run = %v", got)
	}
	if got, ok := r.cost("b"); got != 5.5 || !ok {
		t.Errorf("cost = %v, %v; want 5.5", got, ok)
	}
}

func TestGrowth(t *testing.T) {
	sizes := []int{1_000, 10_000, 100_000}
	for _, tt := range []struct {
		name  string
		costs []float64
		want  float64
	}{
		{"flat", []float64{3, 3, 3}, 0},
		{"linear", []float64{1, 10, 100}, 1},
		{"by the root", []float64{1, math.Sqrt(10), 10}, 0.5},
		{"one that is off counts for less than all", []float64{1, 20, 100}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := growth(sizes, tt.costs); !ok || math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("growth(%v, %v) = %v, %v; want %v", sizes, tt.costs, got, ok, tt.want)
			}
		})
	}
	if got, ok := growth(sizes[:1], []float64{3}); ok {
		t.Errorf("growth of one size = %v", got)
	}
}

// counted makes a lane whose operations take a millisecond each and are noted.
func counted(name string, done *[]string) lane {
	var cpu time.Duration
	return lane{
		name: name,
		do: func(i int) error {
			*done = append(*done, name+string(rune('0'+i)))
			cpu += time.Millisecond
			return nil
		},
		cpu: func() (time.Duration, error) { return cpu, nil },
	}
}

func TestLanesTakeTurns(t *testing.T) {
	var done []string
	b := counted("b", &done)
	b.few = 1
	res, err := operation{name: "x", per: 2, warm: 3, rounds: 2, lanes: []lane{counted("a", &done), b}}.run()
	if err != nil {
		t.Fatal(err)
	}
	// The longer block to warm up, then rounds that another lane begins, all with the same numbers.
	const want = "a0 a1 a2 b0 b3 a3 a4 a5 a6 b5"
	if got := strings.Join(done, " "); got != want {
		t.Errorf("done in the order\n%s, want\n%s", got, want)
	}
	for _, name := range []string{"a", "b"} {
		if cost, _ := res.cost(name); cost != 1 || len(res.lanes[name]) != 2 {
			t.Errorf("%s costs %v in %d rounds, want 1 in 2", name, cost, len(res.lanes[name]))
		}
	}
}

func TestCostOfWhatOneOperationHandles(t *testing.T) {
	var done []string
	res, err := operation{per: 1, rounds: 1, once: true, each: 4, lanes: []lane{counted("a", &done)}}.run()
	if err != nil {
		t.Fatal(err)
	}
	if cost, _ := res.cost("a"); cost != 0.25 || len(done) != 1 {
		t.Errorf("cost %v after %v, want 0.25 after one operation", cost, done)
	}
}

func TestOperationThatFailsEndsTheRun(t *testing.T) {
	broken := lane{
		name: "broken",
		do:   func(int) error { return errors.New("no answer") },
		cpu:  func() (time.Duration, error) { return 0, nil },
	}
	for _, writers := range []int{0, 3} {
		_, err := operation{name: "save", size: 7, per: 6, rounds: 1, writers: writers, lanes: []lane{broken}}.run()
		if want := "save at 7: broken: no answer"; err == nil || err.Error() != want {
			t.Errorf("%d writers: %v, want %q", writers, err, want)
		}
	}
}
