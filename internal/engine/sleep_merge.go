package engine

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// mergeAll makes one memory of several, of which the first is kept. The others are
// forgotten and keep their texts; a derived_from relation tells where the text of the
// kept one comes from, whose old text is a revision. What was related to them is related
// to it.
func (s *sleep) mergeAll(ctx context.Context, o *op, ms []engram.Memory, step lifecycle.Step) error {
	kept := ms[0]
	one, d := kept, s.night.DecayOf(kept, s.policy)
	for _, gone := range ms[1:] {
		one = lifecycle.Absorbed(one, gone, o.at, d, s.policy)
		// It goes first: its topic may be the kept one's from now on.
		if err := o.forget(ctx, &gone, fmt.Sprintf("merged into #%d", kept.Num)); err != nil {
			return err
		}
	}
	if one.Title != kept.Title || one.Content != kept.Content {
		one.RevisionCount++
	}
	if err := o.replaceMemory(ctx, kept, one, step.Reason); err != nil {
		return err
	}
	for _, gone := range ms[1:] {
		r := engram.Relation{Source: kept.Num, Target: gone.Num, Verb: engram.VerbDerivedFrom, Status: engram.RelationJudged, Strength: 1,
			Reason: "merged by sleep", Actor: systemActor, ActorKind: systemKind}
		if err := o.inherit(ctx, kept, gone); err != nil {
			return err
		}
		if err := o.inheritSecrets(ctx, kept, gone); err != nil {
			return err
		}
		if err := o.tie(ctx, r, kept.Project, "merged"); err != nil {
			return err
		}
	}
	return nil
}

// inherit gives kept the relations of gone that it has not. Why they are stays with those
// of gone: it may quote what gone says, and has to go with it when that is erased.
func (o *op) inherit(ctx context.Context, kept, gone engram.Memory) error {
	ties, err := o.tx.Relations(ctx, []int64{gone.Num})
	if err != nil {
		return err
	}
	for _, r := range ties {
		if r.Source == gone.Num {
			r.Source = kept.Num
		}
		if r.Target == gone.Num {
			r.Target = kept.Num
		}
		if r.Source == r.Target {
			continue
		}
		r.Reason, r.Evidence = fmt.Sprintf("as #%d was, which was merged", gone.Num), ""
		if err := o.tie(ctx, r, kept.Project, fmt.Sprintf("was one of #%d", gone.Num)); err != nil {
			return err
		}
	}
	return nil
}

// tie adds a relation, unless the two are tied so already, or judged when it is a
// judgment: of these two memories have one at most.
func (o *op) tie(ctx context.Context, r engram.Relation, project, reason string) error {
	ties, err := o.tx.Relations(ctx, []int64{r.Source})
	if err != nil {
		return err
	}
	for _, t := range ties {
		same := t.Source == r.Source && t.Target == r.Target && t.Verb == r.Verb
		if same || t.Judgment() && r.Judgment() && isBetween(t, r.Source, r.Target) {
			return nil
		}
	}
	return o.insertRelation(ctx, &r, project, reason)
}
