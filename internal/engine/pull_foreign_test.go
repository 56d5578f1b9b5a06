package engine_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
)

// Memories of another program's batch have foreign ids. Every store with the batch derives the same ids, so that
// later changes match.
func TestWhatIsSaidOfAnotherProgramsMemoriesArrives(t *testing.T) {
	_, all := clones(t, 3)
	at := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	var records []engram.Record
	for _, sync := range []string{"obs-00000000000000a1", "obs-00000000000000b2"} {
		r := foreign("mem_00000000000000000000000001", at, sync, "words of "+sync)
		r.Memory.Memory.ID, r.Memory.Memory.SyncID = "", sync
		records = append(records, r)
	}
	write(t, all[0].remote, "another program", records...)
	for _, c := range all {
		c.pull()
	}
	source, target := engram.Ref{SyncID: "obs-00000000000000b2"}, engram.Ref{SyncID: "obs-00000000000000a1"}
	if _, err := all[1].Link(t.Context(), relate.LinkInput{Source: source, Target: target, Verb: engram.VerbSupersedes}); err != nil {
		t.Fatal(err)
	}
	all[1].push()
	for _, c := range all {
		c.pull()
		if waits, err := c.Deferred(t.Context(), ""); err != nil || len(waits) != 0 {
			t.Errorf("%+v wait, %v; want nothing", waits, err)
		}
	}
	equal(t, all...)
}
