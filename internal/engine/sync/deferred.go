package sync

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// Deferred returns the pending records from remotes, oldest first; of a project, by its name or an alias, or of every
// one for "". Proposals are not among them.
func (y *Replicator) Deferred(ctx context.Context, project string) ([]engram.Deferred, error) {
	return y.PendingFor(ctx, project, func(why engram.Deferral) bool { return why != engram.DeferredProposal })
}

// PendingFor returns a project's pending records whose reason passes, oldest first.
func (y *Replicator) PendingFor(ctx context.Context, project string, reason func(engram.Deferral) bool) ([]engram.Deferred, error) {
	var all []engram.Deferred
	err := y.ledger.View(ctx, func(r engram.Reader) error {
		name, err := projects.CanonicalProject(ctx, r, project)
		if err != nil {
			return err
		}
		return EachDeferred(ctx, r, name, func(d engram.Deferred) error {
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
	all, err := r.Replica().CountDeferred(ctx, project, "")
	for _, other := range []engram.Deferral{engram.DeferredProposal, engram.DeferredDecided} {
		if err != nil {
			return 0, err
		}
		var n int
		n, err = r.Replica().CountDeferred(ctx, project, other)
		all -= n
	}
	return all, err
}

// EachDeferred calls fn with the pending records of a project, oldest first, page by page; decided ones are not
// pending.
func EachDeferred(ctx context.Context, r engram.Reader, project string, fn func(engram.Deferred) error) error {
	return walk.EachAfter(func(after int64) ([]engram.Deferred, error) {
		return r.Replica().Deferred(ctx, project, after, walk.DeferredPage)
	},
		func(d engram.Deferred) (int64, error) {
			if d.Why == engram.DeferredDecided {
				return d.Num, nil
			}
			return d.Num, fn(d)
		})
}

// Accepted is the outcome of accepting a pending record.
type Accepted struct {
	engram.Imported
	Memory int64 // the memory that it became, or is; 0 of anything else
	// Warnings say that the memory is not injected, because it is flagged.
	Warnings []string
}

// AcceptReceived is AcceptDeferred for a record from a remote.
func (y *Replicator) AcceptReceived(ctx context.Context, num int64) (Accepted, error) {
	var res Accepted
	err := y.ledger.Write(ctx, "pull", func(o *ledger.Tx) error {
		d, err := PendingAt(ctx, o.Store, num)
		if err != nil {
			return err
		}
		res = Accepted{Imported: engram.Imported{Mode: exchange.ImportMerge}}
		return y.acceptRecord(ctx, o, d, &res)
	})
	if err != nil {
		return Accepted{}, err
	}
	return res, nil
}

func (y *Replicator) acceptRecord(ctx context.Context, o *ledger.Tx, d engram.Deferred, res *Accepted) error {
	p := &pulling{replicator: y, in: PullInput{Project: d.Project}}
	b := p.receiving(o, engram.Batch{ID: d.Batch, By: d.By}, &res.Imported, new(deferrals))
	b.reviewed, b.pending = true, &d
	b.Later = func(_ context.Context, _ engram.Record, why engram.Deferral, reason string) error {
		until := "when the memories that it refers to are here"
		if why == engram.DeferredClock {
			until = "when that time has come"
		}
		return engram.Errorf(engram.CodeConflict, "cannot accept it yet: %s", reason).
			WithHint("{sync --import} imports it %s; {sync drop %d} drops it", until, d.Num)
	}
	if err := b.Begin(ctx); err != nil {
		return err
	}
	if err := b.one(ctx, d.Record); err != nil {
		return err
	}
	if err := b.End(ctx); err != nil {
		return err
	}
	if len(res.Rejected) > 0 {
		return engram.Errorf(engram.CodeConflict, "cannot accept it: %s", res.Rejected[0].Reason).WithHint("drop it, or resolve the conflict first")
	}
	if r := d.Record.Memory; r != nil {
		m, found, err := b.Find(ctx, r.Memory.ID, r.Memory.SyncID)
		if err != nil {
			return err
		}
		if found {
			res.Memory = m.Num
			if res.Warnings, err = screen.WarnAccepted(ctx, o.Store, m); err != nil {
				return err
			}
		}
	}
	res.Op, res.Pending = o.First, len(o.Pending)
	_, err := o.Store.ReplicaTx().DropDeferred(ctx, d.Num)
	return err
}

// DropDeferred removes a pending or refused record (RefuseDeferred) for good; its batch does not bring it back.
// CodeNotFound when the number has no record.
//
// The journal notes the drop without the content: it cannot be undone, and Undo says so before it takes anything else
// back.
func (y *Replicator) DropDeferred(ctx context.Context, num int64) error {
	return y.ledger.Write(ctx, "waiting_erase", func(o *ledger.Tx) error {
		d, found, err := o.Store.Replica().DeferredAt(ctx, num)
		if err == nil && !found {
			err = nothingPending(num)
		}
		if err != nil {
			return err
		}
		p, _, err := o.Store.Project(ctx, d.Project) // "" for a project that does not exist here yet: the entry has no project
		if err != nil {
			return err
		}
		if err := o.Log(ctx, engram.EntityProject, d.Project, p.Name, fmt.Sprintf("pending record %d was dropped", num), map[string]any{}); err != nil {
			return err
		}
		_, err = o.Store.ReplicaTx().DropDeferred(ctx, num)
		return err
	})
}

func nothingPending(num int64) *engram.Error {
	return engram.Errorf(engram.CodeNotFound, "nothing is pending under number %d", num).WithHint("{review --all-projects} lists what is pending for review, {sync deferred --all-projects} what is pending from others")
}

// PendingAt returns the pending record of a number, or CodeNotFound.
func PendingAt(ctx context.Context, r engram.Reader, num int64) (engram.Deferred, error) {
	d, found, err := r.Replica().DeferredAt(ctx, num)
	if err == nil && (!found || d.Why == engram.DeferredDecided) {
		err = nothingPending(num)
	}
	return d, err
}

func (b *receivingBatch) one(ctx context.Context, r engram.Record) error {
	c := exchange.Cleaning{Now: b.Tx.At, Origin: engram.OriginSync, Redactor: b.Tx.Ledger.Screen.Redactor()}
	in, flaw := c.Record(r)
	if ahead, is := errors.AsType[*exchange.Future](flaw); is {
		return b.Later(ctx, r, engram.DeferredClock, ahead.Error())
	}
	if flaw != nil {
		b.Res.Reject(r, engram.ImportNote{Name: ledger.NameOf(r), Reason: screen.Line(flaw.Error())})
		return nil
	}
	if err := b.receive(ctx, in); err != nil {
		return err
	}
	return b.Relate(ctx)
}

// again retries records that wait for other records or for a time, and returns their numbers. Those that wait for a
// person stay pending.
func (p *pulling) again(ctx context.Context, o *ledger.Tx) (sum engram.Imported, tried []int64, err error) {
	project, err := projects.CanonicalProject(ctx, o.Store, p.in.Project)
	if err != nil {
		return sum, nil, err
	}
	erasure, err := ledger.ReadErased(ctx, o.Store)
	if err != nil {
		return sum, nil, err
	}
	into := map[string]*receivingBatch{} // by project
	err = EachDeferred(ctx, o.Store, project, func(d engram.Deferred) error {
		byPerson := d.Why == engram.DeferredReview || d.Why == engram.DeferredProposal
		if byPerson && !erasure.Erases(d.Record, d.Project) {
			return nil
		}
		b := into[d.Project]
		if b == nil {
			one := &pulling{replicator: p.replicator, in: PullInput{Project: d.Project}}
			b = one.receiving(o, engram.Batch{}, &sum, new(deferrals))
			into[d.Project] = b
			if err := b.Begin(ctx); err != nil {
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
		if err := into[name].End(ctx); err != nil {
			return sum, nil, err
		}
	}
	if err := o.ResolveRelations(ctx, nil); err != nil { // a visible relation may have been removed meanwhile
		return sum, nil, err
	}
	sum.Op = o.First
	return sum, tried, nil
}

func (b *receivingBatch) oneAgain(ctx context.Context, d engram.Deferred) error {
	waits := false
	b.pending, b.by, b.Batch, b.Reason = &d, d.By, d.Batch, "chunk "+d.Batch
	b.Later = func(ctx context.Context, r engram.Record, why engram.Deferral, reason string) error {
		waits = true
		return b.defers(ctx, r, why, reason)
	}
	rejected, notes := len(b.Res.Rejected), len(b.Res.Notes)
	err := b.one(ctx, d.Record)
	if reportBatch(b.Res, rejected, notes, d.Batch); err != nil || waits {
		return err
	}
	_, err = b.Tx.Store.ReplicaTx().DropDeferred(ctx, d.Num)
	return err
}

// Retried is the outcome of a retry.
type Retried struct {
	Taken int               // records that came in or were rejected
	Left  []engram.Deferred // records that are still pending, oldest first
}

// RetryDeferred retries the pending records of a project, "" is every one, as each pull does, except those that wait
// for a person. It is one operation, which Undo takes back.
func (y *Replicator) RetryDeferred(ctx context.Context, project string) (Retried, error) {
	var res Retried
	err := y.ledger.Write(ctx, "pull", func(o *ledger.Tx) error {
		name, err := projects.CanonicalProject(ctx, o.Store, project)
		if err != nil {
			return err
		}
		p := &pulling{replicator: y, in: PullInput{Project: name}}
		_, tried, err := p.again(ctx, o)
		if err != nil {
			return err
		}
		res = Retried{}
		for _, num := range tried {
			d, waits, err := o.Store.Replica().DeferredAt(ctx, num)
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
