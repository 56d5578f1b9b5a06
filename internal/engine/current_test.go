package engine_test

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
func (w world) tokens() (oldest, old, young int64) {
	oldest = w.note("Token lifetime", "The token lifetime is an hour.")
	old = w.note("Sessions are shorter", "Half of it since the audit.")
	young = w.note("Quarter of an hour", "Security asked for fifteen minutes.")
	w.link(old, engram.VerbSupersedes, oldest)
	w.link(young, engram.VerbSupersedes, old)
	return oldest, old, young
}

func TestWhatIsSupersededIsHidden(t *testing.T) {
	w := newWorld(t)
	oldest, old, young := w.tokens()
	found := w.search(current("token lifetime"))
	if got := hitNums(found.Hits); !slices.Equal(got, []int64{young}) {
		t.Fatalf("got %v (weak %v), want #%d alone, which stands for what was found", got, hitNums(found.BelowThreshold), young)
	}
	h := found.Hits[0]
	if got, want := annotations(h), fmt.Sprintf("supersedes #%d, supersedes #%d via #%d", old, oldest, old); got != want {
		t.Errorf("the hit names %q, want the chain %q", got, want)
	}
	if want := fmt.Sprintf("stands for #%d, which it supersedes", old); !slices.Contains(h.Why.Notes, want) {
		t.Errorf("the notes %q lack %q", h.Why.Notes, want)
	}
	same(t, "with what is superseded", w.find("token lifetime"), []int64{young, old, oldest})
	same(t, "the list", w.list(engram.Filter{Project: "demo", Current: true}), []int64{young})
	same(t, "the newest", hitNums(w.search(current("")).Hits), []int64{young})
	if d := w.get(oldest); len(d.Relations) != 1 || d.Relations[0].Outgoing || d.Relations[0].Other.Num != old {
		t.Errorf("get #%d has the relations %+v, want by what it is superseded", oldest, d.Relations)
	}
	w.unlink(young, old, "")
	same(t, "when the youngest is unlinked", hitNums(w.search(current("token lifetime")).Hits), []int64{old})
	if _, err := w.Forget(t.Context(), engram.ByNum(old)); err != nil {
		t.Fatal(err)
	}
	same(t, "when what stood in its place is forgotten", hitNums(w.search(current("token lifetime")).Hits), []int64{oldest})
}

func TestWhatDoesNotPassHidesNothing(t *testing.T) {
	w := newWorld(t)
	old := w.save(remember.SaveInput{Title: "Token lifetime", Content: "The token lifetime is an hour.", Type: engram.TypeDecision, Project: "demo"}).Memory.Num
	young := w.note("Token lifetime now", "The token lifetime is fifteen minutes.")
	w.link(young, engram.VerbSupersedes, old)
	in := current("token lifetime")
	same(t, "of every type", hitNums(w.search(in).Hits), []int64{young})
	in.Filter.Types = []engram.Type{engram.TypeDecision}
	same(t, "of decisions, among which the newer is not", hitNums(w.search(in).Hits), []int64{old})
}

func TestWhatIsHiddenTakesNoPlace(t *testing.T) {
	w := newWorld(t)
	var want []int64
	for i := range 6 {
		old := w.note(fmt.Sprintf("Gateway %d", i), fmt.Sprintf("The gateway retries %d times.", i))
		young := w.note(fmt.Sprintf("Gateway %d again", i), fmt.Sprintf("The gateway retries %d times and waits.", i+10))
		w.link(young, engram.VerbSupersedes, old)
		want = append(want, young)
	}
	in := current("gateway retries")
	in.Limit = 6
	got := hitNums(w.search(in).Hits)
	slices.Sort(got)
	same(t, "with a limit of six", got, want)
}

