package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlite/embeddings"
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

// Vectors returns what a transaction keeps of vectors.
func Vectors(r engram.Reader) embeddings.Store { return embeddings.Store{Tx: &r.(*tx).Tx} }

// TakeBack ends a transaction without its changes, as SQLite does by itself when the disk is full.
func TakeBack(ctx context.Context, w engram.Tx) error { return w.(*tx).Conn.Exec(ctx, "ROLLBACK") }

// Newest is the version of the schema of a new store.
const Newest = 4
