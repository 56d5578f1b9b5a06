package exchange

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// memory adds a memory, or merges the one here with it.
func (i *Importing) memory(ctx context.Context, r Incoming) (Outcome, error) {
	there := &r.Memory.Memory
	here, found, copied, err := i.known(ctx, there.ID, there.SyncID)
	if alone, elsewhere := errors.AsType[*leftAlone](err); elsewhere {
		if err = i.moved(ctx, here, r, alone); err == nil {
			found = true
		}
	}
	if err != nil {
		return Unchanged, err
	}
	if copied != nil {
		copied.give(there)
		r.Causal, r.state = nil, nil // a copy has a history of its own
	}
	if found {
		if copied == nil {
			i.rename(*there, here)
		}
		i.reportTwice(r, here)
		i.seen.memories.add(here.Num)
		i.has[there.Project] = true
	}
	if err := i.refuseErased(ctx, engram.EntityMemory, there.Project, here.Project, string(there.ID), there.SyncID); err != nil {
		return Unchanged, err
	}
	if found {
		return i.memoryAgain(ctx, here, r)
	}
	if r.Tombstone {
		return Unchanged, &missing{"it left its project elsewhere and does not exist here"}
	}
	if copied != nil {
		i.copies++
	}
	i.ReportCut(r)
	return added, i.newMemory(ctx, r)
}

// stateOf returns an incoming memory or relation as a state to merge. One with impossible times counts as older than
// everything.
func stateOf(r Incoming) engram.Record {
	state := r.Record
	switch {
	case !r.Undated || r.Causal != nil:
	case r.Memory != nil:
		m := *r.Memory
		m.Memory.UpdatedAt, m.Memory.TouchedAt = time.Time{}, time.Time{}
		state.Memory = &m
	case r.Relation != nil:
		rel := *r.Relation
		rel.Relation.UpdatedAt = time.Time{}
		state.Relation = &rel
	}
	return state
}

func (i *Importing) newMemory(ctx context.Context, r Incoming) error {
	if r.state == nil {
		r.prepare()
	}
	state := *r.state
	m, came := &state.Memory.Memory, state.Causal.Digest()
	m.Num, m.RevisionCount = r.Memory.Memory.Num, r.Memory.Memory.RevisionCount
	m.UpdatedAt, m.TouchedAt = r.Memory.Memory.UpdatedAt, r.Memory.Memory.TouchedAt
	l, err := i.placeNew(ctx, r.Record, state)
	if err != nil {
		return err
	}
	if m.ID == "" {
		m.ID = i.nameless(*m, r.Undated)
	}
	if err := i.holdTopic(ctx, m, &l, r.Item, added); err != nil {
		return err
	}
	revisions := r.Memory.Revisions
	for n, rev := range revisions {
		revisions[n].Stamp = lifecycle.RevisionStamp(rev)
	}
	revisions = numbered(nil, m, revisions)
	if err := i.Tx.AddMemory(ctx, m); err != nil {
		return err
	}
	i.present(m.ID, m.SyncID)
	if err := i.insertedAs(ctx, state, came, l); err != nil {
		return err
	}
	i.noteTopic(*m)
	i.seen.memories.add(m.Num)
	i.has[m.Project] = true
	for n := range revisions {
		revisions[n].Memory = m.Num
	}
	if err := i.Tx.Store.InsertRevision(ctx, revisions...); err != nil {
		return err
	}
	return i.vectors(ctx, *m, r)
}

// insertedAs keeps the causal metadata of a thing that came in and was added, and journals that.
func (i *Importing) insertedAs(ctx context.Context, state engram.Record, came int64, l engram.CausalMetadata) error {
	if err := i.keep(ctx, state.Entity(), ledger.KeyOf(state), engram.CausalMetadata{}, false, came, l); err != nil {
		return err
	}
	return i.Tx.Log(ctx, state.Entity(), ledger.KeyOf(state), ledger.ProjectOf(state), i.Reason, nil)
}

