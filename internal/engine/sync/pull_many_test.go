package sync_test

import (
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestABatchOfWhichMuchWouldWaitIsRefused(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 1)
	b := cs[0]
	var rs []engram.Record
	for n := range 1001 {
		r := engram.RelationRecord{Relation: engram.Relation{ID: fmt.Sprintf("rel-%016d", n), Verb: engram.VerbCausedBy},
			Source: engram.Ref{SyncID: fmt.Sprintf("obs-a%d", n)}, Target: engram.Ref{SyncID: fmt.Sprintf("obs-b%d", n)}}
		rs = append(rs, engram.Record{Relation: &r})
	}
	enginetest.WriteTo(t, b.Remote, "mallory", rs...)
	enginetest.WriteTo(t, b.Remote, "ann", enginetest.Foreign("mem_00000000000000000000000009", b.Clock.Now(), "t", "c"))
	p := b.MustPull()
	ds, err := b.Deferred(t.Context(), "")
	if err != nil || len(ds) != 0 || len(p.Refused) != 1 || p.Memories.Added != 1 {
		t.Errorf("wait %d, %v; refused %+v, and came in %+v; want one batch refused and the other in", len(ds), err, p.Refused, p.Memories)
	}
}
