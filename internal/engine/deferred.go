package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Deferred returns the records that came from a remote and wait, oldest first; of a project,
// by its name or an alias, or with "" of every one. What is proposed is no such record
// (Proposals).
func (e *Engine) Deferred(ctx context.Context, project string) ([]engram.Deferred, error) {
	return e.pendingFor(ctx, project, func(why engram.Deferral) bool { return why != engram.DeferredProposal })
}

// pendingFor returns what waits for some reasons, oldest first.
func (e *Engine) pendingFor(ctx context.Context, project string, reason func(engram.Deferral) bool) ([]engram.Deferred, error) {
	var all []engram.Deferred
	err := e.store.View(ctx, func(r engram.Reader) error {
		name, err := canonicalProject(ctx, r, project)
		if err != nil {
			return err
		}
		return eachDeferred(ctx, r, name, func(d engram.Deferred) error {
			if reason(d.Why) {
				all = append(all, d)
			}
			return nil
		})
	})
	return all, err
}

// countDeferred counts what came from a remote and waits; of a project, or of every one.
func countDeferred(ctx context.Context, r engram.Reader, project string) (int, error) {
	all, err := r.CountDeferred(ctx, project, "")
	for _, other := range []engram.Deferral{engram.DeferredProposal, engram.DeferredDecided} {
		if err != nil {
			return 0, err
		}
		var n int
		n, err = r.CountDeferred(ctx, project, other)
		all -= n
	}
	return all, err
}

// eachDeferred calls fn with what waits of a project, oldest first, page by page. What was
// decided does not wait.
func eachDeferred(ctx context.Context, r engram.Reader, project string, fn func(engram.Deferred) error) error {
	return eachAfter(func(after int64) ([]engram.Deferred, error) { return r.Deferred(ctx, project, after, deferredPage) },
		func(d engram.Deferred) (int64, error) {
			if d.Why == engram.DeferredDecided {
				return d.Num, nil
			}
			return d.Num, fn(d)
		})
}

// deferredPage is how many records that wait are read at once.
const deferredPage = 100

// Accepted says what became of something that waited and was taken in.
type Accepted struct {
	engram.Imported
	Memory int64 // that it became, or is; 0 of what is no memory
	// Warnings say that the memory is told to nobody unasked, since it reads like an order.
	Warnings []string
}

// AcceptDeferred takes something in that waits for a person to look at it, or for anything
// else: nothing is asked again but what cannot be done without. It is an operation of its own,
// which Undo takes back. What was proposed is saved as AcceptProposal does.
//
// CodeNotFound for a number under which nothing waits, CodeConflict for a record that cannot
// come in yet, or at all; then it waits on.
func (e *Engine) AcceptDeferred(ctx context.Context, num int64) (Accepted, error) {
	if proposed, err := e.isProposal(ctx, num); err != nil || proposed {
		return e.acceptedProposal(ctx, num, err)
	}
	var res Accepted
	err := e.write(ctx, "pull", func(o *op) error {
		d, err := o.waiting(ctx, num)
		if err != nil {
			return err
		}
		res = Accepted{Imported: engram.Imported{Mode: ImportMerge}}
		return o.acceptRecord(ctx, d, &res)
	})
	if err != nil {
		return Accepted{}, err
	}
	return res, nil
}

// acceptRecord takes a record in that came from others.
func (o *op) acceptRecord(ctx context.Context, d engram.Deferred, res *Accepted) error {
	p := &pulling{Engine: o.Engine, in: PullInput{Project: d.Project}}
	b := p.receiving(o, engram.Batch{ID: d.Batch, By: d.By}, &res.Imported, new(putAside))
	b.reviewed, b.pending = true, &d
	b.later = func(_ context.Context, _ engram.Record, why engram.Deferral, reason string) error {
		until := "when what it refers to is here"
		if why == engram.DeferredClock {
			until = "when that time has come"
		}
		return engram.Errorf(engram.CodeConflict, "it cannot come in yet: %s", reason).
			WithHint("it comes by itself with {sync --import} %s; {sync drop %d} throws it away", until, d.Num)
	}
	if err := b.begin(ctx); err != nil {
		return err
	}
	if err := b.one(ctx, d.Record); err != nil {
		return err
	}
	if err := b.end(ctx); err != nil {
		return err
	}
	if len(res.Rejected) > 0 {
		return engram.Errorf(engram.CodeConflict, "it cannot come in: %s", res.Rejected[0].Reason).WithHint("drop it, or settle what stands against it first")
	}
	if r := d.Record.Memory; r != nil {
		m, found, err := b.find(ctx, r.Memory.ID, r.Memory.SyncID)
		if err != nil {
			return err
		}
		if found {
			res.Memory = m.Num
			if res.Warnings, err = o.warnAccepted(ctx, m); err != nil {
				return err
			}
		}
	}
	res.Op, res.Pending = o.first, len(o.pending)
	_, err := o.tx.DropDeferred(ctx, d.Num)
	return err
}

