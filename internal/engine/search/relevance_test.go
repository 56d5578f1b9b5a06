package search_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// factor returns a factor of a hit's score by name; NaN if missing.
func factor(h engram.Hit, name string) float64 {
	for _, f := range slices.Backward(h.Why.Factors) {
		if f.Name == name {
			return f.Value
		}
	}
	return math.NaN()
}

// outage saves the same finding twice, once long ago, and returns both.
func outage(w enginetest.World) (faded, fresh int64) {
	w.Clock.Add(-200 * enginetest.Day)
	faded = w.Note("Queue outage", "The mail queue stopped because the disk was full of rotated logs.")
	w.Clock.Add(200 * enginetest.Day)
	fresh = w.Note("Mail queue", "The queue stopped again: rotated logs had filled the disk of the mail host.")
	w.Note("Lunch", "The canteen closes at two on Fridays.")
	return faded, fresh
}

func TestASearchByStrengthPrefersWhatIsStillStrong(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	faded, fresh := outage(w)
	const question = "queue outage disk rotated logs"
	enginetest.Same(t, "by what answers best", enginetest.HitNums(w.MustSearch(search.SearchInput{Query: question}).Hits), []int64{faded, fresh})
	found := w.MustSearch(search.SearchInput{Query: question, ByStrength: true})
	enginetest.Same(t, "by strength", enginetest.HitNums(found.Hits), []int64{fresh, faded})
	for _, h := range found.Hits {
		likeness, strength := factor(h, "likeness"), factor(h, "strength now")
		if h.Relevance != likeness*strength || h.Score != h.Relevance || likeness > factor(h, "relevance") {
			t.Errorf("#%d: relevance %v, score %v, want likeness %v × strength %v", h.Memory.Num, h.Relevance, h.Score, likeness, strength)
		}
		if want := w.MustDecay(consolidate.DecayInput{Refs: []engram.Ref{engram.ByNum(h.Memory.Num)}}).Memories[0].Now; math.Abs(strength-want) > 1e-6 || h.Strength != strength {
			t.Errorf("#%d: strength now is told as %v, decay tells %v", h.Memory.Num, strength, want)
		}
	}
	if h := w.MustSearch(search.SearchInput{Query: question}).Hits[0]; h.Relevance != 0 {
		t.Errorf("relevance without having been asked for: %v", h.Relevance)
	}
	between := (factor(found.Hits[0], "likeness") + factor(found.Hits[1], "likeness")) / 2
	enginetest.Same(t, "of so much likeness: fading hides nothing", enginetest.HitNums(w.MustSearch(search.SearchInput{Query: question, ByStrength: true, MinLikeness: between}).Hits), []int64{faded})
	enginetest.Same(t, "only one", enginetest.HitNums(w.MustSearch(search.SearchInput{Query: question, ByStrength: true, Limit: 1}).Hits), []int64{fresh})
}

func TestRelevanceOfWhatWasNotFoundByItsText(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	faded, fresh := outage(w)
	w.Relate(faded, engram.VerbSupersedes, fresh, engram.RelationJudged)
	found := w.MustSearch(search.SearchInput{Query: "mail host rotated logs again", ByStrength: true, Filter: engram.Filter{Current: true}})
	enginetest.Same(t, "what stands in the place of the find", enginetest.HitNums(found.Hits), []int64{faded})

	keyed := w.MustSave(remember.SaveInput{Title: "Session store", Content: "Sessions live in Redis.", TopicKey: "architecture/sessions", Project: "demo"}).Memory.Num
	hit := w.MustSearch(search.SearchInput{Query: "architecture/sessions", ByStrength: true}).Hits[0]
	if hit.Memory.Num != keyed || factor(hit, "likeness") != 1 || hit.Relevance != factor(hit, "strength now") {
		t.Errorf("a topic key as the question: got %+v", hit)
	}
	all := w.MustSearch(search.SearchInput{ByStrength: true})
	enginetest.Same(t, "no question: newest first", enginetest.HitNums(all.Hits), w.MustList(engram.Filter{}))
	for _, h := range all.Hits {
		if h.Relevance <= 0 || h.Relevance != factor(h, "strength now") {
			t.Errorf("#%d is listed: relevance %v, want its strength %v", h.Memory.Num, h.Relevance, factor(h, "strength now"))
		}
	}
	enginetest.Same(t, "listed is as like as can be", enginetest.HitNums(w.MustSearch(search.SearchInput{ByStrength: true, MinLikeness: 1}).Hits), enginetest.HitNums(all.Hits))
	strong := w.MustSearch(search.SearchInput{ByStrength: true, Filter: engram.Filter{MinStrength: 0.5}}).Hits
	if slices.Contains(enginetest.HitNums(strong), faded) || len(strong) != len(all.Hits)-1 {
		t.Errorf("listed from a strength of 0.5: got %v, want all but #%d", enginetest.HitNums(strong), faded)
	}
}

