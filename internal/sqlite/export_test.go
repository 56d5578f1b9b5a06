package sqlite

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlite/file"
)

// CheckIndex compares the index of the store at path with its live memories, without caches and for any
// schema version.
func CheckIndex(ctx context.Context, path string) error {
	db, err := file.Inspect(path)
	if err != nil {
		return err
	}
	defer db.Close()
	var f health.Facts
	err = db.Read(ctx, func(c *conn.Conn) error {
		x := &examination{tx: newTx(c, new(kept), false), query: health.Query{Full: true, Most: 5}, facts: &f, explain: db.Explain}
		return x.words(ctx)
	})
	if err = errors.Join(err, f.Index.Broken); err != nil {
		return err
	}
	if x := f.Index; x.Missing.Count+x.Dead.Count+x.Doubled.Count+x.Moved.Count > 0 || x.Indexed != x.Live {
		return fmt.Errorf("%+v", x)
	}
	return nil
}

// Statements returns what ends counting the statements that the store's connections run, and returns them.
func Statements(t *testing.T, s *Store) func() []string {
	t.Helper()
	var ran []string
	each := func(fn func(*conn.Conn)) {
		for _, p := range []*conn.Pool{s.Reads, s.Writes} {
			var taken []*conn.Conn
			for range max(1, p.Idle()) {
				c, err := p.Take(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				fn(c)
				taken = append(taken, c)
			}
			for _, c := range taken {
				p.Give(c)
			}
		}
	}
	each(func(c *conn.Conn) { c.Ran = func(query string) { ran = append(ran, query) } })
	return func() []string {
		each(func(c *conn.Conn) { c.Ran = nil })
		return ran
	}
}
