package undo_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestAnErasureThatIsTakenBackTwiceIsOfItsProject(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	m := a.MustSave(remember.SaveInput{Title: "Lifetime", Content: "of shop", Project: "shop"}).Memory
	a.MustSave(remember.SaveInput{Title: "Colour", Content: "stays", Project: "shop"})
	enginetest.Meet(a, b)
	if _, err := a.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
		t.Fatal(err)
	}
	a.MustPush()
	op := b.MustPull().Batches[0].Op
	for range 2 {
		u, err := b.Undo(t.Context(), undo.UndoInput{Op: op})
		if err != nil {
			t.Fatal(err)
		}
		op = u.Op
	}
	enginetest.Meet(a, b)
	enginetest.Equal(t, a, b)
}
