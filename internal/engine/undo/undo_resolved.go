package undo

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
)

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
