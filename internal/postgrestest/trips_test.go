package postgrestest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// TestRoundTripsOfVerbs counts what agents do all day costs over a network.
func TestRoundTripsOfVerbs(t *testing.T) {
	server := postgrestest.Start(t)
	var trips [][]string
	s, err := postgres.Open(t.Context(), postgres.Options{URL: server.URL(), Space: postgrestest.Space(), Now: storetest.Day,
		Sent: func(all []string) { trips = append(trips, slices.Clone(all)) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	e := engine.New(engine.Options{Store: s, Embedder: enginetest.Embedder(), Now: storetest.Day, NewID: enginetest.IDs()})
	save := func(i int, text string) {
		t.Helper()
		if _, err := e.Save(t.Context(), remember.SaveInput{Title: fmt.Sprintf("Note %d", i), Content: text, Project: "demo"}); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range []string{
		"The importer reads invoices from the shared folder every night and stops at the first broken file",
		"Postgres runs on port 5433 in staging because the old cluster keeps the default",
		"Deploys to production go out on Tuesdays after the integration tests are green",
	} {
		save(i, text)
	}
	for _, c := range []struct {
		name string
		most int
		do   func()
	}{
		{"save", 16, func() {
			save(9, "The importer of invoices reads the shared folder at night and skips broken files")
		}},
		{"search", 8, func() {
			found, err := e.Search(t.Context(), search.SearchInput{Query: "which broken invoices does importer read nightly from shared folder", Filter: engram.Filter{Project: "demo"}})
			if err != nil || len(found.Hits) == 0 {
				t.Errorf("found %d, %v", len(found.Hits), err)
			}
		}},
		{"context", 8, func() {
			if _, err := e.Context(t.Context(), brief.ContextInput{Project: "demo"}); err != nil {
				t.Error(err)
			}
		}},
	} {
		c.do() // what a process keeps of projects and segments is known then
		save(10, "The night shift knows of "+c.name)
		trips = nil
		c.do()
		trips = slices.DeleteFunc(trips, func(all []string) bool { return all[0] == "ROLLBACK" }) // for which the caller does not wait
		t.Logf("%s: %d round trips", c.name, len(trips))
		for _, statement := range slices.Concat(trips...) {
			if strings.Contains(statement, "FROM unsealed") {
				t.Errorf("%s reads what this process saved: %.200s", c.name, statement)
			}
		}
		if len(trips) > c.most {
			t.Errorf("%s takes %d round trips, at most %d", c.name, len(trips), c.most)
			for i, all := range trips {
				t.Logf("%d: %.1500s", i, strings.Join(all, ";\n"))
			}
		}
	}
}
