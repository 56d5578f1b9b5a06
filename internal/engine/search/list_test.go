package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// choices saves three decisions of today, and a memory of each of the titles.
func choices(w enginetest.World, titles ...string) (decisions []int64, byTitle map[string]int64) {
	byTitle = map[string]int64{}
	for _, title := range titles {
		byTitle[title] = w.Note(title, "See the board of the team for "+strings.Repeat("more ", len(byTitle)+1))
	}
	for _, colour := range []string{"red", "green", "blue"} {
		r := w.MustSave(remember.SaveInput{Title: "Colour of the " + colour + " button", Content: "It is " + colour + " from now on.", Type: engram.TypeDecision, Project: "demo"})
		decisions = append(decisions, r.Memory.Num)
	}
	slices.Reverse(decisions)
	return decisions, byTitle
}

// A title comes before the list of a type or a time that the same words ask for.
func TestATitleComesBeforeAList(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	decisions, byTitle := choices(w, "All decisions", "Decisions", "What did we decide", "Last week")
	for title, num := range byTitle {
		got := enginetest.HitNums(w.MustSearch(search.SearchInput{Query: title}).Hits)
		if len(got) == 0 || got[0] != num {
			t.Errorf("%q: got %v, want #%d first", title, got, num)
		}
		if title != "Last week" && !slices.Contains(got, decisions[0]) {
			t.Errorf("%q: got %v, want the decisions, too", title, got)
		}
	}
}

// A type of which nothing was saved in the time asked for is listed all the same, as uncertain.
func TestATypeWithoutAnyInItsTimeIsListedAsUncertain(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	decisions, _ := choices(w)
	found := w.MustSearch(search.SearchInput{Query: "what decisions did we make in 2019"})
	if !found.Uncertain || !slices.Equal(enginetest.HitNums(found.Hits), decisions) {
		t.Errorf("got %v, uncertain: %v; want %v, uncertain", enginetest.HitNums(found.Hits), found.Uncertain, decisions)
	}
	if len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "of that time") {
		t.Errorf("it says %q, want that they are of another time", found.Degraded)
	}
	for _, query := range []string{"what decisions did we make today", "latest decisions", "which decisions did we take", "decisions please"} {
		found := w.MustSearch(search.SearchInput{Query: query})
		if found.Uncertain || !slices.Equal(enginetest.HitNums(found.Hits), decisions) {
			t.Errorf("%q: got %v, uncertain: %v; want %v", query, enginetest.HitNums(found.Hits), found.Uncertain, decisions)
		}
	}
}

// Where no memory has the type, the words of the question find what they find.
func TestATypeThatNoMemoryHasIsAWordAsAnyOther(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	want := w.Note("Minutes of the board", "All decisions of the board are in the shared folder.")
	w.Note("Office plants", "Somebody waters them on Mondays.")
	if got := w.MustFind("what decisions did we make"); len(got) == 0 || got[0] != want {
		t.Errorf("got %v, want #%d first", got, want)
	}
}

// The hits of a small limit are the first of those of a large one.
func TestALimitDecidesNothing(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Library(t)
	for _, query := range []string{"mailer retries with backoff", "what do we know about the pool", "how tall is the lighthouse", "deploys"} {
		all := w.MustSearch(search.SearchInput{Query: query, Limit: 10})
		for limit := 1; limit < 10; limit++ {
			some := w.MustSearch(search.SearchInput{Query: query, Limit: limit})
			want := enginetest.HitNums(all.Hits)
			if got := enginetest.HitNums(some.Hits); !slices.Equal(got, want[:min(len(want), limit)]) || some.Uncertain != all.Uncertain {
				t.Errorf("%q, limit %d: got %v, want the first of %v", query, limit, got, want)
			}
		}
	}
}

// Another number or name is another matter, however new.
func TestANewerNumberDoesNotPassTheOneAskedFor(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	asked := w.Note("Staging deploy of shop v2.14", "Deployed to staging, smoke tests passed. Ticket REL-58.")
	w.Note("Staging deploy of shop v2.15", "Deployed to staging, smoke tests passed in 58 s. Ticket REL-61.")
	for _, query := range []string{"REL-58", "ticket REL-58", "deploy with ticket REL-58"} {
		if got := w.MustFind(query); len(got) == 0 || got[0] != asked {
			t.Errorf("%q: got %v, want #%d first", query, got, asked)
		}
	}
}
