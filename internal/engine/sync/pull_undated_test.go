package sync_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// All stores that pull a thing with an impossible time give it the same one.
func TestWhatHasNoTimeHasThatOfItsBatch(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	then := time.Date(2099, 1, 2, 3, 4, 5, 0, time.UTC)
	m := engram.Memory{Title: "t", Content: "c", Project: "shop", SyncID: "obs-undated", Type: "manual", CreatedAt: then, UpdatedAt: then}
	batch := enginetest.WriteTo(t, cs[0].Remote, "mallory", engram.Record{Memory: &engram.MemoryRecord{Memory: m}},
		engram.Record{Session: &engram.Session{ID: "s1", Project: "shop", StartedAt: then}})
	at := time.Date(2026, 6, 12, 0, 0, 0, 0, time.UTC) // as write has it
	for n, c := range cs {
		c.Clock.Add(time.Duration(n) * time.Hour)
		if got := c.MustPull(); got.Memories.Added != 1 || got.Sessions.Added != 1 {
			t.Fatalf("clone %d pulled %+v, want all of %+v", n, got, batch)
		}
		ms, err := c.List(t.Context(), engram.Filter{Project: "shop"}, engram.Page{Limit: 2})
		if err != nil || len(ms) != 1 || !ms[0].CreatedAt.Equal(at) || !ms[0].UpdatedAt.Equal(at) {
			t.Errorf("clone %d: %+v, %v; want one memory of %v", n, ms, err, at)
		}
		if s, err := c.Session(t.Context(), "s1"); err != nil || !s.StartedAt.Equal(at) {
			t.Errorf("clone %d: %+v, %v; want a session of %v", n, s, err, at)
		}
	}
}
