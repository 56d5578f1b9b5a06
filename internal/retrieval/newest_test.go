package retrieval_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// stated returns a find of day d that has the asked words marked x, such as "x.x", together.
func stated(num int64, score float64, day int, has string) retrieval.Stated {
	s := retrieval.Stated{Ranked: engram.Ranked{Num: num, Score: score}, At: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC), Pairs: 1}
	for _, c := range has {
		if c == 'x' {
			s.Covers = append(s.Covers, 1)
		} else {
			s.Covers = append(s.Covers, retrieval.Missing)
		}
	}
	return s
}

func TestNewestFirst(t *testing.T) {
	t.Parallel()
	placed, other := stated(2, 0.5, 2, "xxxx"), stated(2, 0.5, 2, "xxxx")
	placed.Placed, other.Project = true, "other"
	named := stated(1, 1, 1, "xxxx")
	named.Named = 1
	scattered := stated(2, 0.5, 2, "xxxx")
	scattered.Pairs = 0.5
	for _, c := range []struct {
		name  string
		finds []retrieval.Stated
		known retrieval.Likely
		want  []int64
	}{
		{"the later has the words too", []retrieval.Stated{stated(1, 1, 1, "xxx"), stated(2, 0.5, 2, "xxx")}, retrieval.Unknown, []int64{2, 1}},
		{"flagged, the later has more words", []retrieval.Stated{stated(1, 1, 1, "xx.."), stated(2, 0.5, 2, "xxx.")}, retrieval.Conflicted, []int64{2, 1}},
		{"the later has less words", []retrieval.Stated{stated(1, 1, 1, "xxxx"), stated(2, 0.5, 2, "xxx.")}, retrieval.Unknown, []int64{1, 2}},
		{"the later is first already", []retrieval.Stated{stated(2, 1, 2, "xxxx"), stated(1, 0.5, 1, "xxxx")}, retrieval.Unknown, []int64{2, 1}},
		{"a word of the question is in none", []retrieval.Stated{stated(1, 1, 1, "xxx."), stated(2, 0.5, 2, "xxx.")}, retrieval.Unknown, []int64{1, 2}},
		{"two words", []retrieval.Stated{stated(1, 1, 1, "xx"), stated(2, 0.5, 2, "xx")}, retrieval.Unknown, []int64{1, 2}},
		{"one word", []retrieval.Stated{stated(1, 1, 1, "x"), stated(2, 0.5, 2, "x")}, retrieval.Unknown, []int64{1, 2}},
		{"flagged", []retrieval.Stated{stated(1, 1, 1, "x..."), stated(2, 0.5, 2, "x...")}, retrieval.Conflicted, []int64{2, 1}},
		{"flagged, without the words", []retrieval.Stated{stated(1, 1, 1, "x..."), stated(2, 0.5, 2, ".x..")}, retrieval.Conflicted, []int64{1, 2}},
		{"flagged, none has a word", []retrieval.Stated{stated(1, 1, 1, "...."), stated(2, 0.5, 2, "....")}, retrieval.Conflicted, []int64{1, 2}},
		{"judged to differ", []retrieval.Stated{stated(1, 1, 1, "xxxx"), stated(2, 0.5, 2, "xxxx")}, retrieval.Different, []int64{1, 2}},
		{"superseded", []retrieval.Stated{stated(1, 1, 1, "xxxx"), placed}, retrieval.Unknown, []int64{1, 2}},
		{"the later has the words scattered", []retrieval.Stated{stated(1, 1, 1, "xxxx"), scattered}, retrieval.Unknown, []int64{1, 2}},
		{"named", []retrieval.Stated{named, stated(2, 0.5, 2, "xxxx")}, retrieval.Unknown, []int64{1, 2}},
		{"of another project", []retrieval.Stated{stated(1, 1, 1, "xxxx"), other}, retrieval.Unknown, []int64{1, 2}},
		{"the latest of three", []retrieval.Stated{stated(1, 1, 1, "xxx"), stated(2, 0.9, 2, "xxx"), stated(3, 0.8, 3, "xxx")}, retrieval.Unknown, []int64{3, 2, 1}},
	} {
		placed, over := retrieval.NewestFirst(c.finds, func(int64, int64) retrieval.Likely { return c.known })
		var got []int64
		for _, f := range placed {
			got = append(got, f.Num)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if moved := !slices.Equal(got, []int64{c.finds[0].Num, c.finds[1].Num}); moved != (len(over) > 0) {
			t.Errorf("%s: explained %v", c.name, over)
		}
	}
}

// The result has the same finds with falling scores. Those that move pass an earlier one whose words they have; the
// rest keep their order.
func TestNewestFirstKeepsPromises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 4).Draw(t, "words")
		finds := make([]retrieval.Stated, rapid.IntRange(0, 8).Draw(t, "finds"))
		score := 1.0
		for i := range finds {
			score *= rapid.Float64Range(0.3, 1).Draw(t, "less")
			has := rapid.StringOfN(rapid.SampledFrom([]rune("x.")), words, words, -1).Draw(t, "has")
			finds[i] = stated(int64(i+1), score, rapid.IntRange(1, 4).Draw(t, "day"), has)
			finds[i].Named = rapid.IntRange(0, 1).Draw(t, "named")
			finds[i].Placed = rapid.IntRange(0, 9).Draw(t, "placed") == 0
		}
		known := retrieval.Likely(rapid.IntRange(0, 2).Draw(t, "known"))
		placed, over := retrieval.NewestFirst(finds, func(int64, int64) retrieval.Likely { return known })
		if len(placed) != len(finds) || known == retrieval.Different && len(over) > 0 {
			t.Fatalf("%d became %d, %v moved", len(finds), len(placed), over)
		}
		at := map[int64]int{}
		last := int64(0)
		for i, f := range placed {
			at[f.Num] = i
			if i > 0 && f.Score > placed[i-1].Score {
				t.Fatalf("scores rise at %d: %v", i, placed)
			}
			if over[f.Num] != 0 {
				continue
			}
			if f.Num < last {
				t.Fatalf("%d did not move but stands behind %d", f.Num, last)
			}
			last = f.Num
		}
		for moved, passed := range over {
			a, b := finds[moved-1], finds[passed-1]
			if at[moved] > at[passed] || !a.At.After(b.At) || a.Placed || b.Placed || a.Named < b.Named {
				t.Fatalf("%v passed %v: %v", a, b, placed)
			}
			for i, c := range b.Covers {
				if c > a.Covers[i] {
					t.Fatalf("%v passed %v, which has word %d more", a, b, i)
				}
			}
		}
	})
}
