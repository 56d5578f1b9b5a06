package relate_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// For any verdicts, relations and undos: a pair has at most one judgment, and no memory supersedes itself
// through others.
func TestJudgmentsStayOneForAPairAndWithoutRings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := enginetest.World{TB: t, Parts: enginetest.NewPartsIn(t, t.TempDir())}
		const memories = 4
		for _, word := range []string{"pie", "granite", "violin", "harbour"} {
			w.Note(word, word)
		}
		num := rapid.Int64Range(1, memories)
		verb := rapid.SampledFrom(relate.Verdicts())
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			a, b := num.Draw(rt, "a"), num.Draw(rt, "b")
			var err error
			switch rapid.SampledFrom([]string{"compare", "judge", "link", "undo"}).Draw(rt, "verb of the engine") {
			case "compare":
				_, err = w.Compare(t.Context(), relate.CompareInput{A: engram.ByNum(a), B: engram.ByNum(b), Verb: verb.Draw(rt, "verdict"), Confidence: 0.5})
			case "judge":
				_, err = w.Judge(t.Context(), relate.JudgeInput{Ref: engram.RelationRef{Num: a}, Verb: verb.Draw(rt, "verdict"), Reverse: rapid.Bool().Draw(rt, "reverse")})
			case "link":
				_, err = w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(a), Target: engram.ByNum(b), Verb: verb.Draw(rt, "verdict")})
			case "undo":
				_, err = w.Undo(t.Context(), undo.UndoInput{Project: "demo"})
			}
			switch engram.CodeOf(err) {
			case "", engram.CodeInvalid, engram.CodeConflict, engram.CodeNotFound:
			default:
				rt.Fatalf("#%d and #%d: %v", a, b, err)
			}
			judgedWell(w, rt, memories)
		}
	})
}

// judgedWell fails on a pair with two judgments or a cycle of superseding memories.
func judgedWell(w enginetest.World, t enginetest.Failer, memories int64) {
	t.Helper()
	var all []engram.Relation
	for n := range memories {
		all = append(all, w.Live(n+1)...)
	}
	pairs, newer := map[[2]int64]int64{}, map[int64][]int64{}
	for _, r := range all {
		pair := [2]int64{min(r.Source, r.Target), max(r.Source, r.Target)}
		if r.Judgment() {
			if other, judged := pairs[pair]; judged && other != r.Num {
				t.Fatalf("#%d and #%d have two judgments: %+v", pair[0], pair[1], all)
			}
			pairs[pair] = r.Num
		}
		if r.Supersedes() && !slices.Contains(newer[r.Target], r.Source) {
			newer[r.Target] = append(newer[r.Target], r.Source)
		}
	}
	for start := range newer {
		for next, steps := newer[start], 0; len(next) > 0; steps++ {
			if slices.Contains(next, start) || steps > int(memories) {
				t.Fatalf("#%d supersedes itself: %+v", start, all)
			}
			var further []int64
			for _, n := range next {
				further = append(further, newer[n]...)
			}
			next = further
		}
	}
}
