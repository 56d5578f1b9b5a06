package enginetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// Parts is an engine with its parts, for tests below the operations.
type Parts struct {
	*engine.Engine
	Store engram.Store
	Clock *Clock
	Path  string // of the database file
	Code  *Code  // what memories are anchored to, in CodeFolder
	// Patience is engine.Options.Patience of engines made by Again: long enough that no test depends on machine
	// load.
	Patience time.Duration

	// opened counts the engines on this file, to give each its own ids.
	opened *atomic.Int64
	close  func() error
}

// NewParts is New with store, clock and file.
func NewParts(t testing.TB) Parts {
	t.Helper()
	return NewPartsIn(t, t.TempDir())
}

// NewPartsIn is NewParts with the file in dir, for tests with many stores.
func NewPartsIn(t testing.TB, dir string) Parts {
	t.Helper()
	p := Parts{Clock: &Clock{now: Start()}, Path: filepath.Join(dir, "engram.db"), Code: new(Code), Patience: time.Minute, opened: new(atomic.Int64)}
	return p.Again(t)
}

// Again opens the same file again with its own store and ids, like another process. The clock is shared.
func (p Parts) Again(t testing.TB) Parts {
	t.Helper()
	s, err := openStore(p.Path, Start)
	if err != nil {
		t.Fatalf("open %s: %v", p.Path, err)
	}
	var closed atomic.Bool
	p.close = func() error {
		if closed.Swap(true) {
			return nil
		}
		return s.Close()
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	p.Store = s
	p.Engine = engine.New(engine.Options{Store: s, Embedder: Embedder(), Folders: git.Folders{}, Now: p.Clock.Now, NewID: idsOf(p.opened.Add(1)), Formats: jsonfile.Formats(),
		Clinic: Clinic{p.Path, s, p.Clock}, Code: p.Code, Caller: ledger.Caller{Dir: CodeFolder}, Patience: p.Patience})
	return p
}

// Close closes the store before the test ends.
func (p Parts) Close(t testing.TB) {
	t.Helper()
	if err := p.close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// OpenStore opens the store at path; the caller closes it.
func OpenStore(path string) (engram.Store, error) { return openStore(path, Start) }

// OpenCounted opens a new store in a file that calls ran with each statement before it runs.
func OpenCounted(t testing.TB, ran func(query string)) engram.Store {
	t.Helper()
	OfFile(t)
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "engram.db"), Now: Start, Ran: ran})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// OnServer reports whether stores are spaces of a Postgres database instead of files.
func OnServer() bool { return postgrestest.Wanted() }

// OfFile skips a test of what is of a file alone where stores are spaces of a database.
func OfFile(t testing.TB) {
	t.Helper()
	if OnServer() {
		t.Skip("skipped: of a file alone, and stores are in a database here")
	}
}

// openStore opens the store at path. One that is not there begins as a copy of the empty store, since creating the
// schema takes longer than most tests.
func openStore(path string, now func() time.Time) (Opened, error) {
	if url, space, instead := postgrestest.Instead(path); instead {
		s, err := postgres.Open(context.Background(), postgres.Options{URL: url, Space: space, Now: now})
		if err != nil {
			return nil, err // not s: a nil *postgres.Store would be a non-nil store
		}
		return s, nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		empty, err := emptyStore()
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, empty, 0o600))
		}
		if err != nil {
			return nil, err
		}
	}
	s, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Now: now})
	if err != nil {
		return nil, err // likewise
	}
	return s, nil
}

// idsOf is IDs for the nth engine on one file.
func idsOf(nth int64) func() engram.ID {
	var n atomic.Int64
	return func() engram.ID { return engram.ID(fmt.Sprintf("%s%06d%020d", engram.IDPrefix, nth-1, n.Add(1))) }
}
