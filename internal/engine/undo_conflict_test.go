package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	engineundo "github.com/alanbuscaglia/engram/internal/engine/undo"
)

// Two memories that supersede each other would both be hidden, and neither would be found.
func TestWhatComesBackGoesWithWhatWasJudgedMeanwhile(t *testing.T) {
	for _, tt := range []struct {
		name      string
		meanwhile func(w world, a, b, c int64) // after a supersedes b was taken away
		code      engram.Code
	}{
		{"nothing was said", func(world, int64, int64, int64) {}, ""},
		{"others were judged", func(w world, _, b, c int64) { w.link(b, engram.VerbSupersedes, c) }, ""},
		{"the other way round", func(w world, a, b, _ int64) { w.link(b, engram.VerbSupersedes, a) }, engram.CodeConflict},
		{"a ring", func(w world, a, b, c int64) {
			w.link(b, engram.VerbSupersedes, c)
			w.link(c, engram.VerbSupersedes, a)
		}, engram.CodeConflict},
		{"another verdict", func(w world, a, b, _ int64) {
			if _, err := w.Compare(w.Context(), relate.CompareInput{A: engram.ByNum(a), B: engram.ByNum(b), Verb: engram.VerbNotConflict}); err != nil {
				w.Fatal(err)
			}
		}, engram.CodeConflict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			a, b, c := w.note("Lighthouse", "The keeper logs ships."), w.note("Teapot", "Water boils."), w.note("Zebra", "Stripes differ.")
			w.link(a, engram.VerbSupersedes, b)
			w.unlink(a, b, "")
			op := w.op()
			tt.meanwhile(w.in(t), a, b, c)
			before := w.snapshot()
			_, err := w.Undo(t.Context(), engineundo.UndoInput{Op: op})
			if got := engram.CodeOf(err); got != tt.code {
				t.Fatalf("undo of the unlink: got %q (%v), want %q", got, err, tt.code)
			}
			if tt.code != "" {
				same(t, "what it changed", before.compare(w.snapshot()), nil)
			}
			if got := w.list(engram.Filter{Current: true}); len(got) == 0 {
				t.Error("every memory is hidden")
			}
		})
	}
}

