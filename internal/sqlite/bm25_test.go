package sqlite_test

import (
	"database/sql"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// SQLite's BM25 must give the same scores for a query of one word.
func TestScoresAgreeWithFTS5(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "any.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE VIRTUAL TABLE docs USING fts5 (title, content, tokenize = 'ascii')"); err != nil {
		t.Fatal(err)
	}
	docs := [][2]string{{"kettle", "boils"}, {"lid", "kettle kettle on the kettle"}, {"tea", strings.Repeat("leaf ", 40) + "kettle"},
		{"cup", "saucer"}, {"pot", "spout"}, {"jug", "handle"}, {"pan", "handle"}, {"mug", "handle"}, {"urn", "tap"}, {"can", "tap"}}
	total := 0
	lengths, tf := map[int]float64{}, map[int]float64{}
	for i, d := range docs {
		if _, err := db.Exec("INSERT INTO docs (rowid, title, content) VALUES (?, ?, ?)", i, d[0], d[1]); err != nil {
			t.Fatal(err)
		}
		n := len(strings.Fields(d[0] + " " + d[1]))
		total += n
		lengths[i] = float64(n)
		tf[i] = 2*float64(strings.Count(d[0], "kettle")) + float64(strings.Count(d[1], "kettle"))
	}
	b := retrieval.BM25{Rows: len(docs), Length: float64(total) / float64(len(docs))}
	rows, err := db.Query("SELECT rowid, -bm25(docs, 2.0, 1.0) FROM docs WHERE docs MATCH 'kettle'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var id int
		var want float64
		if err := rows.Scan(&id, &want); err != nil {
			t.Fatal(err)
		}
		if got := b.Score(tf[id], lengths[id], 3); math.Abs(got-want) > 1e-9 {
			t.Errorf("document %d: got %v, the database says %v", id, got, want)
		}
	}
	if n != 3 || rows.Err() != nil {
		t.Errorf("found %d documents, %v, want 3", n, rows.Err())
	}
}
