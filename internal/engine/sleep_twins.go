package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
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
			near := contradiction.Nearness{Cosine: p.Cosine, Related: model.Related, Duplicate: model.Duplicate}
			if d, differ := read(a).Against(read(b), near); differ {
				p.Against = "they differ in a " + string(d.Kind)
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

// sleptFact is what is known of a project's last sleep.
type sleptFact struct {
	Model string `json:"model"` // fingerprint: in whose space twins were looked for
	At    int64  `json:"at"`    // milliseconds since 1970
}

func sleptName(project string) string { return "sleep:" + project }

// lastSlept is when the twins of a project were last looked for in the model in force;
// zero for never, or where the journal no longer tells what changed since.
func (s *sleep) lastSlept(ctx context.Context, r engram.Reader, project string) (time.Time, error) {
	text, err := r.Fact(ctx, sleptName(project))
	if err != nil || text == "" {
		return time.Time{}, err
	}
	var fact sleptFact
	if json.Unmarshal([]byte(text), &fact) != nil || fact.Model != s.embedder.Model().Fingerprint {
		return time.Time{}, nil
	}
	begins, err := r.JournalBegins(ctx)
	at := time.UnixMilli(fact.At).UTC()
	if at.Before(begins) || at.After(s.res.At) { // a clock that was set back: what is newer would look older
		return time.Time{}, err
	}
	return at, err
}

// changedSince says which memories changed since their project's last sleep. What sleep
// itself did is no change, nor what an undo brought back.
func (s *sleep) changedSince(ctx context.Context, groups twinGroups) (func(num int64) bool, error) {
	const page = 2000
	changed := map[int64]bool{}
	err := s.store.View(ctx, func(r engram.Reader) error {
		since := map[string]time.Time{}
		var first time.Time
		for at, nums := range groups {
			slept, known := since[at.project]
			if !known {
				var err error
				if slept, err = s.lastSlept(ctx, r, at.project); err != nil {
					return err
				}
				since[at.project] = slept
			}
			if slept.IsZero() {
				for _, num := range nums {
					changed[num] = true
				}
			} else if first.IsZero() || slept.Before(first) {
				first = slept
			}
		}
		if first.IsZero() {
			return nil
		}
		for offset := 0; ; offset += page {
			entries, err := r.MutationsSince(ctx, engram.EntityMemory, first, engram.Page{Limit: page, Offset: offset})
			if err != nil {
				return err
			}
			for _, m := range entries {
				num, _ := strconv.ParseInt(m.Key, 10, 64)
				if m.Verb != sleepVerb && m.Verb != "undo" && !m.At.Time().Before(since[m.Project]) {
					changed[num] = true
				}
			}
			if len(entries) < page {
				return nil
			}
		}
	})
	return func(num int64) bool { return changed[num] }, err
}

func countIf(nums []int64, is func(int64) bool) (n int) {
	for _, num := range nums {
		if is(num) {
			n++
		}
	}
	return n
}
