package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engram.Store {
		return open(t, filepath.Join(t.TempDir(), "engram.db"))
	})
}

func TestStoreThatIsMapped(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engram.Store {
		return open(t, filepath.Join(t.TempDir(), "engram.db"), mapped)
	})
}

func TestStoreOfOneConnection(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engram.Store {
		return open(t, filepath.Join(t.TempDir(), "engram.db"), mapped, single)
	})
}

// now is a fixed clock: the store uses it only for the names of backups.
func now() time.Time { return time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC) }

// open opens a store that the test may close.
func open(t testing.TB, path string, change ...func(*sqlite.Options)) *sqlite.Store {
	t.Helper()
	o := sqlite.Options{Path: path, Now: now}
	for _, c := range change {
		c(&o)
	}
	s, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return s
}
