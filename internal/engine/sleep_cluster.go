package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

const (
	// clusterAmong is how many of the newest memories of a project are searched for patterns; older ones had
	// their nights.
	clusterAmong = 400
	// clusterEvery is the least time between two searches of a project; under a day, so that a nightly sleep is
	// never too early. Patterns requested by name ignore it.
	clusterEvery = 20 * time.Hour
	// clustersAsked is how many clusters without a pattern are remembered.
	clustersAsked = 500
)

// clusterFact records the search for patterns in a project.
type clusterFact struct {
	At    int64    `json:"at"`    // milliseconds since 1970, of the last question
	Asked []string `json:"asked"` // clusters asked about in vain, latest last
}

func clusterName(project string) string { return "sleep-patterns:" + project }

// clusterKey identifies a cluster and the texts of its memories.
func clusterKey(ms []engram.Memory) string {
	words := mapped(ms, func(m engram.Memory) string { return fmt.Sprintf("%d:%.16s", m.Num, m.NormalizedHash) })
	slices.Sort(words)
	return digest(fmt.Sprint(words))
}

func clusterFactOf(ctx context.Context, r engram.Reader, project string) (f clusterFact, err error) {
	text, err := r.Fact(ctx, clusterName(project))
	if err == nil && text != "" && json.Unmarshal([]byte(text), &f) != nil {
		f = clusterFact{} // written by another version: asking again costs little
	}
	return f, err
}

// extracts plans the clusters to search for a pattern.
func (s *sleep) extracts(ctx context.Context, groups duplicateGroups) ([]lifecycle.Step, error) {
	if s.options.Extractor == nil || s.embedder == nil {
		if s.night.Only != nil {
			s.res.Degraded = append(s.res.Degraded, "patterns need a language model and an embedding model: set ENGRAM_LLM_BASE_URL or ENGRAM_LLM_MODEL")
		}
		return nil, nil
	}
	going := map[int64]bool{}
	for _, step := range s.res.Plan {
		for _, num := range step.Memories {
			going[num] = step.Action == lifecycle.StepMerge || step.Action == lifecycle.StepPrune
		}
	}
	byProject := map[string][]int64{}
	for at, nums := range groups {
		for _, num := range nums {
			if lifecycle.HasPatterns(at.typ) && !going[num] {
				byProject[at.project] = append(byProject[at.project], num)
			}
		}
	}
	night := lifecycle.Night{Only: []lifecycle.StepAction{lifecycle.StepExtract}}
	for _, at := range groups.sorted() {
		nums := byProject[at.project]
		delete(byProject, at.project) // several groups may share a project
		if len(nums) == 0 {
			continue
		}
		clusters, err := s.clusters(ctx, at.project, nums)
		if err != nil {
			return nil, err
		}
		night.Clusters = append(night.Clusters, clusters...)
	}
	return lifecycle.Plan(night, s.res.At, s.policy), nil
}

func (s *sleep) clusters(ctx context.Context, project string, nums []int64) (clusters []lifecycle.Cluster, err error) {
	slices.Sort(nums)
	nums = nums[max(0, len(nums)-clusterAmong):]
	model := s.embedder.Model()
	err = s.store.View(ctx, func(r engram.Reader) error {
		fact, err := clusterFactOf(ctx, r, project)
		if err != nil || s.night.Only == nil && s.res.At.Sub(time.UnixMilli(fact.At)).Abs() < clusterEvery {
			return err
		}
		said, err := saidBefore(ctx, r, nums)
		if err != nil {
			return err
		}
		nums = slices.DeleteFunc(nums, func(num int64) bool { return said[num] })
		ms, err := r.Memories(ctx, nums)
		if err != nil {
			return err
		}
		byNum := byNum(ms)
		vectors, err := r.Vectors(ctx, model.Fingerprint, nums)
		if err != nil {
			return err
		}
		near := duplicatesOf(nums, vectors, model.Related)
		near = slices.DeleteFunc(near, func(t lifecycle.NearDuplicate) bool { return byNum[t.A].Scope != byNum[t.B].Scope })
		clusters = lifecycle.Clusters(near, func(nums []int64) bool {
			members := mapped(nums, func(num int64) engram.Memory { return byNum[num] })
			return slices.Contains(fact.Asked, clusterKey(members))
		}, s.policy)
		return nil
	})
	return clusters, err
}

