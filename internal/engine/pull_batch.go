package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

// receivingBatch takes the records of one batch in, in one operation.
type receivingBatch struct {
	*importing
	by       string           // who pushed the batch
	pushedAt time.Time        // when that was; zero when nobody said
	reviewed bool             // a person has looked at what comes
	pending  *engram.Deferred // the record at hand waited as this; nil: it came with the batch
	aside    *putAside
	left     map[string]bool // names of memories that are of another project, and were left
}

// putAside counts records of a batch that were put aside.
type putAside struct {
	all, review int
	kept        int   // of these, those that wait now
	before      int   // records that waited already, of whatever batch
	tooMany     error // why no more may wait; nil: they may
	others      otherProjects
}

func (a *putAside) count(why engram.Deferral) {
	if a.all++; why == engram.DeferredReview {
		a.review++
	}
}

// batchIn takes all records of a batch in.
func (b *receivingBatch) batchIn(ctx context.Context, records []engram.Record) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	clean := make([]incoming, 0, len(records))
	for _, r := range records {
		if r.Project != nil {
			continue // projects are a matter of each store
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
		lot := clean[:min(lotSize, len(clean))]
		clean = clean[len(lot):]
		if err := b.lookAhead(ctx, lot); err != nil {
			return err
		}
		b.embedded = b.embedAhead(ctx, lot)
		for _, r := range lot {
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

// clean cleans a record; ok is false for one that is rejected or waits.
func (b *receivingBatch) clean(ctx context.Context, r engram.Record) (in incoming, ok bool, err error) {
	flaw := r.Flaw
	c := cleaning{now: b.at, origin: engram.OriginSync, redactor: b.redactor()}
	c.undated = c.past(b.pushedAt) // the same for all who pull it
	if flaw == nil {
		in, flaw = c.record(r)
	}
	if ahead, is := errors.AsType[*future](flaw); is {
		// Kept as it would be then: no private span may be kept as it came.
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

// receive takes one clean record in, rejects it or puts it aside.
func (b *receivingBatch) receive(ctx context.Context, r incoming) error {
	if left, err := b.leaves(ctx, r.Record); left || err != nil {
		return err
	}
	strange, err := b.strange(ctx, r.Record)
	if err == nil && strange != "" {
		b.apart = true
		err = &refused{reason: strange}
	}
	if err != nil {
		return b.resolved(ctx, r.Record, unchanged, err)
	}
	if b.erases(r.Record) && r.Session == nil && !b.reviewed {
		// It stays away, as everywhere: that is no fault of whoever pulls old batches.
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

// readFor is the project for which nothing of the batch is left to be read; "" is every one.
func (b *receivingBatch) readFor() string {
	if b.apart {
		return b.border
	}
	return ""
}

// strange says why a record that waited has no business in what is pulled into one project; ""
// when it has. What comes with a batch leaves before.
func (b *receivingBatch) strange(ctx context.Context, r engram.Record) (string, error) {
	project, says := belongsTo(r)
	if b.border == "" || !says {
		return "", nil
	}
	here, err := b.projectHere(ctx, project)
	if err != nil || here == b.border {
		return "", err
	}
	return fmt.Sprintf("it is of project %.80q", project), nil
}

// So much of one batch may wait: more than that comes of no honest one, and somebody has to go
// through it. So much may wait in all: whoever may push can write many batches.
const (
	mostPending      = 1000
	mostPendingInAll = 10_000
)

// full reports whether more was put aside than may wait.
func (a *putAside) full() bool {
	switch {
	case a.all > mostPending:
		a.tooMany = engram.Errorf(engram.CodeForbidden, "more than %d things of it would have to wait", mostPending).
			WithHint("what they refer to is not here, or it is no honest batch; it is tried again with each pull")
	case a.before+a.all > mostPendingInAll:
		a.tooMany = engram.Errorf(engram.CodeForbidden, "%d things wait already, and with it there would be more than %d", a.before, mostPendingInAll).
			WithHint("take in or drop what waits ({sync deferred --all-projects}); it is tried again with each pull")
	}
	if a.tooMany == nil {
		a.kept++
	}
	return a.tooMany != nil
}

// defers puts a record aside, or puts it back where it waited.
func (b *receivingBatch) defers(ctx context.Context, r engram.Record, why engram.Deferral, reason string) error {
	if b.erases(r) {
		// Its text is to be nowhere, and so not among what waits.
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
	b.apart = true // it waits for this project alone, and may be of another one
	d := engram.Deferred{Record: r, Project: b.border, Batch: b.batch, By: b.by, Why: why, Reason: line(reason), FirstAt: b.at, LastAt: b.at, Tries: 1}
	if rel := r.Relation; rel != nil && rel.Relation.ID == "" {
		// It needs a name to wait under; as long as its memories are not here this is as good.
		named := *rel
		named.Relation.ID = engram.RelationIDPrefix + digest(nameIn(rel.Source)+"\x00"+nameIn(rel.Target)+"\x00"+string(rel.Relation.Verb))
		d.Record.Relation = &named
	}
	if was := b.pending; was != nil {
		d.Num, d.FirstAt, d.Tries, d.Project = was.Num, was.FirstAt, was.Tries+1, was.Project
	} else if b.aside.count(why); b.aside.full() {
		if b.in.DryRun {
			return nil // nothing is kept anyway, and the other batches are to be told of
		}
		return b.aside.tooMany
	}
	return b.tx.PutDeferred(ctx, &d)
}
