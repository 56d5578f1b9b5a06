package read_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	engineread "github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	engineundo "github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// logged returns the operations in the log, oldest first.
func logged(w enginetest.World, in engineread.LogInput) []string {
	w.Helper()
	in.Page.Limit = 1000
	entries, _, err := w.Engine.Log(w.Context(), in)
	if err != nil {
		w.Fatalf("log of %+v: %v", in, err)
	}
	var verbs []string
	for _, e := range slices.Backward(entries) {
		verbs = append(verbs, e.Name)
	}
	return verbs
}

func logs(w enginetest.World, when, project string, want ...string) {
	w.Helper()
	if got := logged(w, engineread.LogInput{Project: project}); !slices.Equal(got, want) {
		w.Errorf("%s: the log of project %q has\n got %q\nwant %q", when, project, got, want)
	}
}

func TestARenamedProjectKeepsItsLog(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	num := w.MustSave(remember.SaveInput{Title: "Alpha", Content: "kettle in a", Project: "a"}).Memory.Num
	gone := w.MustSave(remember.SaveInput{Title: "Beta", Content: "a pan of the cook", Project: "a"}).Memory.Num
	if _, err := w.Delete(t.Context(), true, engram.ByNum(gone)); err != nil {
		t.Fatal(err)
	}
	logs(w, "before", "a", "save", "save", "erase")
	if _, err := w.RenameProject(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	rename := w.LastOp()
	for _, name := range []string{"a", "b"} {
		logs(w, "renamed", name, "save", "save", "erase", "project_rename")
	}
	w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Content: new("kettle in b")})
	undo := w.TakeBack(rename).Op
	logs(w, "undone", "a", "save", "save", "erase", "project_rename", "update", "undo")
	logs(w, "undone", "b")
	if got, want := logged(w, engineread.LogInput{Ref: new(engram.ByNum(num))}), []string{"save", "project_rename", "update", "undo"}; !slices.Equal(got, want) {
		t.Errorf("the log of the memory has %q, want %q", got, want)
	}
	w.TakeBack(undo)
	logs(w, "done again", "b", "save", "save", "erase", "project_rename", "update", "undo", "undo")

	u, err := w.Undo(t.Context(), engineundo.UndoInput{Project: "a"})
	if err != nil || u.Undone.Name != "update" {
		t.Errorf("the latest that can be undone is %q, %v; want the update", u.Undone.Name, err)
	}
}

func TestAMergedProjectGetsItsLogBackWithWhatItHeld(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	a := w.MustSave(remember.SaveInput{Title: "Alpha", Content: "kettle in a", Project: "a"}).Memory.Num
	b := w.MustSave(remember.SaveInput{Title: "Beta", Content: "the whistle of a train", Project: "b"}).Memory.Num
	second := w.MustSave(remember.SaveInput{Title: "Gamma", Content: "a lamp in the hall", Project: "a"}).Memory.Num
	w.MustLink(a, "derived_from", second)
	w.MustSession("of-a", "a")
	if err := w.DeleteSession(t.Context(), "of-a", false); err != nil {
		t.Fatal(err)
	}
	w.Prompt(remember.PromptInput{Project: "a", Content: "where is the kettle?"})
	ofA := []string{"save", "save", "link", "session_start", "session_delete", "prompt"}
	logs(w, "before", "a", ofA...)

	w.Merge("b", "a")
	merge := w.LastOp()
	all := []string{"save", "save", "save", "link", "session_start", "session_delete", "prompt", "project_merge"}
	logs(w, "merged", "a", all...)
	logs(w, "merged", "b", all...)
	if got, want := logged(w, engineread.LogInput{Ref: new(engram.ByNum(a))}), []string{"save", "link", "project_merge"}; !slices.Equal(got, want) {
		t.Errorf("the log of a memory that was moved has %q, want %q", got, want)
	}
	if got, want := logged(w, engineread.LogInput{Ref: new(engram.ByNum(b))}), []string{"save"}; !slices.Equal(got, want) {
		t.Errorf("the log of a memory that was not moved has %q, want %q", got, want)
	}
	w.MustForget(a)
	w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(b), Content: new("the whistle of an engine")})

	w.TakeBack(merge)
	logs(w, "undone", "a", append(ofA, "forget")...)
	logs(w, "undone", "b", "save", "project_merge", "update", "undo")
	for project, want := range map[string]string{"a": "forget", "b": "update"} {
		u, err := w.Undo(t.Context(), engineundo.UndoInput{Project: project})
		if err != nil || u.Undone.Name != want {
			t.Errorf("the latest of %s that can be undone is %q, %v; want %q", project, u.Undone.Name, err, want)
		}
	}
}

// reads counts the journal entries read from a store.
type reads struct {
	engram.Store
	entries *int
}

func (s reads) View(ctx context.Context, fn func(engram.Reader) error) error {
	return s.Store.View(ctx, func(r engram.Reader) error { return fn(reading{r, s.entries}) })
}

type reading struct {
	engram.Reader
	entries *int
}

func (r reading) Mutations(ctx context.Context, s engram.JournalSpan, p engram.Page) ([]engram.Mutation, error) {
	all, err := r.Reader.Mutations(ctx, s, p)
	*r.entries += len(all)
	return all, err
}

func TestTheLogOfABigOperationReadsItsBeginningAlone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("a", "some text")
	const things = 3000
	err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
		var op int64
		for i := range things {
			m := engram.Mutation{Op: op, At: engram.Clock(0).Tick(w.Clock.Now()), Actor: "x", Operation: "sleep", Entity: engram.EntityMemory,
				Key: fmt.Sprint(i + 10), Project: "demo", Reason: "faded", Was: []byte(`{"strength":0.5}`)}
			if err := tx.Append(t.Context(), &m); err != nil {
				return err
			}
			op = m.Op
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	e := engine.New(engine.Options{Store: reads{w.Store, &read}, Now: w.Clock.Now, NewID: func() engram.ID { return "mem_x" }})
	entries, _, err := e.Log(t.Context(), engineread.LogInput{Page: engram.Page{Limit: 1}})
	if err != nil || len(entries) != 1 {
		t.Fatalf("log: %+v, %v", entries, err)
	}
	if got := entries[0]; got.Entries != things || len(got.Items) != 10 || got.More != things-10 || got.Reason != "faded" {
		t.Errorf("of %d things it names %d and says %d more of %d entries, because of %q; want 10 and all others", things, len(got.Items), got.More, got.Entries, got.Reason)
	}
	if read == 0 || read > 200 {
		t.Errorf("it read %d entries, want at most 200", read)
	}
}

func TestTheJournalNeverBeginsEarlierThanItDid(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	keep := consolidate.CompactInput{Keep: 30 * enginetest.Day}
	compact := func() time.Time {
		t.Helper()
		c, err := w.CompactJournal(t.Context(), keep)
		if err != nil || c.Entries == 0 {
			t.Fatalf("compact: %+v, %v; want that something goes", c, err)
		}
		_, begins, err := w.Engine.Log(t.Context(), engineread.LogInput{})
		if err != nil {
			t.Fatal(err)
		}
		return begins
	}
	w.Note("one", "text of the first")
	w.Note("two", "something else entirely")
	w.Clock.Add(700 * enginetest.Day)
	first := compact()
	w.Clock.Add(-380 * enginetest.Day) // the clock was ahead, and somebody set it
	w.Note("three", "yet another matter")
	if second := compact(); !second.Equal(first) {
		t.Errorf("the journal began on %v, and on %v after a clock that was ahead was set back", first, second)
	}
}
