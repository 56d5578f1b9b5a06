package retrieval_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// talk is a session of memories of a size each, numbered from 1.
func talk(session int64, sizes ...int) map[int64]engram.Beside {
	beside := map[int64]engram.Beside{}
	for i, size := range sizes {
		b := engram.Beside{Session: session, Size: size}
		if i > 0 {
			b.Before = engram.Neighbour{Num: int64(i), Size: sizes[i-1]}
		}
		if i+1 < len(sizes) {
			b.After = engram.Neighbour{Num: int64(i + 2), Size: sizes[i+1]}
		}
		beside[int64(i+1)] = b
	}
	return beside
}

func scoreOf(finds []engram.Ranked) map[int64]float64 {
	m := map[int64]float64{}
	for _, f := range finds {
		m[f.Num] = f.Score
	}
	return m
}

func TestSmooth(t *testing.T) {
	for _, tt := range []struct {
		name     string
		finds    []engram.Ranked
		beside   map[int64]engram.Beside
		sessions map[int64]float64
		want     map[int64]float64
	}{
		{"nothing was found", nil, nil, nil, map[int64]float64{}},
		{"what has no session is left as it is", []engram.Ranked{{Num: 7, Score: 3}, {Num: 8, Score: 2}}, nil, nil, map[int64]float64{7: 3, 8: 2}},
		{"a memory next to a find is found", []engram.Ranked{{Num: 2, Score: 10}}, talk(1, 100, 100, 100), nil,
			map[int64]float64{1: 5, 2: 10 + 3.5, 3: 5}},
		{"the better of two neighbours lends", []engram.Ranked{{Num: 1, Score: 10}, {Num: 2, Score: 1}, {Num: 3, Score: 4}}, talk(1, 100, 100, 100), nil,
			map[int64]float64{1: 10 + 0.5 + 3.5, 2: 1 + 5 + 3.5, 3: 4 + 0.5 + 3.5}},
		{"a long text borrows little", []engram.Ranked{{Num: 1, Score: 10}, {Num: 2, Score: 1}}, talk(1, 100, 3500), nil,
			map[int64]float64{1: 10 + 0.5 + 3.5, 2: 1 + 0.5 + 0.35}},
		{"the memory after a session's last is nobody", []engram.Ranked{{Num: 1, Score: 10}}, talk(1, 100), nil, map[int64]float64{1: 13.5}},
		{"sessions that were scored as a whole", []engram.Ranked{{Num: 1, Score: 10}}, talk(4, 100), map[int64]float64{1: 3, 2: 6}, map[int64]float64{1: 10 + 0.35*5}},
		{"sessions of no score", []engram.Ranked{{Num: 1, Score: 10}}, talk(4, 100), map[int64]float64{1: 0}, map[int64]float64{1: 10}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, lent := retrieval.Smooth(tt.finds, tt.beside, tt.sessions, 1)
			gotScores, own := scoreOf(got), scoreOf(tt.finds)
			if len(gotScores) != len(tt.want) || len(got) != len(tt.want) {
				t.Fatalf("Smooth(%v) = %v, want %v", tt.finds, got, tt.want)
			}
			for num, want := range tt.want {
				if math.Abs(gotScores[num]-want) > 1e-9 {
					t.Errorf("Smooth(%v): memory %d has %v, want %v", tt.finds, num, gotScores[num], want)
				}
				if l := lent[num]; math.Abs(own[num]+l.Beside+l.Session-want) > 1e-9 {
					t.Errorf("Smooth(%v): memory %d was lent %+v, want %v in all", tt.finds, num, l, want-own[num])
				}
			}
		})
	}
}

func drawFinds(t *rapid.T, label string, most int) []engram.Ranked {
	nums := rapid.SliceOfNDistinct(rapid.Int64Range(1, 60), 0, most, rapid.ID[int64]).Draw(t, label+" nums")
	finds := make([]engram.Ranked, len(nums))
	for i, n := range nums {
		finds[i] = engram.Ranked{Num: n, Score: rapid.Float64Range(0, 30).Draw(t, label)}
	}
	retrieval.Sort(finds)
	return finds
}

func TestSmoothTakesNothingAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		finds := drawFinds(t, "find", 20)
		sizes := rapid.SliceOfN(rapid.IntRange(0, 100_000), 60, 60).Draw(t, "sizes")
		beside := talk(3, sizes...)
		before := slices.Clone(finds)
		got, lent := retrieval.Smooth(finds, beside, nil, 1)
		if !slices.Equal(before, finds) {
			t.Fatalf("the finds were changed from %v to %v", before, finds)
		}
		if !slices.IsSortedFunc(got, func(a, b engram.Ranked) int { return int(math.Copysign(1, b.Score-a.Score)) }) {
			t.Fatalf("Smooth(%v) = %v, not in order", finds, got)
		}
		smoothed, most := scoreOf(got), 0.0
		for _, f := range finds {
			most = max(most, f.Score)
		}
		for _, f := range finds {
			s, there := smoothed[f.Num]
			if !there || s < f.Score || s > f.Score+0.85*most+1e-9 {
				t.Fatalf("memory %d had %v of at most %v and has %v (%v)", f.Num, f.Score, most, s, there)
			}
		}
		for num, l := range lent {
			if l.Beside < 0 || l.Session < 0 {
				t.Fatalf("memory %d was lent %+v", num, l)
			}
		}
	})
}

func BenchmarkSmooth(b *testing.B) {
	var finds []engram.Ranked
	sizes := make([]int, 400)
	for i := range sizes {
		sizes[i] = 80 + i
		finds = append(finds, engram.Ranked{Num: int64(i + 1), Score: float64(400-i) / 20})
	}
	beside := talk(1, sizes...)
	b.ReportAllocs()
	for b.Loop() {
		retrieval.Smooth(finds, beside, nil, 1)
	}
}

func ExampleSmooth() {
	beside := map[int64]engram.Beside{ // "Which colour?" 1, "The blue one." 2
		1: {Session: 1, Size: 13, After: engram.Neighbour{Num: 2, Size: 13}},
	}
	found, lent := retrieval.Smooth([]engram.Ranked{{Num: 1, Score: 4}}, beside, nil, 1)
	fmt.Println(found, lent[2].Beside)
	// Output: [{1 5.4} {2 2}] 2
}
