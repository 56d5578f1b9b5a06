package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// sleepOperation is the name of a sleep in the journal.
const sleepOperation = "sleep"

// Work per transaction: about a tenth of a second, during which other writers wait. Removing a forgotten memory
// from the word index costs 3 ms of CPU among 10,000 of a project; setting a strength costs a tenth of that.
const (
	stepsAtOnce  = 200 // steps that only set a strength
	forgetAtOnce = 40  // memories in merges and prunes
)

// batch returns how many of the steps the next transaction takes, at least one.
func batch(steps []lifecycle.Step) int {
	weight := 0
	for i, step := range steps {
		switch step.Action {
		case lifecycle.StepMerge, lifecycle.StepPrune:
			weight += len(step.Memories) * stepsAtOnce / forgetAtOnce
		default:
			weight++
		}
		if weight > stepsAtOnce {
			return max(i, 1)
		}
	}
	return len(steps)
}

// progressComparing labels the progress bar of a comparison of memories.
const progressComparing = "comparing"

// progressSleeping labels that of a sleep.
const progressSleeping = "sleeping"

// apply takes the steps of the plan except extractions.
func (s *sleep) apply(ctx context.Context) error {
	s.report(progressSleeping, 0, len(s.res.Plan))
	// Extractions come last in a plan and do not run in one transaction.
	plan := s.res.Plan
	for len(plan) > 0 && plan[len(plan)-1].Action == lifecycle.StepExtract {
		plan = plan[:len(plan)-1]
	}
	for len(plan) > 0 {
		part := plan[:batch(plan)]
		plan = plan[len(part):]
		var applied int
		var skipped []lifecycle.SkippedStep
		var first int64
		err := s.write(ctx, sleepOperation, func(o *op) error {
			// All writes of a sleep have its planned time, so that the next sleep does not see them as changes.
			o.at = s.res.At
			for _, step := range part {
				why, err := s.take(ctx, o, step)
				if err != nil {
					return err
				}
				if why != "" {
					skipped = append(skipped, lifecycle.SkippedStep{Step: step, Reason: why})
					continue
				}
				applied++
			}
			first = o.first
			return nil
		})
		if err != nil {
			return err
		}
		s.res.Applied += applied
		s.res.Skipped = append(s.res.Skipped, skipped...)
		if first != 0 {
			s.res.Ops = append(s.res.Ops, first)
		}
		s.report(progressSleeping, s.res.Applied+len(s.res.Skipped), len(s.res.Plan))
	}
	return nil
}

// take takes one step if it is still due; why is the reason to skip it.
func (s *sleep) take(ctx context.Context, o *op, step lifecycle.Step) (why string, err error) {
	night := s.night
	night.Only = []lifecycle.StepAction{step.Action}
	if night.Memories, err = o.tx.Memories(ctx, step.Memories); err != nil {
		return "", err
	}
	if step.Action == lifecycle.StepMerge {
		if night.NearDuplicates, err = s.duplicatesNow(ctx, o, night.Memories); err != nil {
			return "", err
		}
	}
	again := lifecycle.Plan(night, s.res.At, s.policy)
	if len(again) != 1 || again[0].Into != step.Into || !slices.Equal(again[0].Memories, step.Memories) {
		return changedMeanwhile, nil
	}
	m := night.Memories[0]
	now, d := m, night.DecayOf(m, s.policy)
	switch step.Action {
	case lifecycle.StepFade:
		now, _ = lifecycle.Faded(m, s.res.At, d, s.policy)
	case lifecycle.StepBoost:
		now, _ = lifecycle.Boosted(m, s.res.At, d, s.policy)
	case lifecycle.StepPrune:
		now.DeletedAt = o.at
	default:
		return "", s.mergeAll(ctx, o, night.Memories, step)
	}
	return "", o.replaceMemory(ctx, m, now, step.Reason)
}

