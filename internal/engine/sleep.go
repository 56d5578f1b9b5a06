package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// SleepInput asks for a sleep. The zero value consolidates everything.
type SleepInput struct {
	Project string // "" is every project
	DryRun  bool   // only says what would be done
	// Only are the steps that are wanted; nil is all. Patterns are looked for only where
	// there is an Extractor.
	Only []lifecycle.StepAction
	// Below is the strength, 0 to 1, under which a memory is forgotten; 0 is the policy's floor.
	Below float64
	// Progress, when it is not nil, is told what is being done, and how much of it is.
	Progress func(what string, done, total int)
}

// Slept says what a sleep found and what it did.
type Slept = lifecycle.Slept

// Sleep consolidates memories as lifecycle.Plan says: a dry run returns the plan that a
// run would apply. It writes in small transactions, so that others hardly wait, and looks
// again in each whether the step is still due. It may be interrupted at any time, and the
// next one goes on; after one that was not, another has nothing to do until something
// changes. One that takes every step compacts the journal at its end, as the policy says, and cuts secrets out
// of what was kept under older rules. A memory that was brought back by an undo is neither forgotten nor merged
// again.
//
// Those that say nearly the same are looked for among memories that changed since the last
// sleep, and all others; the first time, and under a new embedding model, among all.
//
// Nothing is in a project that does not exist. A step or a strength that is none is
// invalid. What an Extractor cannot answer is told in Degraded, and the rest is done.
func (e *Engine) Sleep(ctx context.Context, in SleepInput) (Slept, error) {
	s, err := e.bed(ctx, in)
	if err != nil {
		return Slept{}, err
	}
	if err := s.look(ctx); err != nil {
		return Slept{}, err
	}
	if in.DryRun {
		return s.res, nil
	}
	if err := s.apply(ctx); err != nil {
		return s.res, err
	}
	if err := s.extract(ctx); err != nil {
		return s.res, err
	}
	if err := s.remember(ctx); err != nil || in.Only != nil {
		return s.res, err
	}
	if err := e.cutOlderSecrets(ctx, "sleep"); err != nil {
		return s.res, err
	}
	compacted, err := e.CompactJournal(ctx, CompactInput{})
	s.res.Compacted = compacted.Entries
	return s.res, err
}

// Prune forgets memories that are weaker than below (0: the policy's floor), as a sleep
// does.
func (e *Engine) Prune(ctx context.Context, project string, below float64, dryRun bool) (Slept, error) {
	return e.Sleep(ctx, SleepInput{Project: project, DryRun: dryRun, Only: []lifecycle.StepAction{lifecycle.StepPrune}, Below: below})
}

// sleep is one sleep at work.
type sleep struct {
	*Engine
	in     SleepInput
	policy lifecycle.Policy
	night  lifecycle.Night // what every plan of it knows: how projects fade, which steps are wanted
	res    Slept
	// covered are the projects whose twins were all looked for, in the model's space.
	covered []string
}

// bed checks what is asked and makes ready.
func (e *Engine) bed(ctx context.Context, in SleepInput) (*sleep, error) {
	if !(in.Below >= 0 && in.Below <= 1) {
		return nil, engram.Errorf(engram.CodeInvalid, "below %v is out of range", in.Below).WithHint("from 0 to 1")
	}
	for _, a := range in.Only {
		if steps := lifecycle.StepActions(); !slices.Contains(steps, a) {
			return nil, engram.Errorf(engram.CodeInvalid, "%.40q is no step of a sleep", a).WithHint("one of %s", listed(steps))
		}
	}
	s := &sleep{Engine: e, in: in, policy: e.policy, night: lifecycle.Night{Only: in.Only}}
	if in.Below > 0 {
		s.policy.Sleep.Floor = in.Below
	}
	s.res = Slept{Project: normalProject(in.Project), At: e.now()}
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		if s.night.Decay, err = r.Decays(ctx); err != nil {
			return err
		}
		s.night.Came, err = firstSince(ctx, r, s.res.At.Add(-s.policy.Sleep.Settled()))
		return err
	})
	return s, err
}

