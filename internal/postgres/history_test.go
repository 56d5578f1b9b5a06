package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index/indextest"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
)

var (
	histories = flag.Int("histories", 2, "random histories that the index lives through beside its model")
	steps     = flag.Int("steps", 60, "transactions of each history")
	seed      = flag.Uint64("seed", 1, "of the first history; the next ones follow")
)

// The index of a space answers every question as a plain model of it does, in the process that writes and in another
// one, whatever a process keeps of what it has read and saved, and whatever is sealed beside.
func TestTheIndexAnswersAsItsModelDoes(t *testing.T) {
	server := postgrestest.Start(t)
	for n := range *histories {
		t.Run(fmt.Sprintf("seed %d", *seed+uint64(n)), func(t *testing.T) {
			t.Parallel()
			o := postgres.Options{URL: server.URL(), Space: postgrestest.Space()}
			indextest.New(t, *seed+uint64(n), indextest.Stores{
				Open:    func(ctx context.Context) (engram.Store, error) { return postgres.Open(ctx, o) },
				Examine: func(ctx context.Context, q health.Query) (health.Facts, error) { return postgres.Examine(ctx, o, q) },
			}).Run(*steps)
		})
	}
}
