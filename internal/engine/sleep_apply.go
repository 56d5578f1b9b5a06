package engine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// sleepVerb is what the journal calls a sleep.
const sleepVerb = "sleep"

// How much one transaction takes: about a tenth of a second for which other writers wait.
// What is forgotten leaves the index of words, at 3 ms of processor time a memory among
// 10,000 of a project; new strengths cost a tenth of that.
const (
	stepsAtOnce  = 200 // that only set a strength
	forgetAtOnce = 40  // memories in merges and prunes
)

// batch is how many of the steps the next transaction takes, at least one.
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

// What a progress bar says.
const (
	tellComparing = "comparing"
	tellSleeping  = "sleeping"
)

// apply takes the steps of the plan, but for the extractions.
func (s *sleep) apply(ctx context.Context) error {
	s.tell(tellSleeping, 0, len(s.res.Plan))
	// The order of a plan has the extractions last; they are no matter of one transaction.
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
		err := s.write(ctx, sleepVerb, func(o *op) error {
			// All of a sleep happens at the time for which it was planned: what the next one
			// asks for what changed since is then not told of this one.
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
		s.tell(tellSleeping, s.res.Applied+len(s.res.Skipped), len(s.res.Plan))
	}
	return nil
}

// take takes one step, if what is known now still asks for it; why is the reason not to.
func (s *sleep) take(ctx context.Context, o *op, step lifecycle.Step) (why string, err error) {
	night := s.night
	night.Only = []lifecycle.StepAction{step.Action}
	if night.Memories, err = o.tx.Memories(ctx, step.Memories); err != nil {
		return "", err
	}
	if step.Action == lifecycle.StepMerge {
		if night.Twins, err = s.twinsNow(ctx, o, night.Memories); err != nil {
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

// twinsNow are the twins among memories, as they are in the transaction.
func (s *sleep) twinsNow(ctx context.Context, o *op, ms []engram.Memory) ([]lifecycle.Twin, error) {
	var nums []int64
	for _, m := range ms {
		nums = append(nums, m.Num)
	}
	vectors, err := o.tx.Vectors(ctx, s.embedder.Model().Fingerprint, nums)
	if err != nil {
		return nil, err
	}
	return against(ctx, o.tx, ms, twinsOf(nums, vectors, s.embedder.Model().Duplicate), s.embedder.Model())
}

// remember notes which projects were compared as a whole.
func (s *sleep) remember(ctx context.Context) error {
	if len(s.covered) == 0 {
		return nil
	}
	fact, err := json.Marshal(sleptFact{Model: s.embedder.Model().Fingerprint, At: s.res.At.UnixMilli()})
	if err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx engram.Tx) error {
		for _, project := range s.covered {
			if err := tx.PutFact(ctx, sleptName(project), string(fact)); err != nil {
				return err
			}
		}
		return nil
	})
}