// nameless returns an ID for a memory that has none: derived from its sync id, so that it is the same everywhere.
func (i *Importing) nameless(m engram.Memory, undated bool) engram.ID {
	if m.SyncID == "" {
		return i.Porter.ledger.NewID()
	}
	if undated {
		m.CreatedAt = time.Time{}
	}
	return lifecycle.DerivedID(m.SyncID, m.CreatedAt)
}

// memoryAgain merges a memory that is here with the state of it that came in.
func (i *Importing) memoryAgain(ctx context.Context, here engram.Memory, r Incoming) (Outcome, error) {
	k := ledger.Key(here.Num)
	l, known, err := ledger.KnownMetadata(ctx, i.Tx.Store, engram.EntityMemory, k)
	if err != nil {
		return Unchanged, err
	}
	there, as, err := i.placedThere(ctx, stateOf(r))
	if err != nil {
		return Unchanged, err
	}
	if known && i.same(here, l, r, as) {
		i.ReportCut(r)
		return Unchanged, i.noteReplicated(ctx, engram.EntityMemory, k, l, l.Digest(), l)
	}
	was := ledger.MemoryRecord(here)
	if here.RevisionCount > 1 {
		if was.Memory.Revisions, err = i.Tx.Store.Revisions(ctx, here.Num); err != nil {
			return Unchanged, err
		}
	}
	rs := was.Memory.Revisions
	written := ledger.WrittenState(was, l, known, i.Tx.Device)
	there, kept, err := i.uncut(ctx, written, there)
	if err != nil {
		return Unchanged, err
	}
	if !kept {
		i.ReportCut(r)
	}
	state, came := i.merged(written, there)
	now, to := &state.Memory.Memory, *state.Causal
	to.Shadowed = l.Shadowed
	now.Num, now.ID, now.SyncID, now.RevisionCount, now.NormalizedHash = here.Num, here.ID, here.SyncID, here.RevisionCount, screen.HashOf(now.Content)
	if err := i.show(ctx, ledger.MemoryRecord(here), there, state, &to); err != nil {
		return Unchanged, err
	}
	i.has[now.Project] = true
	if now.Forgotten() && !r.Memory.Memory.Forgotten() {
		i.Res.Memories.Forgotten++
	}
	more := moreTexts(here, now, rs, state.Memory.Revisions, i.Tx.At)
	differs := func() Outcome {
		if !reflect.DeepEqual(*now, here) || len(more) > 0 {
			return changed
		}
		return Unchanged
	}
	if err := i.holdTopic(ctx, now, &to, r.Item, differs()); err != nil {
		return Unchanged, err
	}
	i.noteTopic(*now)
	out := differs()
	if out == changed {
		if err := i.replaceReceived(ctx, here, *now, more); err != nil {
			return out, err
		}
	}
	if err := i.putMetadata(ctx, engram.EntityMemory, k, to, &l, known); err != nil {
		return out, err
	}
	if there.Causal != nil && there.Causal.Of(ledger.ProjectPart) != l.Of(ledger.ProjectPart) {
		l = engram.CausalMetadata{} // a store that pulls only one of the projects has only one of the states: push the outcome
	}
	return out, i.noteReplicated(ctx, engram.EntityMemory, k, l, came, to)
}

// placedThere returns a copy of a memory's or a prompt's state with the place where it comes in.
func (i *Importing) placedThere(ctx context.Context, there engram.Record) (engram.Record, ledger.Location, error) {
	if there.Memory != nil {
		m := *there.Memory
		there.Memory = &m
	} else {
		p := *there.Prompt
		there.Prompt = &p
	}
	place := ledger.PlaceOf(there)
	as, err := i.incomingLocation(ctx, place.Location())
	place.MoveTo(as)
	return there, as, err
}

// same reports whether a memory is here exactly as it comes in, the common case of a repeated import: merging changes
// nothing.
func (i *Importing) same(here engram.Memory, l engram.CausalMetadata, r Incoming, as ledger.Location) bool {
	if i.In.Mode == ImportReplace || r.state == nil || here.Forgotten() || !reflect.DeepEqual(l, *r.state.Causal) {
		return false // no incoming state has shadowed parts
	}
	m := r.state.Memory.Memory
	m.Num, m.ID, m.SyncID, m.RevisionCount, m.NormalizedHash = here.Num, here.ID, here.SyncID, here.RevisionCount, here.NormalizedHash
	m.Project, m.SessionID = as.Project, as.Session
	return reflect.DeepEqual(m, here)
}

