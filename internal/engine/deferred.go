package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Deferred returns the records that wait, oldest first; of a project, by its name or an
// alias, or with "" of every one.
func (e *Engine) Deferred(ctx context.Context, project string) ([]engram.Deferred, error) {
	var all []engram.Deferred
	err := e.store.View(ctx, func(r engram.Reader) error {
		name, err := deferredProject(ctx, r, project)
		if err != nil {
			return err
		}
		all, err = allDeferred(ctx, r, name)
		return err
	})
	return all, err
}

// deferredProject is a project as it is called here; one that is not here may still be waited
// for.
func deferredProject(ctx context.Context, r engram.Reader, project string) (string, error) {
	name := normalProject(project)
	if name == "" {
		return "", nil
	}
	p, known, err := r.Project(ctx, name)
	if known {
		name = p.Name
	}
	return name, err
}

func allDeferred(ctx context.Context, r engram.Reader, project string) ([]engram.Deferred, error) {
	var all []engram.Deferred
	for {
		page, err := r.Deferred(ctx, project, engram.Page{Limit: exportPage, Offset: len(all)})
		if err != nil {
			return nil, err
		}
		if all = append(all, page...); len(page) < exportPage {
			return all, nil
		}
	}
}

// AcceptDeferred takes a record in that waits for a person to look at it, or for anything
// else: nothing is asked again but what cannot be done without. It is an operation of its own,
// which Undo takes back.
//
// CodeNotFound for a number under which nothing waits, CodeConflict for a record that cannot
// come in yet, or at all; then it waits on.
func (e *Engine) AcceptDeferred(ctx context.Context, num int64) (engram.Imported, error) {
	var res engram.Imported
	err := e.write(ctx, "pull", func(o *op) error {
		d, err := o.waiting(ctx, num)
		if err != nil {
			return err
		}
		res = engram.Imported{Mode: ImportMerge}
		p := &pulling{Engine: e, in: PullInput{Project: d.Project}}
		b := p.receiving(o, engram.Batch{ID: d.Batch, By: d.By}, &res, new(putAside))
		b.reviewed, b.waited = true, &d
		b.later = func(_ context.Context, _ engram.Record, why engram.Deferral, reason string) error {
			until := "when what it refers to is here"
			if why == engram.DeferredClock {
				until = "when that time has come"
			}
			return engram.Errorf(engram.CodeConflict, "it cannot come in yet: %s", reason).
				WithHint("it comes by itself with {sync --import} %s; {sync drop %d} throws it away", until, num)
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
		res.Op = o.first
		_, err = o.tx.DropDeferred(ctx, num)
		return err
	})
	if err != nil {
		return engram.Imported{}, err
	}
	return res, nil
}

// DropDeferred removes a record that waits; it does not come in with the batch that it came
// with any more. CodeNotFound when nothing waits under the number.
func (e *Engine) DropDeferred(ctx context.Context, num int64) error {
	return e.store.Update(ctx, func(tx engram.Tx) error {
		found, err := tx.DropDeferred(ctx, num)
		if err == nil && !found {
			err = nothingWaits(num)
		}
		return err
	})
}

func nothingWaits(num int64) *engram.Error {
	return engram.Errorf(engram.CodeNotFound, "nothing waits under number %d", num).WithHint("{sync deferred --all-projects} lists what does")
}

// waiting is the record that waits under a number.
func (o *op) waiting(ctx context.Context, num int64) (engram.Deferred, error) {
	all, err := allDeferred(ctx, o.tx, "")
	if err != nil {
		return engram.Deferred{}, err
	}
	for _, d := range all {
		if d.Num == num {
			return d, nil
		}
	}
	return engram.Deferred{}, nothingWaits(num)
}

// one takes one record in that waited.
func (b *receivingBatch) one(ctx context.Context, r engram.Record) error {
	c := cleaning{now: b.at, origin: engram.OriginSync}
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
	return b.tie(ctx)
}

// again tries what waits for something that may be here by now, or for a time. What a person
// has to look at goes on waiting.
func (p *pulling) again(ctx context.Context, o *op) (sum engram.Imported, err error) {
	project, err := deferredProject(ctx, o.tx, p.in.Project)
	if err != nil {
		return sum, err
	}
	all, err := allDeferred(ctx, o.tx, project)
	if err != nil {
		return sum, err
	}
	erasure, err := readErased(ctx, o.tx)
	if err != nil {
		return sum, err
	}
	into := map[string]*receivingBatch{} // by project
	for _, d := range all {
		if d.Why == engram.DeferredReview && !erasure.erases(d.Record) {
			continue
		}
		b := into[d.Project]
		if b == nil {
			one := &pulling{Engine: p.Engine, in: PullInput{Project: d.Project}}
			b = one.receiving(o, engram.Batch{}, &sum, new(putAside))
			into[d.Project] = b
			if err := b.begin(ctx); err != nil {
				return sum, err
			}
		}
		if err := b.oneAgain(ctx, d); err != nil {
			return sum, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(into)) {
		if err := into[name].end(ctx); err != nil {
			return sum, err
		}
	}
	if err := o.settleTies(ctx, nil); err != nil { // one that was shown may have been taken away here since
		return sum, err
	}
	sum.Op = o.first
	return sum, nil
}

// oneAgain tries one record again.
func (b *receivingBatch) oneAgain(ctx context.Context, d engram.Deferred) error {
	waits := false
	b.waited, b.by, b.batch, b.reason = &d, d.By, d.Batch, "chunk "+d.Batch
	b.later = func(ctx context.Context, r engram.Record, why engram.Deferral, reason string) error {
		waits = true
		return b.defers(ctx, r, why, reason)
	}
	if err := b.one(ctx, d.Record); err != nil || waits {
		return err
	}
	_, err := b.tx.DropDeferred(ctx, d.Num)
	return err
}