// saidBefore returns the memories of which a pattern was derived, even if it was forgotten or undone since.
func saidBefore(ctx context.Context, r engram.Reader, nums []int64) (map[int64]bool, error) {
	live, err := engram.RelationsOf(ctx, r, nums, nil, 0)
	if err != nil {
		return nil, err
	}
	removed, err := engram.RemovedRelations(ctx, r, nums, time.UnixMilli(1))
	if err != nil {
		return nil, err
	}
	derived := slices.DeleteFunc(append(live, removed...), func(rel engram.Relation) bool {
		return rel.Verb != engram.VerbDerivedFrom || rel.Actor != systemActor
	})
	sources, err := r.Memories(ctx, mapped(derived, func(rel engram.Relation) int64 { return rel.Source }))
	if err != nil {
		return nil, err
	}
	by, said := byNum(sources), map[int64]bool{}
	for _, rel := range derived {
		said[rel.Target] = said[rel.Target] || by[rel.Source].Type == engram.TypePattern
	}
	return said, nil
}

// duplicateGroup is what near-duplicates must have in common.
type duplicateGroup struct {
	project string
	typ     engram.Type
}

// duplicateGroups are the numbers of live memories of each group.
type duplicateGroups map[duplicateGroup][]int64

func (g *duplicateGroups) add(m engram.Memory) {
	if *g == nil {
		*g = duplicateGroups{}
	}
	at := duplicateGroup{m.Project, m.Type}
	(*g)[at] = append((*g)[at], m.Num)
}

// sorted returns the groups in a fixed order and sorts their members, oldest first.
func (g duplicateGroups) sorted() []duplicateGroup {
	var all []duplicateGroup
	for at, nums := range g {
		slices.Sort(nums)
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b duplicateGroup) int {
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.typ, b.typ))
	})
	return all
}

// merges plans the merges of near-duplicates.
func (s *sleep) merges(ctx context.Context, groups duplicateGroups) ([]lifecycle.Step, error) {
	if s.embedder == nil {
		s.res.Degraded = append(s.res.Degraded, noNearDuplicates)
		return nil, nil
	}
	changed, err := s.changedSince(ctx, groups)
	if err != nil {
		return nil, err
	}
	t := duplicateSearch{Engine: s.Engine, mark: s.embedder.Model().Duplicate, report: s.report}
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

// cover records the fully compared projects, which need no comparison until something changes. A project
// without memories is not among them.
func (s *sleep) cover(groups duplicateGroups, unfinished map[string]bool) {
	for at := range groups {
		if !unfinished[at.project] {
			s.covered = append(s.covered, at.project)
		}
	}
	slices.Sort(s.covered)
	s.covered = slices.Compact(s.covered)
}

// mergesOf plans the merges of one group's near-duplicates.
func (s *sleep) mergesOf(ctx context.Context, pairs []lifecycle.NearDuplicate) ([]lifecycle.Step, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	night := s.night
	night.Only = []lifecycle.StepAction{lifecycle.StepMerge}
	err := s.store.View(ctx, func(r engram.Reader) (err error) {
		if pairs, err = exactly(ctx, r, pairs, s.embedder.Model()); err != nil {
			return err
		}
		if night.Memories, err = r.Memories(ctx, numsOfDuplicates(pairs)); err != nil {
			return err
		}
		night.NearDuplicates, err = against(ctx, r, night.Memories, pairs, s.embedder.Model())
		return err
	})
	return lifecycle.Plan(night, s.res.At, s.policy), err
}

func numsOfDuplicates(pairs []lifecycle.NearDuplicate) []int64 {
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