// show decides what of a merged memory or prompt is visible. was is the thing here, there the incoming state, now the
// merged one. An import brings back what an undone import hid, in the place that the file has.
func (i *Importing) show(ctx context.Context, was, there, now engram.Record, l *engram.CausalMetadata) error {
	here, came, place := ledger.PlaceOf(was), ledger.PlaceOf(there), ledger.PlaceOf(now)
	hidden := ledger.IsShadowed(*l, engram.PartDeleted)
	revive := false
	if !here.Deleted.IsZero() && came.Deleted.IsZero() && i.Batch == "" {
		var err error
		if revive = hidden; !revive {
			if revive, err = i.undone(ctx, was.Entity(), ledger.KeyOf(was)); err != nil {
				return err
			}
		}
	}
	switch {
	case revive:
		s := i.Tx.Stamp()
		*l = ledger.WithoutShadowed(*l, engram.PartDeleted)
		if !place.Deleted.IsZero() {
			*l, *place.Deleted = lifecycle.Stamped(*l, []engram.Part{engram.PartRestored}, s), time.Time{}
		}
		if came.Location() != place.Location() {
			place.MoveTo(came.Location())
			*l = lifecycle.Stamped(*l, []engram.Part{ledger.ProjectPart, ledger.SessionPart}, s)
		}
	case hidden:
		*l = ledger.WithShadowed(*l, engram.PartDeleted, *place.Deleted)
		*place.Deleted = *here.Deleted
	}
	return i.showAt(ctx, place.Location(), place, l)
}

// moreTexts returns the revisions that a merge adds to a memory: those of the merged state that it lacks, with free
// numbers, and its current text if that is replaced.
func moreTexts(here engram.Memory, now *engram.Memory, known, all []engram.Revision, at time.Time) []engram.Revision {
	type text struct {
		stamp          engram.VersionStamp
		title, content string
	}
	has := map[text]bool{}
	for _, r := range known {
		has[text{lifecycle.RevisionStamp(r), r.Title, r.Content}] = true
	}
	replaced := here.Title != now.Title || here.Content != now.Content
	var more []engram.Revision
	var old *engram.Revision
	for _, r := range all {
		if has[text{r.Stamp, r.Title, r.Content}] {
			continue
		}
		if r.ReplacedAt.IsZero() {
			r.ReplacedAt = at
		}
		if r.WrittenAt.IsZero() {
			r.WrittenAt = r.ReplacedAt
		}
		if r.Type == "" {
			r.Type = now.Type
		}
		if r.Reason == "" {
			r.Reason = "import: a later edit is here"
		}
		r.Number = 0
		if replaced && old == nil && r.Title == here.Title && r.Content == here.Content {
			r.Number, r.Type, r.WrittenAt, r.Reason = here.RevisionCount, here.Type, here.UpdatedAt, "import"
			old = &r
			continue
		}
		more = append(more, r)
	}
	if !replaced {
		return numbered(known, now, more)
	}
	if old == nil { // the same text is among its older ones
		old = &engram.Revision{Number: here.RevisionCount, Type: here.Type, Title: here.Title, Content: here.Content, WrittenAt: here.UpdatedAt,
			ReplacedAt: at, Reason: "import"}
	}
	now.RevisionCount++
	return append(numbered(append(slices.Clone(known), *old), now, more), *old)
}

func (i *Importing) replaceReceived(ctx context.Context, was, now engram.Memory, more []engram.Revision) error {
	fields := ledger.Changes(ledger.MemoryFields(was), ledger.MemoryFields(now))
	for n := range more {
		more[n].Memory = was.Num
	}
	if err := i.Tx.Store.InsertRevision(ctx, more...); err != nil {
		return err
	}
	if was.Title != now.Title || was.Content != now.Content {
		fields[view.TextField] = was.RevisionCount
	}
	return i.Tx.StoreMemory(ctx, was, now, i.Reason, fields)
}
