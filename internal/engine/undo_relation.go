package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func (u *undoing) takeRelation(ctx context.Context, entry engram.Mutation) error {
	num := numOf(entry.Key)
	r, err := u.tx.Relation(ctx, engram.RelationRef{Num: num})
	if engram.CodeOf(err) == engram.CodeNotFound {
		u.leave("relation %d was erased with a memory", num)
		return nil
	}
	if err != nil {
		return err
	}
	if entry.Reason == tieSettled {
		return u.takeSettledTie(ctx, entry, r)
	}
	what := fmt.Sprintf("relation %d", num)
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	made := was == nil
	if made {
		was = since.left()
	}
	names, err := u.restorable(what, was, relationFields(r), since)
	if err != nil {
		return err
	}
	now := r
	switch {
	case made && r.Removed():
		return u.dropHidden(ctx, entry, r)
	case made:
		if now.RemovedAt = u.at; !u.hides {
			now.UpdatedAt = u.at
		}
		u.changed(entry, "removed: #%d %s #%d", r.Source, r.Verb, r.Target)
	default:
		if err := relationTable(&now).restore(was, names...); err != nil {
			return inEntry(entry, err)
		}
		u.changed(entry, "restored: #%d %s #%d", now.Source, now.Verb, now.Target)
	}
	u.ties = append(u.ties, r.Num)
	return u.replaceRelation(ctx, r, now, entry.Project, u.reason())
}

// dropHidden takes a relation away that was made and that another one is shown for: it is not
// shown in that one's place either, then.
func (u *undoing) dropHidden(ctx context.Context, entry engram.Mutation, r engram.Relation) error {
	l, known, err := heldLineage(ctx, u.tx, r.Num)
	if err != nil || !known {
		return err
	}
	if u.hides {
		l = withHeld(withoutHeld(l, engram.PartVerdict), engram.PartDeleted, time.Time{})
	} else {
		s, err := u.stamp(ctx)
		if err != nil {
			return err
		}
		l = lifecycle.Retagged(withoutHeld(l, engram.PartVerdict), []string{""}, nil, s)
	}
	if err := u.tx.PutLineage(ctx, engram.EntityRelation, key(r.Num), l); err != nil {
		return err
	}
	now := r
	now.RemovedAt, u.tied = u.at, true
	u.changed(entry, "removed: #%d %s #%d", r.Source, r.Verb, r.Target)
	return u.rewriteRelation(ctx, r, now, entry.Project, u.reason())
}

// checkTies looks whether the relations that came back go with those that were made
// meanwhile: of two memories there is one judgment, and none supersedes itself through
// others. Looked at when all entries are taken: on the way there may be two.
func (u *undoing) checkTies(ctx context.Context) error {
	for _, num := range u.ties {
		r, err := u.tx.Relation(ctx, engram.RelationRef{Num: num})
		if err != nil {
			return err
		}
		if !r.Judgment() {
			continue
		}
		pair, err := u.tx.RelationsBetween(ctx, r.Source, r.Target)
		if err != nil {
			return err
		}
		for _, other := range pair {
			if other.Num != r.Num && other.Judgment() {
				return u.judgedSince(ctx, other)
			}
		}
		if r.Supersedes() {
			if err := u.acyclic(ctx, r.Source, r.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgedSince is the error of a pair that has another judgment by now.
func (u *undoing) judgedSince(ctx context.Context, other engram.Relation) error {
	entries, err := u.tx.Mutations(ctx, engram.EntityRelation, key(other.Num), engram.Page{Limit: 1})
	if err != nil {
		return err
	}
	refused := engram.Errorf(engram.CodeConflict, "#%d and #%d were judged since: %s", other.Source, other.Target, other.Verb)
	if len(entries) > 0 {
		return offering(refused, entries[0].Op, "{undo %d} first; nothing was changed")
	}
	return refused
}

// read reads the old values of an entry, nil when the thing did not exist, and what
// became of the thing since.
func (u *undoing) read(ctx context.Context, entry engram.Mutation) (was oldFields, since fieldsSince, err error) {
	if err := readWas(entry, &was); err != nil {
		return nil, nil, err
	}
	later, err := u.since(ctx, entry)
	if err != nil {
		return nil, nil, err
	}
	// Which of several is shown was settled, not said.
	since, err = sinceOf(slices.DeleteFunc(later, func(m engram.Mutation) bool { return m.Reason == tieSettled }))
	return was, since, err
}
