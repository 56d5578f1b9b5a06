package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Each page that a save changes is written twice: to the log, and later to the file. In a store this small a table or an
// index is one page, so this counts what a save of a memory with two relations touches.
func TestASaveWritesFewPages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	s, err := enginetest.OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := engine.New(engine.Options{Store: s, Embedder: enginetest.Embedder(), Now: enginetest.Start, NewID: enginetest.IDs()})
	if _, err := e.StartSession(t.Context(), remember.SessionInput{ID: "s", Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	save := func(title, content string) remember.SaveResult {
		res, err := e.Save(t.Context(), remember.SaveInput{Title: title, Content: content, Type: engram.TypeFact, Project: "demo", SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for i, text := range []string{
		"The importer reads invoices from the shared folder every night and stops at the first broken file",
		"Invoices in the shared folder are read by the nightly importer, one file after the other",
		"Deploys to production go out on Tuesdays after the integration tests are green",
	} {
		save(fmt.Sprintf("Note %d", i), text)
	}
	logged := func() int64 {
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := logged()
	if res := save("Nightly import", "The importer of invoices reads the shared folder at night and skips broken files"); len(res.Related) < 2 {
		t.Fatalf("related to %d memories, want two", len(res.Related))
	}
	const frame, most = 24 + 4096, 25 // bytes of a page in the log; pages
	if pages := (logged() - before) / frame; pages < 1 || pages > most {
		t.Errorf("a save writes %d pages, at most %d", pages, most)
	}
}
