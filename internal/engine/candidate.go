package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
)

// Candidate is a memory that may contradict the one that was saved: somebody should judge
// the two.
type Candidate struct {
	Memory   engram.Memory   // the other one
	Relation engram.Relation // pending; its ID is the id of the judgment
	Score    float64         // 0 to 1, greater is more likely; the weight of the difference by the cosine
	Reason   string          // in what they differ, for a person
}

// raise asks for a verdict on m and a memory near to it, between which there is a
// difference. A pair is asked about once, whichever of the two was first: raised is
// false, and the relation the one there is, when it is pending or was judged before.
// A verdict that was taken back leaves the pair as if nobody had asked.
func (o *op) raise(ctx context.Context, m engram.Memory, n Near, d contradiction.Difference) (r engram.Relation, raised bool, err error) {
	ties, err := o.tx.Relations(ctx, []int64{m.Num})
	if err != nil {
		return r, false, err
	}
	for _, tie := range ties {
		if tie.Judgment() && isBetween(tie, m.Num, n.Memory.Num) {
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

// scoreOf is how likely a near memory with a difference contradicts.
func scoreOf(n Near, d contradiction.Difference) float64 { return d.Weight * min(max(n.Cosine, 0), 1) }
