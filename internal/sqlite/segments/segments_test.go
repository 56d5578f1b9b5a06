package segments_test

import (
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlite/segments"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	pool := conn.NewPool(path, 1)
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	storetest.RunIndex(t, func(fn func(index.Store) error) error {
		c, err := pool.Take(t.Context())
		if err != nil {
			return err
		}
		defer pool.Give(c)
		if err := c.Begin(t.Context(), "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		defer c.Rollback()
		if err := fn(segments.Store{Tx: &conn.Tx{Conn: c, Writes: true}}); err != nil {
			return err
		}
		return c.Commit(t.Context())
	})
}
