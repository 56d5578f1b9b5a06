package engine

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
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
func (e *Engine) Judge(ctx context.Context, in JudgeInput) (Conflict, error) {
	v, err := e.verdict(in)
	if err != nil {
		return Conflict{}, err
	}
	if in.Reverse && in.Verb != engram.VerbSupersedes {
		return Conflict{}, engram.Errorf(engram.CodeInvalid, "cannot reverse %s: it is the same in both directions", in.Verb).WithHint("use reverse only with supersedes")
	}
	return perform(ctx, e, "judge", func(o *op) (Conflict, error) {
		named, r, err := o.judgeable(ctx, in.Ref)
		if err != nil {
			return Conflict{}, err
		}
		// The caller means the ends of the relation it named, even if one in the other direction has replaced
		// it.
		v.source, v.target = named.Source, named.Target
		if in.Reverse {
			v.source, v.target = named.Target, named.Source
		}
		return o.resolve(ctx, v, &r)
	})
}

type verdict struct {
	source, target int64
	said           engram.Relation // without ends and times
}

func (e *Engine) verdict(in JudgeInput) (verdict, error) {
	texts := raw{"reason", in.Reason, "evidence", in.Evidence, "session id", in.SessionID, "model", in.Model}
	if err := texts.check(); err != nil {
		return verdict{}, err
	}
	if !IsVerdict(in.Verb) {
		return verdict{}, notAVerdict(in.Verb)
	}
	confidence := 1.0
	if in.Confidence != nil {
		confidence = *in.Confidence
	}
	if !(confidence >= 0 && confidence <= 1) { // NaN is neither
		return verdict{}, engram.Errorf(engram.CodeInvalid, "confidence must be between 0.0 and 1.0")
	}
	in.ActorKind = cmp.Or(in.ActorKind, KindAgent)
	actor, known := map[string]string{KindAgent: KindAgent, KindHuman: "user", KindSystem: "engram"}[in.ActorKind]
	if !known {
		return verdict{}, engram.Errorf(engram.CodeInvalid, "unknown kind of judge %q", in.ActorKind).WithHint("use agent, human or system")
	}
	w := e.redactor()
	return verdict{said: engram.Relation{Verb: in.Verb, Status: engram.RelationJudged, Strength: 1, Reason: w.line(in.Reason),
		Evidence: strings.TrimSpace(w.text(in.Evidence)), Confidence: confidence, Actor: actor, ActorKind: in.ActorKind,
		Model: line(in.Model), SessionID: line(in.SessionID)}}, nil
}

func notAVerdict(v engram.Verb) error {
	names := mapped(Verdicts(), func(known engram.Verb) string { return string(known) })
	return engram.Errorf(engram.CodeInvalid, "%q is not a verdict", v).WithHint("use one of %s", strings.Join(names, ", "))
}

