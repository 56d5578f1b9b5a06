package segments_test

import (
	"context"
	"errors"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/index/vectors"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlite/embeddings"
	"github.com/alanbuscaglia/engram/internal/sqlite/segments"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
	"github.com/alanbuscaglia/engram/internal/text"
)

// columns are the columns with encoded bytes, each with the key of its table.
func columns() []string {
	return []string{"unsealed seq document", "unsealed seq words", "segments num firsts", "postings num words", "documents num rows", "lengths num rows"}
}

// Whatever bytes stand in a row of the index, every use of it succeeds or reports damage, in bounded memory.
//
// The row keeps its first at bytes, then has put, then what follows cut bytes after at.
func FuzzRow(f *testing.F) {
	for column := range columns() {
		for row := range uint8(3) {
			f.Add(uint8(column), row, uint16(0), uint16(0), []byte{})
			f.Add(uint8(column), row, uint16(0), uint16(1<<16-1), []byte{})
			f.Add(uint8(column), row, uint16(7), uint16(5), []byte{})
			f.Add(uint8(column), row, uint16(1), uint16(3), []byte("\xff\xff\xff"))
			f.Add(uint8(column), row, uint16(40), uint16(0), []byte("\x00")) // a word too many
			f.Add(uint8(column), row, uint16(40), uint16(0), []byte("\xff\xff\xff\xff\x0f"))
		}
	}
	x := newFuzzed(f)
	f.Fuzz(func(t *testing.T, column, row uint8, at, cut uint16, put []byte) {
		column %= uint8(len(columns()))
		use := strings.Fields(columns()[column])
		if err := x.conn.Begin(t.Context(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		defer x.conn.Rollback()
		tx := &conn.Tx{Conn: x.conn, Writes: true}
		rows, err := sqlrow.Column[int64](t.Context(), tx, "SELECT "+use[1]+" FROM "+use[0]+" ORDER BY 1")
		if err != nil {
			t.Fatal(err)
		}
		var was []byte
		num := rows[int(row)%len(rows)]
		if err := tx.Row(t.Context(), "SELECT "+use[2]+" FROM "+use[0]+" WHERE "+use[1]+" = ?", []any{num}, &was); err != nil {
			t.Fatal(err)
		}
		from := min(int(at), len(was))
		is := append(append([]byte{}, was[:from]...), put...) // not NULL if empty
		is = append(is, was[min(from+int(cut), len(was)):]...)
		if err := tx.Run(t.Context(), "UPDATE "+use[0]+" SET "+use[2]+" = ? WHERE "+use[1]+" = ?", is, num); err != nil {
			t.Fatal(err)
		}
		before := allocated()
		for name, err := range x.uses(t.Context(), tx) {
			if err != nil && (!errors.Is(err, postings.ErrDamaged) || slices.Equal(is, was)) {
				t.Errorf("%s: %v", name, err)
			}
		}
		const most = 128 << 20
		if n := allocated() - before; n > most {
			t.Errorf("allocated %d bytes, want at most %d", n, most)
		}
	})
}

// fuzzed is an index with rows of every kind, on a connection, and what is asked of it and changed in it.
type fuzzed struct {
	conn    *conn.Conn
	queries []engram.LexicalQuery
	project map[string]int64 // the numbers of their rows
	leaving []engram.Memory
	coming  []engram.Memory
}

func newFuzzed(f *testing.F) *fuzzed {
	w := settledWorld(f)
	w.number(4096)
	pool := conn.NewPool(w.path, 1)
	c, err := pool.Take(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		pool.Give(c)
		if err := pool.Close(); err != nil {
			f.Error(err)
		}
	})
	x := &fuzzed{conn: c}
	tx := &conn.Tx{Conn: c}
	if x.project, err = sqlrow.Pairs[string, int64](f.Context(), tx, "SELECT name, num FROM projects"); err != nil {
		f.Fatal(err)
	}
	for range 6 {
		x.queries = append(x.queries, w.Question())
	}
	for _, words := range []string{w.Words[0] + " " + w.Words[3], w.Words[1][:3], w.Words[2] + "x", "nothing"} {
		x.queries = append(x.queries, engram.LexicalQuery{Terms: text.Query(words), Limit: 20})
	}
	live := w.Live()
	for _, num := range slices.Concat(live[len(live)-115:][:26], live[:3], live[len(live)-2:]) {
		x.leaving = append(x.leaving, w.All[num])
	}
	for i := range 4 {
		m := w.Memory()
		m.Num = int64(1_000_000 + i)
		x.coming = append(x.coming, m)
	}
	return x
}

// uses runs what reads the index, then what rewrites most of it.
func (x *fuzzed) uses(ctx context.Context, tx *conn.Tx) map[string]error {
	errs := map[string]error{}
	for _, q := range x.queries {
		filter := lexicon.Filter{Filter: q.Filter, Project: lexicon.Several, Session: lexicon.Several}
		if num, known := x.project[q.Filter.Project]; known {
			filter.Project = num
		}
		_, err := opened(tx).Search(ctx, q, filter)
		errs["search"] = errors.Join(errs["search"], err)
	}
	_, errs["segments"] = opened(tx).Segments(ctx)
	var found health.Index
	texts := func(context.Context, func(engram.Memory) error) error { return nil }
	err := opened(tx).Examine(ctx, health.Query{Most: 3}, map[int64]*lexicon.Document{}, texts, &found)
	errs["examine"] = errors.Join(err, found.Broken)
	errs["rewrite"] = x.rewrite(ctx, opened(tx))
	return errs
}

func (x *fuzzed) rewrite(ctx context.Context, index *lexicon.Index) error {
	defer index.Discard()
	for _, m := range x.leaving {
		if err := index.Remove(ctx, x.project[m.Project], m); err != nil {
			return err
		}
	}
	for _, m := range x.coming {
		if err := index.Add(ctx, lexicon.Home{Project: x.project[m.Project]}, m, true); err != nil {
			return err
		}
	}
	return index.Flush(ctx)
}

// opened opens the index of words anew.
func opened(tx *conn.Tx) *lexicon.Index {
	x := &lexicon.Index{Store: segments.Store{Tx: tx}, Cache: new(lexicon.Cache)}
	rows := embeddings.Store{Tx: tx}
	x.Slots = &vectors.Index{Rows: rows, Codes: rows, Words: x, Cache: new(vectors.Cache), Seen: func(context.Context) (*vectors.Seen, error) { return nil, nil }}
	return x
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
