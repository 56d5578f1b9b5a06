package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// pool is a fixed number of connections, opened when first needed. It replaces the pool of database/sql
// to keep prepared statements per connection: preparing one costs more than running it.
//
// The connection given back last is taken first. A new connection reads the whole schema, some
// milliseconds, and has an empty page cache, so a command that runs one query after the other must never
// open a second one.
type pool struct {
	db    *sql.DB
	turns chan struct{} // a token per available connection
	size  int
	once  sync.Once
	err   error // of close

	lender        *pool // pool that lends connections; nil if this pool opens its own; closed after this one
	borrow, repay string

	mu   sync.Mutex
	idle []*conn // open and not taken, the most recently used last
}

func newPool(dsn string, size int) (*pool, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	p := &pool{db: db, turns: make(chan struct{}, size), size: size}
	for range size {
		p.turns <- struct{}{}
	}
	return p, nil
}

// take waits for a connection.
func (p *pool) take(ctx context.Context) (*conn, error) {
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
	c, err := p.db.Conn(ctx)
	if err != nil {
		p.turns <- struct{}{}
		return nil, err
	}
	return &conn{sql: c, stmts: map[string]*sql.Stmt{}}, nil
}

// last takes the most recently used idle connection, nil if all are in use.
func (p *pool) last() *conn {
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
func (p *pool) borrowed() *conn {
	if p.lender == nil {
		return nil
	}
	c := p.lender.last()
	if c == nil {
		return nil
	}
	c.unchanged, c.lender = nil, p.lender
	if !c.turn(p.borrow) {
		_ = c.sql.Close()
		return nil
	}
	return c
}

// give returns a connection; a broken one is closed and replaced later.
func (p *pool) give(c *conn) {
	owner := p
	if c.lender != nil {
		owner, c.lender = c.lender, nil
		c.broken = c.broken || !c.turn(p.repay)
	}
	if c.broken {
		_ = c.sql.Close() // already broken, so the error of Close is useless
	} else {
		owner.mu.Lock()
		owner.idle = append(owner.idle, c)
		owner.mu.Unlock()
	}
	p.turns <- struct{}{}
}

// close waits for all connections to come back and closes them. Further calls return the same error.
func (p *pool) close() error {
	p.once.Do(func() {
		for range p.size {
			<-p.turns
		}
		close(p.turns)
		var errs []error
		for c := p.last(); c != nil; c = p.last() {
			for _, s := range c.stmts {
				errs = append(errs, s.Close())
			}
			errs = append(errs, c.sql.Close())
		}
		p.err = errors.Join(append(errs, p.db.Close())...)
	})
	return p.err
}

// conn is one connection with its prepared statements. One goroutine uses it at a time.
type conn struct {
	sql    *sql.Conn
	stmts  map[string]*sql.Stmt
	open   bool // in a transaction
	broken bool
	// cache of what it has read; nil for a connection that may write
	unchanged *unchanged
	lender    *pool // the pool to return it to; nil for its own
}

// turn switches the connection between reading and writing and reports whether it succeeded. It ignores
// the caller's context: it takes microseconds and must not be interrupted half way.
func (c *conn) turn(pragmas string) bool { return c.exec(context.Background(), pragmas) == nil }

// maxStatements bounds the cached statements: filters produce many distinct, rarely used queries.
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
	s, err := c.sql.PrepareContext(ctx, hideLimits(query))
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

// hideLimits hides the limits of a query from the planner. SQLite re-prepares a statement with a bare
// parameter as LIMIT whenever a value is bound to it (sqlite3ExprIsInteger), which costs more than
// running most of ours, and the plans are the same.
func hideLimits(query string) string { return strings.ReplaceAll(query, "LIMIT ?", "LIMIT 0+?") }

// exec runs a statement without caching it.
func (c *conn) exec(ctx context.Context, query string, args ...any) error {
	_, err := c.sql.ExecContext(ctx, query, args...)
	return err
}

// begin opens a transaction with query, BEGIN or BEGIN IMMEDIATE. It is not cancelled once it runs: the
// driver would return ctx's error although SQLite had begun, and the connection would keep a lock. It
// waits at most for the connection's busy timeout.
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
	// The caller's context may be done already. SQLite itself rolls back on some errors, such as a full
	// disk; ROLLBACK then fails, and the connection is discarded to be safe.
	if err := c.exec(context.Background(), "ROLLBACK"); err != nil {
		c.broken = true
	}
}

// tx is a transaction: engram.Reader and engram.Tx. Its methods are in the files of their nouns.
type tx struct {
	conn        *conn
	hidden      *hidden             // excluded projects, for readers
	kept        *kept               // what the process caches of the index
	cat         *catalogue          // the index as this transaction sees it; nil until read
	writes      bool                // is the only writer
	indexed     bool                // has changed the index
	pending     *pending            // memories to be indexed; nil if empty
	leaving     *leaving            // memories to be removed from the index; nil if empty
	placing     *pending            // pending memories while they get their slots
	wide        bool                // page cache is enlarged
	unwritten   unwritten           // counts and tags not written yet
	names       names               // looked-up row numbers
	own         []*segment          // segments with this transaction's changes; nil until standing is called
	recoded     bool                // has changed codes of vectors
	scrubbed    bool                // has removed texts, so the log must be emptied
	vectors     map[vectorOf][]byte // vector rows read since the last write, for writers
	unprompted  bool                // has removed words from the full-text index of prompts
	looked      bool                // conn.unchanged is valid for this transaction's snapshot
	device      string              // id of this store; "" until read
	carrierNums map[string]int64    // looked-up numbers of batch sets
}

