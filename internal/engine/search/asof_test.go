package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// asOf returns the hits of a question at a time, as "number title" in order.
func asOf(w enginetest.World, at time.Time, in search.SearchInput) string {
	w.Helper()
	in.AsOf = at
	var all []string
	for _, h := range w.MustSearch(in).Hits {
		all = append(all, fmt.Sprintf("%d %s", h.Memory.Num, h.Memory.Title))
	}
	return strings.Join(all, ", ")
}

func TestSearchAsOf(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	void := w.Later()
	token := w.Note("Token lifetime", "access tokens live for fifteen minutes")
	cache := w.Note("Cache", "the cache holds tokens in redis")
	monday := w.Later()
	newer := "access tokens live for five minutes"
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(token), Content: &newer}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Forget(t.Context(), engram.ByNum(cache)); err != nil {
		t.Fatal(err)
	}
	tuesday := w.Later()
	title, last := "Token lifetime of the API", "api tokens never expire"
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(token), Title: &title, Content: &last}); err != nil {
		t.Fatal(err)
	}
	w.Note("Postgres", "tokens are kept in postgres")
	wednesday := w.Later()

	for _, tt := range []struct {
		name, query string
		at          time.Time
		want        string
	}{
		{"before the first memory there is nothing", "tokens", void, ""},
		{"what was forgotten since is found where it was known", "redis cache", monday, "2 Cache"},
		{"and not after it was forgotten", "redis cache", tuesday, ""},
		{"a text that was replaced is found by its words", "fifteen minutes", monday, "1 Token lifetime"},
		{"and not by those of a later one", "five", monday, ""},
		{"each text has its time", "five minutes", tuesday, "1 Token lifetime"},
		{"the title is that of the time", "expire", wednesday, "1 Token lifetime of the API"},
		{"what was not made yet is not found", "postgres", tuesday, ""},
		{"but is afterwards", "postgres", wednesday, "3 Postgres"},
		{"a question without words lists what was newest", "", monday, "2 Cache, 1 Token lifetime"},
		{"so does one of words without meaning", "how was it", tuesday, "1 Token lifetime"},
		{"stems find as they do now", "caches", monday, "2 Cache"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := asOf(w.In(t), tt.at, search.SearchInput{Query: tt.query}); got != tt.want {
				t.Errorf("search %q as of %v\n got %s\nwant %s", tt.query, tt.at, got, tt.want)
			}
		})
	}
	if got, want := asOf(w, wednesday.AddDate(1, 0, 0), search.SearchInput{Query: "postgres"}), asOf(w, time.Time{}, search.SearchInput{Query: "postgres"}); got != want {
		t.Errorf("in the future: got %s, want what is found now: %s", got, want)
	}
	found := w.MustSearch(search.SearchInput{Query: "fifteen", AsOf: monday})
	if got, want := found.Hits[0].Memory.Content, "access tokens live for fifteen minutes"; got != want {
		t.Errorf("the text of Monday: got %q, want %q", got, want)
	}
	if len(found.Degraded) != 1 {
		t.Errorf("meaning did not take part: got %q, want it said", found.Degraded)
	}
}

