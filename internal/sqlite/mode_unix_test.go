//go:build unix

package sqlite_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/alanbuscaglia/engram/internal/storetest"
)

func TestOnlyTheUserMayReadTheFiles(t *testing.T) {
	old := syscall.Umask(0) // no umask reduces the requested modes
	defer syscall.Umask(old)
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "data", "engram.db")
	s := open(t, path)
	defer s.Close()
	saveCorpus(t, s, storetest.NewCorpus(1), 3, nil)
	for name, want := range map[string]fs.FileMode{
		"deep": fs.ModeDir | 0o700, "deep/data": fs.ModeDir | 0o700, "deep/data/engram.db": 0o600,
		"deep/data/engram.db-wal": 0o600, "deep/data/engram.db-shm": 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if info.Mode() != want {
			t.Errorf("%s: mode %v, want %v", name, info.Mode(), want)
		}
	}
}
