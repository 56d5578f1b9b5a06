// Package enginetest holds a real engine for tests: a SQLite store in a temporary folder, a stepping clock
// and sequential ids.
package enginetest

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/static"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
)

// New returns an engine on an empty store. Its clock starts at Start and steps a second per reading; its ids
// are mem_ and a counter.
func New(t testing.TB) *engine.Engine {
	t.Helper()
	e, _ := Open(t, filepath.Join(t.TempDir(), "engram.db"))
	return e
}

// Start is the first reading of the clock.
func Start() time.Time { return time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC) }

// Open returns an engine on the store at path and its clock; the test closes both.
func Open(t testing.TB, path string) (*engine.Engine, *Clock) {
	t.Helper()
	clock := &Clock{now: Start()}
	s, err := openStore(path, clock.Now)
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return engine.New(engine.Options{Store: s, Embedder: Embedder(), Folders: git.Folders{}, Now: clock.Now, NewID: IDs(), Clinic: Clinic{path, s, clock},
		Formats: jsonfile.Formats()}), clock
}

// Embedder returns the engines' embedding model, the built-in one.
func Embedder() engram.WordEmbedder { return static.New() }

// Formats returns the program's formats.
func Formats() map[string]engram.Format { return jsonfile.Formats() }

// IDs returns a source of sequential ids, from 1.
func IDs() func() engram.ID {
	return idsOf(1)
}

// Clock is a wall clock for tests.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now steps a second and returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return c.now
}

// Add moves the clock, also backwards.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
