package engine

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// How a record comes in, be it from a file or from a remote: what is here of the thing is
// read as it was written, lifecycle.Merge brings the two together, and the outcome is written
// with its lineage, its texts and a journal entry. None of this is a write of this store's own,
// so nothing is stamped by it; where a rule of this store stands against what comes out, that
// part is held (written.go).

// future is why a record waits, or is rejected: a clock that is so far ahead would win over
// every edit until then.
type future struct{ at time.Time }

// Error implements error.
func (f *future) Error() string {
	return fmt.Sprintf("it was written in the future, on %s", f.at.Format(time.DateOnly))
}

// Limits of a lineage that comes in. An honest one has a part a field and a member a tag.
const (
	maxParts   = 64
	maxMembers = 4096
	maxDevices = 4096 // of members and of counters
)

// lineage looks a lineage over that came with a record.
func (c cleaning) lineage(r engram.Record) (*engram.Lineage, error) {
	if r.Lineage == nil {
		return nil, nil
	}
	l := r.Lineage.Clone()
	l.Held = nil
	if len(l.Parts) > maxParts || len(l.Sets) > maxMembers || len(l.Counts) > maxDevices {
		return nil, engram.Errorf(engram.CodeInvalid, "its lineage has too many parts")
	}
	devices := []string{l.Base.Device}
	dots := 0
	for p, s := range l.Parts {
		devices = append(devices, s.Device, string(p))
		if s.At < 0 {
			return nil, engram.Errorf(engram.CodeInvalid, "its lineage has a clock below 0")
		}
	}
	if s, own := l.Parts[engram.PartText]; own && s.Compare(l.Base) < 0 {
		delete(l.Parts, engram.PartText) // nothing says something before it is made: such states have no order
	}
	if err := openMembers(r, &l); err != nil {
		return nil, err
	}
	for member, ds := range l.Sets {
		devices = append(devices, member)
		for device, d := range ds {
			devices = append(devices, device)
			if dots++; d.Added < 0 || d.Removed < 0 {
				return nil, engram.Errorf(engram.CodeInvalid, "its lineage has a clock below 0")
			}
			if d.Removed > d.Added { // nobody removes what he has not seen
				return nil, engram.Errorf(engram.CodeInvalid, "its lineage takes away what was not added yet")
			}
		}
	}
	for device, n := range l.Counts {
		devices = append(devices, device)
		if n.Accesses = min(max(n.Accesses, 0), maxCount/maxDevices); n.Repeats < 0 || n.Repeats > maxCount/maxDevices {
			n.Repeats = min(max(n.Repeats, 0), maxCount/maxDevices)
		}
		l.Counts[device] = n
	}
	if dots > maxMembers*4 || l.Base.At < 0 {
		return nil, engram.Errorf(engram.CodeInvalid, "its lineage has too many parts, or a clock below 0")
	}
	for _, d := range devices {
		if err := engram.CheckText("a name in its lineage", d, engram.MaxName); err != nil {
			return nil, err
		}
	}
	return &l, c.known(l.Newest())
}

// known refuses a stamp of the future.
func (c cleaning) known(s engram.Stamp) error {
	if s.At < 0 {
		return engram.Errorf(engram.CodeInvalid, "a stamp is below 0")
	}
	if s.At > engram.Clock(0).Tick(c.now.Add(clockTolerant)) {
		return &future{s.At.Time()}
	}
	return nil
}

// lineage is the lineage of a thing that is here; known is false for one that has none.
func (i *importing) lineage(ctx context.Context, kind engram.Entity, key string) (l engram.Lineage, known bool, err error) {
	all, err := i.tx.Lineages(ctx, kind, []string{key})
	l, known = all[key]
	return l, known, err
}

// putLineage keeps a merged lineage unless it is the one that is here: a store leaves its own
// counters to the row.
func (i *importing) putLineage(ctx context.Context, kind engram.Entity, key string, l engram.Lineage, was *engram.Lineage, known bool) error {
	if _, own := l.Counts[i.device]; own {
		l = l.Clone()
		if delete(l.Counts, i.device); len(l.Counts) == 0 {
			l.Counts = nil
		}
	}
	if known && was != nil && reflect.DeepEqual(l, *was) {
		return nil
	}
	return i.tx.PutLineage(ctx, kind, key, l)
}

// see notes the newest write that came in: what is written here afterwards is later.
func (i *importing) see(l *engram.Lineage) {
	if l != nil {
		i.newest = max(i.newest, l.Newest().At)
	}
}

// merged brings the written state of a thing together with one that comes in, and returns
// the digest of that one.
func (i *importing) merged(ctx context.Context, written, there engram.Record) (m engram.Record, came int64, err error) {
	state := lifecycle.Normal(there)
	came = state.Lineage.Digest()
	if there.Lineage == nil {
		there = lifecycle.Filled(written, there, i.res.From)
		state = lifecycle.Adopted(written, there)
	}
	m = lifecycle.MergeNormal(lifecycle.Normal(written), state)
	if i.in.Mode != ImportReplace {
		return m, came, nil
	}
	s, err := i.stamp(ctx)
	return lifecycle.Overridden(m, there, s), came, err
}

// carry notes by which batch a state of a thing can be had again: the one that came in, by its
// digest, and that which came of it and of one that other batches had.
func (i *importing) carry(ctx context.Context, kind engram.Entity, key string, was engram.Lineage, came int64, now engram.Lineage) error {
	if i.batch == "" {
		return nil
	}
	if err := i.tx.PutCarried(ctx, kind, key, came, []string{i.batch}); err != nil {
		return err
	}
	if now.Digest() == came || now.Digest() == was.Digest() {
		return nil
	}
	sets, err := i.tx.CarriedBy(ctx, kind, key, was.Digest())
	if err != nil {
		return err
	}
	for _, s := range sets {
		if err := i.tx.PutCarried(ctx, kind, key, now.Digest(), append(s, i.batch)); err != nil {
			return err
		}
	}
	return nil
}

// keep writes the lineage of a thing that came in, and by which batch its state, of the digest came,
// can be had again.
func (i *importing) keep(ctx context.Context, kind engram.Entity, key string, was engram.Lineage, known bool, came int64, now engram.Lineage) error {
	if err := i.putLineage(ctx, kind, key, now, &was, known); err != nil {
		return err
	}
	return i.carry(ctx, kind, key, was, came, now)
}

// movedIn stamps the place of a new thing that a file brings into one project: it was not written to
// be there, and the file must not take it away again when it comes in as it is.
func (i *importing) movedIn(ctx context.Context, there engram.Record, l engram.Lineage, place ...engram.Part) (engram.Lineage, error) {
	if i.border == "" || i.batch != "" || there.Lineage == nil {
		return l, nil
	}
	s, err := i.stamp(ctx)
	return lifecycle.Stamped(l, place, s), err
}
