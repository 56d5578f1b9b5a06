package undo

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
)

// takeApproval restores whether a memory was approved before an entry.
func (u *undoing) takeApproval(ctx context.Context, entry engram.Mutation, m engram.Memory, before bool) error {
	if before {
		u.changed(entry, "approved: %s", m.Title)
		return u.tx.Approve(ctx, m)
	}
	u.changed(entry, "not approved any more: %s", m.Title)
	return u.tx.Unapprove(ctx, m)
}

// takePending makes a decided record pending again, or repeats the decision if that is what was undone.
func (u *undoing) takePending(ctx context.Context, entry engram.Mutation) error {
	name := entry.Key
	num, _ := engram.ParsePendingName(name)
	var was ledger.DecidedWas
	if err := ledger.ReadWas(entry, &was); err != nil {
		return err
	}
	d, found, err := u.tx.Store.Replica().DeferredAt(ctx, num)
	if err != nil {
		return err
	}
	if !found {
		u.leave("record %s was removed for good", name)
		return nil
	}
	if err := u.decidedSince(ctx, entry, d); err != nil {
		return err
	}
	now, what := d, "waits again"
	now.Why, now.LastAt = was.Pending, was.LastAt
	switch {
	case was.Pending == engram.DeferredDecided && was.Memory != 0:
		now, what = ledger.WithoutText(now), "accepted again"
	case was.Pending == engram.DeferredDecided:
		what = "refused again"
	case was.Memory != 0:
		m, err := u.tx.Store.Memory(ctx, engram.ByNum(was.Memory))
		if engram.CodeOf(err) == engram.CodeNotFound {
			u.leave("record %s became memory #%d, which was erased", name, was.Memory)
			return nil
		}
		if err != nil {
			return err
		}
		now = ledger.WithText(now, m)
	}
	u.changed(entry, "%s", what)
	return u.tx.PutPending(ctx, now, ledger.DecidedWas{Pending: d.Why, LastAt: d.LastAt, Memory: was.Memory}, u.reason())
}

// decidedSince returns an error if the record was decided on again after an entry.
func (u *undoing) decidedSince(ctx context.Context, entry engram.Mutation, now engram.Deferred) error {
	later, err := u.since(ctx, entry)
	if err != nil || len(later) == 0 {
		return err
	}
	var left ledger.DecidedWas
	if err := ledger.ReadWas(later[0], &left); err != nil {
		return err
	}
	if left.Pending == now.Why {
		return nil
	}
	return u.changedSince("record "+engram.PendingName(now.Num), []string{"it was decided again"}, later[len(later)-1])
}

// takeResolved hides a topic that an operation showed, so that the earlier memory may get it back; resolveTopics
// decides.
func (u *undoing) takeResolved(ctx context.Context, entry engram.Mutation, m engram.Memory) error {
	if m.TopicKey == "" {
		return nil
	}
	l, err := ledger.MemoryMetadata(ctx, u.tx.Store, m)
	if err != nil {
		return err
	}
	u.changed(entry, "topic key resolved again: %s", m.Title)
	return u.tx.ShowTopic(ctx, ledger.Contender{Memory: m, Metadata: l}, "")
}

// takeResolvedRelation hides a relation that an operation showed, so that the earlier one may come back;
// resolveRelations decides.
func (u *undoing) takeResolvedRelation(ctx context.Context, entry engram.Mutation, r engram.Relation) error {
	u.tx.RelationsChanged = true
	if r.Removed() {
		return nil
	}
	s, err := u.tx.Contested(ctx, r)
	if err != nil {
		return err
	}
	s.Show = false
	u.changed(entry, "resolved again: #%d %s #%d", r.Source, r.Verb, r.Target)
	return u.tx.ShowContested(ctx, *s)
}
