package conn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// Tx runs the statements of one transaction in one space. One goroutine uses it at a time.
type Tx struct {
	// Off, unless nil, are the projects whose rows SELECT does not see.
	Off *Off
	// Before, unless nil, is called before each statement, and may send others.
	Before func(ctx context.Context, query string) error

	pool  *Pool
	conn  *pgxpool.Conn
	space string
	queue []queued
	lost  error // a queued statement failed, and the transaction with it
	// hand, unless nil, takes the reads of the function that runs (Together).
	hand  hand
	Wrote bool // a statement was queued or sent that may have written
}

// queued is a statement that waits for the next round trip.
type queued struct {
	text  string
	args  []any
	doing string // context of its error; "" for none
}

// mostQueued bounds the statements that wait, and their texts in memory.
const mostQueued = 256

// Run queues a statement whose result nothing depends on. Its error is that of a later call, at the latest of
// Commit, and no statement of the transaction succeeds after it.
func (t *Tx) Run(ctx context.Context, query string, args ...any) error {
	text, values, err := t.ready(ctx, query, args)
	if err != nil {
		return err
	}
	t.Wrote = true
	t.queue = append(t.queue, queued{text: text, args: values, doing: "write"})
	if len(t.queue) < mostQueued {
		return ctx.Err()
	}
	_, err = t.flush(ctx)
	return err
}

// Statement is a query with its arguments.
type Statement struct {
	query string
	args  []any
}

// With returns a statement.
func With(query string, args ...any) Statement { return Statement{query, args} }

// mostRows is how many rows one statement of RunRows has: each number of rows is a statement of its own in the server.
const mostRows = 8

// RunRows is Run for a query with many rows, which stand where it says $rows, each behind the space.
func (t *Tx) RunRows(ctx context.Context, query string, rows [][]any) error {
	return ofRows(query, rows, func(query string, args []any) error { return t.Run(ctx, query, args...) })
}

// PutRows is RunRows for a query that returns rows, which are read now: it calls scan for each (Rows).
func (t *Tx) PutRows(ctx context.Context, query string, rows [][]any, scan func(sqlrow.Scanner) error) error {
	t.Wrote = true
	return ofRows(query, rows, func(query string, args []any) error {
		if !t.sendable(args) { // where a read has no rows
			return errUnstorable
		}
		return t.Rows(ctx, query, args, scan)
	})
}

// ofRows calls fn with the query for some rows at a time, and their values.
func ofRows(query string, rows [][]any, fn func(string, []any) error) error {
	for some := range slices.Chunk(rows, mostRows) {
		row := "($space" + strings.Repeat(",?", len(some[0])) + ")"
		all := row + strings.Repeat(","+row, len(some)-1)
		if err := fn(strings.Replace(query, "$rows", all, 1), slices.Concat(some...)); err != nil {
			return err
		}
	}
	return nil
}

// RunAll queues statements in their order.
func (t *Tx) RunAll(ctx context.Context, all ...Statement) error {
	for _, s := range all {
		if err := t.Run(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// Exec runs a statement now and returns the number of rows that it wrote.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	rows, err := t.ExecAll(ctx, With(query, args...))
	if err != nil {
		return 0, err
	}
	return rows[0], nil
}

// ExecAll is Exec for several statements in one round trip.
func (t *Tx) ExecAll(ctx context.Context, all ...Statement) ([]int64, error) {
	for _, s := range all {
		text, values, err := t.ready(ctx, s.query, s.args)
		if err != nil {
			return nil, err
		}
		t.queue = append(t.queue, queued{text: text, args: values, doing: "write"})
	}
	t.Wrote = true
	tags, err := t.flush(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]int64, len(all))
	for i := range rows {
		rows[i] = tags[len(tags)-len(all)+i].RowsAffected()
	}
	return rows, nil
}

// Attempt is Exec for a statement that may fail: the transaction goes on without it.
func (t *Tx) Attempt(ctx context.Context, query string, args ...any) (int64, error) {
	text, values, err := t.ready(ctx, query, args)
	if err != nil {
		return 0, err
	}
	if t.lost != nil {
		return 0, t.lost
	}
	t.Wrote = true
	const mark = "SAVEPOINT attempt"
	t.queue = append(t.queue, queued{text: mark}, queued{text: text, args: values}, queued{text: "RELEASE attempt"})
	waiting := len(t.queue) - 3
	tags, err := t.flush(ctx)
	if err == nil {
		return tags[waiting+1].RowsAffected(), nil
	}
	if len(tags) == waiting+1 && Code(err) != "" { // all before it and the mark succeeded
		if _, back := t.Simple(ctx, "ROLLBACK TO attempt; RELEASE attempt"); back == nil {
			t.lost = nil
		}
	}
	return 0, err
}

// Flush sends what is queued.
func (t *Tx) Flush(ctx context.Context) error {
	if len(t.queue) == 0 {
		return t.lost
	}
	_, err := t.flush(ctx)
	return err
}

// flush sends what is queued in one round trip, and returns what each statement did, up to the first that failed.
func (t *Tx) flush(ctx context.Context) ([]pgconn.CommandTag, error) {
	results, err := t.send(ctx, nil)
	if err != nil {
		return nil, err
	}
	tags, err := t.done(results)
	if shut := results.Close(); err == nil {
		err = shut
	}
	if err != nil {
		t.lost = err
	}
	return tags, err
}

// send sends what is queued and then more.
func (t *Tx) send(ctx context.Context, more *queued) (pgx.BatchResults, error) {
	if t.lost != nil {
		return nil, t.lost
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := &pgx.Batch{}
	for _, q := range t.queue {
		b.Queue(q.text, q.args...)
	}
	if more != nil {
		b.Queue(more.text, more.args...)
	}
	if t.pool.Sent != nil {
		texts := make([]string, len(b.QueuedQueries))
		for i, q := range b.QueuedQueries {
			texts[i] = q.SQL
		}
		t.pool.tell(texts...)
	}
	return t.conn.SendBatch(ctx, b), nil
}

// done reads the results of what was queued, and empties the queue.
func (t *Tx) done(results pgx.BatchResults) (tags []pgconn.CommandTag, err error) {
	all := t.queue
	t.queue = t.queue[:0]
	for _, q := range all {
		tag, err := results.Exec()
		if err != nil {
			if q.doing != "" {
				err = fmt.Errorf("%s: %w", q.doing, err)
			}
			t.lost = err
			return tags, err
		}
		tags = append(tags, tag)
	}
	clear(all)
	return tags, nil
}
