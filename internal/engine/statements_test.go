package engine_test

import (
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// saveBeside saves three memories, calls before, and saves a fourth that relates to two of them.
func saveBeside(t *testing.T, s engram.Store, before func()) {
	t.Helper()
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
	before()
	if res := save("Nightly import", "The importer of invoices reads the shared folder at night and skips broken files"); len(res.Related) < 2 {
		t.Fatalf("related to %d memories, want two", len(res.Related))
	}
}

// A statement costs some microseconds beside its work, and a save is small.
func TestASaveRunsFewStatements(t *testing.T) {
	var ran []string
	s := enginetest.OpenCounted(t, func(query string) { ran = append(ran, query) })
	saveBeside(t, s, func() { ran = nil })
	const most = 20
	if len(ran) > most {
		t.Errorf("a save runs %d statements, at most %d:", len(ran), most)
		for _, query := range ran {
			t.Logf("%.120s", query)
		}
	}
}