// duplicatesNow returns the near-duplicates among memories within the transaction.
func (s *sleep) duplicatesNow(ctx context.Context, o *op, ms []engram.Memory) ([]lifecycle.NearDuplicate, error) {
	nums := memoryNums(ms)
	vectors, err := o.tx.Vectors(ctx, s.embedder.Model().Fingerprint, nums)
	if err != nil {
		return nil, err
	}
	return against(ctx, o.tx, ms, duplicatesOf(nums, vectors, s.embedder.Model().Duplicate), s.embedder.Model())
}

// remember records the fully compared projects.
func (s *sleep) remember(ctx context.Context) error {
	if len(s.covered) == 0 {
		return nil
	}
	fact := sleptFact{Model: s.embedder.Model().Fingerprint, At: s.res.At.UnixMilli()}
	return s.store.Update(ctx, func(tx engram.Tx) error {
		for _, project := range s.covered {
			if err := putFact(ctx, tx, sleptName(project), fact); err != nil {
				return err
			}
		}
		return nil
	})
}

// mergeAll merges memories into the first. The others are forgotten and keep their texts, and their relations
// are copied. A derived_from relation records the source of the merged text; the old text becomes a revision.
func (s *sleep) mergeAll(ctx context.Context, o *op, ms []engram.Memory, step lifecycle.Step) error {
	kept := ms[0]
	one, d := kept, s.night.DecayOf(kept, s.policy)
	for _, gone := range ms[1:] {
		one = lifecycle.Absorbed(one, gone, o.at, d, s.policy)
		// Forgotten first: its topic may pass to the kept memory.
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
		if err := o.insertIfNew(ctx, r, kept.Project, "merged"); err != nil {
			return err
		}
	}
	return nil
}

// inherit copies relations of gone to kept unless it has them. The reasons are not copied: they may quote gone
// and must be erased with it.
func (o *op) inherit(ctx context.Context, kept, gone engram.Memory) error {
	relations, err := o.tx.Relations(ctx, []int64{gone.Num})
	if err != nil {
		return err
	}
	for _, r := range relations {
		if r.Source == gone.Num {
			r.Source = kept.Num
		}
		if r.Target == gone.Num {
			r.Target = kept.Num
		}
		if r.Source == r.Target {
			continue
		}
		r.Reason, r.Evidence = fmt.Sprintf("copied from #%d, which was merged", gone.Num), ""
		if err := o.insertIfNew(ctx, r, kept.Project, fmt.Sprintf("moved from #%d", gone.Num)); err != nil {
			return err
		}
	}
	return nil
}

// insertIfNew adds a relation, unless the pair has it, or has a judgment and it is one.
func (o *op) insertIfNew(ctx context.Context, r engram.Relation, project, reason string) error {
	relations, err := o.tx.Relations(ctx, []int64{r.Source})
	if err != nil {
		return err
	}
	for _, t := range relations {
		same := t.Source == r.Source && t.Target == r.Target && t.Verb == r.Verb
		if same || t.Judgment() && r.Judgment() && isBetween(t, r.Source, r.Target) {
			return nil
		}
	}
	return o.insertRelation(ctx, &r, project, reason)
}

// extract asks the model for the pattern of each cluster of the plan and stores the answers, outside any
// transaction since it may take minutes. If the model fails, the rest is left to another night.
func (s *sleep) extract(ctx context.Context) error {
	for _, step := range s.res.Plan {
		if step.Action != lifecycle.StepExtract {
			continue
		}
		ms, err := s.sources(ctx, step)
		if err != nil {
			return err
		}
		if len(ms) < len(step.Memories) {
			s.skip(step, changedMeanwhile)
			continue
		}
		p, found, err := s.options.Extractor.Extract(ctx, ms)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.res.Degraded = append(s.res.Degraded, "cannot look for patterns: "+err.Error())
			s.skip(step, "the language model did not answer")
			return nil
		}
		if err := s.answer(ctx, step, ms, p, found); err != nil {
			return err
		}
		s.report(progressExtracting, s.res.Applied+len(s.res.Skipped), len(s.res.Plan))
	}
	return nil
}

