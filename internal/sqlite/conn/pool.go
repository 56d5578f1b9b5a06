// Package conn holds the connections to one SQLite file: a pool of them, each with its prepared
// statements, and the statements of one transaction with the helpers that read their rows.
//
// It knows no table and no noun: what is stored, and what an error means to a caller, is said by the
// packages that import it.
package conn

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"

	"modernc.org/sqlite"

	"github.com/alanbuscaglia/engram"
)

// Pool is a fixed number of connections, opened when first needed. It replaces the pool of database/sql
// to keep prepared statements per connection, since preparing one costs more than running it, and uses the
// driver itself, since database/sql costs as much as most of our statements. It is safe for concurrent
// use.
//
// The connection given back last is taken first. A new connection reads the whole schema, some
// milliseconds, and has an empty page cache, so a command that runs one query after the other must never
// open a second one.
type Pool struct {
	open  func() (driver.Conn, error)
	turns chan struct{} // a token per available connection
	size  int
	once  sync.Once
	err   error // of Close

	lender        *Pool // pool that lends connections; nil if this pool opens its own; closed after this one
	borrow, repay string

	// Ran, unless nil, is called with each statement of a connection before it runs, for tests that count
	// them. Set it before the first Take.
	Ran func(query string)
	// Unwatched connections look at a context before a statement and between its rows, but do not end a statement that
	// runs: the driver starts a goroutine for that, which costs as much as a short one. Set it before the first Take.
	Unwatched bool
	// Wide connections keep the enlarged page cache of a large transaction (Conn.Widen). Set it before the first Take.
	Wide bool

	mu   sync.Mutex
	idle []*Conn // open and not taken, the most recently used last
}

// NewPool returns a pool of up to size connections to the file that dsn names.
func NewPool(dsn string, size int) *Pool {
	p := &Pool{open: func() (driver.Conn, error) { return new(sqlite.Driver).Open(dsn) }, turns: make(chan struct{}, size), size: size}
	for range size {
		p.turns <- struct{}{}
	}
	return p
}

// BorrowFrom makes the pool use idle connections of lender before it opens its own: the statement borrow
// turns one into a connection of this pool, repay back. Call it before the first Take, and close the
// lender last.
func (p *Pool) BorrowFrom(lender *Pool, borrow, repay string) {
	p.lender, p.borrow, p.repay = lender, borrow, repay
}

// Take waits for a connection. A closed pool is CodeUnavailable.
func (p *Pool) Take(ctx context.Context) (*Conn, error) {
	select {
	case _, open := <-p.turns:
		if !open {
			return nil, engram.Errorf(engram.CodeUnavailable, "the store is closed")
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := p.last(); c != nil {
		return c, nil
	}
	if c := p.borrowed(); c != nil {
		return c, nil
	}
	err := ctx.Err()
	var c driver.Conn
	if err == nil {
		c, err = p.open()
	}
	if err != nil {
		p.turns <- struct{}{}
		return nil, err
	}
	return &Conn{raw: c.(connection), stmts: map[string]statement{}, ran: p.Ran, unwatched: p.Unwatched}, nil
}

// last takes the most recently used idle connection, nil if all are in use.
func (p *Pool) last() *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	c := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return c
}

// borrowed takes an idle connection of the lender, nil if it has no idle one.
func (p *Pool) borrowed() *Conn {
	if p.lender == nil {
		return nil
	}
	c := p.lender.last()
	if c == nil {
		return nil
	}
	c.Kept, c.lender = nil, p.lender
	if !c.turn(p.borrow) {
		_ = c.raw.Close()
		return nil
	}
	return c
}

// Give returns a connection; a broken one is closed and replaced later.
func (p *Pool) Give(c *Conn) {
	if !p.Wide {
		c.narrow()
	}
	owner := p
	if c.lender != nil {
		owner, c.lender = c.lender, nil
		c.broken = c.broken || !c.turn(p.repay)
	}
	if c.broken {
		_ = c.raw.Close() // already broken, so the error of Close is useless
	} else {
		owner.mu.Lock()
		owner.idle = append(owner.idle, c)
		owner.mu.Unlock()
	}
	p.turns <- struct{}{}
}

// Idle returns the number of connections that are open and not taken.
func (p *Pool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// Close waits for all connections to come back and closes them. Further calls return the same error.
func (p *Pool) Close() error {
	p.once.Do(func() {
		for range p.size {
			<-p.turns
		}
		close(p.turns)
		var errs []error
		for c := p.last(); c != nil; c = p.last() {
			errs = append(errs, c.Forget(), c.raw.Close())
		}
		p.err = errors.Join(errs...)
	})
	return p.err
}
