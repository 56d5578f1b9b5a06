package undo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	engineundo "github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Two memories that supersede each other would both be hidden, and neither would be found.
func TestWhatComesBackGoesWithWhatWasJudgedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		meanwhile func(w enginetest.World, a, b, c int64) // after a supersedes b was taken away
		code      engram.Code
	}{
		{"nothing was said", func(enginetest.World, int64, int64, int64) {}, ""},
		{"others were judged", func(w enginetest.World, _, b, c int64) { w.MustLink(b, engram.VerbSupersedes, c) }, ""},
		{"the other way round", func(w enginetest.World, a, b, _ int64) { w.MustLink(b, engram.VerbSupersedes, a) }, engram.CodeConflict},
		{"a ring", func(w enginetest.World, a, b, c int64) {
			w.MustLink(b, engram.VerbSupersedes, c)
			w.MustLink(c, engram.VerbSupersedes, a)
		}, engram.CodeConflict},
		{"another verdict", func(w enginetest.World, a, b, _ int64) {
			if _, err := w.Compare(w.Context(), relate.CompareInput{A: engram.ByNum(a), B: engram.ByNum(b), Verb: engram.VerbNotConflict}); err != nil {
				w.Fatal(err)
			}
		}, engram.CodeConflict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			a, b, c := w.Note("Lighthouse", "The keeper logs ships."), w.Note("Teapot", "Water boils."), w.Note("Zebra", "Stripes differ.")
			w.MustLink(a, engram.VerbSupersedes, b)
			w.MustUnlink(a, b, "")
			op := w.LastOp()
			tt.meanwhile(w.In(t), a, b, c)
			before := w.Snapshot()
			_, err := w.Undo(t.Context(), engineundo.UndoInput{Op: op})
			if got := engram.CodeOf(err); got != tt.code {
				t.Fatalf("undo of the unlink: got %q (%v), want %q", got, err, tt.code)
			}
			if tt.code != "" {
				enginetest.Same(t, "what it changed", before.Compare(w.Snapshot()), nil)
			}
			if got := w.MustList(engram.Filter{Current: true}); len(got) == 0 {
				t.Error("every memory is hidden")
			}
		})
	}
}

