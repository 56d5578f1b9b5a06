package search_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// For any question: each memory is found at most once, in falling order, within the limit, and explains by
// which channel, relation or session neighbour it was found.
func TestEveryAnswerIsInOrder(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	w.Relate(num["nplus"], engram.VerbSupersedes, num["pool"], engram.RelationJudged)
	w.Relate(num["deploy"], engram.VerbSupersedes, num["nplus"], engram.RelationJudged)
	w.Relate(num["other"], engram.VerbCausedBy, num["cpp"], engram.RelationJudged)
	w.Relate(num["jwt"], engram.VerbContradicts, num["other"], engram.RelationPending)
	words := rapid.SampledFrom([]string{"pool", "jwt", "mailer", "exhuastion", "connection", "parser", "the", "yesterday", "before the deploys",
		"architecture/auth-model", "数据库", "query", "physician", "zeppelin", "E0499", "sessions", "last week", "gateway"})
	rapid.Check(t, func(rt *rapid.T) {
		hops := rapid.IntRange(0, search.MaxHops).Draw(rt, "hops")
		in := search.SearchInput{
			Query:  strings.Join(rapid.SliceOfN(words, 1, 6).Draw(rt, "words"), " "),
			Mode:   rapid.SampledFrom([]search.Mode{search.ModeHybrid, search.ModeSemantic, search.ModeLexical}).Draw(rt, "mode"),
			Fusion: rapid.SampledFrom([]engram.Fusion{"", engram.FusionScore, engram.FusionRank}).Draw(rt, "fusion"),
			All:    rapid.Bool().Draw(rt, "all"), Hops: &hops, Limit: rapid.IntRange(1, 10).Draw(rt, "limit"),
		}
		found, err := w.Search(t.Context(), in)
		if err != nil {
			rt.Fatalf("%+v: %v", in, err)
		}
		hits, weak := found.InOrder()
		if len(hits) > in.Limit || len(weak) != len(hits) {
			rt.Fatalf("%+v: %d finds for a limit of %d", in, len(hits), in.Limit)
		}
		place := map[int64]int{}
		for i, h := range hits {
			if _, twice := place[h.Memory.Num]; twice {
				rt.Fatalf("%+v: #%d is told twice in %v", in, h.Memory.Num, enginetest.HitNums(hits))
			}
			place[h.Memory.Num] = i
			if i > 0 && !(h.Score <= hits[i-1].Score) {
				rt.Fatalf("%+v: #%d scores %v behind one of %v", in, h.Memory.Num, h.Score, hits[i-1].Score)
			}
			lent := slices.ContainsFunc(h.Why.Factors, func(f engram.Factor) bool { return strings.HasPrefix(f.Name, "+ ") })
			if len(h.Why.Channels)+len(h.Why.Notes) == 0 && !lent {
				rt.Fatalf("%+v: nothing says why #%d was found", in, h.Memory.Num)
			}
		}
		for newer, old := range map[string]string{"nplus": "pool", "deploy": "nplus"} {
			at, shown := place[num[old]]
			if by, there := place[num[newer]]; shown && (!there || by > at) {
				rt.Fatalf("%+v: %s #%d is not before %s #%d, which it supersedes: %v", in, newer, num[newer], old, num[old], enginetest.HitNums(hits))
			}
		}
	})
}
