package search_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestTypesAndProjectsAreFound(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	save := func(typ engram.Type, title, content, project string) int64 {
		w.Clock.Add(time.Hour)
		in := remember.SaveInput{Type: typ, Title: title, Content: content, Project: project}
		return w.MustSave(in).Memory.Num
	}
	postgres := save(engram.TypeDecision, "Postgres", "Bookings are stored in Postgres.", "demo")
	login := save(engram.TypeBugfix, "Login loop", "A cookie without a path made the login page load again and again.", "demo")
	w.Clock.Add(30 * 24 * time.Hour)
	tokens := save(engram.TypeDecision, "Tokens", "Access tokens live fifteen minutes.", "demo")
	upload := save(engram.TypeBugfix, "Upload of photographs", "Large photographs were cut off by the proxy.", "demo")
	gotcha := save("gotcha", "Staging clock", "The clock of staging runs two minutes behind.", "demo")
	talk := save("", "Meeting", "A decision about the office plants was put off.", "demo")
	shop := save("", "Prices", "Prices are rounded up.", "shop")
	for _, c := range []struct {
		query, project string
		want           []int64
	}{
		{"what decisions did we make", "demo", []int64{tokens, postgres}},
		{"decisions", "demo", []int64{tokens, postgres}},
		{"bugs we fixed", "demo", []int64{upload, login}},
		{"bugs we fixed today", "demo", []int64{upload}},
		{"gotcha", "demo", []int64{gotcha}},
		{"what gotchas do we have", "demo", []int64{gotcha}},
		{"shop", "", []int64{shop}},
	} {
		found := w.MustSearch(search.SearchInput{Query: c.query, Filter: engram.Filter{Project: c.project}})
		enginetest.Same(t, c.query, enginetest.HitNums(found.Hits), c.want)
	}
	found := w.MustSearch(search.SearchInput{Query: "decision", Filter: engram.Filter{Project: "demo"}})
	for _, num := range []int64{talk, tokens, postgres} {
		if !slices.Contains(enginetest.HitNums(found.Hits), num) {
			t.Errorf("decision: got %v, want #%d too", enginetest.HitNums(found.Hits), num)
		}
	}
	found = w.MustSearch(search.SearchInput{Query: "bugs we fixed with the cookie of the login page", Filter: engram.Filter{Project: "demo"}})
	if len(found.Hits) == 0 || found.Hits[0].Memory.Num != login || !strings.Contains(strings.Join(found.Hits[0].Why.Notes, ";"), "of type bugfix") {
		t.Errorf("got %+v, want #%d for its type", found.Hits, login)
	}
}
