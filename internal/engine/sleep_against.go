package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// against fills in what keeps twins from becoming one.
func against(ctx context.Context, r engram.Reader, ms []engram.Memory, pairs []lifecycle.Twin, model engram.Model) ([]lifecycle.Twin, error) {
	alone, judged, err := tiesAgainst(ctx, r, ms)
	if err != nil {
		return nil, err
	}
	byNum := map[int64]engram.Memory{}
	readings := map[int64]contradiction.Reading{}
	for _, m := range ms {
		byNum[m.Num] = m
	}
	read := func(m engram.Memory) contradiction.Reading {
		if _, known := readings[m.Num]; !known {
			readings[m.Num] = contradiction.Read(contradiction.Text{Title: m.Title, Content: m.Content})
		}
		return readings[m.Num]
	}
	all := make([]lifecycle.Twin, 0, len(pairs))
	for _, p := range pairs {
		a, b := byNum[p.A], byNum[p.B]
		why, may := lifecycle.MayMerge(a, b)
		switch {
		case !may:
			p.Against = why
		case judged[[2]int64{p.A, p.B}]:
			p.Against = "the two are judged, or waiting for it"
		case alone[p.A] != "" || alone[p.B] != "":
			p.Against = cmp.Or(alone[p.A], alone[p.B])
		case a.NormalizedHash != b.NormalizedHash || a.Title != b.Title:
			if d, differ := read(a).Against(read(b), nearnessOf(model, p.Cosine)); differ {
				p.Against = "they differ in a " + string(d.Kind)
			} else if lifecycle.Adds(a, b) == lifecycle.AddsBeside {
				p.Against = lifecycle.SaysElse
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// tiesAgainst says which memories must not be merged at all, and why, and which pairs
// must not.
func tiesAgainst(ctx context.Context, r engram.Reader, ms []engram.Memory) (alone map[int64]string, judged map[[2]int64]bool, err error) {
	alone, judged = map[int64]string{}, map[[2]int64]bool{}
	var nums []int64
	for _, m := range ms {
		nums = append(nums, m.Num)
		back, err := broughtBack(ctx, r, m.Num)
		if err != nil {
			return nil, nil, err
		}
		if back {
			alone[m.Num] = "brought back by an undo"
		}
	}
	ties, err := r.Relations(ctx, nums)
	if err != nil {
		return nil, nil, err
	}
	for _, tie := range ties {
		if tie.Judgment() || tie.Status == engram.RelationPending {
			judged[[2]int64{tie.Source, tie.Target}], judged[[2]int64{tie.Target, tie.Source}] = true, true
		}
		if !tie.Supersedes() {
			continue
		}
		by, err := r.Memories(ctx, []int64{tie.Source})
		if err != nil {
			return nil, nil, err
		}
		if len(by) == 1 && !by[0].Forgotten() {
			alone[tie.Target] = "another memory has taken its place"
		}
	}
	return alone, judged, nil
}

// journalDepth is how far back in a memory's journal an undo is looked for.
const journalDepth = 50

// broughtBack reports whether an undo ever brought back a memory that was forgotten: then
// somebody wants it.
func broughtBack(ctx context.Context, r engram.Reader, num int64) (bool, error) {
	entries, err := r.Mutations(ctx, engram.EntityMemory, key(num), engram.Page{Limit: journalDepth})
	if err != nil {
		return false, err
	}
	for _, m := range entries {
		var was struct {
			DeletedAt *time.Time `json:"deleted_at"`
		}
		if m.Verb == "undo" && json.Unmarshal(m.Was, &was) == nil && was.DeletedAt != nil && !was.DeletedAt.IsZero() {
			return true, nil
		}
	}
	return false, nil
}

// keepBroughtBack takes out of the plan what an undo has brought back.
func (s *sleep) keepBroughtBack(ctx context.Context) error {
	return s.store.View(ctx, func(r engram.Reader) error {
		var failed error
		s.res.Plan = slices.DeleteFunc(s.res.Plan, func(step lifecycle.Step) bool {
			if failed != nil || step.Action != lifecycle.StepPrune {
				return false
			}
			back, err := broughtBack(ctx, r, step.Memories[0])
			failed = err
			return back
		})
		return failed
	})
}
