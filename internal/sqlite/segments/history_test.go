package segments_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index/indextest"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

var (
	histories = flag.Int("histories", 2, "random histories that the index lives through beside its model")
	steps     = flag.Int("steps", 60, "transactions of each history")
	seed      = flag.Uint64("seed", 1, "of the first history; the next ones follow")
)

// The index answers every question as a plain model of it does, whatever was saved, changed, forgotten,
// restored, erased, moved and reindexed before, in one transaction or many, and whichever were given up.
func TestTheIndexAnswersAsItsModelDoes(t *testing.T) {
	for n := range *histories {
		t.Run(fmt.Sprintf("seed %d", *seed+uint64(n)), func(t *testing.T) {
			t.Parallel()
			newWorld(t, *seed+uint64(n)).Run(*steps)
		})
	}
}

// world is a world in a file.
type world struct {
	*indextest.World
	path string
}

func newWorld(t testing.TB, seed uint64) *world {
	path := filepath.Join(t.TempDir(), "engram.db")
	return &world{indextest.New(t, seed, in(path)), path}
}

// in keeps a world in a file.
func in(path string) indextest.Stores {
	return indextest.Stores{
		Open: func(ctx context.Context) (engram.Store, error) {
			return sqlite.Open(ctx, sqlite.Options{Path: path, Now: func() time.Time { return time.Unix(1_700_000_000, 0) }})
		},
		Examine: func(ctx context.Context, q health.Query) (health.Facts, error) { return sqlite.Examine(ctx, path, q) },
	}
}
