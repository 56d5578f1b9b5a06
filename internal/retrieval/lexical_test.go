package retrieval_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/retrieval"
)

func TestChoose(t *testing.T) {
	// everywhere is the load of words in a question about everything.
	everywhere := func(rows ...int) (loads []retrieval.Load) {
		for _, n := range rows {
			loads = append(loads, retrieval.Load{Scope: n, Store: n})
		}
		return loads
	}
	for _, tt := range []struct {
		name      string
		loads     []retrieval.Load
		rows      int
		budget    float64
		use, rest []int
	}{
		{"no words", nil, 1000, 7000, nil, nil},
		{"words that nothing has are in neither", everywhere(0, 0), 1000, 7000, nil, nil},
		{"a small store ranks by every word", everywhere(900, 1000, 3), 1000, 7000, []int{2, 0, 1}, nil},
		{"rarest first, equal ones as they were asked", everywhere(5, 2, 5, 2), 1000, 7000, []int{1, 3, 0, 2}, nil},
		{"the common ones are the rest", everywhere(9000, 10, 11000, 300), 100_000, 7000, []int{1, 3}, []int{0, 2}},
		{"a rare word behind a common one is still used", everywhere(11_000, 1), 100_000, 7000, []int{1}, []int{0}},
		{"common words alone leave nothing to rank by", everywhere(11_000, 11_500), 100_000, 7000, nil, []int{0, 1}},
		{"what is too common is over any budget", []retrieval.Load{{Scope: 40, Store: 40, Common: true}, {Scope: 1, Store: 1}}, 100_000, math.Inf(1), []int{1}, []int{0}},
		{"no budget", everywhere(1, 2), 100, 0, nil, []int{0, 1}},
		{"inside a project a word costs what the project has of it", []retrieval.Load{{Scope: 500, Store: 10_000}}, 5000, 7000, []int{0}, nil},
		{"lengths are looked up once a memory, however many words it has", everywhere(1000, 1000, 1000, 1000), 1000, 2300, []int{0, 1, 2, 3}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			use, rest := retrieval.Choose(tt.loads, tt.rows, tt.budget)
			if !slices.Equal(use, tt.use) || !slices.Equal(rest, tt.rest) {
				t.Errorf("Choose(%v, %d, %v)\n got %v and %v\nwant %v and %v", tt.loads, tt.rows, tt.budget, use, rest, tt.use, tt.rest)
			}
		})
	}
}

func TestChooseSplitsTheWordsByRarity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loads := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) retrieval.Load {
			store := rapid.IntRange(0, 15_000).Draw(t, "store")
			return retrieval.Load{Store: store, Scope: rapid.IntRange(0, store).Draw(t, "scope"), Common: rapid.Bool().Draw(t, "common")}
		}), 0, 20).Draw(t, "loads")
		rows := rapid.IntRange(0, 200_000).Draw(t, "rows")
		budget := rapid.Float64Range(0, 20_000).Draw(t, "budget")
		given := slices.Clone(loads)
		use, rest := retrieval.Choose(loads, rows, budget)
		if !slices.Equal(loads, given) {
			t.Fatalf("Choose changed its argument: got %v, want %v", loads, given)
		}
		all := slices.Concat(use, rest)
		for i := 1; i < len(all); i++ {
			if loads[all[i-1]].Scope > loads[all[i]].Scope {
				t.Fatalf("Choose(%v) = %v and %v: a common word comes before a rarer one", loads, use, rest)
			}
		}
		slices.Sort(all)
		var want []int
		for i, l := range loads {
			if l.Scope > 0 {
				want = append(want, i)
			}
		}
		if !slices.Equal(all, want) {
			t.Fatalf("Choose(%v) = %v and %v, want each of %v once", loads, use, rest, want)
		}
		more, _ := retrieval.Choose(loads, rows, budget*2)
		if len(more) < len(use) {
			t.Fatalf("Choose(%v): %d words of twice the budget, %d of once", loads, len(more), len(use))
		}
	})
}

func TestBM25(t *testing.T) {
	collection := retrieval.BM25{Rows: 1000, Length: 50}
	for _, tt := range []struct {
		name   string
		b      retrieval.BM25
		tf     float64
		length float64
		having int
		want   float64
	}{
		{"a word that the memory lacks is worth nothing", collection, 0, 50, 10, 0},
		{"once in a memory of mean length is worth its rarity", collection, 1, 50, 10, math.Log(990.5 / 10.5)},
		{"three times is not three times as much", collection, 3, 50, 10, math.Log(990.5/10.5) * 3 * 2.2 / 4.2},
		{"a long memory is worth less", collection, 1, 200, 10, math.Log(990.5/10.5) * 2.2 / (1 + 1.2*(0.25+0.75*4))},
		{"a word that most have still tells two apart", collection, 1, 50, 900, 0.4},
		{"a count that is older than the collection", collection, 1, 50, 2000, 0.4},
		{"an empty collection", retrieval.BM25{}, 1, 1, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.b.Score(tt.tf, tt.length, tt.having); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("%+v.Score(%v, %v, %d) = %v, want %v", tt.b, tt.tf, tt.length, tt.having, got, tt.want)
			}
		})
	}
}

func TestBM25Orders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := retrieval.BM25{Rows: rapid.IntRange(1, 1_000_000).Draw(t, "rows"), Length: rapid.Float64Range(1, 5000).Draw(t, "mean length")}
		tf := rapid.Float64Range(0, 100).Draw(t, "tf")
		length := rapid.Float64Range(0, 1e6).Draw(t, "length")
		having := rapid.IntRange(0, b.Rows).Draw(t, "having")
		at := func(tf, length float64, having int) float64 { return b.Score(tf, length, having) }
		score := at(tf, length, having)
		what := fmt.Sprintf("%+v.Score(%v, %v, %d) = %v", b, tf, length, having, score)
		switch {
		case score < 0 || math.IsNaN(score) || math.IsInf(score, 0):
			t.Fatalf("%s, want a number that is not negative", what)
		case at(tf+1, length, having) < score:
			t.Fatalf("%s: more occurrences are worth less", what)
		case at(tf, length+1, having) > score:
			t.Fatalf("%s: a longer memory is worth more", what)
		case having < b.Rows && at(tf, length, having+1) > score:
			t.Fatalf("%s: a more common word is worth more", what)
		}
	})
}
