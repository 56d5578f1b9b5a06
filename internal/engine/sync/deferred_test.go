package sync_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// adrift returns relations between memories that do not exist.
func adrift(n int) (rs []engram.Record) {
	for i := range n {
		r := engram.RelationRecord{Relation: engram.Relation{ID: fmt.Sprintf("rel-%016d", i), Verb: engram.VerbCausedBy},
			Source: engram.Ref{SyncID: fmt.Sprintf("obs-a%d", i)}, Target: engram.Ref{SyncID: fmt.Sprintf("obs-b%d", i)}}
		rs = append(rs, engram.Record{Relation: &r})
	}
	return rs
}

// A client that may push can write many batches, each of them small enough.
func TestNoMoreThanSoMuchWaitsInAll(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 1)
	b := cs[0]
	err := b.Store.Update(t.Context(), func(tx engram.Tx) error {
		for i, r := range adrift(9_500) {
			d := engram.Deferred{Record: r, Project: "shop", Batch: "b", Why: engram.DeferredReview, Reason: "r", FirstAt: b.Clock.Now(), LastAt: b.Clock.Now(), Tries: i}
			if err := tx.ReplicaTx().PutDeferred(t.Context(), &d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.WriteTo(t, b.Remote, "mallory", adrift(501)...)
	enginetest.WriteTo(t, b.Remote, "ann", append(adrift(500), enginetest.Foreign(enginetest.ID1, b.Clock.Now(), "t", "c"))...)
	for _, dry := range []bool{true, false} {
		p, err := b.Pull(t.Context(), b.Remote, sync.PullInput{Project: "shop", DryRun: dry})
		if err != nil || len(p.Refused) != 1 || p.Memories.Added != 1 || !strings.Contains(p.Refused[0].Reason, "10000") || p.Refused[0].Batch == "" {
			t.Errorf("dry %t: refused %+v, came in %+v, %v; want one batch refused for what waits already, and the other in", dry, p.Refused, p.Memories, err)
		}
	}
	if st, err := b.RemoteStatus(t.Context(), b.Remote, "shop"); err != nil || st.Deferred != 10_000 || st.Review != 9_500 {
		t.Errorf("%d wait, %d of them for review, %v; want 10000 and 9500", st.Deferred, st.Review, err)
	}
}

// An erasure arrives before the last replica with the memory has pulled: that is not an error.
func TestWhatComesOfSomethingErasedIsNoFault(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 3)
	a, b, late := cs[0], cs[1], cs[2]
	m := a.MustSave(remember.SaveInput{Title: "key", Content: "it is hunter2", Project: "shop"}).Memory
	other := a.MustSave(remember.SaveInput{Title: "other", Content: "stays", Project: "shop"}).Memory
	asked := a.Prompt(remember.PromptInput{Content: "is it hunter2?", Project: "shop"})
	a.MustLink(other.ID, m.ID, engram.VerbCausedBy)
	first := a.MustPush()
	if _, err := a.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
		t.Fatal(err)
	}
	if err := a.DeletePrompt(t.Context(), asked.Num, true); err != nil {
		t.Fatal(err)
	}
	second := a.MustPush()
	records := slices.Concat(wentIn(a.World, a.Remote, first.Batches), wentIn(a.World, a.Remote, second.Batches))
	late.Remote = given{late.Remote, records}
	p := late.MustPull() // everything ever written, in one batch
	if len(p.Rejected) > 0 || p.Memories.Added+p.Memories.Unchanged < 2 {
		t.Errorf("rejected %+v, of %+v", p.Rejected, p.Imported)
	}
	b.Remote = replicatest.NewPlace("elsewhere").Open()
	for _, batch := range [][]engram.Record{wentIn(a.World, a.Remote, second.Batches), wentIn(a.World, a.Remote, first.Batches)} {
		enginetest.WriteTo(t, b.Remote, "ann", batch...)
		p = b.MustPull()
	}
	if len(p.Rejected) > 0 || p.Memories.Added != 1 || p.Memories.Unchanged != 1 || p.Prompts.Unchanged != 1 || p.Relations.Unchanged != 1 {
		t.Errorf("rejected %+v, of %+v; want one memory, and the others as if they were not there", p.Rejected, p.Imported)
	}
}

func TestWhatIsRejectedIsToldWithItsBatch(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 1)
	b := cs[0]
	for n, id := range []string{enginetest.ID1, enginetest.ID2} {
		batch := enginetest.WriteTo(t, b.Remote, "ann", enginetest.Foreign(id, b.Clock.Now(), "", " "))
		if p := b.MustPull(); len(p.Rejected) != 1 || p.Rejected[0].Batch != batch.ID {
			t.Errorf("batch %d, %s: rejected %+v, want its name", n, batch.ID, p.Rejected)
		}
	}
}
