package retrieval_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// tied is a judged relation of full strength.
func tied(source int64, verb engram.Verb, target int64) engram.Relation {
	return engram.Relation{Source: source, Target: target, Verb: verb, Status: engram.RelationJudged, Strength: 1}
}

func found(scores ...float64) (all []engram.Ranked) {
	for i, s := range scores {
		all = append(all, engram.Ranked{Num: int64(i + 1), Score: s})
	}
	return all
}

func TestSpread(t *testing.T) {
	with := func(r engram.Relation, change func(*engram.Relation)) engram.Relation {
		change(&r)
		return r
	}
	related := tied(1, engram.VerbRelatesTo, 7)
	for _, tt := range []struct {
		name      string
		finds     []engram.Ranked
		relations []engram.Relation
		hops      int
		want      string
	}{
		{"nothing found", nil, []engram.Relation{related}, 1, ""},
		{"no relations", found(1), nil, 1, ""},
		{"no hops", found(1), []engram.Relation{related}, 0, ""},
		{"a hop costs half, and its verb", found(10), []engram.Relation{related}, 1, "7:4 1-relates_to->7"},
		{"a relation is followed from both ends", found(10), []engram.Relation{tied(7, engram.VerbRelatesTo, 1)}, 1, "7:4 1<-relates_to-7"},
		{"what supersedes a find counts more than what a find supersedes", found(10),
			[]engram.Relation{tied(1, engram.VerbSupersedes, 8), tied(9, engram.VerbSupersedes, 1)}, 1, "9:5 1<-supersedes-9, 8:1.5 1-supersedes->8"},
		{"a weak relation passes on less", found(10), []engram.Relation{with(related, func(r *engram.Relation) { r.Strength = 0.5 })}, 1, "7:2 1-relates_to->7"},
		{"one that waits for a verdict even less", found(10), []engram.Relation{with(related, func(r *engram.Relation) { r.Status = engram.RelationPending })}, 1, "7:1 1-relates_to->7"},
		{"a tie that nobody made leads nowhere", found(10), []engram.Relation{with(related, func(r *engram.Relation) { r.ActorKind = "system" })}, 1, ""},
		{"one that somebody confirmed does", found(10), []engram.Relation{with(related, func(r *engram.Relation) { r.ActorKind, r.Confidence = "system", 0.8 })}, 1, "7:4 1-relates_to->7"},
		{"another verb is not made by nearness", found(10), []engram.Relation{with(tied(1, engram.VerbDerivedFrom, 7), func(r *engram.Relation) { r.ActorKind = "system" })}, 1,
			"7:4.5 1-derived_from->7"},
		{"one that was set aside leads nowhere", found(10), []engram.Relation{with(related, func(r *engram.Relation) { r.Status = engram.RelationIgnored })}, 1, ""},
		{"nor does not_conflict", found(10), []engram.Relation{tied(1, engram.VerbNotConflict, 7)}, 1, ""},
		{"nor a verb that nobody knows", found(10), []engram.Relation{tied(1, "admires", 7)}, 1, ""},
		{"nor a strength that is no number", found(10), []engram.Relation{with(related, func(r *engram.Relation) { r.Strength = math.NaN() })}, 1, ""},
		{"a strength over 1 gives nothing for free", found(10), []engram.Relation{with(related, func(r *engram.Relation) { r.Strength = 1e9 })}, 1, "7:4 1-relates_to->7"},
		{"a second hop costs again", found(10), []engram.Relation{related, tied(7, engram.VerbRelatesTo, 8)}, 2, "7:4 1-relates_to->7, 8:1.6 1-relates_to->7 7-relates_to->8"},
		{"one hop does not go on", found(10), []engram.Relation{related, tied(7, engram.VerbRelatesTo, 8)}, 1, "7:4 1-relates_to->7"},
		{"the better of two ways counts, the longer one too", found(10),
			[]engram.Relation{with(tied(1, engram.VerbRelatesTo, 8), func(r *engram.Relation) { r.Strength = 0.1 }), related, tied(7, engram.VerbRelatesTo, 8)}, 2,
			"7:4 1-relates_to->7, 8:1.6 1-relates_to->7 7-relates_to->8"},
		{"the best find counts, not the sum", found(10, 8), []engram.Relation{tied(2, engram.VerbRelatesTo, 7), related}, 1, "7:4 1-relates_to->7"},
		{"of equal finds the first", found(10, 10), []engram.Relation{tied(2, engram.VerbRelatesTo, 7), related}, 1, "7:4 1-relates_to->7"},
		{"finds lead to one another", found(10, 8), []engram.Relation{tied(1, engram.VerbRelatesTo, 2)}, 1, "2:4 1-relates_to->2, 1:3.2 2<-relates_to-1"},
		{"a circle leads back to nobody", found(10), []engram.Relation{related, tied(7, engram.VerbRelatesTo, 1), tied(1, engram.VerbRelatesTo, 1)}, 5, "7:4 1-relates_to->7"},
		{"a find that is worth nothing leads nowhere", found(0, -1, math.NaN(), math.Inf(1)),
			[]engram.Relation{tied(1, engram.VerbRelatesTo, 7), tied(2, engram.VerbRelatesTo, 7), tied(3, engram.VerbRelatesTo, 7), tied(4, engram.VerbRelatesTo, 7)}, 2, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := retrieval.DefaultGraph()
			p.Hops = tt.hops
			if got := ways(retrieval.Spread(tt.finds, tt.relations, p)); got != tt.want {
				t.Errorf("Spread(%v, %v)\n got %s\nwant %s", tt.finds, tt.relations, got, tt.want)
			}
		})
	}
}

