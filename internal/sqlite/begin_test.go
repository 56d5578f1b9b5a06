package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// The driver returns the context's error if it ends during a statement, even if the statement succeeded.
// An unnoticed BEGIN would keep the write lock for ever.
func TestACancelledBeginLeavesNoLock(t *testing.T) {
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "engram.db"), WriteWait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	nothing := func(engram.Tx) error { return nil }
	for i := range 3000 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			// A timer is too coarse: a transaction begins in a few microseconds.
			for start := time.Now(); time.Since(start) < time.Duration(i%60)*time.Microsecond; {
			}
			cancel()
		}()
		_ = s.Update(ctx, nothing) // cancelled or not: either is fine
		_ = s.View(ctx, func(engram.Reader) error { return nil })
		cancel()
		if err := s.Update(t.Context(), nothing); err != nil {
			t.Fatalf("a write after %d that were given up: got %v, want nil", i+1, err)
		}
		if err := viewAll(t.Context(), s, 4); err != nil { // every read connection
			t.Fatalf("a read after %d that were given up: got %v, want nil", i+1, err)
		}
	}
}

// viewAll reads with n connections at once.
func viewAll(ctx context.Context, s *sqlite.Store, n int) error {
	if n == 0 {
		return nil
	}
	return s.View(ctx, func(engram.Reader) error { return viewAll(ctx, s, n-1) })
}
