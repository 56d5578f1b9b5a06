package contradiction_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/contradiction"
)

// tally counts how the rule judged pairs.
type tally struct{ right, wrong, missed, kind int }

func (s *tally) add(p pair, d contradiction.Difference, found bool) {
	switch {
	case found && p.contradicts:
		s.right++
		if string(d.Kind) == p.kind {
			s.kind++
		}
	case found:
		s.wrong++
	case p.contradicts:
		s.missed++
	}
}

func (s tally) precision() float64 { return float64(s.right) / float64(max(1, s.right+s.wrong)) }
func (s tally) recall() float64    { return float64(s.right) / float64(max(1, s.right+s.missed)) }
func (s tally) kinds() float64     { return float64(s.kind) / float64(max(1, s.right)) }

// TestFigures measures the rule on the labelled pairs; -v shows the figures. The floors
// lie a little under what was measured when they were set.
func TestFigures(t *testing.T) {
	half := func(heldOut bool) func(pair) bool { return func(p pair) bool { return p.heldOut == heldOut } }
	all := func(pair) bool { return true }
	for _, tt := range []struct {
		name, file        string
		of                func(pair) bool
		model             bool
		precision, recall float64
	}{
		{"one half, words alone", "pairs.tsv", half(false), false, 0.96, 0.91},
		{"one half, with the model", "pairs.tsv", half(false), true, 0.96, 0.90},
		{"the other half, words alone", "pairs.tsv", half(true), false, 0.96, 0.93},
		{"the other half, with the model", "pairs.tsv", half(true), true, 0.96, 0.92},
		{"both halves, words alone", "pairs.tsv", all, false, 0.97, 0.93},
		{"both halves, with the model", "pairs.tsv", all, true, 0.97, 0.92},
		{"written afterwards, words alone", "fresh.tsv", all, false, 0.94, 0.94},
		{"written afterwards, with the model", "fresh.tsv", all, true, 0.94, 0.94},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s tally
			n := 0
			for _, p := range withNearness(t, pairs(t, tt.file)) {
				if !tt.of(p) {
					continue
				}
				n++
				if !tt.model {
					p.near = contradiction.Nearness{}
				}
				d, found := contradiction.Between(p.a, p.b, p.near)
				s.add(p, d, found)
			}
			t.Logf("%d pairs: precision %.3f, recall %.3f, the right kind %.3f", n, s.precision(), s.recall(), s.kinds())
			if s.precision() < tt.precision || s.recall() < tt.recall {
				t.Errorf("%d pairs: %+v\n got precision %.3f, recall %.3f\nwant at least %.2f, %.2f",
					n, s, s.precision(), s.recall(), tt.precision, tt.recall)
			}
			if s.kinds() < 0.9 {
				t.Errorf("the kind is right for %.3f of what is found; want .9", s.kinds())
			}
		})
	}
}

func TestThePairsAreEnough(t *testing.T) {
	count := map[string]int{}
	for _, p := range pairs(t, "pairs.tsv") {
		if p.contradicts {
			count["contradicts"]++
		} else {
			count["not"]++
		}
		count[p.kind]++
	}
	for kind, least := range map[string]int{"contradicts": 110, "not": 110, "negation": 20, "number": 20, "name": 20, "verdict": 20,
		"lookalike": 20, "event": 20, "scope": 20, "elaboration": 20, "paraphrase": 20} {
		if count[kind] < least {
			t.Errorf("%d pairs of %s; want %d", count[kind], kind, least)
		}
	}
}
