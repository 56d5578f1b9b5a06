package retrieval_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// stated returns a find of day d that has the asked words marked x, such as "x.x", and says a text
// in words of the lexicon.
func stated(lexicon *retrieval.Lexicon, num int64, score float64, day int, has, text string) retrieval.Stated {
	s := retrieval.Stated{Ranked: engram.Ranked{Num: num, Score: score}, At: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC),
		Said: lexicon.Say(retrieval.Passage{Content: text})}
	for _, c := range has {
		if c == 'x' {
			s.Covers = append(s.Covers, 1)
		} else {
			s.Covers = append(s.Covers, retrieval.Missing)
		}
	}
	return s
}

// subject is that of a question of these words among a hundred memories.
func subject(known retrieval.Likely, words ...string) retrieval.Subject {
	s := retrieval.Subject{Rows: 100, Pair: func(int64, int64) retrieval.Likely { return known }}
	for _, w := range words {
		s.Words = append(s.Words, retrieval.Wanted{Written: w, Stems: []string{w}, Having: 3})
		s.Asked = append(s.Asked, retrieval.Asked{Having: 3, General: 5})
	}
	return s
}

func TestNewestFirst(t *testing.T) {
	t.Parallel()
	lexicon := retrieval.NewLexicon()
	const (
		old      = "The import queue runs 4 workers"
		update   = "The import queue runs 9 workers"
		reworded = "Import got 9 workers"
		replaced = "Kafka is out, the import streams from NATS"
		sibling  = "The export queue runs 9 workers"
		other    = "The import queue was painted green yesterday"
		long     = "Notes of the meeting on capacity, hosts, budgets, alerts, owners, rotations, holidays, dashboards, disks, fans, racks, cables and badges. "
	)
	asks := []string{"import", "queue", "worker"}
	for _, c := range []struct {
		name           string
		earlier, later string
		has            string // of the later
		change         func(earlier, later *retrieval.Stated, s *retrieval.Subject)
		want           bool
	}{
		{"an update", old, update, "xxx", nil, true},
		{"within a longer text", old, long[:90] + update, "xxx", nil, true},
		{"another thing", old, sibling, ".xx", nil, false},
		{"other news", old, other, "xx.", nil, false},
		{"without the words", old, update, "...", nil, false},
		{"the earlier lacks most of the question", old, update, "xxx", func(e, _ *retrieval.Stated, _ *retrieval.Subject) { e.Covers = []retrieval.Covered{1, 0, 0} }, false},
		{"both long", long + old, long + update, "xxx", nil, false},
		{"far behind", old, update, "xxx", func(_, l *retrieval.Stated, _ *retrieval.Subject) { l.Score = 0.1 }, false},
		{"without a score", old, update, "xxx", func(_, l *retrieval.Stated, _ *retrieval.Subject) { l.Score = 0 }, false},
		{"in a talk, in other words", old, reworded, "x.x", func(_, _ *retrieval.Stated, s *retrieval.Subject) { s.Cohesion = 1 }, false},
		{"it names what it replaces", "Kafka feeds the import", replaced, "x..", func(e, l *retrieval.Stated, _ *retrieval.Subject) {
			e.Covers, l.Score = []retrieval.Covered{1, 0, 1}, 0.5
		}, true},
		{"what it shares is usual", "Kafka feeds the import", replaced, "x..", func(e, l *retrieval.Stated, s *retrieval.Subject) {
			e.Covers, l.Score, s.Line = []retrieval.Covered{1, 0, 1}, 0.5, func(string) int { return 0 }
		}, false},
		{"flagged", long + old, long + update, "xxx", func(_, _ *retrieval.Stated, s *retrieval.Subject) { *s = subject(retrieval.Conflicted, asks...) }, true},
		{"flagged, without the words", old, update, "...", func(_, _ *retrieval.Stated, s *retrieval.Subject) { *s = subject(retrieval.Conflicted, asks...) }, false},
		{"flagged, with fewer words", old, update, "xx.", func(_, _ *retrieval.Stated, s *retrieval.Subject) { *s = subject(retrieval.Conflicted, asks...) }, false},
		{"judged to differ", old, update, "xxx", func(_, _ *retrieval.Stated, s *retrieval.Subject) { *s = subject(retrieval.Different, asks...) }, false},
		{"superseded", old, update, "xxx", func(_, l *retrieval.Stated, _ *retrieval.Subject) { l.Placed = true }, false},
		{"named", old, update, "xxx", func(e, _ *retrieval.Stated, _ *retrieval.Subject) { e.Named = 1 }, false},
		{"of another project", old, update, "xxx", func(_, l *retrieval.Stated, _ *retrieval.Subject) { l.Project = "other" }, false},
		{"vectors far apart", old, "Import queue: workers, 9 of them since March", "xxx", func(e, l *retrieval.Stated, _ *retrieval.Subject) {
			e.Vector, l.Vector = []float32{1, 0}, []float32{-1, 0}
		}, false},
	} {
		e, l, s := stated(lexicon, 1, 1, 1, "xxx", c.earlier), stated(lexicon, 2, 0.8, 2, c.has, c.later), subject(retrieval.Unknown, asks...)
		if c.change != nil {
			c.change(&e, &l, &s)
		}
		placed, over := retrieval.NewestFirst([]retrieval.Stated{e, l}, s)
		if moved := placed[0].Num == 2; moved != c.want || moved != (over[2] == 1) {
			t.Errorf("%s: moved %v, explained %v", c.name, moved, over)
		}
		if placed, over = retrieval.NewestFirst([]retrieval.Stated{l, e}, s); placed[0].Num != 2 || len(over) > 0 {
			t.Errorf("%s: the later was first, but now %v", c.name, over)
		}
	}
	three := []retrieval.Stated{stated(lexicon, 1, 1, 1, "xxx", old), stated(lexicon, 2, 0.9, 2, "xxx", update), stated(lexicon, 3, 0.8, 3, "xxx", "The import queue runs 20 workers")}
	if placed, _ := retrieval.NewestFirst(three, subject(retrieval.Unknown, asks...)); placed[0].Num != 3 || placed[1].Num != 2 {
		t.Errorf("of three the latest is not first: %v", placed)
	}
}

