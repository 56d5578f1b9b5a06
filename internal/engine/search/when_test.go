package search_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestAQuestionAboutATimeAloneListsIt(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.Note("Old decision", "We took Postgres.")
	w.Clock.Add(40 * 24 * time.Hour)
	yesterday := w.Note("Cache", "The cache lives five minutes.")
	w.Clock.Add(24 * time.Hour)
	today := w.Note("Mailer", "The mailer retries thrice.")
	for _, tt := range []struct {
		query string
		want  []int64
	}{
		{"what happened today", []int64{today}},
		{"what did we decide yesterday?", []int64{yesterday}},
		{"show decisions from the last two days", []int64{today, yesterday}},
		{"in May", nil},
		{"before yesterday", []int64{old}},
	} {
		found := w.MustSearch(search.SearchInput{Query: tt.query, Filter: engram.Filter{Project: "demo"}})
		enginetest.Same(t, tt.query, enginetest.HitNums(found.Hits), tt.want)
		if len(found.Times) == 0 || len(found.BelowThreshold) > 0 {
			t.Errorf("%q: times %v, weak %v", tt.query, found.Times, enginetest.HitNums(found.BelowThreshold))
		}
	}
	// The filter holds all the same.
	enginetest.Same(t, "of another type", enginetest.HitNums(w.MustSearch(search.SearchInput{Query: "what happened today",
		Filter: engram.Filter{Types: []engram.Type{"bugfix"}}}).Hits), nil)
}

func TestTheWordsOfATimeAreNoneThatAMemoryMustHave(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	cookie := w.Note("Session cookie name", "The session cookie is called sid.")
	w.Note("Product listing", "The list of products is slow.")
	plain := w.MustSearch(search.SearchInput{Query: "session cookie name"})
	timed := w.MustSearch(search.SearchInput{Query: "session cookie name last week"})
	enginetest.Same(t, "hits", enginetest.HitNums(timed.Hits), enginetest.HitNums(plain.Hits))
	if len(timed.Hits) == 0 || timed.Hits[0].Memory.Num != cookie {
		t.Errorf("got %v, want #%d first", enginetest.HitNums(timed.Hits), cookie)
	}
	if len(timed.Repaired) > 0 {
		t.Errorf("words of a time were read as others: %+v", timed.Repaired)
	}
}

func TestRecallLeavesOutWhatSearchCallsARepeat(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, letter := range []string{"alpha", "beta", "gamma", "delta"} {
		w.Note("Staging deploys", "Staging is deployed by Argo from the main branch within ten minutes, cluster "+letter+", by the platform team.")
	}
	other := w.Note("Argo owner", "Mira owns Argo.")
	r, err := w.Recall(t.Context(), search.RecallInput{SearchInput: search.SearchInput{Query: "how is staging deployed argo"}})
	if err != nil {
		t.Fatal(err)
	}
	var shown []int64
	for _, item := range r.Items {
		shown = append(shown, item.Hit.Memory.Num)
	}
	if len(shown) != 2 || len(r.LeftOut) < 3 {
		t.Errorf("shown %v, left out %+v; want one of the four and #%d", shown, r.LeftOut, other)
	}
}
