package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// BenchmarkPush pushes a thousand new memories from a store whose older ones were pushed.
func BenchmarkPush(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		r := replicatest.NewPlace("here").Open()
		wentBefore(w, b, r)
		c := storetest.NewCorpus(3)
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			addThousand(w, b, c, n)
			b.StartTimer()
			if p, err := w.Push(b.Context(), r, sync.PushInput{All: true}); err != nil || p.Memories != 1000 {
				b.Fatalf("pushed %+v, %v", p, err)
			}
		}
	})
}

// wentBefore marks every memory as pushed in batches of two thousand.
func wentBefore(w enginetest.World, b *testing.B, r engram.Remote) {
	b.Helper()
	last := int64(0)
	for {
		var ms []engram.Memory
		err := w.Store.Update(b.Context(), func(tx engram.Tx) (err error) {
			if ms, err = engram.MemoriesAfter(b.Context(), tx, "", last, 2000); err != nil || len(ms) == 0 {
				return err
			}
			batch, err := r.Write(b.Context(), engram.Batch{}, []engram.Record{replicatest.Memory(int(last), "demo", "stands for others")})
			if err != nil {
				return err
			}
			for _, m := range ms {
				l := engram.CausalMetadata{Base: engram.VersionStamp{At: engram.Clock(m.Num), Device: "here"}}
				if err := tx.ReplicaTx().PutCausalMetadata(b.Context(), engram.EntityMemory, map[string]engram.CausalMetadata{fmt.Sprint(m.Num): l}); err != nil {
					return err
				}
				if err := tx.ReplicaTx().PutReplicated(b.Context(), []string{batch.ID}, engram.ThingState{Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num), Digest: l.Digest()}); err != nil {
					return err
				}
				last = m.Num
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		if len(ms) == 0 {
			return
		}
	}
}

// addThousand adds the n-th thousand of memories below the operations.
func addThousand(w enginetest.World, b *testing.B, c *storetest.Corpus, n int) {
	b.Helper()
	err := w.Store.Update(b.Context(), func(tx engram.Tx) error {
		now := enginetest.Start()
		if err := tx.PutSession(b.Context(), engram.Session{ID: "s-push", StartedAt: now, ActiveAt: now}); err != nil {
			return err
		}
		for i := range 1000 {
			m := c.Memory(now)
			m.SessionID, m.ID, m.SyncID = "s-push", engram.ID(fmt.Sprintf("mem_push%022d", n*1000+i)), fmt.Sprintf("obs-push%d", n*1000+i)
			now = now.Add(time.Minute)
			if err := tx.InsertMemory(b.Context(), &m); err != nil {
				return err
			}
			l := engram.CausalMetadata{Base: engram.VersionStamp{At: engram.Clock(m.Num), Device: "here"}}
			if err := tx.ReplicaTx().PutCausalMetadata(b.Context(), engram.EntityMemory, map[string]engram.CausalMetadata{fmt.Sprint(m.Num): l}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