// DropDeferred removes a record that waits, or that was refused (RefuseDeferred), for good; it
// does not come in with the batch that it came with any more. CodeNotFound when nothing waits
// under the number.
//
// The journal notes that it was done, not what was dropped: it cannot be undone, and Undo says
// so before it takes anything else back.
func (e *Engine) DropDeferred(ctx context.Context, num int64) error {
	return e.write(ctx, "waiting_erase", func(o *op) error {
		d, found, err := o.tx.DeferredAt(ctx, num)
		if err == nil && !found {
			err = nothingPending(num)
		}
		if err != nil {
			return err
		}
		p, _, err := o.tx.Project(ctx, d.Project) // "" of one that is not here yet: the entry is of none
		if err != nil {
			return err
		}
		if err := o.log(ctx, engram.EntityProject, d.Project, p.Name, fmt.Sprintf("what waited under number %d was thrown away", num), map[string]any{}); err != nil {
			return err
		}
		_, err = o.tx.DropDeferred(ctx, num)
		return err
	})
}

func nothingPending(num int64) *engram.Error {
	return engram.Errorf(engram.CodeNotFound, "nothing waits under number %d", num).WithHint("{review --all-projects} lists what a person has to look at, {sync deferred --all-projects} what came from others")
}

// waiting is the record that waits under a number.
func (o *op) waiting(ctx context.Context, num int64) (engram.Deferred, error) {
	return pendingAt(ctx, o.tx, num)
}

// pendingAt is what waits under a number. CodeNotFound when nothing does.
func pendingAt(ctx context.Context, r engram.Reader, num int64) (engram.Deferred, error) {
	d, found, err := r.DeferredAt(ctx, num)
	if err == nil && (!found || d.Why == engram.DeferredDecided) {
		err = nothingPending(num)
	}
	return d, err
}

// one takes one record in that waited.
func (b *receivingBatch) one(ctx context.Context, r engram.Record) error {
	c := cleaning{now: b.at, origin: engram.OriginSync, redactor: b.redactor()}
	in, flaw := c.record(r)
	if ahead, is := errors.AsType[*future](flaw); is {
		return b.later(ctx, r, engram.DeferredClock, ahead.Error())
	}
	if flaw != nil {
		b.res.Reject(r, engram.ImportNote{Name: nameOf(r), Reason: line(flaw.Error())})
		return nil
	}
	if err := b.receive(ctx, in); err != nil {
		return err
	}
	return b.relate(ctx)
}

// again tries what waits for something that may be here by now, or for a time, and returns
// what it tried. What a person has to look at goes on waiting.
func (p *pulling) again(ctx context.Context, o *op) (sum engram.Imported, tried []int64, err error) {
	project, err := canonicalProject(ctx, o.tx, p.in.Project)
	if err != nil {
		return sum, nil, err
	}
	erasure, err := readErased(ctx, o.tx)
	if err != nil {
		return sum, nil, err
	}
	into := map[string]*receivingBatch{} // by project
	err = eachDeferred(ctx, o.tx, project, func(d engram.Deferred) error {
		if byPerson(d.Why) && !erasure.erases(d.Record, d.Project) {
			return nil
		}
		b := into[d.Project]
		if b == nil {
			one := &pulling{Engine: p.Engine, in: PullInput{Project: d.Project}}
			b = one.receiving(o, engram.Batch{}, &sum, new(putAside))
			into[d.Project] = b
			if err := b.begin(ctx); err != nil {
				return err
			}
		}
		tried = append(tried, d.Num)
		return b.oneAgain(ctx, d)
	})
	if err != nil {
		return sum, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(into)) {
		if err := into[name].end(ctx); err != nil {
			return sum, nil, err
		}
	}
	if err := o.resolveRelations(ctx, nil); err != nil { // one that was shown may have been taken away here since
		return sum, nil, err
	}
	sum.Op = o.first
	return sum, tried, nil
}

// byPerson reports a reason to wait that time cannot settle.
func byPerson(why engram.Deferral) bool {
	return why == engram.DeferredReview || why == engram.DeferredProposal
}

// oneAgain tries one record again.
func (b *receivingBatch) oneAgain(ctx context.Context, d engram.Deferred) error {
	waits := false
	b.pending, b.by, b.batch, b.reason = &d, d.By, d.Batch, "chunk "+d.Batch
	b.later = func(ctx context.Context, r engram.Record, why engram.Deferral, reason string) error {
		waits = true
		return b.defers(ctx, r, why, reason)
	}
	rejected, notes := len(b.res.Rejected), len(b.res.Notes)
	err := b.one(ctx, d.Record)
	if reportBatch(b.res, rejected, notes, d.Batch); err != nil || waits {
		return err
	}
	_, err = b.tx.DropDeferred(ctx, d.Num)
	return err
}

// Retried says what became of what waited.
type Retried struct {
	Taken int               // records that came in, or were rejected: they wait no more
	Left  []engram.Deferred // those that were tried and wait still, oldest first
}

// RetryDeferred tries to take in what waits of a project, "" is every one, as each pull does:
// all but what a person has to look at. It is one operation, which Undo takes back.
func (e *Engine) RetryDeferred(ctx context.Context, project string) (Retried, error) {
	var res Retried
	err := e.write(ctx, "pull", func(o *op) error {
		name, err := canonicalProject(ctx, o.tx, project)
		if err != nil {
			return err
		}
		p := &pulling{Engine: e, in: PullInput{Project: name}}
		_, tried, err := p.again(ctx, o)
		if err != nil {
			return err
		}
		res = Retried{}
		for _, num := range tried {
			d, waits, err := o.tx.DeferredAt(ctx, num)
			if err != nil {
				return err
			}
			if waits {
				res.Left = append(res.Left, d)
			} else {
				res.Taken++
			}
		}
		return nil
	})
	return res, err
}
