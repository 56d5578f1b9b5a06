package relate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// Kinds of judges.
const (
	KindAgent  = "agent"  // the agent that was shown the candidate
	KindHuman  = "human"  // a person
	KindSystem = "system" // a program that examines many pairs
)

// Verdicts returns the possible verdicts on two memories, in the order of the help.
func Verdicts() []engram.Verb {
	return []engram.Verb{engram.VerbRelatesTo, engram.VerbCompatible, engram.VerbScoped, engram.VerbContradicts,
		engram.VerbSupersedes, engram.VerbNotConflict}
}

// IsVerdict reports whether v is one of Verdicts.
func IsVerdict(v engram.Verb) bool { return slices.Contains(Verdicts(), v) }

// JudgeInput is a verdict on a known relation: a candidate, or one judged before.
type JudgeInput struct {
	Ref      engram.RelationRef
	Verb     engram.Verb // one of Verdicts
	Reason   string
	Evidence string
	// Confidence is 0 to 1; nil is 1. A relates_to with confidence 0 is a plain relation: it does not keep the
	// pair from being flagged again.
	Confidence *float64
	SessionID  string
	Model      string // the model that judged; "" if unknown
	ActorKind  string // one of the kinds; "" is KindAgent
	// Reverse swaps the ends: with supersedes the older memory stays and the newer one is hidden. The relation
	// gets a new ID; the old one still leads to it.
	Reverse bool
}

// Judge records a verdict in place of an earlier one. Two memories have at most one judgment: it removes other
// judgments of the pair, and turns a relation of the same verb into the verdict.
//
// CodeInvalid for a verb that is not a verdict, for Reverse with a verb other than supersedes, and for memories
// of two projects; CodeNotFound for a relation that does not exist, or was removed without a later verdict;
// CodeConflict if a memory was forgotten, or if the target already supersedes the source, directly or not.
func (k *Linker) Judge(ctx context.Context, in JudgeInput) (Conflict, error) {
	v, err := k.Verdict(in)
	if err != nil {
		return Conflict{}, err
	}
	if in.Reverse && in.Verb != engram.VerbSupersedes {
		return Conflict{}, engram.Errorf(engram.CodeInvalid, "cannot reverse %s: it is the same in both directions", in.Verb).WithHint("use reverse only with supersedes")
	}
	return ledger.Perform(ctx, k.ledger, "judge", func(o *ledger.Tx) (Conflict, error) {
		named, r, err := judgeable(ctx, o, in.Ref)
		if err != nil {
			return Conflict{}, err
		}
		// The caller means the ends of the relation it named, even if one in the other direction has replaced
		// it.
		v.Source, v.Target = named.Source, named.Target
		if in.Reverse {
			v.Source, v.Target = named.Target, named.Source
		}
		return Resolve(ctx, o, v, &r)
	})
}

// Verdict is a checked judgement of two memories.
type Verdict struct {
	Source, Target int64
	said           engram.Relation // without ends and times
}

// Verdict checks and cleans a judgement.
func (k *Linker) Verdict(in JudgeInput) (Verdict, error) {
	texts := screen.Raw{"reason", in.Reason, "evidence", in.Evidence, "session id", in.SessionID, "model", in.Model}
	if err := texts.Check(); err != nil {
		return Verdict{}, err
	}
	if !IsVerdict(in.Verb) {
		return Verdict{}, notAVerdict(in.Verb)
	}
	confidence := 1.0
	if in.Confidence != nil {
		confidence = *in.Confidence
	}
	if !(confidence >= 0 && confidence <= 1) { // NaN is neither
		return Verdict{}, engram.Errorf(engram.CodeInvalid, "confidence must be between 0.0 and 1.0")
	}
	in.ActorKind = cmp.Or(in.ActorKind, KindAgent)
	actor, known := map[string]string{KindAgent: KindAgent, KindHuman: "user", KindSystem: "engram"}[in.ActorKind]
	if !known {
		return Verdict{}, engram.Errorf(engram.CodeInvalid, "unknown kind of judge %q", in.ActorKind).WithHint("use agent, human or system")
	}
	w := k.screen.Redactor()
	return Verdict{said: engram.Relation{Verb: in.Verb, Status: engram.RelationJudged, Strength: 1, Reason: w.Line(in.Reason),
		Evidence: strings.TrimSpace(w.Text(in.Evidence)), Confidence: confidence, Actor: actor, ActorKind: in.ActorKind,
		Model: screen.Line(in.Model), SessionID: screen.Line(in.SessionID)}}, nil
}

func notAVerdict(v engram.Verb) error {
	names := walk.Mapped(Verdicts(), func(known engram.Verb) string { return string(known) })
	return engram.Errorf(engram.CodeInvalid, "%q is not a verdict", v).WithHint("use one of %s", strings.Join(names, ", "))
}

