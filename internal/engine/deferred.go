package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Deferred returns the pending records from remotes, oldest first; of a project, by its name or an alias, or of every
// one for "". Proposals are not among them.
func (e *Engine) Deferred(ctx context.Context, project string) ([]engram.Deferred, error) {
	return e.pendingFor(ctx, project, func(why engram.Deferral) bool { return why != engram.DeferredProposal })
}

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

// countDeferred counts pending records from remotes; of a project, or of every one.
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

// eachDeferred calls fn with the pending records of a project, oldest first, page by page; decided ones are not
// pending.
func eachDeferred(ctx context.Context, r engram.Reader, project string, fn func(engram.Deferred) error) error {
	return eachAfter(func(after int64) ([]engram.Deferred, error) { return r.Deferred(ctx, project, after, deferredPage) },
		func(d engram.Deferred) (int64, error) {
			if d.Why == engram.DeferredDecided {
				return d.Num, nil
			}
			return d.Num, fn(d)
		})
}

const deferredPage = 100

// Accepted is the outcome of accepting a pending record.
type Accepted struct {
	engram.Imported
	Memory int64 // the memory that it became, or is; 0 of anything else
	// Warnings say that the memory is not injected, because it is flagged.
	Warnings []string
}

// AcceptDeferred takes in a pending record, whatever it waits for, as an operation of its own that Undo takes back.
// Proposals are saved as AcceptProposal does.
//
// CodeNotFound for a number without a pending record, CodeConflict for a record that cannot come in, or not yet; it
// stays pending.
func (e *Engine) AcceptDeferred(ctx context.Context, num int64) (Accepted, error) {
	if proposed, err := e.isProposal(ctx, num); err != nil || proposed {
		return e.acceptedProposal(ctx, num, err)
	}
	return e.acceptReceived(ctx, num)
}

// acceptReceived is AcceptDeferred for a record from a remote.
func (e *Engine) acceptReceived(ctx context.Context, num int64) (Accepted, error) {
	var res Accepted
	err := e.write(ctx, "pull", func(o *op) error {
		d, err := pendingAt(ctx, o.tx, num)
		if err != nil {
			return err
		}
		res = Accepted{Imported: engram.Imported{Mode: ImportMerge}}
		return e.acceptRecord(ctx, o, d, &res)
	})
	if err != nil {
		return Accepted{}, err
	}
	return res, nil
}

func (e *Engine) acceptRecord(ctx context.Context, o *op, d engram.Deferred, res *Accepted) error {
	p := &pulling{Engine: e, in: PullInput{Project: d.Project}}
	b := p.receiving(o, engram.Batch{ID: d.Batch, By: d.By}, &res.Imported, new(deferrals))
	b.reviewed, b.pending = true, &d
	b.later = func(_ context.Context, _ engram.Record, why engram.Deferral, reason string) error {
		until := "when the memories that it refers to are here"
		if why == engram.DeferredClock {
			until = "when that time has come"
		}
		return engram.Errorf(engram.CodeConflict, "cannot accept it yet: %s", reason).
			WithHint("{sync --import} imports it %s; {sync drop %d} drops it", until, d.Num)
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
		return engram.Errorf(engram.CodeConflict, "cannot accept it: %s", res.Rejected[0].Reason).WithHint("drop it, or resolve the conflict first")
	}
	if r := d.Record.Memory; r != nil {
		m, found, err := b.find(ctx, r.Memory.ID, r.Memory.SyncID)
		if err != nil {
			return err
		}
		if found {
			res.Memory = m.Num
			if res.Warnings, err = warnAccepted(ctx, o.tx, m); err != nil {
				return err
			}
		}
	}
	res.Op, res.Pending = o.first, len(o.pending)
	_, err := o.tx.DropDeferred(ctx, d.Num)
	return err
}

// DropDeferred removes a pending or refused record (RefuseDeferred) for good; its batch does not bring it back.
// CodeNotFound when the number has no record.
//
// The journal notes the drop without the content: it cannot be undone, and Undo says so before it takes anything else
// back.
func (e *Engine) DropDeferred(ctx context.Context, num int64) error {
	return e.write(ctx, "waiting_erase", func(o *op) error {
		d, found, err := o.tx.DeferredAt(ctx, num)
		if err == nil && !found {
			err = nothingPending(num)
		}
		if err != nil {
			return err
		}
		p, _, err := o.tx.Project(ctx, d.Project) // "" for a project that does not exist here yet: the entry has no project
		if err != nil {
			return err
		}
		if err := o.log(ctx, engram.EntityProject, d.Project, p.Name, fmt.Sprintf("pending record %d was dropped", num), map[string]any{}); err != nil {
			return err
		}
		_, err = o.tx.DropDeferred(ctx, num)
		return err
	})
}

func nothingPending(num int64) *engram.Error {
	return engram.Errorf(engram.CodeNotFound, "nothing is pending under number %d", num).WithHint("{review --all-projects} lists what is pending for review, {sync deferred --all-projects} what is pending from others")
}

// pendingAt returns the pending record of a number, or CodeNotFound.
func pendingAt(ctx context.Context, r engram.Reader, num int64) (engram.Deferred, error) {
	d, found, err := r.DeferredAt(ctx, num)
	if err == nil && (!found || d.Why == engram.DeferredDecided) {
		err = nothingPending(num)
	}
	return d, err
}

func (b *receivingBatch) one(ctx context.Context, r engram.Record) error {
	c := cleaning{now: b.at, origin: engram.OriginSync, redactor: b.op.redactor()}
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

// again retries records that wait for other records or for a time, and returns their numbers. Those that wait for a
// person stay pending.
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
		byPerson := d.Why == engram.DeferredReview || d.Why == engram.DeferredProposal
		if byPerson && !erasure.erases(d.Record, d.Project) {
			return nil
		}
		b := into[d.Project]
		if b == nil {
			one := &pulling{Engine: p.Engine, in: PullInput{Project: d.Project}}
			b = one.receiving(o, engram.Batch{}, &sum, new(deferrals))
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
	if err := o.resolveRelations(ctx, nil); err != nil { // a visible relation may have been removed meanwhile
		return sum, nil, err
	}
	sum.Op = o.first
	return sum, tried, nil
}

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

// Retried is the outcome of a retry.
type Retried struct {
	Taken int               // records that came in or were rejected
	Left  []engram.Deferred // records that are still pending, oldest first
}

// RetryDeferred retries the pending records of a project, "" is every one, as each pull does, except those that wait
// for a person. It is one operation, which Undo takes back.
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