func TestSearchAsOfFiltersByWhatWasThen(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	at := func() time.Time { return w.Later() }
	res := w.MustSave(remember.SaveInput{Title: "Retry policy", Content: "retry uploads three times", Project: "demo", Type: engram.TypeDecision,
		Tags: []string{"http"}, TopicKey: "policy/retry", Metadata: map[string]any{"level": 1}})
	first := at()
	typ, none := engram.TypeBugfix, []string{}
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(res.Memory.Num), Type: &typ, Tags: &none, Metadata: map[string]any{"level": nil, "team": "a"}}); err != nil {
		t.Fatal(err)
	}
	second := at()
	other := "elsewhere"
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(res.Memory.Num), Project: &other}); err != nil {
		t.Fatal(err)
	}
	third := at()

	for _, tt := range []struct {
		name   string
		filter engram.Filter
		want   [3]bool // first, second, third
	}{
		{"no filter", engram.Filter{}, [3]bool{true, true, true}},
		{"its type at first", engram.Filter{Types: []engram.Type{engram.TypeDecision}}, [3]bool{true, false, false}},
		{"its type later", engram.Filter{Types: []engram.Type{engram.TypeBugfix}}, [3]bool{false, true, true}},
		{"its tag", engram.Filter{Tags: []string{"http"}}, [3]bool{true, false, false}},
		{"its metadata at first", engram.Filter{Metadata: map[string]any{"level": 1}}, [3]bool{true, false, false}},
		{"its metadata later", engram.Filter{Metadata: map[string]any{"team": "a"}}, [3]bool{false, true, true}},
		{"its project at first", engram.Filter{Project: "demo"}, [3]bool{true, true, false}},
		{"its project later", engram.Filter{Project: "elsewhere"}, [3]bool{false, false, true}},
		{"made before it was", engram.Filter{Until: res.Memory.CreatedAt}, [3]bool{false, false, false}},
		{"made since then", engram.Filter{Since: res.Memory.CreatedAt}, [3]bool{true, true, true}},
		{"what was forgotten cannot be searched", engram.Filter{Forgotten: true}, [3]bool{false, false, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i, when := range []time.Time{first, second, third} {
				for _, query := range []string{"retry uploads", "", "policy/retry"} {
					if query == "" && tt.filter.Forgotten {
						continue // then it is a list
					}
					got := asOf(w.In(t), when, search.SearchInput{Query: query, Filter: tt.filter}) != ""
					if got != tt.want[i] {
						t.Errorf("search %q with %+v at time %d: got %v, want %v", query, tt.filter, i+1, got, tt.want[i])
					}
				}
			}
		})
	}
	m := w.MustSearch(search.SearchInput{Query: "retry", AsOf: first}).Hits[0].Memory
	if m.Type != engram.TypeDecision || !slices.Equal(m.Tags, []string{"http"}) || fmt.Sprint(m.Metadata) != "map[level:1]" || m.RevisionCount != 1 || m.Project != "demo" {
		t.Errorf("the memory as it was first: got %+v", m)
	}
}

func TestSearchAsOfRanksTheUnchangedAndTheChangedAlike(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i := range 30 {
		w.Note(fmt.Sprintf("Note %d", i), fmt.Sprintf("the kettle of kitchen %d whistles", i))
	}
	best := w.Note("Kettle", "the kettle of copper is the kettle")
	before := w.MustSearch(search.SearchInput{Query: "kettle", Limit: 5, Mode: search.ModeLexical})
	then := w.Later()
	for _, num := range []int64{best, 3, 4, 5, 6, 7, 8} {
		if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
			t.Fatal(err)
		}
	}
	w.Later()
	in := search.SearchInput{Query: "kettle", Limit: 5, Mode: search.ModeLexical, AsOf: then}
	got := w.MustSearch(in)
	if got.Hits[0].Memory.Num != best || before.Hits[0].Memory.Num != best {
		t.Errorf("best of all: got #%d, was #%d, want #%d", got.Hits[0].Memory.Num, before.Hits[0].Memory.Num, best)
	}
	in.Limit = 100
	if n := len(w.MustSearch(in).Hits); n != 31 {
		t.Errorf("found as of then: got %d, want all 31", n)
	}
	if n := len(w.MustSearch(search.SearchInput{Query: "kettle", Limit: 100, Mode: search.ModeLexical}).Hits); n != 24 {
		t.Errorf("found now: got %d, want the 24 that are left", n)
	}
	in.All, in.Query = true, "kettle copper"
	if got := enginetest.HitNums(w.MustSearch(in).Hits); !slices.Equal(got, []int64{best}) {
		t.Errorf("every word: got %v, want [%d]", got, best)
	}
}