// judgeable returns the relation that ref names and the one to judge: the same, or its replacement. Relations
// that record where a memory comes from cannot be judged.
func judgeable(ctx context.Context, o *ledger.Tx, ref engram.RelationRef) (named, now engram.Relation, err error) {
	ref.ID = strings.ToLower(screen.Line(ref.ID))
	if named, err = o.Store.Relation(ctx, ref); err != nil {
		return named, now, err
	}
	if now, err = inPlaceOf(ctx, o.Store, named); err != nil {
		return named, now, err
	}
	if now.Removed() {
		return named, now, engram.Errorf(engram.CodeNotFound, "relation %s was removed", named.ID).WithHint("see {conflicts list}")
	}
	if !IsVerdict(now.Verb) {
		return named, now, engram.Errorf(engram.CodeInvalid, "relation %s says %s, which is not a verdict", named.ID, now.Verb).
			WithHint("{unlink %d %s %d} removes it", now.Source, now.Verb, now.Target)
	}
	if !now.Judgment() { // a mistyped number would hide a memory
		return named, now, engram.Errorf(engram.CodeNotFound, "relation %s is not a conflict: it relates #%d and #%d", named.ID, now.Source, now.Target).
			WithHint("{conflicts list} lists the conflicts; {link A RELATION B} relates two memories")
	}
	return named, now, nil
}

// inPlaceOf returns r, or the judgment that replaced it: an agent may still hold the id of a candidate that was
// judged since.
func inPlaceOf(ctx context.Context, reader engram.Reader, r engram.Relation) (engram.Relation, error) {
	if !r.Removed() || !IsVerdict(r.Verb) {
		return r, nil
	}
	pair, err := engram.RelationsBetween(ctx, reader, r.Source, r.Target)
	if err != nil {
		return r, err
	}
	if i := slices.IndexFunc(pair, engram.Relation.Judgment); i >= 0 {
		return pair[i], nil
	}
	return r, nil
}

// Resolve writes a verdict over the relation on, or over the pair's relation if on is nil, and removes the
// pair's other judgments.
func Resolve(ctx context.Context, o *ledger.Tx, v Verdict, on *engram.Relation) (Conflict, error) {
	project, err := comparable(ctx, o, v)
	if err != nil {
		return Conflict{}, err
	}
	if v.said.Verb == engram.VerbSupersedes {
		if err := o.Acyclic(ctx, v.Source, v.Target); err != nil {
			return Conflict{}, err
		}
	}
	pair, err := engram.RelationsBetween(ctx, o.Store, v.Source, v.Target)
	if err != nil {
		return Conflict{}, err
	}
	if on == nil {
		on = ofPair(pair, v.said.Verb)
	}
	if on != nil && on.Source != v.Source {
		if v.said.Verb == engram.VerbSupersedes {
			on = nil // a relation keeps its ends, and here they decide which memory is hidden
		} else {
			v.Source, v.Target = on.Source, on.Target
		}
	}
	for _, r := range pair {
		stays := on != nil && r.Num == on.Num || !r.Judgment() && r.Verb != v.said.Verb
		if stays {
			continue
		}
		if _, err := RemoveRelation(ctx, o, r, project, "one with a verdict"); err != nil {
			return Conflict{}, err
		}
	}
	now, err := record(ctx, o, v, on, project)
	if err != nil {
		return Conflict{}, err
	}
	return conflictOf(ctx, o.Store, now)
}

// RemoveRelation marks a relation as removed and returns it.
func RemoveRelation(ctx context.Context, o *ledger.Tx, was engram.Relation, project, reason string) (engram.Relation, error) {
	now := was
	now.RemovedAt, now.UpdatedAt = o.At, o.At
	return now, o.ReplaceRelation(ctx, was, now, project, reason)
}

func record(ctx context.Context, o *ledger.Tx, v Verdict, on *engram.Relation, project string) (engram.Relation, error) {
	now := v.said
	now.Source, now.Target = v.Source, v.Target
	if on == nil {
		err := o.InsertRelations(ctx, project, "a verdict", &now)
		return now, err
	}
	now.Num, now.ID, now.CreatedAt, now.UpdatedAt = on.Num, on.ID, on.CreatedAt, o.At
	return now, o.ReplaceRelation(ctx, *on, now, project, "a verdict")
}

