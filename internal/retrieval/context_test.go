package retrieval_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

func drawFinds(t *rapid.T, label string, most int) []engram.Ranked {
	nums := rapid.SliceOfNDistinct(rapid.Int64Range(1, 60), 0, most, rapid.ID[int64]).Draw(t, label+" nums")
	finds := make([]engram.Ranked, len(nums))
	for i, n := range nums {
		finds[i] = engram.Ranked{Num: n, Score: rapid.Float64Range(0, 30).Draw(t, label)}
	}
	retrieval.Sort(finds)
	return finds
}

// talk is a session of memories numbered from 1, with their sizes, each saved after a pause.
func talk(pause time.Duration, sizes ...int) map[int64]*engram.Beside {
	at := func(i int) time.Time {
		return time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(i) * pause)
	}
	beside := map[int64]*engram.Beside{}
	for i, size := range sizes {
		b := &engram.Beside{Session: 7, Size: size, At: at(i)}
		if i > 0 {
			b.Before = engram.Neighbour{Num: int64(i), Size: sizes[i-1], At: at(i - 1)}
		}
		if i+1 < len(sizes) {
			b.After = engram.Neighbour{Num: int64(i + 2), Size: sizes[i+1], At: at(i + 1)}
		}
		beside[int64(i+1)] = b
	}
	return beside
}

func TestContext(t *testing.T) {
	hit := func(num int64, parts ...float32) (engram.Ranked, []float32) {
		sum := 0.0
		for _, p := range parts {
			sum += float64(p)
		}
		return engram.Ranked{Num: num, Score: sum}, parts
	}
	first, firstParts := hit(1, 2, 0)
	second, secondParts := hit(2, 0, 4)
	hits, parts := []engram.Ranked{second, first}, map[int64][]float32{1: firstParts, 2: secondParts}
	for _, tt := range []struct {
		name     string
		beside   map[int64]*engram.Beside
		cohesion float64
		want     map[int64]float64 // lent
	}{
		{"turns of a talk lend each other their words, and a third one its neighbour's", talk(time.Minute, 100, 100, 100), 1,
			map[int64]float64{1: .7 * 4, 2: .7 * 2, 3: .7*4 + .49*2}},
		{"a long one borrows less", talk(time.Minute, 700, 100), 1, map[int64]float64{1: .5 * .7 * 4, 2: .7 * 2}},
		{"what was saved an hour apart lends nothing", talk(time.Hour, 100, 100, 100), 1, map[int64]float64{}},
		{"a project without cohesion lends nothing", talk(time.Minute, 100, 100), 0, map[int64]float64{}},
		{"half of the cohesion lends half", talk(time.Minute, 100, 100), .5, map[int64]float64{1: .7 * 4 / 2, 2: .7 * 2 / 2}},
		{"without sessions nothing is lent", nil, 1, map[int64]float64{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, lent := retrieval.Context(hits, tt.beside, parts, tt.cohesion)
			for num := range map[int64]bool{1: true, 2: true, 3: true} {
				if math.Abs(lent[num]-tt.want[num]) > 1e-6 {
					t.Errorf("lent to %d: got %v, want %v", num, lent[num], tt.want[num])
				}
			}
			scores := scoreOf(got)
			if math.Abs(scores[1]-first.Score-lent[1]) > 1e-9 || math.Abs(scores[2]-second.Score-lent[2]) > 1e-9 {
				t.Errorf("scores %v do not have what was lent: %v", scores, lent)
			}
		})
	}
}

func TestContextTakesNothingAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		finds := drawFinds(t, "find", 20)
		sizes := rapid.SliceOfN(rapid.IntRange(0, 100_000), 60, 60).Draw(t, "sizes")
		parts := map[int64][]float32{}
		for _, f := range finds {
			share := rapid.Float32Range(0, 1).Draw(t, "share")
			parts[f.Num] = []float32{share * float32(f.Score), (1 - share) * float32(f.Score)}
		}
		kept := slices.Clone(finds)
		got, _ := retrieval.Context(finds, talk(time.Duration(rapid.IntRange(0, 30).Draw(t, "minutes"))*time.Minute, sizes...), parts, rapid.Float64Range(0, 1).Draw(t, "cohesion"))
		if !slices.Equal(kept, finds) {
			t.Fatalf("the finds were changed from %v to %v", kept, finds)
		}
		if !slices.IsSortedFunc(got, func(a, b engram.Ranked) int { return int(math.Copysign(1, b.Score-a.Score)) }) {
			t.Fatalf("%v is not in order", got)
		}
		raised, most := scoreOf(got), 0.0
		for _, f := range finds {
			most += f.Score
			if raised[f.Num] < f.Score {
				t.Fatalf("memory %d fell from %v to %v", f.Num, f.Score, raised[f.Num])
			}
		}
		for num, score := range raised {
			if score > 2*most+1e-6 {
				t.Fatalf("memory %d rose to %v, more than all have", num, score)
			}
		}
	})
}

func scoreOf(finds []engram.Ranked) map[int64]float64 {
	scores := map[int64]float64{}
	for _, f := range finds {
		scores[f.Num] = f.Score
	}
	return scores
}
