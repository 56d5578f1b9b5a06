package exchange_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// What a file put into a named project stays there, with its session, when the file comes in again without one.
func TestAFileThatComesInAgainLeavesWhatItPutIntoAnotherProject(t *testing.T) {
	t.Parallel()
	_, file := neighbour(t)
	e, clock := enginetest.Open(t, filepath.Join(t.TempDir(), "engram.db"))
	clock.Add(time.Hour) // the file was written before
	enginetest.Imported(t, e, file, exchange.ImportInput{Project: "mine"})
	again := enginetest.Imported(t, e, file, exchange.ImportInput{})
	if got := again.All(); got.Changed != 0 {
		t.Errorf("the file without a project: got %+v, want nothing changed", got)
	}
	ms, err := e.List(t.Context(), engram.Filter{Project: "mine", SessionID: "s1"}, engram.Page{})
	if err != nil || len(ms) != 2 {
		t.Errorf("session s1 of project mine has %d memories, %v; want 2", len(ms), err)
	}
	if third := enginetest.Imported(t, e, file, exchange.ImportInput{Project: "mine"}); third.Op != 0 {
		t.Errorf("with the project again: got %+v, want nothing changed", third)
	}
}
