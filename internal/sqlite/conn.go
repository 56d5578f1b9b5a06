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

// pool is a fixed number of connections, opened when first needed. database/sql's
// own pool would do, but statements are kept per connection here: preparing one
// costs more than running it.
//
// Who gave a connection back last is taken first. A new connection reads the whole
// schema, some milliseconds, and knows no page of the file: a command, which asks one
// thing after the other, must never open a second one.
type pool struct {
	db    *sql.DB
	turns chan struct{} // one for each connection that may be taken
	size  int
	once  sync.Once
	err   error // of closing

	lender        *pool // nil: nobody lends; it is closed after this one
	borrow, repay string

	mu   sync.Mutex
	idle []*conn // open and not taken, the last one given back at the end
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

// last takes the connection that was given back last, nil when none is idle.
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

// borrowed takes a connection that the lender does not need now, nil when there is none.
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

// give returns a connection; one that broke is replaced by a new one later.
func (p *pool) give(c *conn) {
	owner := p
	if c.lender != nil {
		owner, c.lender = c.lender, nil
		c.broken = c.broken || !c.turn(p.repay)
	}
	if c.broken {
		_ = c.sql.Close() // it is of no use whatever Close says
	} else {
		owner.mu.Lock()
		owner.idle = append(owner.idle, c)
		owner.mu.Unlock()
	}
	p.turns <- struct{}{}
}

// close waits for every connection to come back. Closing twice is closing once.
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
	open   bool // a transaction is under way
	broken bool
	// unchanged is what it has read; nil unless it only reads.
	unchanged *unchanged
	lender    *pool // whose it is; nil while it is its own pool's
}

// turn makes the connection one that reads or one that writes, and reports whether it is. That
// takes microseconds, and a caller who gives up must not have it half done.
func (c *conn) turn(pragmas string) bool { return c.exec(context.Background(), pragmas) == nil }

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
	s, err := c.sql.PrepareContext(ctx, unpeeked(query))
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

// unpeeked is a query whose limits are no bare parameters. The planner looks at the value of one
// that is, and so SQLite prepares such a statement anew whenever a value is bound to it: for most
// of ours that costs more than to run it, and their plans are the same (sqlite3ExprIsInteger).
func unpeeked(query string) string { return strings.ReplaceAll(query, "LIMIT ?", "LIMIT 0+?") }

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
	conn        *conn
	hidden      *hidden             // projects that are left out; of who reads
	kept        *kept               // what the process knows of the index
	cat         *catalogue          // the index as this transaction sees it; nil until asked
	writes      bool                // as the only writer
	indexed     bool                // the index was written to
	pending     *pending            // memories that are to be indexed; nil: none
	leaving     *leaving            // memories that are to leave the index; nil: none
	placing     *pending            // those that are just given their slots; nil: none
	wide        bool                // more pages are kept than usual
	owed        owed                // what inserts add elsewhere
	names       names               // numbers that were looked up
	own         []*segment          // the segments as this transaction left them; nil until standing is asked
	recoded     bool                // codes of vectors were written
	scrubbed    bool                // texts left the tables
	vectors     map[vectorOf][]byte // rows that were read since the last write; of who writes
	unprompted  bool                // words left the full-text index of prompts
	looked      bool                // what conn has kept is what this transaction would read
	device      string              // the store's own; "" until asked
	carrierNums map[string]int64    // sets of batches whose numbers were asked for
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
	if ctx, err = t.uncut(ctx); err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// uncut is the context of one statement. The driver starts a goroutine for each that can be
// given up in the middle, which costs as much as a short one. Those of a transaction that
// writes are short and many: it is given up between two of them.
func (t *tx) uncut(ctx context.Context) (context.Context, error) {
	if !t.writes {
		return ctx, nil
	}
	return context.WithoutCancel(ctx), ctx.Err()
}

// stmt prepares a statement that is run next.
func (t *tx) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if len(t.owed.tags) > 0 || t.owed.counts() {
		if err := t.payBefore(ctx, query); err != nil {
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
	if ctx, err = t.uncut(ctx); err != nil {
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
	if ctx, err = t.uncut(ctx); err != nil {
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

// unchangedBytes is about how much a connection keeps of what it has read: some thousand
// memories with their vectors. Reading the sixty that a search looks at costs as much as
// everything else that it does. The four connections of a server each keep as much, so it is
// little: over a large store the same is hardly asked again.
const unchangedBytes = 6 << 20

// dataVersionSQL asks for a number that is another one whenever somebody else, in this
// process or not, has committed since the connection looked last. A transaction has one.
const dataVersionSQL = `PRAGMA data_version`

// unchanged is what a connection has read and nobody has written since. SQLite tells a
// connection what others wrote, not what it wrote itself: only connections that never
// write keep anything.
type unchanged struct {
	version   int64
	hidden    string // with these projects left out
	memories  map[int64]engram.Memory
	beside    map[int64]engram.Beside // the zero Beside where there is no session
	models    map[string]model        // by fingerprint; those that there are
	rows      map[vectorOf][]byte     // of vectors; nil where there is none
	values    map[vectorOf][]float32  // the same, as they are asked for
	relations map[relationsOf][]*engram.Relation
	newest    map[newestOf][][]float32
	bytes     int
}

// vectorOf names a vector by the rows of its model and its memory.
type vectorOf struct{ model, memory int64 }

// relationsOf names the relations of a memory as RelationsOf is asked for them.
type relationsOf struct {
	memory int64
	verbs  string
	most   int
}

// newestOf names the vectors of a project as NewestVectors is asked for them.
type newestOf struct {
	model   int64
	project string
	most    int
}

// unchanged returns what the transaction's connection has kept, as this transaction would
// read it; nil where it keeps nothing.
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

// grow makes room for so many bytes more, if need be by letting go of all there is: what
// is asked again and again comes back soon.
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

// memory returns a memory that is kept; it is the caller's to change.
func (u *unchanged) memory(num int64) engram.Memory {
	m := u.memories[num]
	m.Tags, m.Anchors = slices.Clone(m.Tags), slices.Clone(m.Anchors)
	return m
}

// keepMemory keeps a memory. One with metadata, whose values may hold others, is not kept:
// a copy of those costs what reading it does.
func (u *unchanged) keepMemory(m engram.Memory) {
	if u == nil || m.Metadata != nil {
		return
	}
	const row = 800    // what one takes beside its texts
	const anchor = 300 // likewise one of them
	u.grow(row + anchor*len(m.Anchors) + len(m.Title) + len(m.Content) + len(m.Summary))
	m.Tags, m.Anchors = slices.Clone(m.Tags), slices.Clone(m.Anchors)
	u.memories[m.Num] = m
}
