package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

const damagedIndex = "rebuild it with engram reembed --all; memories are not affected"

func TestDamagedCodesAndSegmentsAreReported(t *testing.T) {
	for name, tt := range map[string]struct{ damage, hint string }{
		"a page is cut short":                   {`UPDATE vector_codes SET signs = substr(signs, 1, 40)`, "rebuild it with engram reembed --all"},
		"signs and sizes are not of a kind":     {`UPDATE vector_codes SET sizes = substr(sizes, 1, length(sizes) - 8)`, "rebuild it with engram reembed --all"},
		"a page is of slots that there are not": {`UPDATE vector_codes SET num = num + 1`, "rebuild it with engram reembed --all"},
		"a segment has slots without end":       {`UPDATE segments SET slots = 100000000000`, damagedIndex},
		"a segment has fewer slots than none":   {`UPDATE segments SET slots = -5`, damagedIndex},
		"a page has more codes than slots":      {`UPDATE vector_codes SET signs = signs || zeroblob(4096), sizes = sizes || zeroblob(4096)`, "rebuild it with engram reembed --all"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "engram.db")
			open := func() *sqlite.Store {
				s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Now: time.Now})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			s, k := open(), newClusters(3, 64)
			fillVectors(t, s, storetest.NewCorpus(3), k, 70)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", "file:"+path)
			if err != nil {
				t.Fatal(err)
			}
			res, err := db.Exec(tt.damage)
			if err != nil {
				t.Fatalf("damage: %v", err)
			}
			if n, _ := res.RowsAffected(); n == 0 {
				t.Fatal("there was nothing to damage")
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			s = open()
			defer s.Close()
			err = s.View(t.Context(), func(r engram.Reader) error {
				_, err := r.Nearest(t.Context(), engram.VectorQuery{Model: k.model.Fingerprint, Vector: k.vector(), Limit: 10})
				return err
			})
			if engram.CodeOf(err) != engram.CodeInternal || engram.HintOf(err) != tt.hint {
				t.Errorf("got %v (%s, hint %q), want code internal and hint %q", err, engram.CodeOf(err), engram.HintOf(err), tt.hint)
			}
			// Rebuilding must not read the damaged index.
			if err := s.Update(t.Context(), func(tx engram.Tx) error { return tx.Reindex(t.Context()) }); err != nil {
				t.Fatalf("reindex: %v", err)
			}
			err = s.View(t.Context(), func(r engram.Reader) error {
				found, err := r.Nearest(t.Context(), engram.VectorQuery{Model: k.model.Fingerprint, Vector: k.vector(), Limit: 10})
				if err == nil && len(found) != 10 {
					t.Errorf("after reindexing %d of 10 are near", len(found))
				}
				return err
			})
			if err != nil {
				t.Errorf("after reindexing: %v", err)
			}
			checkIndex(t, path)
		})
	}
}