// ways writes down what was reached, and how.
func ways(reached []retrieval.Reached) (s string) {
	for i, r := range reached {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%d:%.4g", r.Num, r.Score)
		for _, step := range r.Path {
			if step.Against {
				s += fmt.Sprintf(" %d<-%s-%d", step.From, step.Verb, step.To)
			} else {
				s += fmt.Sprintf(" %d-%s->%d", step.From, step.Verb, step.To)
			}
		}
	}
	return s
}

// drawGraph draws a few finds and many relations among few memories, circles included.
func drawGraph(t *rapid.T) ([]engram.Ranked, []engram.Relation) {
	var finds []engram.Ranked
	for _, num := range rapid.SliceOfNDistinct(rapid.Int64Range(1, 8), 0, 5, rapid.ID).Draw(t, "found") {
		finds = append(finds, engram.Ranked{Num: num, Score: rapid.Float64Range(0, 10).Draw(t, "score")})
	}
	verbs := []engram.Verb{engram.VerbRelatesTo, engram.VerbSupersedes, engram.VerbCausedBy, engram.VerbNotConflict, "unheard of"}
	statuses := []engram.RelationStatus{engram.RelationJudged, engram.RelationPending, engram.RelationIgnored}
	relations := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) engram.Relation {
		return engram.Relation{Source: rapid.Int64Range(1, 8).Draw(t, "source"), Target: rapid.Int64Range(1, 8).Draw(t, "target"),
			Verb: rapid.SampledFrom(verbs).Draw(t, "verb"), Status: rapid.SampledFrom(statuses).Draw(t, "status"),
			Strength: rapid.Float64Range(-0.5, 1.5).Draw(t, "strength")}
	}), 0, 20).Draw(t, "relations")
	return finds, relations
}

func TestSpreadFindsTheBestWayOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		finds, relations := drawGraph(t)
		p := retrieval.DefaultGraph()
		p.Hops = rapid.IntRange(0, 3).Draw(t, "hops")

		// Every way there is, walked one after the other.
		best := map[int64]float64{}
		var follow func(find, at int64, score float64, hops int)
		follow = func(find, at int64, score float64, hops int) {
			if score > 0 && at != find {
				best[at] = max(best[at], score)
			}
			if hops == 0 {
				return
			}
			for _, r := range relations {
				one := retrieval.Spread([]engram.Ranked{{Num: at, Score: 1}}, []engram.Relation{r}, retrieval.GraphPolicy{Hops: 1, Hop: p.Hop, Pending: p.Pending, Verbs: p.Verbs})
				for _, next := range one {
					follow(find, next.Num, score*next.Score, hops-1)
				}
			}
		}
		for _, f := range finds {
			follow(f.Num, f.Num, f.Score, p.Hops)
		}

		got := retrieval.Spread(finds, relations, p)
		if len(got) != len(best) {
			t.Fatalf("reached %s, want %v", ways(got), best)
		}
		for i, r := range got {
			if math.Abs(r.Score-best[r.Num]) > 1e-12 {
				t.Errorf("#%d: got %v, want %v", r.Num, r.Score, best[r.Num])
			}
			if i > 0 && got[i-1].Score < r.Score {
				t.Errorf("not best first: %s", ways(got))
			}
			checkWay(t, r, finds, relations, p)
		}
	})
}

// checkWay fails unless the path leads from a find to the memory over relations that
// exist, and costs at least its hops.
func checkWay(t *rapid.T, r retrieval.Reached, finds []engram.Ranked, relations []engram.Relation, p retrieval.GraphPolicy) {
	if len(r.Path) == 0 || len(r.Path) > p.Hops || r.Path[len(r.Path)-1].To != r.Num {
		t.Fatalf("#%d by a way of %d steps within %d: %v", r.Num, len(r.Path), p.Hops, r.Path)
	}
	i := slices.IndexFunc(finds, func(f engram.Ranked) bool { return f.Num == r.Path[0].From })
	if i < 0 {
		t.Fatalf("#%d: the way begins at #%d, which was not found", r.Num, r.Path[0].From)
	}
	if most := finds[i].Score * math.Pow(p.Hop, float64(len(r.Path))); r.Score > most+1e-12 {
		t.Errorf("#%d: %v is more than the %v that is left of the find", r.Num, r.Score, most)
	}
	at := r.Path[0].From
	for _, s := range r.Path {
		source, target := s.From, s.To
		if s.Against {
			source, target = target, source
		}
		if s.From != at || !slices.ContainsFunc(relations, func(r engram.Relation) bool {
			return r.Source == source && r.Target == target && r.Verb == s.Verb
		}) {
			t.Fatalf("#%d: no relation for step %+v of %v", r.Num, s, r.Path)
		}
		at = s.To
	}
}

func TestSpreadOneHopAtATimeSeesWhatItNeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		finds, relations := drawGraph(t)
		p := retrieval.DefaultGraph()
		p.Hops = rapid.IntRange(1, 3).Draw(t, "hops")
		// As the engine asks a store: the relations of what the last hop led to.
		seen, edge, known := map[int64]bool{}, []int64{}, map[int]bool{}
		for _, f := range finds {
			seen[f.Num] = true
			edge = append(edge, f.Num)
		}
		var read []engram.Relation
		for range p.Hops {
			for i, r := range relations {
				if !known[i] && (slices.Contains(edge, r.Source) || slices.Contains(edge, r.Target)) {
					known[i] = true
					read = append(read, r)
				}
			}
			edge = retrieval.Ahead(seen, read, p)
			for _, num := range edge {
				seen[num] = true
			}
		}
		got, want := scores(retrieval.Spread(finds, read, p)), scores(retrieval.Spread(finds, relations, p))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("finds %v, relations %+v\n got %v\nwant %v", finds, relations, got, want)
		}
	})
}

func scores(reached []retrieval.Reached) map[int64]float64 {
	m := map[int64]float64{}
	for _, r := range reached {
		m[r.Num] = r.Score
	}
	return m
}

func BenchmarkSpread(b *testing.B) {
	finds := found(slices.Repeat([]float64{1}, 50)...)
	var relations []engram.Relation
	for i := range int64(500) {
		relations = append(relations, tied(i%300+1, engram.VerbRelatesTo, i*7%300+1))
	}
	p := retrieval.DefaultGraph()
	p.Hops = 2
	for b.Loop() {
		retrieval.Spread(finds, relations, p)
	}
}
