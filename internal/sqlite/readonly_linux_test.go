package sqlite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// A read-only folder is reported as such, even to readers.
func TestAReadOnlyFolderIsReported(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	path := filepath.Join(dir, "engram.db")
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Root may write everywhere, so the thread drops its rights and is not reused.
	const somebody = 65534
	for _, folder := range []string{filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir), dir} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	opened, examined := make(chan error, 1), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			_ = syscall.Setfsuid(somebody) // it reports no failure; the answer below would
		}
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Now: now})
		if err == nil {
			_ = s.Close()
		}
		opened <- err
		f, err := sqlite.Examine(t.Context(), path, health.Query{Checks: []health.ID{health.Integrity}})
		if err == nil {
			err = f.Err
		}
		examined <- err
	}()
	for who, err := range map[string]error{"open": <-opened, "examine": <-examined} {
		if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "folder is not writable") || !strings.Contains(engram.HintOf(err), "--data-dir") {
			t.Errorf("%s: got %v (hint %q), want unavailable: …folder is not writable… (hint …--data-dir…)", who, err, engram.HintOf(err))
		}
	}
}