// firstSince is the number of the first memory that came into the store at a time or later; 0 when
// none did.
func firstSince(ctx context.Context, r engram.Reader, at time.Time) (int64, error) {
	seq, err := r.SeqBefore(ctx, at)
	if err != nil {
		return 0, err
	}
	first, err := r.FirstMade(ctx, engram.EntityMemory, seq)
	if err != nil || first == "" {
		return 0, err
	}
	return numOf(first), nil
}

// listed is steps in words: "fade, boost".
func listed(steps []lifecycle.StepAction) string {
	words := make([]string, len(steps))
	for i, a := range steps {
		words[i] = string(a)
	}
	return strings.Join(words, ", ")
}

func (s *sleep) tell(what string, done, total int) {
	if s.in.Progress != nil {
		s.in.Progress(what, done, total)
	}
}

// look makes the plan.
func (s *sleep) look(ctx context.Context) error {
	alone := s.night
	alone.Only = s.wanted(lifecycle.StepFade, lifecycle.StepBoost, lifecycle.StepPrune)
	var groups twinGroups
	err := s.store.View(ctx, func(r engram.Reader) error {
		return r.Vitals(ctx, engram.Filter{Project: s.res.Project}, func(m engram.Memory) bool {
			s.res.Memories++
			if d := s.night.DecayOf(m, s.policy); !m.Permanent && d.Curve != engram.CurveEbbinghaus {
				s.res.Fading++
			}
			s.res.Spared = lifecycle.AddSpared(s.res.Spared, s.night.Spare(m, s.res.At, s.policy)...)
			alone.Memories = append(alone.Memories[:0], m)
			s.res.Plan = append(s.res.Plan, lifecycle.Plan(alone, s.res.At, s.policy)...)
			groups.add(m)
			return true
		})
	})
	if err != nil {
		return err
	}
	if err := s.keepBroughtBack(ctx); err != nil {
		return err
	}
	if s.night.Wants(lifecycle.StepMerge) {
		merges, err := s.merges(ctx, groups)
		if err != nil {
			return err
		}
		s.res.Plan = lifecycle.JoinSteps(s.res.Plan, merges)
	}
	if s.night.Wants(lifecycle.StepExtract) {
		extracts, err := s.extracts(ctx, groups)
		if err != nil {
			return err
		}
		s.res.Plan = lifecycle.JoinSteps(s.res.Plan, extracts)
	}
	s.res.Plan = lifecycle.JoinSteps(s.res.Plan, nil)
	s.res.Spared = slices.DeleteFunc(s.res.Spared, func(k lifecycle.Spared) bool {
		return slices.ContainsFunc(s.res.Plan, func(step lifecycle.Step) bool { return step.Action == k.Action })
	})
	return s.titles(ctx)
}

// mostTitles is of how many memories a plan tells the titles.
const mostTitles = 1000

func (s *sleep) titles(ctx context.Context) error {
	var nums []int64
	for _, step := range s.res.Plan {
		if step.Action != lifecycle.StepFade && len(nums) < mostTitles {
			nums = append(nums, step.Memories...)
		}
	}
	return s.store.View(ctx, func(r engram.Reader) error {
		ms, err := r.Memories(ctx, nums)
		s.res.Titles = make(map[int64]string, len(ms))
		for _, m := range ms {
			s.res.Titles[m.Num] = m.Title
		}
		return err
	})
}

// wanted are those of the steps that were asked for; never nil.
func (s *sleep) wanted(of ...lifecycle.StepAction) []lifecycle.StepAction {
	wanted := []lifecycle.StepAction{}
	for _, a := range of {
		if s.night.Wants(a) {
			wanted = append(wanted, a)
		}
	}
	return wanted
}
