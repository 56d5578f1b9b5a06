package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
)

// takeBack undoes the latest operation.
func (c clone) takeBack() {
	c.Helper()
	if _, err := c.Undo(c.Context(), undo.UndoInput{Project: "shop"}); err != nil {
		c.Fatal(err)
	}
}

// The canonical dump has the time of a relation's last write, which neither hiding it by a rule nor by an undo
// changes.
func TestWhenARelationWasChangedIsTheSameEverywhere(t *testing.T) {
	unlink := func(c clone, ids []engram.ID) {
		c.Helper()
		if _, err := c.Unlink(c.Context(), relate.UnlinkInput{A: engram.ByID(ids[0]), B: engram.ByID(ids[1])}); err != nil {
			c.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		do   func(a, b clone, ids []engram.ID)
	}{
		{"taken away by one", func(a, _ clone, ids []engram.ID) { unlink(a, ids) }},
		{"taken away, and that taken back when the other has it", func(a, b clone, ids []engram.ID) {
			unlink(a, ids)
			meet(a, b)
			a.takeBack()
		}},
		{"said otherwise, and that taken back when the other has it", func(a, b clone, ids []engram.ID) {
			a.link(ids[0], ids[1], engram.VerbContradicts)
			meet(a, b)
			a.takeBack()
		}},
		{"hidden for a later judgment, which is taken away", func(a, b clone, ids []engram.ID) {
			unlink(a, ids)
			meet(a, b)
			a.link(ids[0], ids[1], engram.VerbCompatible)
			for range 20 {
				b.Now()
			}
			b.link(ids[1], ids[0], engram.VerbContradicts)
			meet(a, b)
			unlink(b, ids)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, all := clones(t, 2)
			a, b := all[0], all[1]
			var ids []engram.ID
			for _, title := range []string{"A", "B"} {
				ids = append(ids, a.save(remember.SaveInput{Title: title, Content: "about " + title, Project: "shop"}).Memory.ID)
			}
			a.link(ids[0], ids[1], engram.VerbCompatible)
			meet(a, b)
			tt.do(a, b, ids)
			meet(a, b)
			equal(t, a, b)
		})
	}
}

func TestWhatAnUndoOfAPullHidesKeepsItsTime(t *testing.T) {
	_, all := clones(t, 2)
	a, b := all[0], all[1]
	var ids []engram.ID
	for _, title := range []string{"A", "B"} {
		ids = append(ids, a.save(remember.SaveInput{Title: title, Content: "about " + title, Project: "shop"}).Memory.ID)
	}
	meet(a, b)
	a.link(ids[0], ids[1], engram.VerbCompatible)
	a.push()
	p := b.pull()
	undone(t, b.Engine, p.Batches[0].Op)
	if got := b.liveRelations(); got != "" {
		t.Errorf("after the undo there is %q, want nothing", got)
	}
	equal(t, a, b)
}
