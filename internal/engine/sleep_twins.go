package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// twinGroup is what memories have in common that may say the same, as far as an outline
// tells.
type twinGroup struct {
	project string
	typ     engram.Type
}

// twinGroups are the live memories of each group, by number.
type twinGroups map[twinGroup][]int64

func (g *twinGroups) add(m engram.Memory) {
	if *g == nil {
		*g = twinGroups{}
	}
	at := twinGroup{m.Project, m.Type}
	(*g)[at] = append((*g)[at], m.Num)
}

// sorted are the groups in an order that is always the same, their members oldest first.
func (g twinGroups) sorted() []twinGroup {
	var all []twinGroup
	for at, nums := range g {
		slices.Sort(nums)
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b twinGroup) int {
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.typ, b.typ))
	})
	return all
}

// merges plans what becomes one.
func (s *sleep) merges(ctx context.Context, groups twinGroups) ([]lifecycle.Step, error) {
	if s.embedder == nil {
		s.res.Degraded = append(s.res.Degraded, noTwins)
		return nil, nil
	}
	changed, err := s.changedSince(ctx, groups)
	if err != nil {
		return nil, err
	}
	t := twinSearch{Engine: s.Engine, mark: s.embedder.Model().Duplicate, tell: s.tell}
	for _, nums := range groups {
		t.total += countIf(nums, changed)
	}
	var steps []lifecycle.Step
	unfinished := map[string]bool{}
	for _, at := range groups.sorted() {
		pairs, whole, err := t.pairs(ctx, groups[at], changed)
		if err != nil {
			return nil, err
		}
		unfinished[at.project] = unfinished[at.project] || !whole
		some, err := s.mergesOf(ctx, pairs)
		if err != nil {
			return nil, err
		}
		steps = append(steps, some...)
	}
	s.cover(groups, unfinished)
	s.res.Degraded = append(s.res.Degraded, t.degraded()...)
	return steps, nil
}

// cover notes the projects that need not be compared again until something changes. A
// project without memories is not among them, nor is one that could not be compared.
func (s *sleep) cover(groups twinGroups, unfinished map[string]bool) {
	for at := range groups {
		if !unfinished[at.project] {
			s.covered = append(s.covered, at.project)
		}
	}
	slices.Sort(s.covered)
	s.covered = slices.Compact(s.covered)
}

// mergesOf plans the merges of one group, of which pairs are twins.
func (s *sleep) mergesOf(ctx context.Context, pairs []lifecycle.Twin) ([]lifecycle.Step, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	night := s.night
	night.Only = []lifecycle.StepAction{lifecycle.StepMerge}
	err := s.store.View(ctx, func(r engram.Reader) (err error) {
		if pairs, err = exactly(ctx, r, pairs, s.embedder.Model()); err != nil {
			return err
		}
		if night.Memories, err = r.Memories(ctx, numsOfTwins(pairs)); err != nil {
			return err
		}
		night.Twins, err = against(ctx, r, night.Memories, pairs, s.embedder.Model())
		return err
	})
	return lifecycle.Plan(night, s.res.At, s.policy), err
}

func numsOfTwins(pairs []lifecycle.Twin) []int64 {
	var nums []int64
	for _, p := range pairs {
		nums = append(nums, p.A, p.B)
	}
	slices.Sort(nums)
	return slices.Compact(nums)
}

func countIf(nums []int64, is func(int64) bool) (n int) {
	for _, num := range nums {
		if is(num) {
			n++
		}
	}
	return n
}
