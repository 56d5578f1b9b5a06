package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// A replica that removed a relation had not seen its new verdict.
func TestARelationThatOneChangedAndTheOtherRemovedStays(t *testing.T) {
	half := 0.5
	for _, tt := range []struct {
		name   string
		change relate.LinkInput
	}{
		{"its strength", relate.LinkInput{Strength: &half}},
		{"its reason", relate.LinkInput{Reason: "told by the keeper"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, all := clones(t, 3)
			a, b, c := all[0], all[1], all[2]
			var ids []engram.ID
			for _, title := range []string{"A", "B"} {
				ids = append(ids, a.save(remember.SaveInput{Title: title, Content: "about " + title, Project: "shop"}).Memory.ID)
			}
			a.link(ids[0], ids[1], engram.VerbCausedBy)
			meet(all...)
			in := tt.change
			in.Source, in.Target, in.Verb = engram.ByID(ids[0]), engram.ByID(ids[1]), engram.VerbCausedBy
			if _, err := a.Link(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			for range 50 {
				b.Now() // the removal is the later one
			}
			b.unlink(b.num(ids[0]), b.num(ids[1]), "")
			meet(all...)
			equal(t, all...)
			for n, r := range all {
				if got, want := r.liveRelations(), "A caused_by B"; got != want {
					t.Errorf("replica %d shows %q, want %q", n, got, want)
				}
			}
			// A removal that has seen the change holds everywhere.
			c.unlink(c.num(ids[0]), c.num(ids[1]), "")
			meet(all...)
			equal(t, all...)
			if got := a.liveRelations(); got != "" {
				t.Errorf("after the removal by the third: %q, want none", got)
			}
		})
	}
}

// Undoing or redoing a change by an import is a write of the user who does it.
func TestTheRedoOfAForgettingThatCameInIsForEverybody(t *testing.T) {
	_, all := clones(t, 2)
	a, b := all[0], all[1]
	id := a.save(remember.SaveInput{Content: "The kettle boils.", Project: "shop"}).Memory.ID
	meet(a, b)
	if _, err := b.Forget(t.Context(), engram.ByID(id)); err != nil {
		t.Fatal(err)
	}
	b.push()
	op := a.pull().Op
	for n, gone := range []bool{false, true, false, true} {
		a.world.takeBack(op)
		op = a.op()
		meet(a, b)
		equal(t, a, b)
		for i, c := range []clone{a, b} {
			d, err := c.Get(t.Context(), engram.ByID(id))
			if got := engram.CodeOf(err) == engram.CodeNotFound || err == nil && d.Memory.Forgotten(); got != gone {
				t.Errorf("undo %d, replica %d: forgotten is %v (%v), want %v", n+1, i, got, err, gone)
			}
		}
	}
}
