package sync_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A change of something that has left the project arrives once a store has both projects: a batch of one project has
// only half of it.
func TestWhatBecameOfAMemoryWhereItWasArrivesWhereItIs(t *testing.T) {
	t.Parallel()
	changes := map[string]func(c enginetest.Clone, id engram.ID){
		"it was forgotten": func(c enginetest.Clone, id engram.ID) {
			if _, err := c.Forget(c.Context(), engram.ByID(id)); err != nil {
				c.Fatal(err)
			}
		},
		"it was edited": func(c enginetest.Clone, id engram.ID) { c.Edit(id, "words that came later") },
	}
	for name, change := range changes {
		for _, order := range [][]string{{"shop", "demo"}, {"demo", "shop"}} {
			p := projectsApart(t, 3, order...)
			a, b := p.all[0], p.all[1]
			id := a.MustSave(remember.SaveInput{Title: "moves", Content: "first words", Project: "shop"}).Memory.ID
			a.MustSave(remember.SaveInput{Title: "other", Content: "of the place where it goes", Project: "demo"})
			p.sync(t)
			moves(b, id, "demo")
			for range 60 {
				a.Now()
			}
			change(a, id)
			for range 4 {
				p.sync(t)
			}
			p.equal(t, name+", synced as "+order[0]+" first:")
			for _, c := range p.all { // forgotten ones, too
				if got := c.Memory(id); got.Project != "demo" || got.Forgotten() != (name == "it was forgotten") {
					t.Errorf("%s: got %+v; want it in demo", name, got)
				}
			}
			if waits, err := a.Deferred(t.Context(), ""); err != nil || len(waits) != 0 {
				t.Errorf("%s: %v wait still, %v", name, waits, err)
			}
		}
	}
}

// A session that was made here for its content becomes what others know of it, and has no other state.
func TestASessionThatClaimsNothingBecomesTheOneThatComesIn(t *testing.T) {
	t.Parallel()
	place, all := enginetest.Clones(t, 2)
	a, c := all[0], all[1]
	a.MustSave(remember.SaveInput{Title: "Lifetime", Content: "fifteen minutes", Project: "shop", SessionID: "s1", NewSession: true})
	batch := a.MustPush().Batches[0].ID
	var alone []engram.Record
	for r, err := range a.Remote.Read(t.Context(), batch) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Memory != nil {
			alone = append(alone, r)
		}
	}
	place.Drop(batch)
	enginetest.WriteTo(t, c.Remote, "another program", alone...)
	c.MustPull()
	a.MustPush()
	c.MustPull()
	if got, want := c.MustCanonical(), a.MustCanonical(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if p := c.MustPush(); p.Sessions != 0 {
		t.Errorf("it pushes %+v; want no session", p)
	}
}

// A store with the memory in another project by now reports its erasure in both.
func TestAnErasureThatComesByAFileIsToldOfWhereItWasAndWhereItIs(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, c := all[0], all[1]
	id := a.MustSave(remember.SaveInput{Title: "moves", Content: "first words", Project: "shop"}).Memory.ID
	a.MustSave(remember.SaveInput{Title: "stays", Content: "so that there is a project", Project: "shop"})
	handOver(a, c)
	moves(c, id, "demo")
	if _, err := a.Delete(t.Context(), true, engram.ByID(id)); err != nil {
		t.Fatal(err)
	}
	handOver(a, c)
	for _, project := range []string{"shop", "demo"} {
		p, err := c.Push(t.Context(), c.Remote, sync.PushInput{Project: project, DryRun: true})
		if err != nil || p.Erased != 1 {
			t.Errorf("%s: %d erasures go out, %v; want one", project, p.Erased, err)
		}
	}
	if _, err := c.Get(t.Context(), engram.ByID(id)); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("it is %v; want that it is gone", err)
	}
}

// A relation names no project: pulled into another one it stays pending there, and comes in where its memories are.
func TestARelationThatWaitsInOneProjectComesIntoAnother(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	source := a.MustSave(remember.SaveInput{Title: "one", Content: "first words", Project: "demo"}).Memory.ID
	target := a.MustSave(remember.SaveInput{Title: "two", Content: "second words", Project: "demo"}).Memory.ID
	pushTo(a, a.Remote, "demo")
	a.MustLink(source, target, engram.VerbCausedBy)
	pushTo(a, a.Remote, "demo") // a batch with nothing else
	for _, project := range []string{"shop", "demo", "shop"} {
		b.PullFrom(b.Remote, project)
	}
	if got, want := dump(b, "demo"), dump(a, "demo"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if waits, err := b.Deferred(t.Context(), ""); err != nil || len(waits) != 0 {
		t.Errorf("%+v wait still, %v", waits, err)
	}
}

// An erasure that came with an import and a batch survives the undo of the import: it would not come again.
func TestAnErasureThatABatchToldOfStaysWhenAnImportOfItIsTakenBack(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	id := a.MustSave(remember.SaveInput{Title: "goes", Content: "first words", Project: "shop"}).Memory.ID
	a.MustSave(remember.SaveInput{Title: "stays", Content: "second words", Project: "shop"})
	if _, err := a.Delete(t.Context(), true, engram.ByID(id)); err != nil {
		t.Fatal(err)
	}
	handOver(a, b)
	a.MustPush()
	b.MustPull()
	if _, err := b.Undo(t.Context(), undo.UndoInput{Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	b.MustPull()
	var gone []engram.Erased
	err := b.Store.View(t.Context(), func(r engram.Reader) (err error) {
		gone, err = r.Replica().ErasedAfter(t.Context(), engram.EntityMemory, "", 10)
		return err
	})
	if err != nil || len(gone) != 1 {
		t.Errorf("it knows of %+v, %v; want the one erasure", gone, err)
	}
}

// Undoing the pull that described a session, which existed here only for a moved memory, makes no claim that other
// replicas would follow.
func TestUndoOfAPullClaimsNoSessionOfOthers(t *testing.T) {
	t.Parallel()
	p := projectsApart(t, 2, "shop", "side")
	a, b := p.all[0], p.all[1]
	id := a.MustSave(remember.SaveInput{Title: "moves", Content: "first words", Project: "side"}).Memory.ID
	a.MustSave(remember.SaveInput{Title: "stays", Content: "of the place where it was", Project: "side"})
	moves(a, id, "shop")
	for _, project := range []string{"shop", "side"} {
		if _, err := a.Push(t.Context(), a.Remote, sync.PushInput{Project: project}); err != nil {
			t.Fatal(err)
		}
	}
	pullOf(b, "shop")
	pulled := pullOf(b, "side")
	if _, err := b.Undo(t.Context(), undo.UndoInput{Op: pulled.Op}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		p.sync(t)
	}
	p.equal(t, "after the undo of a pull:")
	err := a.Store.View(t.Context(), func(r engram.Reader) error {
		s, err := r.Session(t.Context(), "manual-save-side")
		if err == nil && s.Project != "side" {
			t.Errorf("its session is of %q where it was made; want side", s.Project)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
