// Package conn holds the connections to a Postgres database, and the statements of one transaction with the
// helpers that read their rows.
//
// A round trip is what a statement costs, so writes wait in a queue (queue.go) and travel with the next read or
// with the commit, in one pipeline. It knows no table and no noun: what is stored, and what an error means to a
// caller, is said by the packages that import it. Only the wall between spaces is here, because each statement
// names the space (text.go).
package conn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alanbuscaglia/engram"
)

// Pool is the connections of a process to one database. It is safe for concurrent use.
type Pool struct {
	pool   *pgxpool.Pool
	closed atomic.Bool
	texts  texts
	// Sent, unless nil, is called with the statements of each round trip, for tests that count them. Set it before
	// the first use.
	Sent func(statements []string)
	// Loose makes each condition on the space true, for tests of row-level security alone. Set it before the first use.
	Loose bool
}

// Connections of a pool where the URL does not say pool_max_conns.
const connections = 16

// patience is how long a connection is tried where the address does not say connect_timeout.
const patience = 10 * time.Second

// Prepared statements that a connection keeps: filters produce many distinct, rarely used ones.
const statements = 512

// NewPool returns the connections to the database that a URL names; the first use opens one. An error says nothing
// of the URL, which may have a password.
func NewPool(ctx context.Context, url string) (*Pool, error) {
	bad := engram.Errorf(engram.CodeInvalid, "the address of the Postgres database cannot be read").
		WithHint("write postgres://USER@HOST:PORT/DATABASE; the password may stand in ~/.pgpass or PGPASSWORD")
	if !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") {
		return nil, bad
	}
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, bad
	}
	if !strings.Contains(url, "pool_max_conns=") {
		c.MaxConns = connections
	}
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "engram"
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = patience
	}
	c.ConnConfig.StatementCacheCapacity = statements
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, bad
	}
	return &Pool{pool: pool}, nil
}

// Prepares reports whether statements are prepared in the server, for each connection anew.
func (p *Pool) Prepares() bool {
	mode := p.pool.Config().ConnConfig.DefaultQueryExecMode
	return mode == pgx.QueryExecModeCacheStatement
}

// Close waits for the connections in use and closes all.
func (p *Pool) Close() {
	p.closed.Store(true)
	p.pool.Close()
}

// Begin takes a connection and queues the statements that open a transaction (Open). The caller ends it with Rollback.
func (p *Pool) Begin(ctx context.Context, space string, statements ...Statement) (*Tx, error) {
	c, err := p.pool.Acquire(ctx)
	if err != nil && p.closed.Load() {
		return nil, engram.Errorf(engram.CodeUnavailable, "the store is closed")
	}
	if err != nil {
		return nil, attempts{err}
	}
	t := &Tx{pool: p, conn: c, space: space}
	t.Open(statements...)
	return t, nil
}

// attempts is the error of a connection. The driver tries an address with TLS and without, and says both.
type attempts struct{ error }

// Error names each failure once, on one line.
func (e attempts) Error() string {
	var all []string
	for line := range strings.SplitSeq(e.error.Error(), "\n\t") {
		if !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return strings.Join(all, " ")
}

// Unwrap returns the error of the driver.
func (e attempts) Unwrap() error { return e.error }

// Open queues statements outside of any space, whose parameters are $1 and so on. They travel with the next read.
func (t *Tx) Open(statements ...Statement) {
	for _, s := range statements {
		t.queue = append(t.queue, queued{text: s.query, args: s.args})
	}
}

// Simple runs statements outside of any space and without parameters, in one round trip, and returns the rows of
// the last as text; NULL is "".
func (t *Tx) Simple(ctx context.Context, statements string) ([][]string, error) {
	t.pool.tell(statements)
	results, err := t.conn.Conn().PgConn().Exec(ctx, statements).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	r := results[len(results)-1]
	rows := make([][]string, len(r.Rows))
	for i, row := range r.Rows {
		for _, column := range row {
			rows[i] = append(rows[i], string(column))
		}
	}
	return rows, r.Err
}

// Through reports whether the connection leads through a pooler, given the server's own number of its process: a
// pooler gives its clients numbers of its own.
func (t *Tx) Through(process string) bool {
	return strconv.FormatUint(uint64(t.conn.Conn().PgConn().PID()), 10) != process
}

// tell reports a round trip.
func (p *Pool) tell(all ...string) {
	if p.Sent != nil {
		p.Sent(all)
	}
}

// Commit sends what is queued and commits, whatever becomes of ctx. An error with lost true leaves open whether
// the server has committed.
func (t *Tx) Commit(ctx context.Context) (lost bool, err error) {
	ctx = context.WithoutCancel(ctx)
	t.queue = append(t.queue, queued{text: "COMMIT"})
	sent := t.queue
	tags, err := t.flush(ctx)
	if err != nil {
		return t.conn.Conn().IsClosed() && !pgconn.SafeToRetry(err), err
	}
	if tag := tags[len(sent)-1]; tag.String() != "COMMIT" {
		return false, fmt.Errorf("commit: the server answered %s", tag)
	}
	return false, nil
}

// Rollback ends a transaction that was not committed, and gives the connection back. After a commit it only does
// the latter.
func (t *Tx) Rollback() {
	if end := t.ending(); end != nil {
		end()
	}
}

// Leave is Rollback for a transaction that only read: nothing depends on its end, so the caller does not wait for it.
func (t *Tx) Leave() {
	if end := t.ending(); end != nil {
		go end()
	}
}

// ending takes the connection from the transaction and returns what ends it; nil where nothing has to.
func (t *Tx) ending() func() {
	if t.conn == nil {
		return nil
	}
	c := t.conn
	t.conn, t.queue = nil, nil
	if c.Conn().IsClosed() || c.Conn().PgConn().TxStatus() == 'I' {
		c.Release()
		return nil
	}
	t.pool.tell("ROLLBACK")
	return func() {
		// The caller's context may be done already. The pool closes a connection that is still in a transaction.
		_, _ = c.Conn().PgConn().Exec(context.Background(), "ROLLBACK").ReadAll()
		c.Release()
	}
}

// Code returns the SQLSTATE of an error of the server, "" for other errors.
func Code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// IsUnique reports whether err is a violated UNIQUE constraint.
func IsUnique(err error) bool { return Code(err) == "23505" }

// IsUnreached reports whether err is that of a connection that could not be made, be it in time.
func IsUnreached(err error) bool {
	_, failed := errors.AsType[*pgconn.ConnectError](err)
	return failed && Code(err) == "" && !errors.Is(err, context.Canceled)
}

// IsConnection reports whether err is that of a connection: it could not be made, or was lost.
func IsConnection(err error) bool {
	_, failed := errors.AsType[*pgconn.ConnectError](err)
	_, lost := errors.AsType[*net.OpError](err)
	return failed || lost || Code(err) == "" && (pgconn.SafeToRetry(err) || pgconn.Timeout(err) || errors.Is(err, pgx.ErrTxClosed))
}
