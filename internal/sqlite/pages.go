package sqlite

import "context"

// How many KiB of the file's pages a connection keeps. A transaction that adds thousands
// of memories touches pages all over the indexes of ids, hashes and titles: with the usual
// room it would write each of them to the log and read it again some ten times.
const (
	usualPages = 2 << 10
	manyPages  = 40 << 10
)

const (
	widenSQL  = `PRAGMA cache_size = -40960` // manyPages
	narrowSQL = `PRAGMA cache_size = -2048`  // usualPages
)

// widen gives a large transaction room for more pages.
func (t *tx) widen(ctx context.Context) error {
	if t.wide {
		return nil
	}
	t.wide = true
	return t.conn.exec(ctx, widenSQL)
}

// narrow takes that room back when the transaction is over.
func (t *tx) narrow() {
	if !t.wide {
		return
	}
	// The caller's context may be done already. What fails costs some memory, and the
	// connection is given up.
	if err := t.conn.exec(context.Background(), narrowSQL+`; PRAGMA shrink_memory`); err != nil {
		t.conn.broken = true
	}
}
