package conn

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Conn is one connection with its prepared statements. One goroutine uses it at a time.
type Conn struct {
	raw    connection
	stmts  map[string]statement
	open   bool // in a transaction
	broken bool
	pages  int                 // size in KiB of the enlarged page cache; 0: it is the usual one
	lender *Pool               // the pool to return it to; nil for its own
	values []driver.NamedValue // of the last statement

	// Joined says that the transaction has writes of others, which are not committed yet.
	Joined bool

	// Kept is what the user of the connection caches with it; a borrowed connection has none.
	Kept any

	ran       func(query string) // Pool.Ran
	unwatched bool               // Pool.Unwatched
}

// turn switches the connection between reading and writing and reports whether it succeeded. It ignores
// the caller's context: it takes microseconds and must not be interrupted half way.
func (c *Conn) turn(pragmas string) bool { return c.Exec(context.Background(), pragmas) == nil }

// maxStatements bounds the cached statements: filters produce many distinct, rarely used queries.
const maxStatements = 256

func (c *Conn) stmt(ctx context.Context, query string) (statement, error) {
	if c.ran != nil {
		c.ran(query)
	}
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		_ = c.Forget() // of reading, which reported its own errors
	}
	s, err := c.raw.PrepareContext(ctx, hideValues(query))
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s.(statement)
	return c.stmts[query], nil
}

// Queries returns the texts of the prepared statements, sorted.
func (c *Conn) Queries() []string { return slices.Sorted(maps.Keys(c.stmts)) }

// Forget closes the prepared statements.
func (c *Conn) Forget() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	clear(c.stmts)
	return errors.Join(errs...)
}

// hideValues hides the values of parameters from the planner. SQLite prepares a statement anew (sqlite3VdbeReprepareOnBind)
//
//   - when a value is bound to a bare parameter that is a LIMIT, or that it compared with the condition of a partial index;
//   - when the value of a bare parameter in "column = ?" changes from or to 0 or 1.
//
// That costs more than running most of our statements, and their plans are the same for all values.
func hideValues(query string) string { return hidden.Replace(query) }

var hidden = strings.NewReplacer("LIMIT ?", "LIMIT 0+?", "= ?", "= +?")

// Exec runs a statement without caching it.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) error {
	values, err := c.valuesOf(args)
	if err == nil {
		_, err = c.raw.ExecContext(ctx, query, values)
	}
	return err
}

// Scan reads the one row of a query without caching its statement.
func (c *Conn) Scan(ctx context.Context, query string, into ...any) error {
	if c.unwatched {
		if err := ctx.Err(); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx)
	}
	rows, err := c.raw.QueryContext(ctx, query, nil)
	if err != nil {
		return err
	}
	return first(rows, into)
}

// control runs a statement that begins or ends a transaction. It stays prepared, but is not counted.
func (c *Conn) control(ctx context.Context, query string) error {
	s, known := c.stmts[query]
	if !known {
		prepared, err := c.raw.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		s = prepared.(statement)
		c.stmts[query] = s
	}
	_, err := s.ExecContext(ctx, nil)
	return err
}

// Begin opens a transaction with query, BEGIN or BEGIN IMMEDIATE. It is not cancelled once it runs: the
// driver would return ctx's error although SQLite had begun, and the connection would keep a lock. It
// waits at most for the connection's busy timeout.
func (c *Conn) Begin(ctx context.Context, query string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := c.control(context.WithoutCancel(ctx), query)
	c.open = err == nil
	return err
}

// Commit commits the transaction; after an error it is still open.
func (c *Conn) Commit(ctx context.Context) error {
	err := c.control(ctx, "COMMIT")
	c.open = err != nil
	return err
}

// Rollback ends a transaction that was not committed. After a commit it does nothing.
func (c *Conn) Rollback() {
	if !c.open {
		return
	}
	c.open = false
	// The caller's context may be done already. SQLite itself rolls back on some errors, such as a full
	// disk; ROLLBACK then fails, and the connection is discarded to be safe.
	if err := c.control(context.Background(), "ROLLBACK"); err != nil {
		c.broken = true
	}
}

// Sizes of a connection's page cache in KiB.
const (
	UsualPages = 2 << 10 // of a connection that writes, outside large transactions
	mostPages  = 16 << 10
)

// Widen enlarges the page cache for a large transaction, to one page of so many that the file has by now, until the
// connection is given back. With a cache that has no room for the pages that it touches again and again, it would write
// and read each some ten times. Most others are written once: to keep them costs more, in memory that is new to the
// process, than to write them before the commit.
func (c *Conn) Widen(ctx context.Context, of int) error {
	if c.pages == mostPages {
		return nil
	}
	var pages int // of the usual 4 KiB
	if err := c.Scan(ctx, "PRAGMA page_count", &pages); err != nil {
		return err
	}
	size := max(c.pages, UsualPages)
	for size < mostPages && size < 4*pages/of {
		size *= 2
	}
	if size == max(c.pages, UsualPages) {
		return nil
	}
	c.pages = size
	return c.Exec(ctx, fmt.Sprintf("PRAGMA cache_size = -%d", size))
}

// narrow restores the page cache.
func (c *Conn) narrow() {
	if c.pages == 0 {
		return
	}
	c.pages = 0
	// The caller's context may be done already. If this fails, only memory is wasted, and the connection
	// is discarded.
	if err := c.Exec(context.Background(), fmt.Sprintf("PRAGMA cache_size = -%d; PRAGMA shrink_memory", UsualPages)); err != nil {
		c.broken = true
	}
}