const progressExtracting = "looking for patterns"

const changedMeanwhile = "changed meanwhile"

func (s *sleep) skip(step lifecycle.Step, why string) {
	s.res.Skipped = append(s.res.Skipped, lifecycle.SkippedStep{Step: step, Reason: why})
}

// sources returns the live memories of a cluster without a pattern.
func (s *sleep) sources(ctx context.Context, step lifecycle.Step) (ms []engram.Memory, err error) {
	err = s.store.View(ctx, func(r engram.Reader) error {
		said, err := saidBefore(ctx, r, step.Memories)
		if err != nil {
			return err
		}
		ms, err = r.Memories(ctx, step.Memories)
		ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return m.Forgotten() || said[m.Num] })
		return err
	})
	return ms, err
}

// answer stores the model's answer for a cluster: a pattern memory derived from it, or that it has none. An
// answer that is not a valid memory counts as none.
func (s *sleep) answer(ctx context.Context, step lifecycle.Step, ms []engram.Memory, p engram.Pattern, found bool) error {
	m, err := s.draft(SaveInput{Title: p.Title, Content: p.Content, Type: engram.TypePattern, Project: ms[0].Project, Scope: ms[0].Scope,
		Origin: engram.OriginTool, ToolName: "engram sleep", SessionID: ms[0].SessionID, Metadata: map[string]any{"model": s.options.Extractor.Model()}})
	found = found && err == nil
	var first int64
	made, taken := engram.Memory{}, true
	err = s.write(ctx, sleepOperation, func(o *op) error {
		if taken, err = o.sourcesUnchanged(ctx, ms); err != nil || !taken {
			return err
		}
		if made = m; found {
			if err := o.derive(ctx, &made, ms, step.Reason, s.options.Extractor.Model()); err != nil {
				return err
			}
		}
		first = o.first
		return o.asked(ctx, ms, found)
	})
	switch {
	case err != nil:
		return err
	case !taken:
		s.skip(step, changedMeanwhile)
		return nil
	case found:
		s.res.Made = append(s.res.Made, made.Num)
		s.res.Ops = append(s.res.Ops, first)
	}
	s.res.Applied++
	return nil
}

// sourcesUnchanged reports whether the memories are live, have the same text and no pattern.
func (o *op) sourcesUnchanged(ctx context.Context, ms []engram.Memory) (bool, error) {
	same, err := o.unchanged(ctx, ms...)
	if err != nil || !same {
		return false, err
	}
	said, err := saidBefore(ctx, o.tx, memoryNums(ms))
	return !slices.ContainsFunc(ms, func(m engram.Memory) bool { return said[m.Num] }), err
}

func (o *op) derive(ctx context.Context, m *engram.Memory, from []engram.Memory, reason, model string) error {
	if err := o.insertMemory(ctx, m, reason); err != nil {
		return err
	}
	for _, source := range from {
		r := engram.Relation{Source: m.Num, Target: source.Num, Verb: engram.VerbDerivedFrom, Status: engram.RelationJudged, Strength: 1,
			Reason: "pattern found by sleep", Actor: systemActor, ActorKind: systemKind, Model: model, SessionID: m.SessionID}
		if err := o.insertRelation(ctx, &r, m.Project, reason); err != nil {
			return err
		}
	}
	return nil
}

// asked records when a cluster was asked about, and whether in vain.
func (o *op) asked(ctx context.Context, ms []engram.Memory, found bool) error {
	project := ms[0].Project
	fact, err := clusterFactOf(ctx, o.tx, project)
	if err != nil {
		return err
	}
	fact.At = o.at.UnixMilli()
	if !found {
		fact.Asked = append(fact.Asked, clusterKey(ms))
		fact.Asked = fact.Asked[max(0, len(fact.Asked)-clustersAsked):]
	}
	return putFact(ctx, o.tx, clusterName(project), fact)
}