func TestAnEraseInTheWayIsTold(t *testing.T) {
	w := newWorld(t)
	w.note("first", "text")
	kept := w.op()
	num := w.note("second", "other text")
	saved := w.op()
	if _, err := w.Delete(t.Context(), true, engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	_, err := w.Undo(t.Context(), engineundo.UndoInput{Project: "demo"})
	wantCode(t, err, engram.CodeForbidden)
	if hint := engram.HintOf(err); !strings.Contains(hint, "undo ") {
		t.Errorf("hint %q does not say what can be undone", hint)
	}
	_, err = w.Undo(t.Context(), engineundo.UndoInput{Op: saved})
	wantCode(t, err, engram.CodeConflict)
	if !strings.Contains(err.Error(), "was erased") {
		t.Errorf("undo of the save of what was erased: %v, want why nothing of it is left", err)
	}
	w.takeBack(kept)
}

func TestALatestThatLeavesNothingToTakeBackIsPassedOver(t *testing.T) {
	w := newWorld(t)
	num := w.note("first", "text")
	other := w.save(remember.SaveInput{Title: "Everywhere", Content: "of another project", Project: "old", Scope: engram.ScopeGlobal}).Memory.Num
	w.link(num, engram.VerbRelatesTo, other)
	if _, err := w.Delete(t.Context(), true, engram.ByNum(other)); err != nil {
		t.Fatal(err)
	}
	u, err := w.Undo(t.Context(), engineundo.UndoInput{Project: "demo"})
	if err != nil || u.Undone.Name != "save" || u.Op == 0 {
		t.Errorf("got %+v, %v; want the save undone: the link went with the other memory", u, err)
	}
}

func TestASessionThatWentOnIsNotRemoved(t *testing.T) {
	start := func(w world) {
		if _, err := w.StartSession(w.Context(), remember.SessionInput{ID: "s1", Project: "demo"}); err != nil {
			w.Fatal(err)
		}
	}
	end := func(w world) {
		if _, err := w.EndSession(w.Context(), "s1", ""); err != nil {
			w.Fatal(err)
		}
	}
	remove := func(hard bool) func(w world) {
		return func(w world) {
			if err := w.DeleteSession(w.Context(), "s1", hard); err != nil {
				w.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		steps []func(world)
		undo  int // which of the steps
		code  engram.Code
	}{
		{"it was ended since", []func(world){start, end}, 0, engram.CodeConflict},
		{"it was deleted, and another made", []func(world){start, remove(false), start}, 0, engram.CodeConflict},
		{"it was erased, and another made", []func(world){start, remove(true), start}, 0, engram.CodeConflict},
		{"the end of one that was erased", []func(world){start, end, remove(true), start}, 1, engram.CodeConflict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t).in(t)
			var ops []int64
			for _, step := range tt.steps {
				step(w)
				ops = append(ops, w.op())
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
	w := newWorld(t)
	w.save(remember.SaveInput{Title: "first", Content: "text", Project: "alpha"})
	rename := func(from, to string) int64 {
		t.Helper()
		if _, err := w.RenameProject(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
		return w.op()
	}
	first, second := rename("alpha", "beta"), rename("beta", "gamma")
	before := w.snapshot()
	_, err := w.Undo(t.Context(), engineundo.UndoInput{Op: first})
	wantCode(t, err, engram.CodeConflict)
	same(t, "what it changed", before.compare(w.snapshot()), nil)
	w.takeBack(second)
	w.takeBack(first)
	if got := w.projects(); got["alpha"].Memories != 1 {
		t.Errorf("after both undos: %+v", got)
	}
}

func TestAPruneThatWouldTakeANameAwayIsNotUndone(t *testing.T) {
	w := newWorld(t)
	w.session("s1", "alpha")
	if _, err := w.PruneProjects(t.Context(), []string{"alpha"}, false); err != nil {
		t.Fatal(err)
	}
	pruned := w.op()
	w.save(remember.SaveInput{Title: "first", Content: "text", Project: "alpha"})
	if _, err := w.RenameProject(t.Context(), "alpha", "beta"); err != nil {
		t.Fatal(err)
	}
	before := w.snapshot()
	_, err := w.Undo(t.Context(), engineundo.UndoInput{Op: pruned})
	wantCode(t, err, engram.CodeConflict)
	same(t, "what it changed", before.compare(w.snapshot()), nil)
}

func TestAccessesAreCountedThroughAnUndo(t *testing.T) {
	w := newWorld(t)
	num := w.note("first", "text")
	w.session("s1", "demo")
	w.update(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("second")})
	op := w.op()
	if _, err := w.GetIn(t.Context(), "s1", engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	w.takeBack(op)
	if m := w.get(num).Memory; m.AccessCount != 1 || m.Title != "first" {
		t.Errorf("after the undo: %q, %d accesses; want first, 1", m.Title, m.AccessCount)
	}
}

// A project that was deleted and made again in between does not prevent the undo of the operation that made the first
// of its name.
func TestAProjectMadeAgainInBetweenDoesNotHinderUndo(t *testing.T) {
	w := newWorld(t)
	if _, err := w.StartSession(t.Context(), remember.SessionInput{ID: "s", Project: "beta"}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(time.Hour)
	w.save(remember.SaveInput{Content: "one", Project: "gamma"})
	w.save(remember.SaveInput{Content: "two", Project: "alpha"})
	w.mergeProject("beta", "alpha")
	w.mergeProject("alpha", "beta")
	for range 5 {
		if _, err := w.Undo(t.Context(), engineundo.UndoInput{}); err != nil {
			t.Fatal(err)
		}
	}
	if p, left := w.snapshot()["project beta"]; left {
		t.Errorf("the project that the session made is left: %s", p)
	}
}
