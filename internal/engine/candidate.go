package engine

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Candidate is a memory that may contradict the one that was saved: somebody should judge
// the two.
type Candidate struct {
	Memory   engram.Memory   // the other one
	Relation engram.Relation // pending; its ID is the id of the judgment
	Score    float64         // 0 to 1, greater is more likely; the weight of the difference by the cosine
	Reason   string          // in what they differ, for a person
}

// tieNear ties what was saved to what is near to it, and asks for verdicts on what it may
// contradict. A repeat says nothing that was not looked at before.
func (s *saver) tieNear(ctx context.Context, near []likeness, res *SaveResult) error {
	m := res.Memory
	if res.Action == lifecycle.Repeat || slices.Contains(s.policy.Unlinked, m.Type) {
		return nil
	}
	near = slices.DeleteFunc(slices.Clone(near), func(n likeness) bool {
		return n.Memory.Num == m.Num || slices.Contains(s.policy.Unlinked, n.Memory.Type)
	})
	if err := s.raiseAll(ctx, m, near, res); err != nil {
		return err
	}
	return s.linkAll(ctx, m, near, res)
}

// raiseAll asks for verdicts on the likeliest contradictions. Members of a series are none.
func (s *saver) raiseAll(ctx context.Context, m engram.Memory, near []likeness, res *SaveResult) error {
	members := seriesOf(m, near)
	if err := s.withdraw(ctx, m, members); err != nil {
		return err
	}
	differ := slices.DeleteFunc(slices.Clone(near), func(n likeness) bool {
		return !n.differs || members[n.Memory.Num]
	})
	slices.SortStableFunc(differ, func(a, b likeness) int {
		return cmp.Compare(scoreOf(b.Near, b.difference), scoreOf(a.Near, a.difference))
	})
	for _, n := range differ {
		if len(res.Candidates) == s.policy.MostCandidates {
			break
		}
		r, _, err := s.raise(ctx, m, n.Near, n.difference)
		if err != nil {
			return err
		}
		if r.Status == engram.RelationPending { // raised now, or before and nobody has judged
			res.Candidates = append(res.Candidates, Candidate{n.Memory, r, scoreOf(n.Near, n.difference), reasonOf(n.difference)})
		}
	}
	return nil
}

// leastSeries is how many members make a series, each with another number or name.
const leastSeries = 3

// seriesOf are those of near that are one series with m; nil where they are too few.
func seriesOf(m engram.Memory, near []likeness) map[int64]bool {
	members, texts := map[int64]bool{}, map[string]bool{m.NormalizedHash: true}
	for _, n := range near {
		if n.series {
			members[n.Memory.Num], texts[n.Memory.NormalizedHash] = true, true
		}
	}
	if len(texts) < leastSeries {
		return nil
	}
	return members
}

// withdraw sets aside what was asked about members of a series before the third of them
// came: two of them look like a contradiction. Nobody is asked about the pair again.
func (s *saver) withdraw(ctx context.Context, m engram.Memory, members map[int64]bool) error {
	if len(members) == 0 {
		return nil
	}
	nums := append(slices.Sorted(maps.Keys(members)), m.Num)
	ties, err := s.tx.RelationsOf(ctx, nums, []engram.Verb{engram.VerbContradicts}, mostTies)
	if err != nil {
		return err
	}
	in := func(num int64) bool { return num == m.Num || members[num] }
	for _, was := range ties {
		if was.Status != engram.RelationPending || was.ActorKind != systemKind || !in(was.Source) || !in(was.Target) {
			continue
		}
		now := was
		now.Status, now.UpdatedAt = engram.RelationIgnored, s.at
		if err := s.replaceRelation(ctx, was, now, m.Project, "members of a series"); err != nil {
			return err
		}
	}
	return nil
}

// linkAll ties m to what is nearest, as far as it is not tied already.
func (s *saver) linkAll(ctx context.Context, m engram.Memory, near []likeness, res *SaveResult) error {
	if len(near) == 0 {
		return nil
	}
	left, err := s.linksLeft(ctx, m, res.Action)
	if err != nil {
		return err
	}
	for _, n := range near {
		if left <= 0 || n.Cosine < s.embedder.Model().Related {
			break // the next ones are farther
		}
		ties, err := s.tx.RelationsBetween(ctx, m.Num, n.Memory.Num)
		if err != nil {
			return err
		}
		if len(ties) > 0 {
			continue
		}
		r := engram.Relation{Source: m.Num, Target: n.Memory.Num, Verb: engram.VerbRelatesTo, Status: engram.RelationJudged,
			Strength: min(max(n.Cosine, 0), 1), Actor: systemActor, ActorKind: systemKind, SessionID: m.SessionID}
		if err := s.insertRelation(ctx, &r, m.Project, "near in meaning"); err != nil {
			return err
		}
		res.Related = append(res.Related, n.Near)
		left--
	}
	return nil
}

// linksLeft is to how many memories m may still be tied: one that is revised every day
// must not end up tied to everything.
func (s *saver) linksLeft(ctx context.Context, m engram.Memory, did Action) (int, error) {
	left := s.policy.MostLinks
	if did == lifecycle.Insert {
		return left, nil
	}
	ties, err := s.tx.RelationsOf(ctx, []int64{m.Num}, []engram.Verb{engram.VerbRelatesTo}, s.policy.MostLinks)
	for _, t := range ties {
		if t.Source == m.Num && t.ActorKind == systemKind {
			left--
		}
	}
	return left, err
}

// raise asks for a verdict on m and a memory near to it, between which there is a
// difference. A pair is asked about once, whichever of the two was first: raised is
// false, and the relation the one there is, when it is pending or was judged before.
// A verdict that was taken back leaves the pair as if nobody had asked.
func (o *op) raise(ctx context.Context, m engram.Memory, n Near, d contradiction.Difference) (r engram.Relation, raised bool, err error) {
	ties, err := o.tx.RelationsBetween(ctx, m.Num, n.Memory.Num)
	if err != nil {
		return r, false, err
	}
	for _, tie := range ties {
		if tie.Judgment() {
			return tie, false, nil
		}
	}
	r = engram.Relation{Source: m.Num, Target: n.Memory.Num, Verb: engram.VerbContradicts, Status: engram.RelationPending,
		Strength: min(max(n.Cosine, 0), 1), Reason: reasonOf(d), Confidence: d.Weight, Actor: systemActor, ActorKind: systemKind,
		SessionID: m.SessionID}
	// The journal is told no more than the kind: it must not keep words of a memory.
	return r, true, o.insertRelation(ctx, &r, m.Project, "differs in a "+string(d.Kind))
}

// What Engram ties by itself is told from what an agent or a person did.
const (
	systemActor = "engram"
	systemKind  = "system"
)

// isBetween reports whether r ties two memories, in either direction.
func isBetween(r engram.Relation, a, b int64) bool {
	return r.Source == a && r.Target == b || r.Source == b && r.Target == a
}

// reasonOf says a difference for a person.
func reasonOf(d contradiction.Difference) string { return string(d.Kind) + ": " + d.String() }

// scoreOf is how likely a near memory with a difference contradicts, to three places.
func scoreOf(n Near, d contradiction.Difference) float64 {
	return math.Round(1000*d.Weight*min(max(n.Cosine, 0), 1)) / 1000
}
