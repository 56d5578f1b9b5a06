package search_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A memory was saved while the clock was a year ahead. Later changes come after it in the journal: an earlier time
// sees none of them, and every answer about a time is one consistent state.
func TestAClockThatWasAheadGivesOnePast(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	const day = 24 * time.Hour
	x, y := w.Note("X kettle", "old text"), w.Note("Y kettle", "its text")
	w.MustLink(x, engram.VerbRelatesTo, y)
	w.Clock.Add(365 * day)
	w.Note("Ahead kettle", "saved while the clock was a year ahead")
	w.Clock.Add(-364 * day)
	w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(x), Content: new("new text")})
	w.MustForget(y)
	w.MustUnlink(x, y, "")
	young := w.Note("Young kettle", "saved after the clock was set right")
	w.Clock.Add(10 * day)
	then := w.Clock.Now()
	w.Clock.Add(10 * day)

	d, err := w.GetAsOf(t.Context(), engram.ByNum(x), then)
	if err != nil {
		t.Fatal(err)
	}
	if d.Memory.Content != "old text" || len(d.Revisions) != 0 {
		t.Errorf("got %q with %d revisions, want the old text and none before it", d.Memory.Content, len(d.Revisions))
	}
	if len(d.Relations) != 1 {
		t.Errorf("got %d relations, want the one that was removed after the text changed", len(d.Relations))
	}
	if len(d.Degraded) != 1 || !strings.Contains(d.Degraded[0], "clock is ahead") {
		t.Errorf("got %q, want that the clock is ahead", d.Degraded)
	}
	_, err = w.GetAsOf(t.Context(), engram.ByNum(young), then)
	enginetest.WantCode(t, err, engram.CodeNotFound)
	ms, degraded, err := enginetest.ListAsOf(t.Context(), w, engram.Filter{}, engram.Page{}, then)
	if err != nil || len(degraded) != 1 {
		t.Errorf("list: %q, %v; want that the clock is ahead", degraded, err)
	}
	enginetest.Same(t, "list", enginetest.Nums(ms), []int64{y, x})
	enginetest.Same(t, "search", enginetest.HitNums(w.MustSearch(search.SearchInput{Query: "kettle", AsOf: then}).Hits), []int64{y, x})

	w.Clock.Add(365 * day)
	if d, err = w.GetAsOf(t.Context(), engram.ByNum(x), w.Clock.Now()); err != nil || d.Memory.Content != "new text" || len(d.Revisions) != 1 || len(d.Degraded) != 0 {
		t.Errorf("when the time has come: %q, %d revisions, %q, %v; want the new text, one revision and no warning",
			d.Memory.Content, len(d.Revisions), d.Degraded, err)
	}
}

func TestRevisionsOfThenAreThoseBeforeTheTextOfThen(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("Kettle", "one")
	var at []time.Time
	for _, content := range []string{"two", "three"} {
		at = append(at, w.Later())
		w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Content: new(content)})
	}
	at = append(at, w.Later())
	for i, want := range []string{"one", "two", "three"} {
		d, err := w.GetAsOf(t.Context(), engram.ByNum(num), at[i])
		if err != nil || d.Memory.Content != want || len(d.Revisions) != i {
			t.Errorf("time %d: %q with %d revisions, %v; want %q with %d", i, d.Memory.Content, len(d.Revisions), err, want, i)
		}
	}
}
