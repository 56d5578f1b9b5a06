package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
)

// A refused candidate that was no memory yet is kept nowhere: an undo of the operation before it would not be what
// the user means.
func TestAnUndoAfterARefusalOfWhatWaitsSaysSo(t *testing.T) {
	w := newWorld(t)
	num := w.note("Lighthouse", "The keeper logs ships.")
	propose(t, w.Engine, inTranscript("s1", found(sqlite)))
	waits, err := w.Proposals(t.Context(), "")
	if err != nil || len(waits) != 1 {
		t.Fatalf("%d proposals wait, %v; want 1", len(waits), err)
	}
	if err := w.DropDeferred(t.Context(), waits[0].Num); err != nil {
		t.Fatal(err)
	}
	_, err = w.Undo(t.Context(), undo.UndoInput{})
	wantCode(t, err, engram.CodeForbidden)
	if m := w.get(num).Memory; m.Forgotten() {
		t.Error("the undo took back the save before it")
	}
}
