package consolidate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
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
	words := walk.Mapped(ms, func(m engram.Memory) string { return fmt.Sprintf("%d:%.16s", m.Num, m.NormalizedHash) })
	slices.Sort(words)
	return ledger.Digest(fmt.Sprint(words))
}

func clusterFactOf(ctx context.Context, r engram.Reader, project string) (f clusterFact, err error) {
	text, err := r.Fact(ctx, clusterName(project))
	if err == nil && text != "" && json.Unmarshal([]byte(text), &f) != nil {
		f = clusterFact{} // written by another version: asking again costs little
	}
	return f, err
}

// extracts plans the clusters to search for a pattern.
func (s *sleep) extracts(ctx context.Context, groups relate.DuplicateGroups) ([]lifecycle.Step, error) {
	if s.consolidator.extractor == nil || s.consolidator.ledger.Embedder == nil {
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
			if lifecycle.HasPatterns(at.Typ) && !going[num] {
				byProject[at.Project] = append(byProject[at.Project], num)
			}
		}
	}
	night := lifecycle.Night{Only: []lifecycle.StepAction{lifecycle.StepExtract}}
	for _, at := range groups.Sorted() {
		nums := byProject[at.Project]
		delete(byProject, at.Project) // several groups may share a project
		if len(nums) == 0 {
			continue
		}
		clusters, err := s.clusters(ctx, at.Project, nums)
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
	model := s.consolidator.ledger.Embedder.Model()
	err = s.consolidator.ledger.View(ctx, func(r engram.Reader) error {
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
		byNum := screen.ByNum(ms)
		vectors, err := r.Vectors(ctx, model.Fingerprint, nums)
		if err != nil {
			return err
		}
		near := relate.DuplicatesOf(nums, vectors, model.Related)
		near = slices.DeleteFunc(near, func(t lifecycle.NearDuplicate) bool { return byNum[t.A].Scope != byNum[t.B].Scope })
		clusters = lifecycle.Clusters(near, func(nums []int64) bool {
			members := walk.Mapped(nums, func(num int64) engram.Memory { return byNum[num] })
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
		return rel.Verb != engram.VerbDerivedFrom || rel.Actor != relate.SystemActor
	})
	sources, err := r.Memories(ctx, walk.Mapped(derived, func(rel engram.Relation) int64 { return rel.Source }))
	if err != nil {
		return nil, err
	}
	by, said := screen.ByNum(sources), map[int64]bool{}
	for _, rel := range derived {
		said[rel.Target] = said[rel.Target] || by[rel.Source].Type == engram.TypePattern
	}
	return said, nil
}

// merges plans the merges of near-duplicates.
func (s *sleep) merges(ctx context.Context, groups relate.DuplicateGroups) ([]lifecycle.Step, error) {
	if s.consolidator.ledger.Embedder == nil {
		s.res.Degraded = append(s.res.Degraded, relate.NoNearDuplicates)
		return nil, nil
	}
	changed, err := s.changedSince(ctx, groups)
	if err != nil {
		return nil, err
	}
	t := relate.DuplicateSearch{Linker: s.consolidator.relate, Mark: s.consolidator.ledger.Embedder.Model().Duplicate, Report: s.report}
	for _, nums := range groups {
		t.Total += walk.CountIf(nums, changed)
	}
	var steps []lifecycle.Step
	unfinished := map[string]bool{}
	for _, at := range groups.Sorted() {
		pairs, whole, err := t.Pairs(ctx, groups[at], changed)
		if err != nil {
			return nil, err
		}
		unfinished[at.Project] = unfinished[at.Project] || !whole
		some, err := s.mergesOf(ctx, pairs)
		if err != nil {
			return nil, err
		}
		steps = append(steps, some...)
	}
	s.cover(groups, unfinished)
	s.res.Degraded = append(s.res.Degraded, t.Degraded()...)
	return steps, nil
}

// cover records the fully compared projects, which need no comparison until something changes. A project
// without memories is not among them.
func (s *sleep) cover(groups relate.DuplicateGroups, unfinished map[string]bool) {
	for at := range groups {
		if !unfinished[at.Project] {
			s.covered = append(s.covered, at.Project)
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
	err := s.consolidator.ledger.View(ctx, func(r engram.Reader) (err error) {
		if pairs, err = relate.Exactly(ctx, r, pairs, s.consolidator.ledger.Embedder.Model()); err != nil {
			return err
		}
		if night.Memories, err = r.Memories(ctx, relate.NumsOfDuplicates(pairs)); err != nil {
			return err
		}
		night.NearDuplicates, err = against(ctx, r, night.Memories, pairs, s.consolidator.ledger.Embedder.Model())
		return err
	})
	return lifecycle.Plan(night, s.res.At, s.policy), err
}
