package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
)

func TestAnErasureThatIsTakenBackTwiceIsOfItsProject(t *testing.T) {
	_, all := clones(t, 2)
	a, b := all[0], all[1]
	m := a.save(remember.SaveInput{Title: "Lifetime", Content: "of shop", Project: "shop"}).Memory
	a.save(remember.SaveInput{Title: "Colour", Content: "stays", Project: "shop"})
	meet(a, b)
	if _, err := a.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
		t.Fatal(err)
	}
	a.push()
	op := b.pull().Batches[0].Op
	for range 2 {
		u, err := b.Undo(t.Context(), undo.UndoInput{Op: op})
		if err != nil {
			t.Fatal(err)
		}
		op = u.Op
	}
	meet(a, b)
	equal(t, a, b)
}