func TestSearchAsOfDoesNotBringBackWhatWasErased(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("Secret", "the password of the kettle")
	then := w.Later()
	if _, err := w.Delete(t.Context(), true, engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	w.Later()
	if got := asOf(w, then, search.SearchInput{Query: "password kettle"}); got != "" {
		t.Errorf("got %s, want nothing", got)
	}
}

func TestSearchAsOfKnowsTheRelationsOfItsTime(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	kettle, teapot, stove := w.Note("Kettle", "the kettle whistles"), w.Note("Teapot", "pour from it"), w.Note("Stove", "heats")
	link := func(id string, source int64) {
		r := engram.Relation{ID: id, Source: source, Target: kettle, Verb: engram.VerbSupersedes, Status: engram.RelationJudged, Strength: 1,
			CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now()}
		if err := w.Store.Update(t.Context(), func(tx engram.Tx) error { return tx.InsertRelation(t.Context(), &r) }); err != nil {
			t.Fatal(err)
		}
	}
	link("rel-1", teapot)
	then := w.Later()
	link("rel-2", stove)
	name := "Big teapot"
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(teapot), Title: &name}); err != nil {
		t.Fatal(err)
	}
	w.Later()
	hits := w.MustSearch(search.SearchInput{Query: "kettle", AsOf: then}).Hits
	if len(hits) != 1 || len(hits[0].Relations) != 1 || hits[0].Relations[0].Other.Title != "Teapot" {
		t.Errorf("got %+v, want the kettle, superseded by what was the teapot then", hits)
	}
}

func TestSearchAsOfFindsByTagsAndTopicKeysToo(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSave(remember.SaveInput{Title: "Rollout", Content: "We roll out on Tuesdays.", Project: "demo", Tags: []string{"kubernetes"}})
	moved := w.MustSave(remember.SaveInput{Title: "Pods", Content: "Limits are set.", Project: "demo", TopicKey: "infra/terraform"}).Memory.Num
	then := w.Later()
	content := "Limits are set by hand."
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(moved), Content: &content}); err != nil {
		t.Fatal(err)
	}
	w.Later()
	for query, want := range map[string]string{"kubernetes": "1 Rollout", "terraform": "2 Pods", "infra/terraform": "2 Pods"} {
		if got := asOf(w, then, search.SearchInput{Query: query}); got != want {
			t.Errorf("search %q\n got %q\nwant %q", query, got, want)
		}
	}
}

func TestSearchAsOfTellsNoLaterTitleOfWhatTheFilterLeavesOut(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	kettle := w.Note("Kettle", "the kettle whistles")
	pot := w.MustSave(remember.SaveInput{Title: "Teapot", Content: "pour from it", Project: "demo", Type: engram.TypeDecision}).Memory.Num
	w.Relate(pot, engram.VerbSupersedes, kettle, engram.RelationJudged)
	then := w.Later()
	name := "Big teapot"
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(pot), Title: &name}); err != nil {
		t.Fatal(err)
	}
	w.Later()
	kind := engram.Filter{Types: []engram.Type{w.MustGet(kettle).Memory.Type}}
	hits := w.MustSearch(search.SearchInput{Query: "kettle", AsOf: then, Filter: kind}).Hits
	if len(hits) != 1 || len(hits[0].Relations) != 1 || hits[0].Relations[0].Other.Title != "Teapot" {
		t.Errorf("got %+v, want the kettle, superseded by what was the teapot then", hits)
	}
}

func TestSearchAsOfFindsWordsThatBeginAlike(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("portrait", "of the founder")
	w.Note("port", "of the server")
	changed := w.Note("portal", "of the city")
	then := w.Later()
	if _, err := w.Forget(t.Context(), engram.ByNum(changed)); err != nil {
		t.Fatal(err)
	}
	content := "a port of its own"
	other := w.Note("Board", "meets on Mondays")
	between := w.Later()
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(other), Content: &content}); err != nil {
		t.Fatal(err)
	}
	w.Later()
	if got, want := asOf(w, between, search.SearchInput{Query: "port"}), "2 port, 1 portrait"; got != want {
		t.Errorf("before a text got the word: got %q, want %q", got, want)
	}
	if got, want := asOf(w, then, search.SearchInput{Query: "port"}), "2 port, 1 portrait"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := asOf(w, then, search.SearchInput{Query: "port", All: true}), "2 port"; got != want {
		t.Errorf("every word: got %q, want %q", got, want)
	}
}
