package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

type receivingBatch struct {
	*importing
	by       string           // the pusher
	pushedAt time.Time        // zero when unknown
	reviewed bool             // a person has reviewed the record
	pending  *engram.Deferred // the pending form of the current record; nil: it came with the batch
	aside    *deferrals
	left     map[string]bool // names of skipped memories of other projects
}

type deferrals struct {
	all, review int
	kept        int   // of these, those that are pending now
	before      int   // records of any batch that were pending already
	tooMany     error // why no more may be deferred; nil: they may
	others      otherProjects
}

func (a *deferrals) count(why engram.Deferral) {
	if a.all++; why == engram.DeferredReview {
		a.review++
	}
}

func (b *receivingBatch) batchIn(ctx context.Context, records []engram.Record) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	clean := make([]incoming, 0, len(records))
	for _, r := range records {
		if r.Project != nil {
			continue // projects are local to each store
		}
		in, ok, err := b.clean(ctx, r)
		if err != nil {
			return err
		}
		if ok {
			clean = append(clean, in)
		}
	}
	for len(clean) > 0 {
		batch := clean[:min(batchSize, len(clean))]
		clean = clean[len(batch):]
		clear(b.absent)
		if err := b.lookUp(ctx, batch); err != nil {
			return err
		}
		b.embedded = b.embedAhead(ctx, batch)
		for _, r := range batch {
			if err := b.receive(ctx, r); err != nil {
				return err
			}
		}
	}
	if err := b.relate(ctx); err != nil {
		return err
	}
	return b.end(ctx)
}

// clean cleans a record; ok is false for one that is rejected or deferred.
func (b *receivingBatch) clean(ctx context.Context, r engram.Record) (in incoming, ok bool, err error) {
	flaw := r.Flaw
	c := cleaning{now: b.at, origin: engram.OriginSync, redactor: b.op.redactor()}
	c.undated = c.past(b.pushedAt) // the same for all stores that pull it
	if flaw == nil {
		in, flaw = c.record(r)
	}
	if ahead, is := errors.AsType[*future](flaw); is {
		// Kept as cleaned at that time: no private span may be stored.
		c.now = ahead.at
		if in, err := c.record(r); err == nil {
			return in, false, b.defers(ctx, in.Record, engram.DeferredClock, ahead.Error())
		}
	}
	if flaw != nil {
		b.res.Reject(r, engram.ImportNote{Item: r.Item, Name: nameOf(r), Reason: line(flaw.Error())})
		return in, false, nil
	}
	c.reportCut(r, &in, b.res)
	return in, true, nil
}

// receive takes in one clean record, rejects it or defers it.
func (b *receivingBatch) receive(ctx context.Context, r incoming) error {
	if left, err := b.leaves(ctx, r.Record); left || err != nil {
		return err
	}
	foreign, err := b.foreign(ctx, r.Record)
	if err == nil && foreign != "" {
		b.skipped = true
		err = &refused{reason: foreign}
	}
	if err != nil {
		return b.resolved(ctx, r.Record, unchanged, err)
	}
	if b.erases(r.Record) && r.Session == nil && !b.reviewed {
		// It stays away without a report: pulling old batches is no error.
		count(b.res.Of(r.Record), unchanged)
		return b.reportErased(ctx, r.Record)
	}
	if !b.reviewed {
		why, err := b.suspicious(ctx, r)
		if err != nil {
			return err
		}
		if why != "" {
			b.reportCut(r)
			return b.later(ctx, r.Record, engram.DeferredReview, why)
		}
	}
	return b.take(ctx, r)
}

// foreign returns why a deferred record does not belong into the pulled project; "" if it does. Records of a batch
// are skipped before.
func (b *receivingBatch) foreign(ctx context.Context, r engram.Record) (string, error) {
	project, says := belongsTo(r)
	if b.border == "" || !says {
		return "", nil
	}
	here, err := b.projectHere(ctx, project)
	if err != nil || here == b.border {
		return "", err
	}
	return fmt.Sprintf("it belongs to project %.80q", project), nil
}

// Limits of pending records, of one batch and in all: a person must go through them, and a client that may push can
// write many batches.
const (
	mostPending      = 1000
	mostPendingInAll = 10_000
)

// full reports whether more was deferred than allowed.
func (a *deferrals) full() bool {
	switch {
	case a.all > mostPending:
		a.tooMany = engram.Errorf(engram.CodeForbidden, "more than %d of its records would be deferred", mostPending).
			WithHint("what they refer to is missing here, or the batch is not honest; each pull tries it again")
	case a.before+a.all > mostPendingInAll:
		a.tooMany = engram.Errorf(engram.CodeForbidden, "%d records are pending already, and with it there would be more than %d", a.before, mostPendingInAll).
			WithHint("accept or drop pending records ({sync deferred --all-projects}); each pull tries it again")
	}
	if a.tooMany == nil {
		a.kept++
	}
	return a.tooMany != nil
}

// defers defers a record, or puts it back where it was pending.
func (b *receivingBatch) defers(ctx context.Context, r engram.Record, why engram.Deferral, reason string) error {
	if b.erases(r) {
		// An erased text must not stay among pending records.
		if count(b.res.Of(r), unchanged); b.pending == nil {
			return nil
		}
		_, err := b.tx.DropDeferred(ctx, b.pending.Num)
		return err
	}
	if was := b.pending; r.Tombstone && r.Memory != nil && was != nil && was.Tries >= tombstoneTries {
		_, err := b.tx.DropDeferred(ctx, was.Num)
		return err
	}
	b.skipped = true // it is pending for this project only, and may be of another
	d := engram.Deferred{Record: r, Project: b.border, Batch: b.batch, By: b.by, Why: why, Reason: line(reason), FirstAt: b.at, LastAt: b.at, Tries: 1}
	if rel := r.Relation; rel != nil && rel.Relation.ID == "" {
		// It needs an id to be pending under; until its memories are here this one is as good.
		named := *rel
		named.Relation.ID = engram.RelationIDPrefix + digest(nameIn(rel.Source)+"\x00"+nameIn(rel.Target)+"\x00"+string(rel.Relation.Verb))
		d.Record.Relation = &named
	}
	if was := b.pending; was != nil {
		d.Num, d.FirstAt, d.Tries, d.Project = was.Num, was.FirstAt, was.Tries+1, was.Project
	} else if b.aside.count(why); b.aside.full() {
		if b.in.DryRun {
			return nil // nothing is kept anyway, and the other batches are to be reported
		}
		return b.aside.tooMany
	}
	return b.tx.PutDeferred(ctx, &d)
}
