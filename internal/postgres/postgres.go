// Package postgres implements engram.Store on one space of a Postgres database, 15 or later, without extensions.
// There is a file per noun, as in package sqlite; the schema is in migration/.
//
// A space is one store: one journal, one clock, one numbering, one write lock, which is the row of the space in
// heads (head.go). Two walls stand between spaces: each statement names its space, and row-level security holds
// even where one would not. Package conn holds the connections and sends the statements.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
)

// Options configure a store. URL and Space are required.
type Options struct {
	URL   string // postgres://USER@HOST:PORT/DATABASE
	Space string // a UUID; it is made if it does not exist
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
	pool  *conn.Pool
	space string
	wait  time.Duration
	role  string // SET LOCAL ROLE, or "" where the server has no such role

	latest latest
}

var _ engram.Store = (*Store)(nil)

// isUUID accepts what may stand in a statement between quotes.
var isUUID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Open opens a space, creating it if needed, and migrates the schema of the database.
func Open(ctx context.Context, o Options) (*Store, error) {
	if !isUUID.MatchString(o.Space) {
		return nil, engram.Errorf(engram.CodeInvalid, "a space is named by a UUID, not by %.80q", o.Space)
	}
	pool, err := conn.NewPool(ctx, o.URL)
	if err != nil {
		return nil, err
	}
	pool.Sent, pool.Loose = o.Sent, o.Loose
	s := &Store{pool: pool, space: o.Space, wait: o.WriteWait}
	if s.wait <= 0 {
		s.wait = defaultWriteWait
	}
	if err = s.prepare(ctx); err == nil {
		err = s.begun(ctx)
	}
	if err != nil {
		pool.Close()
		return nil, explain(err)
	}
	return s, nil
}

// Close waits for calls in progress.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// settings are the statements with which each transaction begins. SET LOCAL and not set_config: what spreads a
// database over machines passes on only that.
func (s *Store) settings() string {
	return s.role + "SET LOCAL engram.space = '" + s.space + "'; SET LOCAL plan_cache_mode = force_generic_plan; "
}

const (
	beginView   = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
	beginUpdate = "BEGIN ISOLATION LEVEL READ COMMITTED; "
)

// beginWrite opens a transaction that writes: with the lock of the space, behind whose last writer its statements
// are. Under REPEATABLE READ the snapshot would be older than the lock.
func (s *Store) beginWrite(ctx context.Context) string {
	wait := s.wait
	if own, said := engram.LockTimeout(ctx); said {
		wait = own
	}
	return fmt.Sprintf("%sSET LOCAL lock_timeout = %d; %s%s FOR UPDATE", beginUpdate, max(1, wait.Milliseconds()), s.settings(), s.headSQL())
}

// View runs fn on a snapshot.
func (s *Store) View(ctx context.Context, fn func(engram.Reader) error) error {
	c, row, err := s.pool.Begin(ctx, s.space, beginView+s.settings()+s.headSQL())
	if err != nil {
		return explain(err)
	}
	defer c.Rollback()
	t, err := s.newTx(c, row)
	if err == nil {
		err = t.hide(ctx, engram.Excluded(ctx))
	}
	if err == nil {
		err = fn(t)
	}
	return explain(err)
}

// Update runs fn as the only writer of the space.
func (s *Store) Update(ctx context.Context, fn func(engram.Tx) error) error {
	c, row, err := s.pool.Begin(ctx, s.space, s.beginWrite(ctx))
	if err != nil {
		return explain(err)
	}
	defer c.Rollback()
	return s.write(ctx, c, row, fn)
}

// UpdateAfter is Update that runs look first. The end of the look and the beginning of the write are one round
// trip.
func (s *Store) UpdateAfter(ctx context.Context, look func(engram.Reader) error, fn func(engram.Tx) error) error {
	c, row, err := s.pool.Begin(ctx, s.space, beginView+s.settings()+s.headSQL())
	if err != nil {
		return explain(err)
	}
	defer c.Rollback()
	t, err := s.newTx(c, row)
	if err == nil {
		err = t.hide(ctx, engram.Excluded(ctx))
	}
	if err == nil {
		err = look(t)
	}
	if err != nil {
		return explain(err)
	}
	hidden := c.Off != nil
	c.Off = nil // fn sees everything
	if row, err = c.Simple(ctx, "COMMIT; "+s.beginWrite(ctx)); err != nil {
		return explain(err)
	}
	now, err := readHead(row)
	if err == nil && now == t.begun && !hidden {
		return s.finish(ctx, t, fn) // nothing was written since: what look has read stays known
	}
	return s.write(ctx, c, row, fn)
}

// write runs fn in the transaction of the only writer, given its head.
func (s *Store) write(ctx context.Context, c *conn.Tx, head [][]string, fn func(engram.Tx) error) error {
	t, err := s.newTx(c, head)
	if err != nil {
		return explain(err)
	}
	return s.finish(ctx, t, fn)
}

// finish runs fn in a transaction that holds the lock, and commits.
func (s *Store) finish(ctx context.Context, t *tx, fn func(engram.Tx) error) error {
	t.names = t.names.copy() // what it changes is not for others yet
	err := fn(t)
	if err == nil {
		err = t.flush(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return explain(err)
	}
	lost, err := t.Commit(ctx)
	if lost {
		return engram.Errorf(engram.CodeUnavailable, "the connection to the database was lost at the end of a write, which may have been saved").
			WithHint("look before you repeat it; what is saved twice is recognised").WithCause(err)
	}
	if err == nil {
		s.latest.written(t.head.version, t.names)
	}
	return explain(err)
}

// explain gives an error of the server its code and a hint. Other errors, and those with a code, pass unchanged.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if _, coded := errors.AsType[*engram.Error](err); coded {
		return err
	}
	as := func(code engram.Code, msg, hint string) error {
		return engram.Errorf(code, "%s", msg).WithHint("%s", hint).WithCause(err)
	}
	state := conn.Code(err)
	class := ""
	if len(state) == 5 {
		class = state[:2]
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case state == "23503", class == "23":
		return as(engram.CodeConflict, "it exists already, is still referenced, or refers to something missing", "remove what depends on it first; nothing was changed")
	case state == "40001", state == "40P01", state == "55P03":
		return as(engram.CodeUnavailable, "the database is busy", "try again in a moment; nothing was changed")
	case state == "57014":
		return as(engram.CodeUnavailable, "the database took too long and gave up", "try again, or raise its statement_timeout; nothing was changed")
	case class == "53":
		return as(engram.CodeUnavailable, "the database has no room, memory or connections left", "free disk space or connections and try again; nothing was changed")
	case class == "57":
		return as(engram.CodeUnavailable, "the database is stopping or starting", "try again in a moment; nothing was changed")
	case state == "25006":
		return as(engram.CodeUnavailable, "the database is read-only", "connect to the primary, not to a standby; nothing was changed")
	case class == "28", state == "3D000":
		return as(engram.CodeUnavailable, "the database does not let this user in", "check user, password and database of the address")
	case state == "42501":
		return as(engram.CodeForbidden, "this user may not do that in the database", "connect as the owner of the tables, or ask for its rights")
	case class == "08", conn.IsConnection(err):
		return as(engram.CodeUnavailable, "the database cannot be reached", "check that it runs and that its address is right")
	}
	return err
}
