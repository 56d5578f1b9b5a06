package sqlite

import (
	"context"
	"fmt"
)

// How many KiB of the file's pages a connection keeps. A transaction that adds thousands
// of memories touches pages all over the indexes of ids, hashes and titles: with the usual
// room it would write each of them to the log and read it again some ten times.
const (
	usualPages = 2 << 10
	manyPages  = 32 << 10
)

func pagesSQL(kib int) string { return fmt.Sprintf("PRAGMA cache_size = -%d", kib) }

// widen gives a large transaction room for more pages.
func (t *tx) widen(ctx context.Context) error {
	if t.wide {
		return nil
	}
	t.wide = true
	return t.conn.exec(ctx, pagesSQL(manyPages))
}

// narrow takes that room back when the transaction is over.
func (t *tx) narrow() {
	if !t.wide {
		return
	}
	// The caller's context may be done already. What fails costs some memory, and the
	// connection is given up.
	if err := t.conn.exec(context.Background(), pagesSQL(usualPages)+`; PRAGMA shrink_memory`); err != nil {
		t.conn.broken = true
	}
}