func TestAnEraseInTheWayIsTold(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("first", "text")
	kept := w.LastOp()
	num := w.Note("second", "other text")
	saved := w.LastOp()
	if _, err := w.Delete(t.Context(), true, engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	_, err := w.Undo(t.Context(), engineundo.UndoInput{Project: "demo"})
	enginetest.WantCode(t, err, engram.CodeForbidden)
	if hint := engram.HintOf(err); !strings.Contains(hint, "undo ") {
		t.Errorf("hint %q does not say what can be undone", hint)
	}
	_, err = w.Undo(t.Context(), engineundo.UndoInput{Op: saved})
	enginetest.WantCode(t, err, engram.CodeConflict)
	if !strings.Contains(err.Error(), "was erased") {
		t.Errorf("undo of the save of what was erased: %v, want why nothing of it is left", err)
	}
	w.TakeBack(kept)
}

func TestALatestThatLeavesNothingToTakeBackIsPassedOver(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("first", "text")
	other := w.MustSave(remember.SaveInput{Title: "Everywhere", Content: "of another project", Project: "old", Scope: engram.ScopeGlobal}).Memory.Num
	w.MustLink(num, engram.VerbRelatesTo, other)
	if _, err := w.Delete(t.Context(), true, engram.ByNum(other)); err != nil {
		t.Fatal(err)
	}
	u, err := w.Undo(t.Context(), engineundo.UndoInput{Project: "demo"})
	if err != nil || u.Undone.Name != "save" || u.Op == 0 {
		t.Errorf("got %+v, %v; want the save undone: the link went with the other memory", u, err)
	}
}

func TestASessionThatWentOnIsNotRemoved(t *testing.T) {
	t.Parallel()
	start := func(w enginetest.World) {
		if _, err := w.StartSession(w.Context(), remember.SessionInput{ID: "s1", Project: "demo"}); err != nil {
			w.Fatal(err)
		}
	}
	end := func(w enginetest.World) {
		if _, err := w.EndSession(w.Context(), "s1", ""); err != nil {
			w.Fatal(err)
		}
	}
	remove := func(hard bool) func(w enginetest.World) {
		return func(w enginetest.World) {
			if err := w.DeleteSession(w.Context(), "s1", hard); err != nil {
				w.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		steps []func(enginetest.World)
		undo  int // which of the steps
		code  engram.Code
	}{
		{"it was ended since", []func(enginetest.World){start, end}, 0, engram.CodeConflict},
		{"it was deleted, and another made", []func(enginetest.World){start, remove(false), start}, 0, engram.CodeConflict},
		{"it was erased, and another made", []func(enginetest.World){start, remove(true), start}, 0, engram.CodeConflict},
		{"the end of one that was erased", []func(enginetest.World){start, end, remove(true), start}, 1, engram.CodeConflict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t).In(t)
			var ops []int64
			for _, step := range tt.steps {
				step(w)
				ops = append(ops, w.LastOp())
				w.Clock.Add(time.Minute)
			}
			_, err := w.Undo(t.Context(), engineundo.UndoInput{Op: ops[tt.undo]})
			if got := engram.CodeOf(err); got != tt.code {
				t.Errorf("undo: got %q (%v), want %q", got, err, tt.code)
			}
			if _, err := w.Session(t.Context(), "s1"); err != nil {
				t.Errorf("the session afterwards: %v, want it there", err)
			}
		})
	}
}

func TestARenameUnderAnotherIsNotUndone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSave(remember.SaveInput{Title: "first", Content: "text", Project: "alpha"})
	rename := func(from, to string) int64 {
		t.Helper()
		if _, err := w.RenameProject(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
		return w.LastOp()
	}
	first, second := rename("alpha", "beta"), rename("beta", "gamma")
	before := w.Snapshot()
	_, err := w.Undo(t.Context(), engineundo.UndoInput{Op: first})
	enginetest.WantCode(t, err, engram.CodeConflict)
	enginetest.Same(t, "what it changed", before.Compare(w.Snapshot()), nil)
	w.TakeBack(second)
	w.TakeBack(first)
	if got := w.MustProjects(); got["alpha"].Memories != 1 {
		t.Errorf("after both undos: %+v", got)
	}
}

func TestAPruneThatWouldTakeANameAwayIsNotUndone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s1", "alpha")
	if _, err := w.PruneProjects(t.Context(), []string{"alpha"}, false); err != nil {
		t.Fatal(err)
	}
	pruned := w.LastOp()
	w.MustSave(remember.SaveInput{Title: "first", Content: "text", Project: "alpha"})
	if _, err := w.RenameProject(t.Context(), "alpha", "beta"); err != nil {
		t.Fatal(err)
	}
	before := w.Snapshot()
	_, err := w.Undo(t.Context(), engineundo.UndoInput{Op: pruned})
	enginetest.WantCode(t, err, engram.CodeConflict)
	enginetest.Same(t, "what it changed", before.Compare(w.Snapshot()), nil)
}

func TestAccessesAreCountedThroughAnUndo(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("first", "text")
	w.MustSession("s1", "demo")
	w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("second")})
	op := w.LastOp()
	if _, err := w.GetIn(t.Context(), "s1", engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	w.TakeBack(op)
	if m := w.MustGet(num).Memory; m.AccessCount != 1 || m.Title != "first" {
		t.Errorf("after the undo: %q, %d accesses; want first, 1", m.Title, m.AccessCount)
	}
}

// A project that was deleted and made again in between does not prevent the undo of the operation that made the first
// of its name.
func TestAProjectMadeAgainInBetweenDoesNotHinderUndo(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	if _, err := w.StartSession(t.Context(), remember.SessionInput{ID: "s", Project: "beta"}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(time.Hour)
	w.MustSave(remember.SaveInput{Content: "one", Project: "gamma"})
	w.MustSave(remember.SaveInput{Content: "two", Project: "alpha"})
	w.Merge("alpha", "beta")
	w.Merge("beta", "alpha")
	for range 5 {
		if _, err := w.Undo(t.Context(), engineundo.UndoInput{}); err != nil {
			t.Fatal(err)
		}
	}
	if p, left := w.Snapshot()["project beta"]; left {
		t.Errorf("the project that the session made is left: %s", p)
	}
}