// The result has the same finds with falling scores. Those that move pass an earlier one whose words they have; the
// rest keep their order.
func TestNewestFirstKeepsPromises(t *testing.T) {
	t.Parallel()
	lexicon := retrieval.NewLexicon()
	texts := []string{"", "a1 b1 c1 d1", "a1 b1 c1 e1", "a1 b1", strings.Repeat("f1 g1 h1 i1 ", 9)}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 4).Draw(t, "words")
		finds := make([]retrieval.Stated, rapid.IntRange(0, 8).Draw(t, "finds"))
		score := 1.0
		for i := range finds {
			score *= rapid.Float64Range(0.3, 1).Draw(t, "less")
			has := rapid.StringOfN(rapid.SampledFrom([]rune("x.")), words, words, -1).Draw(t, "has")
			finds[i] = stated(lexicon, int64(i+1), score, rapid.IntRange(1, 4).Draw(t, "day"), has, rapid.SampledFrom(texts).Draw(t, "text"))
			finds[i].Named = rapid.IntRange(0, 1).Draw(t, "named")
			finds[i].Placed = rapid.IntRange(0, 9).Draw(t, "placed") == 0
		}
		known := retrieval.Likely(rapid.IntRange(0, 2).Draw(t, "known"))
		placed, over := retrieval.NewestFirst(finds, subject(known, []string{"a1", "b1", "c1", "d1"}[:words]...))
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
			if !slices.ContainsFunc(a.Covers, func(c retrieval.Covered) bool { return c > 0 }) {
				t.Fatalf("%v passed %v without a word of the question", a, b)
			}
		}
	})
}