func TestSearchesThatCannotBeByStrength(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for name, in := range map[string]search.SearchInput{
		"a reranker orders":            {ByStrength: true, Rerank: true},
		"a time past":                  {ByStrength: true, AsOf: enginetest.Start().Add(-time.Hour)},
		"a likeness above 1":           {ByStrength: true, MinLikeness: 1.1},
		"a likeness below 0":           {ByStrength: true, MinLikeness: -0.1},
		"a likeness that is no number": {ByStrength: true, MinLikeness: math.NaN()},
		"a likeness without strength":  {MinLikeness: 0.3},
	} {
		if _, err := w.Search(t.Context(), in); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
}

func TestASearchSaysWhenMeaningCouldNotAnswer(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	outage(w)
	deaf := engine.New(engine.Options{Store: w.Store, Now: w.Clock.Now, NewID: enginetest.IDs()})
	for _, tt := range []struct {
		name   string
		engine *engine.Engine
		in     search.SearchInput
		want   bool
	}{
		{"a model that answers", w.Engine, search.SearchInput{Query: "queue"}, false},
		{"no model", deaf, search.SearchInput{Query: "queue"}, true},
		{"no model and nobody asked it", deaf, search.SearchInput{Query: "queue", Mode: search.ModeLexical}, false},
		{"no question", deaf, search.SearchInput{}, false},
		{"nothing passes the filter", w.Engine, search.SearchInput{Query: "queue", Filter: engram.Filter{Types: []engram.Type{"bugfix"}}}, false},
	} {
		found, err := tt.engine.Search(t.Context(), tt.in)
		if err != nil || found.WordsAlone != tt.want {
			t.Errorf("%s: words alone is %v, error %v, want %v", tt.name, found.WordsAlone, err, tt.want)
		}
	}
}

func TestMemoriesThatAreGivenWholeCountAsAccessed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	_, fresh := outage(w)
	ask := func(session string) engram.Found {
		w.Clock.Add(2 * time.Hour)
		found, err := w.SearchWhole(t.Context(), session, search.SearchInput{Query: "mail host rotated logs", ByStrength: true, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Same(t, "found", enginetest.HitNums(found.Hits), []int64{fresh})
		return found
	}
	if before := ask("").Hits[0].Memory.AccessCount; before != 0 {
		t.Errorf("the first answer tells %d accesses, want those before it", before)
	}
	first := ask("").Hits[0].Strength
	if got := w.MustGet(fresh).Memory.AccessCount; got != 2 || ask("").Hits[0].Strength <= first {
		t.Errorf("asked twice: %d accesses, want 2 and a memory that is stronger for them", got)
	}
	if degraded := ask("nobody").Degraded; len(degraded) != 1 {
		t.Errorf("a session that does not exist: %q", degraded)
	}
}

// For any store and question: relevance falls from hit to hit, is the product of the reported factors, does not
// depend on the limit, and respects the least likeness, except that the best three are shown as uncertain.
func TestRelevanceOrdersEverySearchByStrength(t *testing.T) {
	t.Parallel()
	words := []string{"queue", "disk", "mail", "token", "cache", "deploy", "login", "index"}
	w, n := enginetest.NewWorld(t).Unlinked(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++ // a project of its own: one that is drawn twice has more memories than the search may find
		project := fmt.Sprintf("p%d", n)
		sentence := rapid.SliceOfN(rapid.SampledFrom(words), 2, 6)
		for i := range rapid.IntRange(1, 12).Draw(rt, "memories") {
			days := rapid.IntRange(0, 300).Draw(rt, "days")
			w.Clock.Add(-time.Duration(days) * enginetest.Day)
			_, err := w.Save(t.Context(), remember.SaveInput{Title: fmt.Sprint("Note ", i), Content: fmt.Sprint(sentence.Draw(rt, "content")), Project: project})
			w.Clock.Add(time.Duration(days) * enginetest.Day)
			if err != nil {
				rt.Fatal(err)
			}
		}
		in := search.SearchInput{Query: fmt.Sprint(sentence.Draw(rt, "question")), ByStrength: true, Limit: 20, Filter: engram.Filter{Project: project}}
		all, err := w.Search(t.Context(), in)
		if err != nil {
			rt.Fatal(err)
		}
		last := 1.0
		for _, h := range all.Hits {
			if h.Relevance > last || h.Relevance < 0 || h.Relevance != factor(h, "likeness")*factor(h, "strength now") {
				rt.Fatalf("%q: #%d has relevance %v behind %v, of %v", in.Query, h.Memory.Num, h.Relevance, last, h.Why.Factors)
			}
			last = h.Relevance
		}
		in.MinLikeness = rapid.Float64Range(0, 1).Draw(rt, "least")
		in.Limit = rapid.IntRange(1, 20).Draw(rt, "limit")
		some, err := w.Search(t.Context(), in)
		if err != nil {
			rt.Fatal(err)
		}
		var want []int64
		for _, h := range all.Hits {
			if factor(h, "likeness") >= in.MinLikeness && len(want) < in.Limit {
				want = append(want, h.Memory.Num)
			}
		}
		uncertain := len(want) == 0 && len(all.Hits) > 0
		if uncertain {
			want = enginetest.HitNums(all.Hits)[:min(len(all.Hits), in.Limit, 3)]
		}
		if some.Uncertain != (uncertain || all.Uncertain) {
			rt.Fatalf("%q from %v: uncertain is %v", in.Query, in.MinLikeness, some.Uncertain)
		}
		if got := enginetest.HitNums(some.Hits); !slices.Equal(got, want) {
			rt.Fatalf("%q from %v, at most %d: got %v, want %v of %v", in.Query, in.MinLikeness, in.Limit, got, want, enginetest.HitNums(all.Hits))
		}
	})
}
