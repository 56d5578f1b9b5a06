// Package postgres implements engram.Store on one space of a Postgres database, 15 or later, without extensions.
// There is a file per noun, as in package sqlite; the schema is in schema/migration/.
//
// A space is one store: one journal, one clock, one numbering, one write lock, which is the row of the space in
// heads (head.go). Two walls stand between spaces: each statement names its space, and row-level security holds
// even where one would not. Package conn holds the connections and sends the statements.
package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/postgres/schema"
	"github.com/alanbuscaglia/engram/internal/postgres/segments"
)

// Options configure a store. URL and Space are required.
type Options struct {
	URL   string // postgres://USER@HOST:PORT/DATABASE
	Space string // a UUID; it is made if it does not exist
	// Version of the program and Now, unless empty, are recorded with writes, so that doctor notices programs of
	// several versions.
	Version string
	Now     func() time.Time
	// WriteWait is how long a write waits for other writers. Default 20 s.
	WriteWait time.Duration
	// Sent is called with the statements of each round trip, for tests that count them; nil: none.
	Sent func(statements []string)
	// Loose leaves the space out of the conditions of all statements, for tests of row-level security alone.
	Loose bool
}

// defaultWriteWait is Options.WriteWait by default.
const defaultWriteWait = 20 * time.Second

// Store is an engram.Store on one space.
type Store struct {
	pool   *conn.Pool
	space  string
	wait   time.Duration
	server schema.Server // as it was when the store was opened

	version string
	now     func() time.Time
	signed  atomic.Int64 // when the version was last recorded, in milliseconds since 1970

	latest  latest
	kept    kept
	sealing segments.Sealing
}

var _ engram.Store = (*Store)(nil)

// isUUID reports whether a name may stand in a statement between quotes.
func isUUID(name string) bool {
	for i, c := range []byte(name) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(name) == 36
}

// Open opens a space, creating it if needed, and migrates the schema of the database.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	at, err := schema.Prepare(ctx, s.pool, o.Space)
	if s.server = at; err == nil {
		var note string
		if note, err = s.begun(ctx); err == nil && note != lexicon.Current() {
			err = s.renew(ctx)
		}
	}
	if err != nil {
		s.pool.Close()
		return nil, schema.Explain(err)
	}
	return s, nil
}

// connect returns a store whose space may not exist. The first use opens a connection.
func connect(ctx context.Context, o Options) (*Store, error) {
	if !isUUID(o.Space) {
		return nil, engram.Errorf(engram.CodeInvalid, "a space is named by a UUID, not by %.80q", o.Space).WithHint("uuidgen makes one; write it in lower case")
	}
	pool, err := conn.NewPool(ctx, o.URL)
	if err != nil {
		return nil, err
	}
	pool.Sent, pool.Loose = o.Sent, o.Loose
	s := &Store{pool: pool, space: o.Space, wait: o.WriteWait, version: o.Version, now: o.Now}
	if s.wait <= 0 {
		s.wait = defaultWriteWait
	}
	return s, nil
}

// Close waits for calls in progress, and for memories that are being sealed.
func (s *Store) Close() error {
	s.sealing.End()
	s.pool.Close()
	return nil
}

// beginView returns the statements that open a transaction that reads.
func (s *Store) beginView() []conn.Statement {
	return s.server.Begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", s.space, 0)
}

// beginWrite returns the statements that open a transaction that writes. With the lock of the space (forUpdate), its
// statements are behind the last writer; under REPEATABLE READ the snapshot would be older than the lock.
func (s *Store) beginWrite(ctx context.Context) []conn.Statement {
	wait := s.wait
	if own, said := engram.LockTimeout(ctx); said {
		wait = max(own, 1)
	}
	return s.server.Begin("BEGIN ISOLATION LEVEL READ COMMITTED", s.space, wait)
}

// begin opens a transaction and reads its head, as lock says.
func (s *Store) begin(ctx context.Context, begin []conn.Statement, lock string) (*tx, error) {
	c, err := s.pool.Begin(ctx, s.space, begin...)
	if err != nil {
		return nil, err
	}
	h, err := readHead(ctx, c, lock)
	if err != nil {
		c.Rollback()
		return nil, err
	}
	return s.newTx(c, h), nil
}

// View runs fn on a snapshot.
func (s *Store) View(ctx context.Context, fn func(engram.Reader) error) error {
	t, err := s.begin(ctx, s.beginView(), "")
	if err != nil {
		return explain(ctx, err)
	}
	defer t.Leave()
	if err = t.hide(ctx, engram.Excluded(ctx)); err == nil {
		err = fn(t)
	}
	return explain(ctx, err)
}

// Update runs fn as the only writer of the space.
func (s *Store) Update(ctx context.Context, fn func(engram.Tx) error) error {
	t, err := s.begin(ctx, s.beginWrite(ctx), forUpdate)
	if err != nil {
		return explain(ctx, err)
	}
	defer t.Rollback()
	return s.finish(ctx, t, fn)
}

// UpdateAfter is Update that runs look first. The end of the look and the beginning of the write are one round
// trip.
func (s *Store) UpdateAfter(ctx context.Context, look func(engram.Reader) error, fn func(engram.Tx) error) error {
	t, err := s.begin(ctx, s.beginView(), "")
	if err != nil {
		return explain(ctx, err)
	}
	defer t.Rollback()
	if err = t.hide(ctx, engram.Excluded(ctx)); err == nil {
		err = look(t)
	}
	if err != nil {
		return explain(ctx, err)
	}
	hidden := t.Off != nil
	t.Off = nil // fn sees everything
	t.Open(append([]conn.Statement{conn.With("COMMIT")}, s.beginWrite(ctx)...)...)
	now, err := readHead(ctx, t.Tx, forUpdate)
	if err != nil {
		return explain(ctx, err)
	}
	if now != t.begun || hidden { // else nothing was written since: what look has read stays known
		t = s.newTx(t.Tx, now)
	}
	return s.finish(ctx, t, fn)
}

// finish runs fn in a transaction that holds the lock, and commits.
func (s *Store) finish(ctx context.Context, t *tx, fn func(engram.Tx) error) error {
	t.names = t.names.copy() // what it changes is not for others yet
	defer t.index.Discard()
	defer t.asked.Discard()
	err := fn(t)
	var signed int64
	if err == nil {
		signed, err = s.sign(ctx, t)
	}
	if err == nil {
		err = t.flush(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return explain(ctx, err)
	}
	lost, err := t.Commit(ctx)
	if lost {
		return engram.Errorf(engram.CodeUnavailable, "the connection to the database was lost at the end of a write, which may have been saved").
			WithHint("look before you repeat it; what is saved twice is recognised").WithCause(err)
	}
	if err == nil {
		s.latest.written(t.head.version, t.names)
		for i, x := range t.indexes() {
			x.Committed(t.head.indexes[i])
		}
		s.signed.Store(max(signed, s.signed.Load()))
		s.sealBeside(ctx, t)
	}
	return explain(ctx, err)
}

// explain is schema.Explain for a call whose ctx may have ended: the driver closes the connection then, and what comes
// after it says no more.
func explain(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && conn.IsConnection(err) {
		return fmt.Errorf("%w: %w", ended, err)
	}
	return schema.Explain(err)
}
