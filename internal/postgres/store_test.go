package postgres_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

func TestStore(t *testing.T) {
	server := postgrestest.Start(t)
	storetest.Run(t, func(t *testing.T) engram.Store { return open(t, server, postgrestest.Space()) })
}

// open opens a space of the shared database, which the test may close.
func open(t testing.TB, server *postgrestest.Server, space string, change ...func(*postgres.Options)) *postgres.Store {
	t.Helper()
	o := postgres.Options{URL: server.URL(), Space: space}
	for _, c := range change {
		c(&o)
	}
	s, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
