package sqlite_test

import (
	"os"
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
	empty := emptyFile(t, watched...)
	storetest.Run(t, func(t *testing.T) engram.Store {
		path := filled(t, empty)
		t.Cleanup(func() { counted(t, path) })
		return open(t, path, mapped)
	})
}

func TestStoreOfOneConnection(t *testing.T) {
	empty := emptyFile(t)
	storetest.Run(t, func(t *testing.T) engram.Store {
		return open(t, filled(t, empty), mapped, single)
	})
}

// emptyFile returns the file of a new store after more statements, to be copied: creating the schema takes longer than most
// tests of the contract, and TestStore does it for each.
func emptyFile(t *testing.T, more ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engram.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	foreign(t, path, more...)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// filled returns the path of a new file with this content.
func filled(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engram.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
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
