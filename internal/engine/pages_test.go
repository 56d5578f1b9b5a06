package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Each page that a save changes is written twice: to the log, and later to the file. In a store this small a table or an
// index is one page, so this counts what a save of a memory with two relations touches.
func TestASaveWritesFewPages(t *testing.T) {
	enginetest.OfFile(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	s, err := enginetest.OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	logged := func() int64 {
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	var before int64
	saveBeside(t, s, func() { before = logged() })
	const frame, most = 24 + 4096, 25 // bytes of a page in the log; pages
	if pages := (logged() - before) / frame; pages < 1 || pages > most {
		t.Errorf("a save writes %d pages, at most %d", pages, most)
	}
}