// judgeable returns the relation that ref names and the one to judge: the same, or its replacement. Relations
// that record where a memory comes from cannot be judged.
func (o *op) judgeable(ctx context.Context, ref engram.RelationRef) (named, now engram.Relation, err error) {
	ref.ID = strings.ToLower(line(ref.ID))
	if named, err = o.tx.Relation(ctx, ref); err != nil {
		return named, now, err
	}
	if now, err = inPlaceOf(ctx, o.tx, named); err != nil {
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
	pair, err := reader.RelationsBetween(ctx, r.Source, r.Target)
	if err != nil {
		return r, err
	}
	if i := slices.IndexFunc(pair, engram.Relation.Judgment); i >= 0 {
		return pair[i], nil
	}
	return r, nil
}

// resolve writes a verdict over the relation on, or over the pair's relation if on is nil, and removes the
// pair's other judgments.
func (o *op) resolve(ctx context.Context, v verdict, on *engram.Relation) (Conflict, error) {
	project, err := o.comparable(ctx, v)
	if err != nil {
		return Conflict{}, err
	}
	if v.said.Verb == engram.VerbSupersedes {
		if err := o.acyclic(ctx, v.source, v.target); err != nil {
			return Conflict{}, err
		}
	}
	pair, err := o.tx.RelationsBetween(ctx, v.source, v.target)
	if err != nil {
		return Conflict{}, err
	}
	if on == nil {
		on = ofPair(pair, v.said.Verb)
	}
	if on != nil && on.Source != v.source {
		if v.said.Verb == engram.VerbSupersedes {
			on = nil // a relation keeps its ends, and here they decide which memory is hidden
		} else {
			v.source, v.target = on.Source, on.Target
		}
	}
	for _, r := range pair {
		stays := on != nil && r.Num == on.Num || !r.Judgment() && r.Verb != v.said.Verb
		if stays {
			continue
		}
		if _, err := o.removeRelation(ctx, r, project, "one with a verdict"); err != nil {
			return Conflict{}, err
		}
	}
	now, err := o.record(ctx, v, on, project)
	if err != nil {
		return Conflict{}, err
	}
	return conflictOf(ctx, o.tx, now)
}

// removeRelation marks a relation as removed and returns it.
func (o *op) removeRelation(ctx context.Context, was engram.Relation, project, reason string) (engram.Relation, error) {
	now := was
	now.RemovedAt, now.UpdatedAt = o.at, o.at
	return now, o.replaceRelation(ctx, was, now, project, reason)
}

func (o *op) record(ctx context.Context, v verdict, on *engram.Relation, project string) (engram.Relation, error) {
	now := v.said
	now.Source, now.Target = v.source, v.target
	if on == nil {
		err := o.insertRelation(ctx, &now, project, "a verdict")
		return now, err
	}
	now.Num, now.ID, now.CreatedAt, now.UpdatedAt = on.Num, on.ID, on.CreatedAt, o.at
	return now, o.replaceRelation(ctx, *on, now, project, "a verdict")
}

// comparable returns the project of two memories, and checks that both are live and of one project.
func (o *op) comparable(ctx context.Context, v verdict) (project string, err error) {
	ms, err := o.tx.Memories(ctx, []int64{v.source, v.target})
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

// acyclic rejects a supersedes relation if target already supersedes source, directly or through others: a
// cycle would hide all its memories. A relation of the two themselves is replaced and does not count.
func (o *op) acyclic(ctx context.Context, source, target int64) error {
	seen := map[int64]bool{target: true}
	for next := []int64{target}; len(next) > 0; {
		all, err := o.tx.RelationsOf(ctx, next, []engram.Verb{engram.VerbSupersedes}, math.MaxInt32)
		if err != nil {
			return err
		}
		next = nil
		for _, r := range all {
			own := r.Source == target && r.Target == source
			if !r.Supersedes() || own || !seen[r.Source] || seen[r.Target] {
				continue
			}
			if r.Target == source {
				return engram.Errorf(engram.CodeConflict, "#%d cannot supersede #%d, which supersedes it through others", source, target).
					WithHint("{graph %d --relation supersedes} shows the chain", target)
			}
			seen[r.Target] = true
			next = append(next, r.Target)
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

// relateNear relates a saved memory to similar ones and flags likely contradictions. Repeats were examined
// before.
func (s *saver) relateNear(ctx context.Context, near []neighbour, res *SaveResult) error {
	m := res.Memory
	if res.Action == lifecycle.Repeat || slices.Contains(s.policy.Unlinked, m.Type) {
		return nil
	}
	near = slices.DeleteFunc(slices.Clone(near), func(n neighbour) bool {
		return n.Memory.Num == m.Num || slices.Contains(s.policy.Unlinked, n.Memory.Type)
	})
	if err := s.flagAll(ctx, m, near, res); err != nil {
		return err
	}
	return s.linkAll(ctx, m, near, res)
}

// flagAll flags the likeliest contradictions. Members of a series do not contradict each other.
func (s *saver) flagAll(ctx context.Context, m engram.Memory, near []neighbour, res *SaveResult) error {
	members := seriesOf(m, near)
	if err := s.withdraw(ctx, m, members); err != nil {
		return err
	}
	differ := slices.DeleteFunc(slices.Clone(near), func(n neighbour) bool {
		return !n.differs || members[n.Memory.Num]
	})
	slices.SortStableFunc(differ, func(a, b neighbour) int {
		return cmp.Compare(scoreOf(b.Near, b.difference), scoreOf(a.Near, a.difference))
	})
	for _, n := range differ {
		if len(res.Candidates) == s.policy.MostCandidates {
			break
		}
		r, _, err := s.flag(ctx, m, n.Near, n.difference)
		if err != nil {
			return err
		}
		if r.Status == engram.RelationPending { // flagged now, or before and not judged yet
			res.Candidates = append(res.Candidates, Candidate{n.Memory, r, scoreOf(n.Near, n.difference), reasonOf(n.difference)})
		}
	}
	return nil
}

// leastSeries is the least number of memories, each with another number or name, that form a series.
const leastSeries = 3

// seriesOf returns the members of near that form a series with m; nil if they are too few.
func seriesOf(m engram.Memory, near []neighbour) map[int64]bool {
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

// withdraw dismisses pending candidates among members of a series: before the third member came, two looked
// like a contradiction.
func (s *saver) withdraw(ctx context.Context, m engram.Memory, members map[int64]bool) error {
	if len(members) == 0 {
		return nil
	}
	nums := append(slices.Sorted(maps.Keys(members)), m.Num)
	relations, err := s.tx.RelationsOf(ctx, nums, []engram.Verb{engram.VerbContradicts}, mostRelations)
	if err != nil {
		return err
	}
	in := func(num int64) bool { return num == m.Num || members[num] }
	for _, was := range relations {
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

// linkAll relates m to the nearest memories that it is not related to yet.
func (s *saver) linkAll(ctx context.Context, m engram.Memory, near []neighbour, res *SaveResult) error {
	if len(near) == 0 {
		return nil
	}
	left, err := s.linksLeft(ctx, m, res.Action)
	if err != nil {
		return err
	}
	for _, n := range near {
		if left <= 0 || n.Cosine < s.embedder.Model().Related {
			break // the rest are farther
		}
		relations, err := s.tx.RelationsBetween(ctx, m.Num, n.Memory.Num)
		if err != nil {
			return err
		}
		if len(relations) > 0 {
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

// linksLeft returns how many relations m may still get, so that a memory revised daily is not related to
// everything.
func (s *saver) linksLeft(ctx context.Context, m engram.Memory, did Action) (int, error) {
	left := s.policy.MostLinks
	if did == lifecycle.Insert {
		return left, nil
	}
	relations, err := s.tx.RelationsOf(ctx, []int64{m.Num}, []engram.Verb{engram.VerbRelatesTo}, s.policy.MostLinks)
	for _, t := range relations {
		if t.Source == m.Num && t.ActorKind == systemKind {
			left--
		}
	}
	return left, err
}

// flag adds a pending candidate for m and a similar memory that differs. It flags a pair once: if the pair is
// pending or judged, it returns that relation and false. A pair whose verdict was removed may be flagged again.
func (o *op) flag(ctx context.Context, m engram.Memory, n Near, d contradiction.Difference) (r engram.Relation, added bool, err error) {
	relations, err := o.tx.RelationsBetween(ctx, m.Num, n.Memory.Num)
	if err != nil {
		return r, false, err
	}
	for _, pair := range relations {
		if pair.Judgment() {
			return pair, false, nil
		}
	}
	r = engram.Relation{Source: m.Num, Target: n.Memory.Num, Verb: engram.VerbContradicts, Status: engram.RelationPending,
		Strength: min(max(n.Cosine, 0), 1), Reason: reasonOf(d), Confidence: d.Weight, Actor: systemActor, ActorKind: systemKind,
		SessionID: m.SessionID}
	// The journal records only the kind: it must not contain words of a memory.
	return r, true, o.insertRelation(ctx, &r, m.Project, "differs in a "+string(d.Kind))
}

// Author of relations that Engram creates by itself.
const (
	systemActor = "engram"
	systemKind  = "system"
)

// isBetween reports whether r relates two memories, in either direction.
func isBetween(r engram.Relation, a, b int64) bool {
	return r.Source == a && r.Target == b || r.Source == b && r.Target == a
}

// reasonOf describes a difference for a person.
func reasonOf(d contradiction.Difference) string { return string(d.Kind) + ": " + d.String() }

// scoreOf returns the likelihood that a similar memory with a difference contradicts, to three places.
func scoreOf(n Near, d contradiction.Difference) float64 {
	return math.Round(1000*d.Weight*min(max(n.Cosine, 0), 1)) / 1000
}
