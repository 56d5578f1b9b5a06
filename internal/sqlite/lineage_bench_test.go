package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// BenchmarkUnreplicated finds a thousand unreplicated memories among 100,000 in fifty batches, as every
// push does first.
func BenchmarkUnreplicated(b *testing.B) {
	const size, fresh = 100_000, 1000
	s, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "engram.db"), Now: now})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var batches []string
	for i := range size / 2000 {
		batches = append(batches, fmt.Sprintf("batch-%d", i))
	}
	err = s.Update(b.Context(), func(tx engram.Tx) error {
		head, err := tx.Replica().Head(b.Context())
		if err != nil {
			return err
		}
		if err := tx.PutProject(b.Context(), engram.Project{Name: "app", CreatedAt: now()}); err != nil {
			return err
		}
		if err := tx.PutSession(b.Context(), engram.Session{ID: "s-app", Project: "app", StartedAt: now(), ActiveAt: now()}); err != nil {
			return err
		}
		for i := range size + fresh { // newest first: they have memories and numbers
			i = (i + size) % (size + fresh)
			l, key := engram.CausalMetadata{Base: engram.VersionStamp{At: engram.Clock(i+1) << 16, Device: head.Device}}, strconv.Itoa((i+fresh)%(size+fresh)+1)
			if err := tx.ReplicaTx().PutCausalMetadata(b.Context(), engram.EntityMemory, map[string]engram.CausalMetadata{key: l}); err != nil {
				return err
			}
			if i >= size {
				m := draft("app", i)
				if err := tx.InsertMemory(b.Context(), &m); err != nil {
					return err
				}
				continue
			}
			if err := tx.ReplicaTx().PutReplicated(b.Context(), batches[i/2000:i/2000+1], engram.ThingState{Entity: engram.EntityMemory, Key: key, Digest: l.Digest()}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	benchView(b, s, func(r engram.Reader, _ int) error {
		_, err := r.Replica().Unreplicated(b.Context(), engram.EntityMemory, "app", batches, "", 2000)
		return err
	})
}