// comparable returns the project of two memories, and checks that both are live and of one project.
func comparable(ctx context.Context, o *ledger.Tx, v Verdict) (project string, err error) {
	ms, err := o.Store.Memories(ctx, []int64{v.Source, v.Target})
	if err != nil {
		return "", err
	}
	for _, m := range ms {
		if m.Forgotten() {
			return "", engram.Errorf(engram.CodeConflict, "memory #%d was forgotten: there is nothing left to judge", m.Num).
				WithHint("{log %d} shows what forgot it, and {undo OP} takes that back", m.Num)
		}
	}
	if len(ms) != 2 {
		return "", engram.Errorf(engram.CodeNotFound, "a memory of the relation does not exist")
	}
	if ms[0].Project != ms[1].Project {
		return "", engram.Errorf(engram.CodeInvalid, "#%d belongs to project %q, #%d to %q", ms[0].Num, ms[0].Project, ms[1].Num, ms[1].Project).
			WithHint("verdicts need memories of one project; {link A B} relates those of two")
	}
	return ms[0].Project, nil
}

// ofPair returns the relation that a verdict replaces: the pair's judgment, else a relation of the same verb,
// else nil.
func ofPair(pair []engram.Relation, verb engram.Verb) *engram.Relation {
	for _, wanted := range []func(engram.Relation) bool{
		engram.Relation.Judgment,
		func(r engram.Relation) bool { return r.Verb == verb },
	} {
		if i := slices.IndexFunc(pair, wanted); i >= 0 {
			return &pair[i]
		}
	}
	return nil
}

// Candidate is a memory that may contradict the saved one; somebody should judge the pair.
type Candidate struct {
	Memory   engram.Memory   // the other one
	Relation engram.Relation // pending; its ID is that of the judgment
	Score    float64         // 0 to 1, higher is likelier: weight of the difference × cosine
	Reason   string          // the difference, for a person
}

// Flag adds a pending candidate for m and a similar memory that differs. It flags a pair once: if the pair is
// pending or judged, it returns that relation and false. A pair whose verdict was removed may be flagged again.
func Flag(ctx context.Context, o *ledger.Tx, m engram.Memory, n search.Near, d contradiction.Difference) (r engram.Relation, added bool, err error) {
	relations, made := o.RelationsOfNew(m.Num)
	if !made {
		if relations, err = engram.RelationsBetween(ctx, o.Store, m.Num, n.Memory.Num); err != nil {
			return r, false, err
		}
	}
	for _, known := range relations {
		if known.Judgment() && (known.Source == n.Memory.Num || known.Target == n.Memory.Num) {
			return known, false, nil
		}
	}
	r = engram.Relation{Source: m.Num, Target: n.Memory.Num, Verb: engram.VerbContradicts, Status: engram.RelationPending,
		Strength: min(max(n.Cosine, 0), 1), Reason: ReasonOf(d), Confidence: d.Weight, Actor: SystemActor, ActorKind: SystemKind,
		SessionID: m.SessionID}
	// The journal records only the kind: it must not contain words of a memory.
	return r, true, o.InsertRelations(ctx, m.Project, "differs in a "+string(d.Kind), &r)
}

// Author of relations that Engram creates by itself.
const (
	SystemActor = "engram"
	SystemKind  = "system"
)

// ReasonOf describes a difference for a person.
func ReasonOf(d contradiction.Difference) string { return string(d.Kind) + ": " + d.String() }

// ScoreOf returns the likelihood that a similar memory with a difference contradicts, to three places.
func ScoreOf(n search.Near, d contradiction.Difference) float64 {
	return math.Round(1000*d.Weight*min(max(n.Cosine, 0), 1)) / 1000
}

// leastSeries is the least number of memories, each with another number or name, that form a series.
const leastSeries = 3

// SeriesOf returns the members of near that form a series with m; nil if they are too few.
func SeriesOf(m engram.Memory, near []Neighbour) map[int64]bool {
	members, texts := map[int64]bool{}, map[string]bool{m.NormalizedHash: true}
	for _, n := range near {
		if n.Series {
			members[n.Memory.Num], texts[n.Memory.NormalizedHash] = true, true
		}
	}
	if len(texts) < leastSeries {
		return nil
	}
	return members
}

// Neighbour is a similar memory, compared with the saved one.
type Neighbour struct {
	search.Near
	Difference contradiction.Difference
	Differs    bool
	Series     bool // equal but for the counted part of a series
}

// NearnessOf returns a cosine with the marks of its model.
func NearnessOf(m engram.Model, cosine float64) contradiction.Nearness {
	return contradiction.Nearness{Cosine: cosine, Related: m.Related, Duplicate: m.Duplicate}
}

// LeastOf returns the least cosine at which memories are compared. Only those above the model's related mark
// get a relation.
func LeastOf(m engram.Model) float64 { return NearnessOf(m, 0).Least() }

// ComparisonText returns the text used to find contradictions.
func ComparisonText(m engram.Memory) contradiction.Text {
	return contradiction.Text{Title: m.Title, Content: m.Content}
}
