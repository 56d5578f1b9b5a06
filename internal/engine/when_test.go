package engine_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

func TestAQuestionAboutATimeAloneListsIt(t *testing.T) {
	w := newWorld(t)
	old := w.note("Old decision", "We took Postgres.")
	w.Clock.Add(40 * 24 * time.Hour)
	yesterday := w.note("Cache", "The cache lives five minutes.")
	w.Clock.Add(24 * time.Hour)
	today := w.note("Mailer", "The mailer retries thrice.")
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
		found := w.search(search.SearchInput{Query: tt.query, Filter: engram.Filter{Project: "demo"}})
		same(t, tt.query, hitNums(found.Hits), tt.want)
		if len(found.Times) == 0 || len(found.BelowThreshold) > 0 {
			t.Errorf("%q: times %v, weak %v", tt.query, found.Times, hitNums(found.BelowThreshold))
		}
	}
	// The filter holds all the same.
	same(t, "of another type", hitNums(w.search(search.SearchInput{Query: "what happened today",
		Filter: engram.Filter{Types: []engram.Type{"bugfix"}}}).Hits), nil)
}

func TestTheWordsOfATimeAreNoneThatAMemoryMustHave(t *testing.T) {
	w := newWorld(t)
	cookie := w.note("Session cookie name", "The session cookie is called sid.")
	w.note("Product listing", "The list of products is slow.")
	plain := w.search(search.SearchInput{Query: "session cookie name"})
	timed := w.search(search.SearchInput{Query: "session cookie name last week"})
	same(t, "hits", hitNums(timed.Hits), hitNums(plain.Hits))
	if len(timed.Hits) == 0 || timed.Hits[0].Memory.Num != cookie {
		t.Errorf("got %v, want #%d first", hitNums(timed.Hits), cookie)
	}
	if len(timed.Repaired) > 0 {
		t.Errorf("words of a time were read as others: %+v", timed.Repaired)
	}
}

func TestRecallLeavesOutWhatSearchCallsARepeat(t *testing.T) {
	w := newWorld(t)
	for _, letter := range []string{"alpha", "beta", "gamma", "delta"} {
		w.note("Staging deploys", "Staging is deployed by Argo from the main branch within ten minutes, cluster "+letter+", by the platform team.")
	}
	other := w.note("Argo owner", "Mira owns Argo.")
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
