package sync_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Memories of another program's batch have foreign ids. Every store with the batch derives the same ids, so that
// later changes match.
func TestWhatIsSaidOfAnotherProgramsMemoriesArrives(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 3)
	at := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	var records []engram.Record
	for _, sync := range []string{"obs-00000000000000a1", "obs-00000000000000b2"} {
		r := enginetest.Foreign("mem_00000000000000000000000001", at, sync, "words of "+sync)
		r.Memory.Memory.ID, r.Memory.Memory.SyncID = "", sync
		records = append(records, r)
	}
	enginetest.WriteTo(t, all[0].Remote, "another program", records...)
	for _, c := range all {
		c.MustPull()
	}
	source, target := engram.Ref{SyncID: "obs-00000000000000b2"}, engram.Ref{SyncID: "obs-00000000000000a1"}
	if _, err := all[1].Link(t.Context(), relate.LinkInput{Source: source, Target: target, Verb: engram.VerbSupersedes}); err != nil {
		t.Fatal(err)
	}
	all[1].MustPush()
	for _, c := range all {
		c.MustPull()
		if waits, err := c.Deferred(t.Context(), ""); err != nil || len(waits) != 0 {
			t.Errorf("%+v wait, %v; want nothing", waits, err)
		}
	}
	enginetest.Equal(t, all...)
}
