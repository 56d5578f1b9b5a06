package engine

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// admit asks the rule, with what the store knows at this moment.
func (s *saver) admit(ctx context.Context, t intake, m engram.Memory, near []likeness) (lifecycle.Decision, error) {
	known := lifecycle.Known{}
	if m.TopicKey != "" {
		old, found, err := s.tx.ByTopic(ctx, m.Project, m.Scope, m.TopicKey)
		if err != nil {
			return lifecycle.Decision{}, err
		}
		if found {
			known.Topic = &old
		}
		if found && t.in.Once && t.overtaken {
			if known.TopicSaid, err = s.saidBefore(ctx, old, m); err != nil {
				return lifecycle.Decision{}, err
			}
		}
	}
	policy, since := s.policy, s.at.Add(-s.policy.RepeatWindow)
	if t.in.Once {
		policy.RepeatWindow, since = math.MaxInt64, time.Time{}
	}
	same := func(old engram.Memory) bool { return lifecycle.IsRepeat(m, old, s.at, policy) }
	old, found, err := s.tx.ByHash(ctx, m.Project, m.NormalizedHash, since, same)
	if err != nil {
		return lifecycle.Decision{}, err
	}
	if found {
		known.Repeat = &old
	}
	if m.Type == engram.TypeSessionSummary && m.TopicKey == "" {
		if err := s.knowSummaries(ctx, t, m, &known); err != nil {
			return lifecycle.Decision{}, err
		}
	}
	if t.in.Admit == AdmitMerging {
		if err := s.knowAlike(ctx, t, m, near, &known); err != nil {
			return lifecycle.Decision{}, err
		}
	}
	return lifecycle.Admit(m, known, t.in.Admit, s.policy), nil
}

// saidBefore reports whether a memory said what m does, before what it says now.
func (s *saver) saidBefore(ctx context.Context, old, m engram.Memory) (bool, error) {
	if old.RevisionCount < 2 {
		return false, nil
	}
	rs, err := s.tx.Revisions(ctx, old.Num)
	return slices.ContainsFunc(rs, func(r engram.Revision) bool {
		return r.Type == m.Type && r.Title == m.Title && r.Content == m.Content
	}), err
}

// knowAlike adds the memories that may take m up, as they are now: what does not stand in
// the journal, such as accesses, may have changed since they were looked at.
func (s *saver) knowAlike(ctx context.Context, t intake, m engram.Memory, near []likeness, known *lifecycle.Known) error {
	if s.embedder != nil {
		known.Duplicate = s.embedder.Model().Duplicate
	}
	for _, n := range near {
		now, err := s.tx.Memory(ctx, engram.ByNum(n.Memory.Num))
		if err != nil {
			return err
		}
		known.Near = append(known.Near, lifecycle.Near{Memory: now, Cosine: n.Cosine, Differs: n.difference.String()})
	}
	if err := s.knowWorded(ctx, t, m, known); err != nil {
		return err
	}
	if err := s.knowSaid(ctx, m, known); err != nil {
		return err
	}
	old, found, err := s.tx.ByTitle(ctx, m.Project, m.Scope, m.Type, m.Title)
	if err != nil || !found {
		return err
	}
	hidden, err := replaced(ctx, s.tx, []int64{old.Num})
	if err != nil || hidden[old.Num] {
		return err
	}
	d, _ := contradiction.Between(textOf(m), textOf(old), contradiction.Nearness{})
	known.Titled = &lifecycle.Near{Memory: old, Differs: d.String()}
	return nil
}

// knowSaid adds the memory that says the same word for word, whoever wrote it in between.
func (s *saver) knowSaid(ctx context.Context, m engram.Memory, known *lifecycle.Known) error {
	beside := func(old engram.Memory) bool { return isBeside(old, m) }
	called := func(old engram.Memory) bool { return beside(old) && old.Title == m.Title }
	old, found, err := s.tx.ByHash(ctx, m.Project, m.NormalizedHash, time.Time{}, called)
	if err == nil && !found {
		old, found, err = s.tx.ByHash(ctx, m.Project, m.NormalizedHash, time.Time{}, beside)
	}
	if err != nil || !found {
		return err
	}
	hidden, err := replaced(ctx, s.tx, []int64{old.Num})
	if err == nil && !hidden[old.Num] {
		known.Said = &old
	}
	return err
}

// knowWorded adds memories that may have m's text without being near to it: those that
// have its words, and those that were written since these were looked for.
func (s *saver) knowWorded(ctx context.Context, t intake, m engram.Memory, known *lifecycle.Known) error {
	nums := slices.Concat(t.worded, slices.Sorted(maps.Keys(s.since.written)))
	ms, err := s.tx.Memories(ctx, nums)
	if err != nil {
		return err
	}
	hidden, err := replaced(ctx, s.tx, nums)
	if err != nil {
		return err
	}
	for _, other := range ms {
		if isBeside(other, m) && !hidden[other.Num] {
			known.Near = append(known.Near, lifecycle.Near{Memory: other})
		}
	}
	return nil
}
