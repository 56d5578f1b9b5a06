package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// annotations returns the relations beside a hit, in order.
func annotations(h engram.Hit) string {
	var words []string
	for _, n := range h.Relations {
		s := fmt.Sprintf("%s #%d", n.Relation.Verb, n.Other.Num)
		if !n.Outgoing {
			s = fmt.Sprintf("%s by #%d", n.Relation.Verb, n.Other.Num)
		}
		if n.Via != 0 {
			s += fmt.Sprintf(" via #%d", n.Via)
		}
		words = append(words, s)
	}
	return strings.Join(words, ", ")
}

func current(query string) search.SearchInput {
	return search.SearchInput{Query: query, Filter: engram.Filter{Project: "demo", Current: true}}
}

// tokens saves a chain of three, of which only the oldest has the words "token lifetime".
func tokens(w enginetest.World) (oldest, old, young int64) {
	oldest = w.Note("Token lifetime", "The token lifetime is an hour.")
	old = w.Note("Sessions are shorter", "Half of it since the audit.")
	young = w.Note("Quarter of an hour", "Security asked for fifteen minutes.")
	w.MustLink(old, engram.VerbSupersedes, oldest)
	w.MustLink(young, engram.VerbSupersedes, old)
	return oldest, old, young
}

func TestWhatIsSupersededIsHidden(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	oldest, old, young := tokens(w)
	found := w.MustSearch(current("token lifetime"))
	if got := enginetest.HitNums(found.Hits); !slices.Equal(got, []int64{young}) {
		t.Fatalf("got %v (weak %v), want #%d alone, which stands for what was found", got, enginetest.HitNums(found.BelowThreshold), young)
	}
	h := found.Hits[0]
	if got, want := annotations(h), fmt.Sprintf("supersedes #%d, supersedes #%d via #%d", old, oldest, old); got != want {
		t.Errorf("the hit names %q, want the chain %q", got, want)
	}
	if want := fmt.Sprintf("stands for #%d, which it supersedes", old); !slices.Contains(h.Why.Notes, want) {
		t.Errorf("the notes %q lack %q", h.Why.Notes, want)
	}
	enginetest.Same(t, "with what is superseded", w.MustFind("token lifetime"), []int64{young, old, oldest})
	enginetest.Same(t, "the list", w.MustList(engram.Filter{Project: "demo", Current: true}), []int64{young})
	enginetest.Same(t, "the newest", enginetest.HitNums(w.MustSearch(current("")).Hits), []int64{young})
	if d := w.MustGet(oldest); len(d.Relations) != 1 || d.Relations[0].Outgoing || d.Relations[0].Other.Num != old {
		t.Errorf("get #%d has the relations %+v, want by what it is superseded", oldest, d.Relations)
	}
	w.MustUnlink(young, old, "")
	enginetest.Same(t, "when the youngest is unlinked", enginetest.HitNums(w.MustSearch(current("token lifetime")).Hits), []int64{old})
	if _, err := w.Forget(t.Context(), engram.ByNum(old)); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "when what stood in its place is forgotten", enginetest.HitNums(w.MustSearch(current("token lifetime")).Hits), []int64{oldest})
}

func TestWhatDoesNotPassHidesNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.MustSave(remember.SaveInput{Title: "Token lifetime", Content: "The token lifetime is an hour.", Type: engram.TypeDecision, Project: "demo"}).Memory.Num
	young := w.Note("Token lifetime now", "The token lifetime is fifteen minutes.")
	w.MustLink(young, engram.VerbSupersedes, old)
	in := current("token lifetime")
	enginetest.Same(t, "of every type", enginetest.HitNums(w.MustSearch(in).Hits), []int64{young})
	in.Filter.Types = []engram.Type{engram.TypeDecision}
	enginetest.Same(t, "of decisions, among which the newer is not", enginetest.HitNums(w.MustSearch(in).Hits), []int64{old})
}

func TestWhatIsHiddenTakesNoPlace(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	var want []int64
	for i := range 6 {
		old := w.Note(fmt.Sprintf("Gateway %d", i), fmt.Sprintf("The gateway retries %d times.", i))
		young := w.Note(fmt.Sprintf("Gateway %d again", i), fmt.Sprintf("The gateway retries %d times and waits.", i+10))
		w.MustLink(young, engram.VerbSupersedes, old)
		want = append(want, young)
	}
	in := current("gateway retries")
	in.Limit = 6
	got := enginetest.HitNums(w.MustSearch(in).Hits)
	slices.Sort(got)
	enginetest.Same(t, "with a limit of six", got, want)
}

func TestATopicThatIsSupersededLeadsToWhatStandsInItsPlace(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.MustSave(remember.SaveInput{Title: "Auth", Content: "JWT, an hour.", TopicKey: "architecture/auth", Project: "demo"}).Memory.Num
	young := w.Note("Sessions", "Cookies on the server.")
	w.MustLink(young, engram.VerbSupersedes, old)
	found := w.MustSearch(current("architecture/auth"))
	if len(found.Hits) != 1 || found.Hits[0].Memory.Num != young || !slices.Contains(found.Hits[0].Why.Notes, fmt.Sprintf("stands for #%d, which was named", old)) {
		t.Errorf("got %+v, want #%d and why", found.Hits, young)
	}
	enginetest.Same(t, "with what is superseded", w.MustFind("architecture/auth")[:1], []int64{old})
}

