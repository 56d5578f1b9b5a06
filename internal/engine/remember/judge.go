package remember

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// relateNear relates a saved memory to similar ones and flags likely contradictions. Repeats were examined
// before.
func (s *Saver) relateNear(ctx context.Context, near []relate.Neighbour, res *SaveResult) error {
	m := res.Memory
	if res.Action == lifecycle.Repeat || slices.Contains(s.writer.ledger.Policy.Unlinked, m.Type) {
		return nil
	}
	apart := func(n relate.Neighbour) bool {
		return n.Memory.Num == m.Num || slices.Contains(s.writer.ledger.Policy.Unlinked, n.Memory.Type)
	}
	if slices.ContainsFunc(near, apart) { // seldom, and they are large
		near = slices.DeleteFunc(slices.Clone(near), apart)
	}
	if err := s.flagAll(ctx, m, near, res); err != nil {
		return err
	}
	return s.linkAll(ctx, m, near, res)
}

// flagAll flags the likeliest contradictions. Members of a series do not contradict each other.
func (s *Saver) flagAll(ctx context.Context, m engram.Memory, near []relate.Neighbour, res *SaveResult) error {
	members := relate.SeriesOf(m, near)
	if err := s.withdraw(ctx, m, members); err != nil {
		return err
	}
	var differ []relate.Neighbour
	for _, n := range near {
		if n.Differs && !members[n.Memory.Num] {
			differ = append(differ, n)
		}
	}
	slices.SortStableFunc(differ, func(a, b relate.Neighbour) int {
		return cmp.Compare(relate.ScoreOf(b.Near, b.Difference), relate.ScoreOf(a.Near, a.Difference))
	})
	for _, n := range differ {
		if len(res.Candidates) == s.writer.ledger.Policy.MostCandidates {
			break
		}
		r, _, err := relate.Flag(ctx, s.tx, m, n.Near, n.Difference)
		if err != nil {
			return err
		}
		if r.Status == engram.RelationPending { // flagged now, or before and not judged yet
			res.Candidates = append(res.Candidates, relate.Candidate{Memory: n.Memory, Relation: r, Score: relate.ScoreOf(n.Near, n.Difference), Reason: relate.ReasonOf(n.Difference)})
		}
	}
	return nil
}

// withdraw dismisses pending candidates among members of a series: before the third member came, two looked
// like a contradiction.
func (s *Saver) withdraw(ctx context.Context, m engram.Memory, members map[int64]bool) error {
	if len(members) == 0 {
		return nil
	}
	nums := append(slices.Sorted(maps.Keys(members)), m.Num)
	relations, err := engram.RelationsOf(ctx, s.tx.Store, nums, []engram.Verb{engram.VerbContradicts}, view.MostRelations)
	if err != nil {
		return err
	}
	in := func(num int64) bool { return num == m.Num || members[num] }
	for _, was := range relations {
		if was.Status != engram.RelationPending || was.ActorKind != relate.SystemKind || !in(was.Source) || !in(was.Target) {
			continue
		}
		now := was
		now.Status, now.UpdatedAt = engram.RelationIgnored, s.tx.At
		if err := s.tx.ReplaceRelation(ctx, was, now, m.Project, "members of a series"); err != nil {
			return err
		}
	}
	return nil
}

// linkAll relates m to the nearest memories that it is not related to yet.
func (s *Saver) linkAll(ctx context.Context, m engram.Memory, near []relate.Neighbour, res *SaveResult) error {
	if len(near) == 0 {
		return nil
	}
	left, err := s.linksLeft(ctx, m, res.Action)
	if err != nil {
		return err
	}
	known, made := s.tx.RelationsOfNew(m.Num)
	if !made {
		related := walk.Mapped(near, func(n relate.Neighbour) int64 { return n.Memory.Num })
		known, err = s.tx.Store.Relations(ctx, engram.RelationFilter{Of: []int64{m.Num}, With: related}, engram.Page{Limit: math.MaxInt})
		if err != nil {
			return err
		}
	}
	ends := walk.SetOf(screen.EndsOf(known))
	var links []*engram.Relation
	for _, n := range near {
		if left <= 0 || n.Cosine < s.writer.ledger.Embedder.Model().Related {
			break // the rest are farther
		}
		if ends[n.Memory.Num] {
			continue
		}
		links = append(links, &engram.Relation{Source: m.Num, Target: n.Memory.Num, Verb: engram.VerbRelatesTo, Status: engram.RelationJudged,
			Strength: min(max(n.Cosine, 0), 1), Actor: relate.SystemActor, ActorKind: relate.SystemKind, SessionID: m.SessionID})
		if res.Related == nil {
			res.Related = make([]search.Near, 0, min(left, len(near)))
		}
		res.Related = append(res.Related, n.Near)
		left--
	}
	return s.tx.InsertRelations(ctx, m.Project, "near in meaning", links...)
}

// linksLeft returns how many relations m may still get, so that a memory revised daily is not related to
// everything.
func (s *Saver) linksLeft(ctx context.Context, m engram.Memory, did ledger.Action) (int, error) {
	left := s.writer.ledger.Policy.MostLinks
	if did == lifecycle.Insert {
		return left, nil
	}
	relations, err := engram.RelationsOf(ctx, s.tx.Store, []int64{m.Num}, []engram.Verb{engram.VerbRelatesTo}, s.writer.ledger.Policy.MostLinks)
	for _, t := range relations {
		if t.Source == m.Num && t.ActorKind == relate.SystemKind {
			left--
		}
	}
	return left, err
}