var _ engram.Tx = (*tx)(nil)

func (t *tx) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	t.vectors = nil
	s, err := t.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	if t.names.some() && renames(query) {
		t.names = names{}
	}
	if ctx, err = t.uncancelled(ctx); err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// uncancelled is the context for one statement. The driver starts a goroutine for every cancellable statement,
// which costs as much as a short one. Writing transactions run many short ones, so they check for
// cancellation between statements only.
func (t *tx) uncancelled(ctx context.Context) (context.Context, error) {
	if !t.writes {
		return ctx, nil
	}
	return context.WithoutCancel(ctx), ctx.Err()
}

// stmt prepares a statement that is run next.
func (t *tx) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if len(t.unwritten.tags) > 0 || t.unwritten.counts() {
		if err := t.flushBefore(ctx, query); err != nil {
			return nil, err
		}
	}
	return t.conn.stmt(ctx, t.hidden.query(query))
}

func (t *tx) row(ctx context.Context, query string, args []any, into ...any) error {
	s, err := t.stmt(ctx, query)
	if err != nil {
		return err
	}
	if ctx, err = t.uncancelled(ctx); err != nil {
		return err
	}
	return s.QueryRowContext(ctx, args...).Scan(into...)
}

// rows runs query and calls scan for each row.
func (t *tx) rows(ctx context.Context, query string, args []any, scan func(scanner) error) error {
	s, err := t.stmt(ctx, query)
	if err != nil {
		return err
	}
	if ctx, err = t.uncancelled(ctx); err != nil {
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

// unchangedBytes bounds the cache of a read connection: some thousand memories with their vectors.
// Reading the sixty memories of a search costs as much as the rest of it. The limit is low because a
// server has four connections and large stores repeat few reads.
const unchangedBytes = 6 << 20

// dataVersionSQL returns a number that changes whenever another connection, of this process or another,
// commits. It is constant within a transaction.
const dataVersionSQL = `PRAGMA data_version`

// unchanged caches what a read connection has read since the last foreign commit. SQLite does not report
// a connection's own writes this way, so connections that write have no cache.
type unchanged struct {
	version   int64
	hidden    string // the excluded projects it is valid for
	memories  map[int64]engram.Memory
	beside    map[int64]engram.Beside // the zero Beside for memories without a session
	models    map[string]model        // by fingerprint; known models only
	rows      map[vectorOf][]byte     // encoded vectors; nil if the memory has no vector
	values    map[vectorOf][]float32  // decoded vectors
	relations map[relationsOf][]*engram.Relation
	newest    map[newestOf][][]float32
	bytes     int
}

// vectorOf identifies a vector by the rows of its model and memory.
type vectorOf struct{ model, memory int64 }

// relationsOf identifies an answer of RelationsOf for one memory.
type relationsOf struct {
	memory int64
	verbs  string
	most   int
}

// newestOf identifies an answer of NewestVectors.
type newestOf struct {
	model   int64
	project string
	most    int
}

// unchanged returns the connection's cache, emptied if it is outdated; nil if it has none.
func (t *tx) unchanged(ctx context.Context) (*unchanged, error) {
	u := t.conn.unchanged
	if u == nil || t.looked {
		return u, nil
	}
	var version int64
	if err := t.row(ctx, dataVersionSQL, nil, &version); err != nil {
		return nil, fmt.Errorf("look for changes: %w", err)
	}
	if version != u.version || u.memories == nil || u.hidden != t.hidden.query("SELECT") {
		u.version, u.hidden = version, t.hidden.query("SELECT")
		u.empty()
	}
	t.looked = true
	return u, nil
}

func (u *unchanged) empty() {
	*u = unchanged{version: u.version, hidden: u.hidden, memories: map[int64]engram.Memory{}, beside: map[int64]engram.Beside{}, models: map[string]model{},
		rows: map[vectorOf][]byte{}, values: map[vectorOf][]float32{},
		relations: map[relationsOf][]*engram.Relation{}, newest: map[newestOf][][]float32{}}
}

// grow accounts for added bytes, and empties the whole cache if it is full: frequently used entries soon
// return.
func (u *unchanged) grow(bytes int) {
	if u.bytes += bytes; u.bytes > unchangedBytes {
		u.empty()
		u.bytes = bytes
	}
}

func (u *unchanged) hasMemory(num int64) bool {
	if u == nil {
		return false
	}
	_, known := u.memories[num]
	return known
}

// memory returns a copy of a cached memory.
func (u *unchanged) memory(num int64) engram.Memory {
	m := u.memories[num]
	m.Tags, m.Anchors = slices.Clone(m.Tags), slices.Clone(m.Anchors)
	return m
}

// keepMemory caches a memory, unless it has metadata: deep copies of nested values cost as much as
// reading it.
func (u *unchanged) keepMemory(m engram.Memory) {
	if u == nil || m.Metadata != nil {
		return
	}
	const row = 800    // bytes per memory beside its texts
	const anchor = 300 // bytes per anchor
	u.grow(row + anchor*len(m.Anchors) + len(m.Title) + len(m.Content) + len(m.Summary))
	m.Tags, m.Anchors = slices.Clone(m.Tags), slices.Clone(m.Anchors)
	u.memories[m.Num] = m
}
