package file

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// Writes that wait for each other anyway, and said that they are brief (engram.WithSharedCommit), are committed together:
// most of what a commit writes are pages at the ends of tables and indexes, and they share these. Each is a savepoint of
// the one transaction, so that a failed one takes back its own changes alone. Each is answered after the commit.

// mostTogether is how many writes one commit has at most: the first of them waits for the last.
const mostTogether = 16

// transaction is what writes have in common that are committed together.
type transaction struct {
	c      *conn.Conn
	writes int           // that have begun
	shares bool          // others may follow
	erased bool          // of which the log must keep no copy
	done   chan struct{} // closed when err is known
	err    error         // of the commit
}

// joined reports whether the write that has the transaction now follows another one.
func (t *transaction) joined() bool { return t.writes > 1 }

// queue has the writes that wait and may be committed with others. It is safe for concurrent use.
type queue struct {
	mu      sync.Mutex
	waiting []*waiter
}

// waiter is a write in the queue.
type waiter struct {
	found context.CancelFunc // ends the wait for a connection
	given *transaction       // to go on with; nil: none
}

func (q *queue) add(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, w)
}

// remove ends the wait of a write and returns the transaction that it was given, if any.
func (q *queue) remove(w *waiter) *transaction {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(o *waiter) bool { return o == w })
	return w.given
}

// give passes a transaction to the write that waits longest, and reports whether there is one.
func (q *queue) give(t *transaction) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return false
	}
	w := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	t.writes++
	w.given = t
	w.found()
	return true
}

// Waiting returns how many writes wait that may be committed with others.
func (f *File) Waiting() int {
	f.queue.mu.Lock()
	defer f.queue.mu.Unlock()
	return len(f.queue.waiting)
}

// turn waits for the write connection, or for a transaction to follow others in.
func (f *File) turn(ctx context.Context) (*transaction, error) {
	if !engram.SharesCommit(ctx) {
		c, err := f.take(ctx, f.Writes)
		return &transaction{c: c, writes: 1, done: make(chan struct{})}, err
	}
	wait, found := context.WithCancel(ctx)
	defer found()
	w := &waiter{found: found}
	f.queue.add(w)
	// While another write has the connection, only that one gives: there is never both.
	c, err := f.take(wait, f.Writes)
	if t := f.queue.remove(w); t != nil {
		return t, nil
	}
	return &transaction{c: c, writes: 1, shares: true, done: make(chan struct{})}, err
}

// Statements around each write but the first.
const (
	savepoint     = "SAVEPOINT joined"
	keepSavepoint = "RELEASE joined"
	dropSavepoint = "ROLLBACK TO joined; RELEASE joined"
)

// join begins a write that follows others. If it fails, the write is over.
func (f *File) join(ctx context.Context, t *transaction, look func(*conn.Conn) (busy bool, err error)) error {
	err := t.c.Exec(context.WithoutCancel(ctx), savepoint)
	if err != nil {
		t.err = err // there is nothing to go back to
	} else if err = ctx.Err(); err == nil && look != nil {
		t.c.Joined = true
		_, err = look(t.c)
	}
	if err != nil {
		_ = f.end(ctx, t, err)
	}
	return err
}

// end ends a write, which failed with an error unless that is nil: the next one goes on with the transaction, or it is
// committed. It returns what became of the transaction, but nil for a write that failed itself, which need not wait.
func (f *File) end(ctx context.Context, t *transaction, failed error) error {
	ctx = context.WithoutCancel(ctx) // cancellation must not interrupt a commit: from here it happens or not
	switch {
	case !t.joined() && failed != nil:
		t.err = failed
	case t.joined() && t.err == nil:
		statement := keepSavepoint
		if failed != nil {
			statement = dropSavepoint
		}
		t.err = t.c.Exec(ctx, statement) // SQLite has taken back everything if that fails, such as on a full disk
	}
	if t.err == nil && t.shares && t.writes < mostTogether && f.queue.give(t) {
		if failed != nil {
			return nil
		}
		<-t.done
		return t.err
	}
	f.finish(ctx, t)
	if failed != nil {
		return nil
	}
	return t.err
}

// finish commits a transaction, unless it failed, and gives its connection back.
func (f *File) finish(ctx context.Context, t *transaction) {
	defer close(t.done)
	defer f.Writes.Give(t.c)
	defer t.c.Rollback() // no-op after a commit
	if t.c.Joined = false; t.err == nil {
		t.err = t.c.Commit(ctx)
	}
	if t.err != nil {
		if t.joined() {
			t.c.Kept = nil // it may have what was not committed
		}
		return
	}
	switch {
	case t.erased:
		const patience = 2 * time.Second
		f.scrub(ctx, t.c, patience)
	case f.held.Load():
		f.scrub(ctx, t.c, 0)
	default:
		f.shorten(ctx, t.c)
	}
}
