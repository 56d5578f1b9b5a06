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
	// clusterAmong is among how many of the newest memories of a project patterns are looked
	// for: those that are older had their nights.
	clusterAmong = 400
	// clusterEvery is how long a sleep leaves a project in peace after it was asked about;
	// short of a day, so that a nightly one never comes too early. Asked for by name,
	// patterns are looked for at any time.
	clusterEvery = 20 * time.Hour
	// clustersAsked is of how many bunches it is remembered that they have no pattern.
	clustersAsked = 500
)

// clusterFact is what is known of the patterns of a project.
type clusterFact struct {
	At    int64    `json:"at"`    // milliseconds since 1970, of the last time anybody was asked
	Asked []string `json:"asked"` // bunches that were asked about in vain, the latest last
}

func clusterName(project string) string { return "sleep-patterns:" + project }

// clusterKey is a bunch and what its memories say.
func clusterKey(ms []engram.Memory) string {
	var words []string
	for _, m := range ms {
		words = append(words, fmt.Sprintf("%d:%.16s", m.Num, m.NormalizedHash))
	}
	slices.Sort(words)
	return digest(fmt.Sprint(words))
}

func clusterFactOf(ctx context.Context, r engram.Reader, project string) (f clusterFact, err error) {
	text, err := r.Fact(ctx, clusterName(project))
	if err == nil && text != "" && json.Unmarshal([]byte(text), &f) != nil {
		f = clusterFact{} // another version wrote it: asking once more costs little
	}
	return f, err
}

// extracts plans in which memories a pattern is looked for.
func (s *sleep) extracts(ctx context.Context, groups duplicateGroups) ([]lifecycle.Step, error) {
	if s.extractor == nil || s.embedder == nil {
		if s.night.Only != nil {
			s.res.Degraded = append(s.res.Degraded, "patterns are looked for by a language model and an embedding model: set ENGRAM_LLM_BASE_URL or ENGRAM_LLM_MODEL")
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
		delete(byProject, at.project) // several groups are of one project
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

// clusters are those of one project.
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
			var of []engram.Memory
			for _, num := range nums {
				of = append(of, byNum[num])
			}
			return slices.Contains(fact.Asked, clusterKey(of))
		}, s.policy)
		return nil
	})
	return clusters, err
}

// saidBefore are the memories of which a pattern was derived, be it that somebody has
// forgotten it since or undone it.
func saidBefore(ctx context.Context, r engram.Reader, nums []int64) (map[int64]bool, error) {
	live, err := r.Relations(ctx, nums)
	if err != nil {
		return nil, err
	}
	removed, err := r.RemovedRelations(ctx, nums, time.UnixMilli(1))
	if err != nil {
		return nil, err
	}
	said := map[int64]bool{}
	for _, tie := range append(live, removed...) {
		if tie.Verb != engram.VerbDerivedFrom || tie.Actor != systemActor {
			continue
		}
		by, err := r.Memories(ctx, []int64{tie.Source})
		if err != nil {
			return nil, err
		}
		if len(by) == 1 && by[0].Type == engram.TypePattern {
			said[tie.Target] = true
		}
	}
	return said, nil
}

// duplicateGroup is what memories have in common that may say the same, as far as an outline
// tells.
type duplicateGroup struct {
	project string
	typ     engram.Type
}

// duplicateGroups are the live memories of each group, by number.
type duplicateGroups map[duplicateGroup][]int64

func (g *duplicateGroups) add(m engram.Memory) {
	if *g == nil {
		*g = duplicateGroups{}
	}
	at := duplicateGroup{m.Project, m.Type}
	(*g)[at] = append((*g)[at], m.Num)
}

// sorted are the groups in an order that is always the same, their members oldest first.
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

// merges plans what becomes one.
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

// cover notes the projects that need not be compared again until something changes. A
// project without memories is not among them, nor is one that could not be compared.
func (s *sleep) cover(groups duplicateGroups, unfinished map[string]bool) {
	for at := range groups {
		if !unfinished[at.project] {
			s.covered = append(s.covered, at.project)
		}
	}
	slices.Sort(s.covered)
	s.covered = slices.Compact(s.covered)
}

// mergesOf plans the merges of one group, of which pairs are twins.
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
