package consolidate

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// DiagnosticsInput selects a project to diagnose.
type DiagnosticsInput struct {
	Project string // "" is every project
	Limit   int    // of each list; 0 is 10, at most 100
	// Progress, if not nil, receives the number of memories compared so far and in all.
	Progress func(what string, done, total int)
}

// Diagnostics are memories that deserve a look.
type Diagnostics = lifecycle.Diagnostics

// Diagnose finds memories that deserve a look, and changes nothing. It compares all memories of a project with
// each other. An unknown project has none; a limit out of range is invalid.
func (c *Consolidator) Diagnose(ctx context.Context, in DiagnosticsInput) (Diagnostics, error) {
	limit, err := screen.Limited("limit", in.Limit, 10, 100)
	if err != nil {
		return Diagnostics{}, err
	}
	d := diagnosis{consolidator: c, in: in, limit: limit, res: Diagnostics{Project: screen.NormalProject(in.Project), At: c.ledger.Now()}}
	if err := c.ledger.View(ctx, func(r engram.Reader) error { return d.look(ctx, r) }); err != nil {
		return Diagnostics{}, err
	}
	return d.res, d.duplicates(ctx)
}

type diagnosis struct {
	consolidator *Consolidator
	in           DiagnosticsInput
	limit        int
	groups       relate.DuplicateGroups
	res          Diagnostics
}

// look finds weak, unread and unrelated memories.
func (d *diagnosis) look(ctx context.Context, r engram.Reader) error {
	var night lifecycle.Night
	var err error
	if night.Decay, err = r.Decays(ctx); err != nil {
		return err
	}
	weakest := vector.NewTop(d.limit)
	var never []int64
	err = r.Outlines(ctx, engram.Filter{Project: d.res.Project}, 0, func(m engram.Memory) bool {
		d.res.Memories++
		if !m.Permanent {
			weakest.Offer(m.Num, -lifecycle.Strength(m, d.res.At, night.DecayOf(m, d.consolidator.ledger.Policy)))
		}
		if m.AccessCount == 0 {
			never = append(never, m.Num)
		}

		d.groups.Add(engram.Memory{Num: m.Num, Project: m.Project})
		return true
	})

	if err != nil {
		return err
	}
	d.res.Never = len(never)
	slices.Sort(never)
	if d.res.Unrecalled, err = r.Memories(ctx, never[:min(len(never), d.limit)]); err != nil {
		return err
	}
	ranked := weakest.Ranked()
	ms, err := r.Memories(ctx, walk.NumsOf(ranked))
	if err != nil {
		return err
	}
	for i, m := range ms {
		d.res.Weakest = append(d.res.Weakest, lifecycle.Weak{Memory: m, Strength: -ranked[i].Score})
	}
	return d.orphans(ctx, r, never)
}

// orphans finds memories without relations among those never accessed.
func (d *diagnosis) orphans(ctx context.Context, r engram.Reader, never []int64) error {
	const atOnce = 500
	for len(never) > 0 && len(d.res.Orphans) < d.limit {
		part := never[:min(len(never), atOnce)]
		never = never[len(part):]
		relations, err := engram.RelationsOf(ctx, r, part, nil, 0)
		if err != nil {
			return err
		}
		related := map[int64]bool{}
		for _, t := range relations {
			related[t.Source], related[t.Target] = true, true
		}
		ms, err := r.Memories(ctx, part)
		if err != nil {
			return err
		}
		for _, m := range ms {
			if !related[m.Num] && m.TopicKey == "" && len(d.res.Orphans) < d.limit {
				d.res.Orphans = append(d.res.Orphans, m)
			}
		}
	}
	return nil
}

func (d *diagnosis) duplicates(ctx context.Context) error {
	if d.consolidator.ledger.Embedder == nil {
		d.res.Degraded = append(d.res.Degraded, relate.NoNearDuplicates)
		return nil
	}
	t := relate.DuplicateSearch{Linker: d.consolidator.relate, Mark: d.consolidator.ledger.Embedder.Model().Duplicate, Total: d.res.Memories, Report: ledger.Progress(d.in.Progress).Report}
	var all []lifecycle.NearDuplicate
	for _, at := range d.groups.Sorted() {
		pairs, _, err := t.Pairs(ctx, d.groups[at], func(int64) bool { return true })
		if err != nil {
			return err
		}
		d.res.Pairs += len(pairs)
		all = append(all, pairs...)
		slices.SortFunc(all, func(a, b lifecycle.NearDuplicate) int {
			return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
		})
		all = all[:min(len(all), d.limit)]
	}
	d.res.Degraded = append(d.res.Degraded, t.Degraded()...)
	return d.consolidator.ledger.View(ctx, func(r engram.Reader) error {
		var err error
		if all, err = relate.Exactly(ctx, r, all, d.consolidator.ledger.Embedder.Model()); err != nil {
			return err
		}
		ms, err := r.Memories(ctx, relate.NumsOfDuplicates(all))
		if err != nil {
			return err
		}
		if all, err = against(ctx, r, ms, all, d.consolidator.ledger.Embedder.Model()); err != nil {
			return err
		}
		byNum := screen.ByNum(ms)
		for _, t := range all {
			pair := lifecycle.DuplicatePair{A: byNum[min(t.A, t.B)], B: byNum[max(t.A, t.B)], Cosine: t.Cosine, Against: t.Against}
			if pair.A.Num != 0 && pair.B.Num != 0 { // neither was erased meanwhile
				d.res.Duplicates = append(d.res.Duplicates, pair)
			}
		}
		return nil
	})
}
