package consolidate

import (
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
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
		err := s.consolidator.ledger.Write(ctx, sleepOperation, func(o *ledger.Tx) error {
			// All writes of a sleep have its planned time, so that the next sleep does not see them as changes.
			o.At = s.res.At
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
			first = o.First
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
func (s *sleep) take(ctx context.Context, o *ledger.Tx, step lifecycle.Step) (why string, err error) {
	night := s.night
	night.Only = []lifecycle.StepAction{step.Action}
	if night.Memories, err = o.Store.Memories(ctx, step.Memories); err != nil {
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
		now.DeletedAt = o.At
	default:
		return "", s.mergeAll(ctx, o, night.Memories, step)
	}
	return "", o.ReplaceMemory(ctx, m, now, step.Reason)
}

// duplicatesNow returns the near-duplicates among memories within the transaction.
func (s *sleep) duplicatesNow(ctx context.Context, o *ledger.Tx, ms []engram.Memory) ([]lifecycle.NearDuplicate, error) {
	nums := screen.MemoryNums(ms)
	vectors, err := o.Store.Vectors(ctx, s.consolidator.ledger.Embedder.Model().Fingerprint, nums)
	if err != nil {
		return nil, err
	}
	return against(ctx, o.Store, ms, relate.DuplicatesOf(nums, vectors, s.consolidator.ledger.Embedder.Model().Duplicate), s.consolidator.ledger.Embedder.Model())
}

// remember records the fully compared projects.
func (s *sleep) remember(ctx context.Context) error {
	if len(s.covered) == 0 {
		return nil
	}
	fact := sleptFact{Model: s.consolidator.ledger.Embedder.Model().Fingerprint, At: s.res.At.UnixMilli()}
	return s.consolidator.ledger.Update(ctx, func(tx engram.Tx) error {
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
func (s *sleep) mergeAll(ctx context.Context, o *ledger.Tx, ms []engram.Memory, step lifecycle.Step) error {
	kept := ms[0]
	one, d := kept, s.night.DecayOf(kept, s.policy)
	for _, gone := range ms[1:] {
		one = lifecycle.Absorbed(one, gone, o.At, d, s.policy)
		// Forgotten first: its topic may pass to the kept memory.
		if err := forget.Forget(ctx, o, &gone, fmt.Sprintf("merged into #%d", kept.Num)); err != nil {
			return err
		}
	}
	if one.Title != kept.Title || one.Content != kept.Content {
		one.RevisionCount++
	}
	if err := o.ReplaceMemory(ctx, kept, one, step.Reason); err != nil {
		return err
	}
	for _, gone := range ms[1:] {
		r := engram.Relation{Source: kept.Num, Target: gone.Num, Verb: engram.VerbDerivedFrom, Status: engram.RelationJudged, Strength: 1,
			Reason: "merged by sleep", Actor: relate.SystemActor, ActorKind: relate.SystemKind}
		if err := inherit(ctx, o, kept, gone); err != nil {
			return err
		}
		if err := o.InheritSecrets(ctx, kept, gone); err != nil {
			return err
		}
		if err := insertIfNew(ctx, o, r, kept.Project, "merged"); err != nil {
			return err
		}
	}
	return nil
}

// inherit copies relations of gone to kept unless it has them. The reasons are not copied: they may quote gone
// and must be erased with it.
func inherit(ctx context.Context, o *ledger.Tx, kept, gone engram.Memory) error {
	relations, err := engram.RelationsOf(ctx, o.Store, []int64{gone.Num}, nil, 0)
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
		if err := insertIfNew(ctx, o, r, kept.Project, fmt.Sprintf("moved from #%d", gone.Num)); err != nil {
			return err
		}
	}
	return nil
}

// insertIfNew adds a relation, unless the pair has it, or has a judgment and it is one.
func insertIfNew(ctx context.Context, o *ledger.Tx, r engram.Relation, project, reason string) error {
	relations, err := engram.RelationsOf(ctx, o.Store, []int64{r.Source}, nil, 0)
	if err != nil {
		return err
	}
	for _, t := range relations {
		same := t.Source == r.Source && t.Target == r.Target && t.Verb == r.Verb
		if same || t.Judgment() && r.Judgment() && ledger.IsBetween(t, r.Source, r.Target) {
			return nil
		}
	}
	return o.InsertRelations(ctx, project, reason, &r)
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
		p, found, err := s.consolidator.extractor.Extract(ctx, ms)
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
	err = s.consolidator.ledger.View(ctx, func(r engram.Reader) error {
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
	m, err := s.consolidator.remember.Draft(remember.SaveInput{Title: p.Title, Content: p.Content, Type: engram.TypePattern, Project: ms[0].Project, Scope: ms[0].Scope,
		Origin: engram.OriginTool, ToolName: "engram sleep", SessionID: ms[0].SessionID, Metadata: map[string]any{"model": s.consolidator.extractor.Model()}})
	found = found && err == nil
	var first int64
	made, taken := engram.Memory{}, true
	err = s.consolidator.ledger.Write(ctx, sleepOperation, func(o *ledger.Tx) error {
		if taken, err = sourcesUnchanged(ctx, o, ms); err != nil || !taken {
			return err
		}
		if made = m; found {
			if err := derive(ctx, o, &made, ms, step.Reason, s.consolidator.extractor.Model()); err != nil {
				return err
			}
		}
		first = o.First
		return asked(ctx, o, ms, found)
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
func sourcesUnchanged(ctx context.Context, o *ledger.Tx, ms []engram.Memory) (bool, error) {
	same, err := relate.Unchanged(ctx, o, ms...)
	if err != nil || !same {
		return false, err
	}
	said, err := saidBefore(ctx, o.Store, screen.MemoryNums(ms))
	return !slices.ContainsFunc(ms, func(m engram.Memory) bool { return said[m.Num] }), err
}

func derive(ctx context.Context, o *ledger.Tx, m *engram.Memory, from []engram.Memory, reason, model string) error {
	if err := o.InsertMemory(ctx, m, reason); err != nil {
		return err
	}
	relations := walk.Mapped(from, func(source engram.Memory) *engram.Relation {
		return &engram.Relation{Source: m.Num, Target: source.Num, Verb: engram.VerbDerivedFrom, Status: engram.RelationJudged, Strength: 1,
			Reason: "pattern found by sleep", Actor: relate.SystemActor, ActorKind: relate.SystemKind, Model: model, SessionID: m.SessionID}
	})
	return o.InsertRelations(ctx, m.Project, reason, relations...)
}

// asked records when a cluster was asked about, and whether in vain.
func asked(ctx context.Context, o *ledger.Tx, ms []engram.Memory, found bool) error {
	project := ms[0].Project
	fact, err := clusterFactOf(ctx, o.Store, project)
	if err != nil {
		return err
	}
	fact.At = o.At.UnixMilli()
	if !found {
		fact.Asked = append(fact.Asked, clusterKey(ms))
		fact.Asked = fact.Asked[max(0, len(fact.Asked)-clustersAsked):]
	}
	return putFact(ctx, o.Store, clusterName(project), fact)
}