func TestATopicThatIsSupersededLeadsToWhatStandsInItsPlace(t *testing.T) {
	w := newWorld(t)
	old := w.save(remember.SaveInput{Title: "Auth", Content: "JWT, an hour.", TopicKey: "architecture/auth", Project: "demo"}).Memory.Num
	young := w.note("Sessions", "Cookies on the server.")
	w.link(young, engram.VerbSupersedes, old)
	found := w.search(current("architecture/auth"))
	if len(found.Hits) != 1 || found.Hits[0].Memory.Num != young || !slices.Contains(found.Hits[0].Why.Notes, fmt.Sprintf("stands for #%d, which was named", old)) {
		t.Errorf("got %+v, want #%d and why", found.Hits, young)
	}
	same(t, "with what is superseded", w.find("architecture/auth")[:1], []int64{old})
}

func TestContradictionsAreMarkedOnBoth(t *testing.T) {
	w := newWorld(t)
	a, b := w.note("Cache keys", "Cache keys have the user in them."), w.note("Cache keys too", "Cache keys are of the tenant alone.")
	w.link(a, engram.VerbContradicts, b)
	marks := map[int64]string{}
	for _, h := range w.search(current("cache keys")).Hits {
		marks[h.Memory.Num] = annotations(h)
	}
	if marks[a] != fmt.Sprintf("contradicts #%d", b) || marks[b] != fmt.Sprintf("contradicts by #%d", a) {
		t.Errorf("got %v, want each marked with the other", marks)
	}
}

func TestAContextTellsWhatStandsInThePlace(t *testing.T) {
	w := newWorld(t)
	old := w.save(remember.SaveInput{Title: "Old rule", Content: "Deploy on Fridays.", Project: "demo", Permanent: true}).Memory.Num
	weight := 0.69 // just too little for it to be told for its importance, whatever is new
	young := w.save(remember.SaveInput{Title: "New rule", Content: "Never deploy on Fridays.", Project: "demo", Importance: &weight}).Memory.Num
	w.link(young, engram.VerbSupersedes, old)
	told := func(superseded bool) []int64 {
		t.Helper()
		c, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: "demo", Superseded: superseded})
		if err != nil {
			t.Fatal(err)
		}
		return nums(c.Memories)
	}
	same(t, "context", told(false), []int64{young})
	same(t, "context with what is superseded", told(true), []int64{young, old})
	for i := range 120 { // the newer one is not among the newest any more
		w.note(fmt.Sprint("filler ", i), fmt.Sprint("filler number ", i))
	}
	if got := told(false); !slices.Contains(got, young) || slices.Contains(got, old) {
		t.Errorf("behind many others: got %v, want #%d in the place of #%d", got, young, old)
	}
	if got := told(true); !slices.Contains(got, old) {
		t.Errorf("with what is superseded: got %v, want #%d", got, old)
	}
}

func TestThePastHidesWhatWasSupersededThen(t *testing.T) {
	w := newWorld(t)
	old, young := w.note("Token lifetime", "The token lifetime is an hour."), w.note("Audit", "Fifteen minutes from now on.")
	before := w.Now()
	w.link(young, engram.VerbSupersedes, old)
	during := w.Now()
	w.unlink(young, old, "")
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
			same(t, tt.name, hitNums(w.in(t).search(tt.in).Hits), tt.want)
		})
	}
}

// For any acyclic verdicts, Current finds the successors of what is found without it, loses nothing and shows
// nothing superseded.
func TestWhatIsFoundIsCurrentAndNothingIsLost(t *testing.T) {
	w := newWorld(t)
	const memories = 8
	for i := range memories {
		w.note(fmt.Sprint("gateway ", i), fmt.Sprintf("The gateway of region %d retries %d times.", i*7, i*11))
	}
	rapid.Check(t, func(rt *rapid.T) {
		over := map[int64]int64{} // what supersedes a memory
		for range rapid.IntRange(0, 6).Draw(rt, "verdicts") {
			a, b := rapid.Int64Range(1, memories).Draw(rt, "newer"), rapid.Int64Range(1, memories).Draw(rt, "older")
			if a <= b || over[b] != 0 {
				continue
			}
			over[b] = a
			w.link(a, engram.VerbSupersedes, b)
		}
		defer func() {
			for b, a := range over {
				w.unlink(a, b, "")
			}
		}()
		limit := rapid.IntRange(1, memories).Draw(rt, "limit")
		in := current("gateway retries")
		in.Limit = limit
		shown := ordered(w.search(in))
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
	return hitNums(hits)
}
