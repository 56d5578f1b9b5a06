package conn_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// A plan that looks at the value of a parameter is made anew whenever that value changes.
func TestNoPlanLooksAtAValue(t *testing.T) {
	pool := conn.NewPool(filepath.Join(t.TempDir(), "test.db"), 1)
	defer pool.Close()
	c, err := pool.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Give(c)
	for _, query := range []string{"CREATE TABLE marks (mark TEXT, at INTEGER)", "CREATE INDEX marks_secret ON marks (at) WHERE mark = 'secret'"} {
		if err := c.Exec(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		where string
		args  []any
		index bool
	}{
		{"mark = 'secret'", nil, true}, // so the index would serve a query that shows the value
		{"mark = ?", []any{"secret"}, false},
		{"mark = ?1", []any{"secret"}, false},
	} {
		plan, err := sqlrow.List(t.Context(), &conn.Tx{Conn: c}, "explain", "EXPLAIN QUERY PLAN SELECT at FROM marks WHERE "+tt.where, tt.args,
			func(s sqlrow.Scanner) (step string, err error) {
				var id, parent, unused int64
				err = s.Scan(&id, &parent, &unused, &step)
				return step, err
			})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(plan, "\n"), "marks_secret"); got != tt.index {
			t.Errorf("WHERE %s: got plan %q, want index used %t", tt.where, plan, tt.index)
		}
	}
}

func TestThePageCacheGrowsWithTheFileDuringATransaction(t *testing.T) {
	pool := conn.NewPool(filepath.Join(t.TempDir(), "test.db"), 1)
	defer pool.Close()
	c, err := pool.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	size := func() (size int) {
		t.Helper()
		if err := c.Scan(t.Context(), "PRAGMA cache_size", &size); err != nil {
			t.Fatal(err)
		}
		return -size
	}
	if err := c.Exec(t.Context(), "CREATE TABLE much (bytes BLOB); BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	usual := size()
	for _, tt := range []struct{ megabytes, want int }{{12, usual}, {12, 2 * conn.UsualPages}, {48, 8 * conn.UsualPages}, {96, 8 * conn.UsualPages}} {
		if err := c.Exec(t.Context(), "INSERT INTO much VALUES (zeroblob(? << 20))", tt.megabytes); err != nil {
			t.Fatal(err)
		}
		if err := c.Widen(t.Context(), 8); err != nil {
			t.Fatal(err)
		}
		if got := size(); got != tt.want {
			t.Errorf("after %d MB more the cache has %d KiB, want %d", tt.megabytes, got, tt.want)
		}
	}
	if err := c.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	pool.Give(c)
	if c, err = pool.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer pool.Give(c)
	if got := size(); got != conn.UsualPages {
		t.Errorf("the next transaction has %d KiB, want %d", got, conn.UsualPages)
	}
}
