package sqlite_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

var (
	benchVectors = flag.Int("vectors", 100_000, "how many memories BenchmarkVectors has; a million take some minutes to make")
	keptVectors  = flag.String("vectors-db", "", "a store for BenchmarkVectors to keep; it is made when there is none")
)

// BenchmarkVectors measures vector searches in everything, in one project of twenty, and in a new
// process.
func BenchmarkVectors(b *testing.B) {
	path := *keptVectors
	if path == "" {
		path = filepath.Join(b.TempDir(), "engram.db")
	}
	c, k := storetest.NewCorpus(9), newClusters(9, 256)
	s := open(b, path)
	had := stats(b, s).Memories
	if had == 0 {
		fillVectors(b, s, c, k, *benchVectors)
	}
	ask := func(s *sqlite.Store, f engram.Filter) error {
		return s.View(b.Context(), func(r engram.Reader) error {
			found, err := r.Nearest(b.Context(), engram.VectorQuery{Model: k.model.Fingerprint, Vector: k.vector(), Filter: f, Limit: 50})
			if err == nil && len(found) != 50 {
				err = fmt.Errorf("found %d", len(found))
			}
			return err
		})
	}
	for _, bench := range []struct {
		name   string
		filter engram.Filter
	}{
		{"everything", engram.Filter{}},
		{"project", engram.Filter{Project: c.Projects()[3]}},
		{"type", engram.Filter{Types: engram.KnownTypes()[2:3]}},
		{"since", engram.Filter{Since: now().Add(time.Hour)}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			measure(b, func(int) error { return ask(s, bench.filter) })
		})
	}
	b.Run("put", func(b *testing.B) { // of one in a segment
		measure(b, func(i int) error {
			return s.Update(b.Context(), func(tx engram.Tx) error {
				return tx.PutVectors(b.Context(), k.model, []engram.Vector{{Num: int64(1 + i*7919%*benchVectors), Values: k.vector()}})
			})
		})
	})
	b.Run("save", func(b *testing.B) {
		measure(b, func(int) error {
			return s.Update(b.Context(), func(tx engram.Tx) error {
				m := short(c, now())
				m.ID, m.SyncID = engram.ID(fmt.Sprint(had, m.ID)), fmt.Sprint(had, m.SyncID) // the store may be an old one
				if err := tx.InsertMemory(b.Context(), &m); err != nil {
					return err
				}
				return tx.PutVectors(b.Context(), k.model, []engram.Vector{{Num: m.Num, Values: k.vector()}})
			})
		})
	})
	b.Run("unembedded", func(b *testing.B) {
		benchView(b, s, func(r engram.Reader, _ int) error {
			_, err := r.List(b.Context(), engram.Filter{Unembedded: k.model.Fingerprint}, engram.Page{Order: engram.OrderNumber, Limit: 100, After: engram.Position{Num: 0}})
			return err
		})
	})
	closed(b, s)
	for _, project := range []string{"", c.Projects()[3]} {
		where := "everything"
		if project != "" {
			where = "project"
		}
		b.Run("cold/"+where, func(b *testing.B) {
			measure(b, func(int) error {
				s := open(b, path)
				defer s.Close()
				return ask(s, engram.Filter{Project: project})
			})
		})
	}
}

func stats(b *testing.B, s *sqlite.Store) (st engram.Stats) {
	b.Helper()
	view(b, s, func(r engram.Reader) (err error) {
		st, err = r.Stats(b.Context(), "")
		return err
	})
	return st
}
