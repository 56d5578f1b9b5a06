package sync_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A replica that removed a relation had not seen its new verdict.
func TestARelationThatOneChangedAndTheOtherRemovedStays(t *testing.T) {
	t.Parallel()
	half := 0.5
	for _, tt := range []struct {
		name   string
		change relate.LinkInput
	}{
		{"its strength", relate.LinkInput{Strength: &half}},
		{"its reason", relate.LinkInput{Reason: "told by the keeper"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, all := enginetest.Clones(t, 3)
			a, b, c := all[0], all[1], all[2]
			var ids []engram.ID
			for _, title := range []string{"A", "B"} {
				ids = append(ids, a.MustSave(remember.SaveInput{Title: title, Content: "about " + title, Project: "shop"}).Memory.ID)
			}
			a.MustLink(ids[0], ids[1], engram.VerbCausedBy)
			enginetest.Meet(all...)
			in := tt.change
			in.Source, in.Target, in.Verb = engram.ByID(ids[0]), engram.ByID(ids[1]), engram.VerbCausedBy
			if _, err := a.Link(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			for range 50 {
				b.Now() // the removal is the later one
			}
			b.MustUnlink(b.Num(ids[0]), b.Num(ids[1]), "")
			enginetest.Meet(all...)
			enginetest.Equal(t, all...)
			for n, r := range all {
				if got, want := r.LiveRelations(), "A caused_by B"; got != want {
					t.Errorf("replica %d shows %q, want %q", n, got, want)
				}
			}
			// A removal that has seen the change holds everywhere.
			c.MustUnlink(c.Num(ids[0]), c.Num(ids[1]), "")
			enginetest.Meet(all...)
			enginetest.Equal(t, all...)
			if got := a.LiveRelations(); got != "" {
				t.Errorf("after the removal by the third: %q, want none", got)
			}
		})
	}
}

// Undoing or redoing a change by an import is a write of the user who does it.
func TestTheRedoOfAForgettingThatCameInIsForEverybody(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	id := a.MustSave(remember.SaveInput{Content: "The kettle boils.", Project: "shop"}).Memory.ID
	enginetest.Meet(a, b)
	if _, err := b.Forget(t.Context(), engram.ByID(id)); err != nil {
		t.Fatal(err)
	}
	b.MustPush()
	op := a.MustPull().Op
	for n, gone := range []bool{false, true, false, true} {
		a.World.TakeBack(op)
		op = a.LastOp()
		enginetest.Meet(a, b)
		enginetest.Equal(t, a, b)
		for i, c := range []enginetest.Clone{a, b} {
			d, err := c.Get(t.Context(), engram.ByID(id))
			if got := engram.CodeOf(err) == engram.CodeNotFound || err == nil && d.Memory.Forgotten(); got != gone {
				t.Errorf("undo %d, replica %d: forgotten is %v (%v), want %v", n+1, i, got, err, gone)
			}
		}
	}
}
