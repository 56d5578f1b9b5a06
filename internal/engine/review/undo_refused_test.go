package review_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A refused candidate that was no memory yet is kept nowhere: an undo of the operation before it would not be what
// the user means.
func TestAnUndoAfterARefusalOfWhatWaitsSaysSo(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("Lighthouse", "The keeper logs ships.")
	propose(t, w.Engine, inTranscript("s1", found(sqlite)))
	waits, err := w.Proposals(t.Context(), "")
	if err != nil || len(waits) != 1 {
		t.Fatalf("%d proposals wait, %v; want 1", len(waits), err)
	}
	if err := w.DropDeferred(t.Context(), waits[0].Num); err != nil {
		t.Fatal(err)
	}
	_, err = w.Undo(t.Context(), undo.UndoInput{})
	enginetest.WantCode(t, err, engram.CodeForbidden)
	if m := w.MustGet(num).Memory; m.Forgotten() {
		t.Error("the undo took back the save before it")
	}
}
