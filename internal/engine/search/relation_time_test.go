package search_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// takeBack undoes the latest operation.
func takeBack(c enginetest.Clone) {
	c.Helper()
	if _, err := c.Undo(c.Context(), undo.UndoInput{Project: "shop"}); err != nil {
		c.Fatal(err)
	}
}

// The canonical dump has the time of a relation's last write, which neither hiding it by a rule nor by an undo
// changes.
func TestWhenARelationWasChangedIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	unlink := func(c enginetest.Clone, ids []engram.ID) {
		c.Helper()
		if _, err := c.Unlink(c.Context(), relate.UnlinkInput{A: engram.ByID(ids[0]), B: engram.ByID(ids[1])}); err != nil {
			c.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		do   func(a, b enginetest.Clone, ids []engram.ID)
	}{
		{"taken away by one", func(a, _ enginetest.Clone, ids []engram.ID) { unlink(a, ids) }},
		{"taken away, and that taken back when the other has it", func(a, b enginetest.Clone, ids []engram.ID) {
			unlink(a, ids)
			enginetest.Meet(a, b)
			takeBack(a)
		}},
		{"said otherwise, and that taken back when the other has it", func(a, b enginetest.Clone, ids []engram.ID) {
			a.MustLink(ids[0], ids[1], engram.VerbContradicts)
			enginetest.Meet(a, b)
			takeBack(a)
		}},
		{"hidden for a later judgment, which is taken away", func(a, b enginetest.Clone, ids []engram.ID) {
			unlink(a, ids)
			enginetest.Meet(a, b)
			a.MustLink(ids[0], ids[1], engram.VerbCompatible)
			for range 20 {
				b.Now()
			}
			b.MustLink(ids[1], ids[0], engram.VerbContradicts)
			enginetest.Meet(a, b)
			unlink(b, ids)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, all := enginetest.Clones(t, 2)
			a, b := all[0], all[1]
			var ids []engram.ID
			for _, title := range []string{"A", "B"} {
				ids = append(ids, a.MustSave(remember.SaveInput{Title: title, Content: "about " + title, Project: "shop"}).Memory.ID)
			}
			a.MustLink(ids[0], ids[1], engram.VerbCompatible)
			enginetest.Meet(a, b)
			tt.do(a, b, ids)
			enginetest.Meet(a, b)
			enginetest.Equal(t, a, b)
		})
	}
}

func TestWhatAnUndoOfAPullHidesKeepsItsTime(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	var ids []engram.ID
	for _, title := range []string{"A", "B"} {
		ids = append(ids, a.MustSave(remember.SaveInput{Title: title, Content: "about " + title, Project: "shop"}).Memory.ID)
	}
	enginetest.Meet(a, b)
	a.MustLink(ids[0], ids[1], engram.VerbCompatible)
	a.MustPush()
	p := b.MustPull()
	enginetest.Undone(t, b.Engine, p.Batches[0].Op)
	if got := b.LiveRelations(); got != "" {
		t.Errorf("after the undo there is %q, want nothing", got)
	}
	enginetest.Equal(t, a, b)
}
