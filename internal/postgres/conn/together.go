package conn

import (
	"context"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// reading is a read of a function that runs together with others.
type reading struct {
	text   string
	values []any
	scan   func(sqlrow.Scanner) error
	err    error
}

// hand gives reads to the one who sends them, and returns when they have been read; false if they never will be.
type hand func([]*reading) bool

// Together runs functions that only read and do not depend on each other. What each of them reads next travels in one
// round trip, also where they call Together themselves. One runs at a time, from one of its reads to the next, so that
// they may share what the transaction knows; none may hold a lock while it reads. The error is that of the first of them
// that has one.
func (t *Tx) Together(ctx context.Context, fns ...func(context.Context) error) error {
	outer := t.hand
	defer func() { t.hand = outer }()
	type running struct {
		next func() ([]*reading, bool)
		hand hand
	}
	errs := make([]error, len(fns))
	all := make([]*running, len(fns))
	for i, fn := range fns {
		one := &running{}
		next, stop := iter.Pull(func(yield func([]*reading) bool) {
			one.hand, t.hand = yield, yield
			errs[i] = fn(ctx)
		})
		defer stop()
		one.next, all[i] = next, one
	}
	for {
		var asked []*reading
		all = slices.DeleteFunc(all, func(one *running) bool {
			t.hand = one.hand
			reads, more := one.next()
			asked = append(asked, reads...)
			return !more
		})
		if len(all) == 0 {
			break
		}
		if t.hand = outer; outer == nil {
			t.read(ctx, asked)
		} else if !outer(asked) {
			return context.Canceled
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// await lets the functions beside this one run up to their reads, and returns when r has been read.
func (t *Tx) await(r *reading) error {
	if mine := t.hand; !mine([]*reading{r}) {
		return context.Canceled // one beside it panicked
	}
	return r.err
}

// read sends reads in one round trip, and scans what comes back.
func (t *Tx) read(ctx context.Context, all []*reading) {
	failed := t.lost
	if failed == nil {
		failed = ctx.Err()
	}
	b := &pgx.Batch{}
	texts := make([]string, len(all))
	for i, r := range all {
		b.Queue(r.text, r.values...)
		texts[i], r.err = r.text, failed
	}
	if failed != nil {
		return
	}
	t.pool.tell(texts...)
	results := t.conn.SendBatch(ctx, b)
	defer func() { _ = results.Close() }() // the error of the rows is that of the batch
	for _, r := range all {
		if r.err = t.lost; r.err != nil { // behind one that failed
			continue
		}
		rows, err := results.Query()
		if err != nil {
			r.err = t.spoiled(err)
			continue
		}
		r.err = t.scan(rows, r.scan)
	}
}