func TestContradictionsAreMarkedOnBoth(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b := w.Note("Cache keys", "Cache keys have the user in them."), w.Note("Cache keys too", "Cache keys are of the tenant alone.")
	w.MustLink(a, engram.VerbContradicts, b)
	marks := map[int64]string{}
	for _, h := range w.MustSearch(current("cache keys")).Hits {
		marks[h.Memory.Num] = annotations(h)
	}
	if marks[a] != fmt.Sprintf("contradicts #%d", b) || marks[b] != fmt.Sprintf("contradicts by #%d", a) {
		t.Errorf("got %v, want each marked with the other", marks)
	}
}

func TestAContextTellsWhatStandsInThePlace(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.MustSave(remember.SaveInput{Title: "Old rule", Content: "Deploy on Fridays.", Project: "demo", Permanent: true}).Memory.Num
	weight := 0.69 // just too little for it to be told for its importance, whatever is new
	young := w.MustSave(remember.SaveInput{Title: "New rule", Content: "Never deploy on Fridays.", Project: "demo", Importance: &weight}).Memory.Num
	w.MustLink(young, engram.VerbSupersedes, old)
	told := func(superseded bool) []int64 {
		t.Helper()
		c, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: "demo", Superseded: superseded})
		if err != nil {
			t.Fatal(err)
		}
		return enginetest.Nums(c.Memories)
	}
	enginetest.Same(t, "context", told(false), []int64{young})
	enginetest.Same(t, "context with what is superseded", told(true), []int64{young, old})
	for i := range 120 { // the newer one is not among the newest any more
		w.Note(fmt.Sprint("filler ", i), fmt.Sprint("filler number ", i))
	}
	if got := told(false); !slices.Contains(got, young) || slices.Contains(got, old) {
		t.Errorf("behind many others: got %v, want #%d in the place of #%d", got, young, old)
	}
	if got := told(true); !slices.Contains(got, old) {
		t.Errorf("with what is superseded: got %v, want #%d", got, old)
	}
}

func TestThePastHidesWhatWasSupersededThen(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old, young := w.Note("Token lifetime", "The token lifetime is an hour."), w.Note("Audit", "Fifteen minutes from now on.")
	before := w.Now()
	w.MustLink(young, engram.VerbSupersedes, old)
	during := w.Now()
	w.MustUnlink(young, old, "")
	for _, tt := range []struct {
		name string
		in   search.SearchInput
		want []int64
	}{
		{"before it was superseded", search.SearchInput{Query: "token lifetime", AsOf: before}, []int64{old}},
		{"while it was", search.SearchInput{Query: "token lifetime", AsOf: during}, []int64{young}},
		{"the newest before", search.SearchInput{AsOf: before}, []int64{young, old}},
		{"the newest while it was", search.SearchInput{AsOf: during}, []int64{young}},
		{"now", search.SearchInput{Query: "token lifetime"}, []int64{old}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Filter = engram.Filter{Project: "demo", Current: true}
			enginetest.Same(t, tt.name, enginetest.HitNums(w.In(t).MustSearch(tt.in).Hits), tt.want)
		})
	}
}

// For any acyclic verdicts, Current finds the successors of what is found without it, loses nothing and shows
// nothing superseded.
func TestWhatIsFoundIsCurrentAndNothingIsLost(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	const memories = 8
	for i := range memories {
		w.Note(fmt.Sprint("gateway ", i), fmt.Sprintf("The gateway of region %d retries %d times.", i*7, i*11))
	}
	rapid.Check(t, func(rt *rapid.T) {
		over := map[int64]int64{} // what supersedes a memory
		for range rapid.IntRange(0, 6).Draw(rt, "verdicts") {
			a, b := rapid.Int64Range(1, memories).Draw(rt, "newer"), rapid.Int64Range(1, memories).Draw(rt, "older")
			if a <= b || over[b] != 0 {
				continue
			}
			over[b] = a
			w.MustLink(a, engram.VerbSupersedes, b)
		}
		defer func() {
			for b, a := range over {
				w.MustUnlink(a, b, "")
			}
		}()
		limit := rapid.IntRange(1, memories).Draw(rt, "limit")
		in := current("gateway retries")
		in.Limit = limit
		shown := ordered(w.MustSearch(in))
		for _, num := range shown {
			if over[num] != 0 {
				rt.Errorf("#%d is shown and superseded by #%d: %v of %v", num, over[num], shown, over)
			}
		}
		if want := min(limit, memories-len(over)); len(shown) != want {
			rt.Errorf("limit %d, %d superseded: %v are shown, want %d", limit, len(over), shown, want)
		}
	})
}

// ordered returns all finds, relevant or not, best first.
func ordered(f engram.Found) []int64 {
	hits, _ := f.InOrder()
	return enginetest.HitNums(hits)
}
