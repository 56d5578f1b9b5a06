package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// pool is a fixed number of connections, opened when first needed. database/sql's
// own pool would do, but statements are kept per connection here: preparing one
// costs more than running it.
type pool struct {
	db   *sql.DB
	free chan *conn // nil stands for a connection that was not opened yet
	size int
	once sync.Once
	err  error // of closing
}

func newPool(dsn string, size int) (*pool, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	p := &pool{db: db, free: make(chan *conn, size), size: size}
	for range size {
		p.free <- nil
	}
	return p, nil
}

// take waits for a connection.
func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case c, open := <-p.free:
		if !open {
			return nil, engram.Errorf(engram.CodeUnavailable, "the store is closed")
		}
		if c != nil {
			return c, nil
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c, err := p.db.Conn(ctx)
	if err != nil {
		p.free <- nil
		return nil, err
	}
	return &conn{sql: c, stmts: map[string]*sql.Stmt{}}, nil
}

// give returns a connection; one that broke is replaced by a new one later.
func (p *pool) give(c *conn) {
	if c.broken {
		_ = c.sql.Close() // it is of no use whatever Close says
		c = nil
	}
	p.free <- c
}

// close waits for every connection to come back. Closing twice is closing once.
func (p *pool) close() error {
	p.once.Do(func() {
		var errs []error
		for range p.size {
			if c := <-p.free; c != nil {
				for _, s := range c.stmts {
					errs = append(errs, s.Close())
				}
				errs = append(errs, c.sql.Close())
			}
		}
		close(p.free)
		p.err = errors.Join(append(errs, p.db.Close())...)
	})
	return p.err
}

// conn is one connection with its prepared statements. One goroutine uses it at a time.
type conn struct {
	sql    *sql.Conn
	stmts  map[string]*sql.Stmt
	open   bool // a transaction is under way
	broken bool
}

// maxStatements bounds what one connection keeps: filters make many spellings of a
// listing, each of them rare.
const maxStatements = 256

func (c *conn) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		for q, s := range c.stmts {
			_ = s.Close()
			delete(c.stmts, q)
		}
	}
	s, err := c.sql.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

// exec runs a statement without keeping it.
func (c *conn) exec(ctx context.Context, query string, args ...any) error {
	_, err := c.sql.ExecContext(ctx, query, args...)
	return err
}

// begin opens a transaction with query, BEGIN or BEGIN IMMEDIATE. Once it runs it
// cannot be given up: the driver would answer with ctx's error although SQLite had
// begun, and the connection would keep a lock that nobody knows of. It waits no
// longer than the connection's busy timeout.
func (c *conn) begin(ctx context.Context, query string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := c.exec(context.WithoutCancel(ctx), query)
	c.open = err == nil
	return err
}

func (c *conn) commit(ctx context.Context) error {
	err := c.exec(ctx, "COMMIT")
	c.open = err != nil
	return err
}

// rollback ends a transaction that was not committed.
func (c *conn) rollback() {
	if !c.open {
		return
	}
	c.open = false
	// The caller's context may be done already. SQLite itself rolls back on some
	// errors (a full disk); there is no transaction then, and the connection is
	// given up to be safe.
	if err := c.exec(context.Background(), "ROLLBACK"); err != nil {
		c.broken = true
	}
}

// tx is a transaction: engram.Reader and engram.Tx. Its methods stand in the files
// of their nouns.
type tx struct {
	conn       *conn
	kept       *kept            // what the process knows of the index
	cat        *catalogue       // the index as this transaction sees it; nil until asked
	indexed    bool             // the index was written to
	own        []*segment       // the segments as this transaction left them; nil until standing is asked
	recoded    bool             // codes of vectors were written
	scrubbed   bool             // texts left the tables
	vectors    map[int64][]byte // rows of vectorsOf that were read since the last write
	vectorsOf  int64            // model
	unprompted bool             // words left the full-text index of prompts
}

var _ engram.Tx = (*tx)(nil)

func (t *tx) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	t.vectors = nil
	s, err := t.conn.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

func (t *tx) row(ctx context.Context, query string, args []any, into ...any) error {
	s, err := t.conn.stmt(ctx, query)
	if err != nil {
		return err
	}
	return s.QueryRowContext(ctx, args...).Scan(into...)
}

// rows runs query and calls scan for each row.
func (t *tx) rows(ctx context.Context, query string, args []any, scan func(scanner) error) error {
	s, err := t.conn.stmt(ctx, query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanner is a *sql.Row or *sql.Rows.
type scanner interface{ Scan(into ...any) error }
