package postgres_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// filled returns a space with n memories, and the URL of its database.
func filled(b *testing.B, server *postgrestest.Server, n int, trips *int) (s *postgres.Store, database string) {
	b.Helper()
	database = server.Fresh(b)
	s = open(b, server, postgrestest.Space(), func(o *postgres.Options) { o.URL, o.Sent = database, func([]string) { *trips++ } })
	err := s.Update(b.Context(), func(tx engram.Tx) error {
		if err := storetest.Fill(b.Context(), tx, "text"); err != nil {
			return err
		}
		for i := range n {
			m := bench(i)
			if err := tx.InsertMemory(b.Context(), &m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	server.SQL(b, database, "ANALYZE")
	return s, database
}

// bench is the i-th memory of a benchmark.
func bench(i int) engram.Memory {
	m := *storetest.Values()[reflect.TypeFor[*engram.Memory]()][0].(*engram.Memory)
	m.ID, m.SyncID = engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, 1000+i)), fmt.Sprintf("obs-%016x", 1000+i)
	m.Title, m.Content = fmt.Sprint("a title of memory ", i), strings.Repeat("what is to be remembered of it, ", 20)
	m.NormalizedHash = fmt.Sprintf("%064x", i)
	return m
}

// BenchmarkSave writes a memory with what belongs to it, among 10,000, and reports the round trips and the log of it.
func BenchmarkSave(b *testing.B) {
	server := postgrestest.Start(b)
	var trips int
	s, database := filled(b, server, 10_000, &trips)
	wal := func() int {
		n, err := strconv.Atoi(strings.TrimSpace(server.SQL(b, database, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")))
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	server.SQL(b, database, "CHECKPOINT")
	before := wal()
	trips = 0
	b.ResetTimer()
	for i := range b.N {
		m := bench(100_000 + i)
		if err := s.Update(b.Context(), func(tx engram.Tx) error { return saveWhole(b.Context(), tx, &m) }); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(trips)/float64(b.N), "trips/op")
	b.ReportMetric(float64(wal()-before)/float64(b.N), "WAL-B/op")
}

// BenchmarkView reads the newest memories of a project, among 10,000.
func BenchmarkView(b *testing.B) {
	server := postgrestest.Start(b)
	var trips int
	s, _ := filled(b, server, 10_000, &trips)
	trips = 0
	b.ResetTimer()
	for range b.N {
		err := s.View(b.Context(), func(r engram.Reader) error {
			_, err := r.List(b.Context(), engram.Filter{Project: "app"}, engram.Page{Limit: 20})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(trips)/float64(b.N), "trips/op")
}
