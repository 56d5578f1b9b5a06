package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// A memory was saved while the clock was a year ahead. Later changes come after it in the journal: an earlier time
// sees none of them, and every answer about a time is one consistent state.
func TestAClockThatWasAheadGivesOnePast(t *testing.T) {
	w := newWorld(t).unlinked()
	const day = 24 * time.Hour
	x, y := w.note("X kettle", "old text"), w.note("Y kettle", "its text")
	w.link(x, engram.VerbRelatesTo, y)
	w.Clock.Add(365 * day)
	w.note("Ahead kettle", "saved while the clock was a year ahead")
	w.Clock.Add(-364 * day)
	w.update(remember.UpdateInput{Ref: engram.ByNum(x), Content: new("new text")})
	w.forget(y)
	w.unlink(x, y, "")
	young := w.note("Young kettle", "saved after the clock was set right")
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
	wantCode(t, err, engram.CodeNotFound)
	ms, degraded, err := listAsOf(t.Context(), w, engram.Filter{}, engram.Page{}, then)
	if err != nil || len(degraded) != 1 {
		t.Errorf("list: %q, %v; want that the clock is ahead", degraded, err)
	}
	same(t, "list", nums(ms), []int64{y, x})
	same(t, "search", hitNums(w.search(search.SearchInput{Query: "kettle", AsOf: then}).Hits), []int64{y, x})

	w.Clock.Add(365 * day)
	if d, err = w.GetAsOf(t.Context(), engram.ByNum(x), w.Clock.Now()); err != nil || d.Memory.Content != "new text" || len(d.Revisions) != 1 || len(d.Degraded) != 0 {
		t.Errorf("when the time has come: %q, %d revisions, %q, %v; want the new text, one revision and no warning",
			d.Memory.Content, len(d.Revisions), d.Degraded, err)
	}
}

func TestRevisionsOfThenAreThoseBeforeTheTextOfThen(t *testing.T) {
	w := newWorld(t)
	num := w.note("Kettle", "one")
	var at []time.Time
	for _, content := range []string{"two", "three"} {
		at = append(at, w.later())
		w.update(remember.UpdateInput{Ref: engram.ByNum(num), Content: new(content)})
	}
	at = append(at, w.later())
	for i, want := range []string{"one", "two", "three"} {
		d, err := w.GetAsOf(t.Context(), engram.ByNum(num), at[i])
		if err != nil || d.Memory.Content != want || len(d.Revisions) != i {
			t.Errorf("time %d: %q with %d revisions, %v; want %q with %d", i, d.Memory.Content, len(d.Revisions), err, want, i)
		}
	}
}
