// Package relate links memories: relations that a caller names, verdicts on contradictions, and scans for pairs to
// judge.
package relate

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// Linker links and compares memories. It is safe for concurrent use.
type Linker struct {
	screen *screen.Screen
	ledger *ledger.Ledger

	judge engram.Judge // judges pairs for a semantic scan; nil: none, and no memory leaves the process
}

// New returns a Linker; judge judges pairs for a semantic scan, nil for none.
func New(l *ledger.Ledger, judge engram.Judge) *Linker {
	return &Linker{screen: l.Screen, ledger: l, judge: judge}
}

// LinkInput relates one memory to another.
type LinkInput struct {
	Source, Target engram.Ref
	Verb           engram.Verb // as engram.ParseVerb reads it
	Strength       *float64    // 0 to 1; nil is 1, or keeps that of an existing relation
	Reason         string      // "" keeps that of an existing relation
	SessionID      string
	ActorKind      string // one of the kinds of judges; "" is KindAgent
}

// LinkAction is what happened to a relation.
type LinkAction string

// The actions.
const (
	LinkMade    LinkAction = "linked"  // created
	LinkChanged LinkAction = "changed" // strength, reason or verb changed
	LinkKnown   LinkAction = "known"   // existed unchanged
	LinkRemoved LinkAction = "removed" // removed
)

// Linked is a relation with its memories. The source may be the target that was named: a symmetric relation is
// stored once per pair.
type Linked struct {
	Relation engram.Relation
	Source   engram.Memory
	Target   engram.Memory
	Action   LinkAction
}

// Link relates two memories. Repeating it updates strength and reason, or nothing. supersedes, contradicts,
// compatible, scoped and not_conflict are verdicts: a pair has one, and a new one replaces a candidate or an
// earlier verdict.
//
// CodeInvalid for an unknown verb, a memory and itself, and memories of different projects, unless one of them
// has scope personal or global and the verb is not a verdict; CodeNotFound for a memory that does not exist or
// was forgotten; CodeConflict if the target already supersedes the source, directly or not: both would be
// hidden.
func (k *Linker) Link(ctx context.Context, in LinkInput) (Linked, error) {
	said, err := k.said(in)
	if err != nil {
		return Linked{}, err
	}
	return ledger.Perform(ctx, k.ledger, "link", func(o *ledger.Tx) (Linked, error) {
		l := Link{tx: o, Said: said, strength: in.Strength}
		if l.Source, err = o.Live(ctx, in.Source); err != nil {
			return Linked{}, err
		}
		if l.Target, err = o.Live(ctx, BesideOf(in.Target, l.Source)); err != nil {
			return Linked{}, err
		}
		return l.write(ctx)
	})
}

// BesideOf looks up a topic in the other memory's project if ref names none.
func BesideOf(ref engram.Ref, other engram.Memory) engram.Ref {
	if ref.Topic != "" && ref.Project == "" {
		ref.Project = other.Project
	}
	return ref
}

// said returns the cleaned relation that in asks for, without its ends.
func (k *Linker) said(in LinkInput) (engram.Relation, error) {
	texts := screen.Raw{"reason", in.Reason, "session id", in.SessionID}
	if err := texts.Check(); err != nil {
		return engram.Relation{}, err
	}
	verb, err := engram.ParseVerb(string(in.Verb))
	if err != nil {
		return engram.Relation{}, err
	}
	r := engram.Relation{Verb: verb, Status: engram.RelationJudged, Strength: 1, Reason: k.screen.Redactor().Line(in.Reason), Actor: k.ledger.Caller.Actor,
		ActorKind: cmp.Or(in.ActorKind, KindAgent), SessionID: screen.Line(in.SessionID)}
	if in.Strength != nil {
		r.Strength = *in.Strength
	}
	if err := screen.CheckShare("strength", r.Strength); err != nil {
		return engram.Relation{}, err
	}
	if r.Judgment() {
		r.Confidence = 1 // an unrequested judgment is certain
	}
	return r, nil
}

// Link is a relation that a caller asks for, with its ends.
type Link struct {
	tx             *ledger.Tx
	Said           engram.Relation // without the ends
	strength       *float64        // nil: keep, or 1
	Source, Target engram.Memory
}

func (l Link) write(ctx context.Context) (Linked, error) {
	if err := l.Allowed(); err != nil {
		return Linked{}, err
	}
	pair, err := engram.RelationsBetween(ctx, l.tx.Store, l.Source.Num, l.Target.Num)
	if err != nil {
		return Linked{}, err
	}
	if i := slices.IndexFunc(pair, l.same); i >= 0 {
		return l.again(ctx, pair[i])
	}
	if l.Said.Judgment() {
		return l.verdict(ctx, pair)
	}
	now := l.Said
	now.Source, now.Target = l.Source.Num, l.Target.Num
	err = l.tx.InsertRelations(ctx, l.Source.Project, "requested", &now)
	return l.done(now, LinkMade), err
}

// Allowed rejects memories that cannot be related.
func (l Link) Allowed() error {
	a, b := l.Source, l.Target
	switch {
	case a.Num == b.Num:
		return engram.Errorf(engram.CodeInvalid, "memory #%d cannot be related to itself", a.Num)
	case a.Project == b.Project:
		return nil
	case l.Said.Judgment():
		return engram.Errorf(engram.CodeInvalid, "#%d belongs to project %q, #%d to %q, and %s is a verdict on memories of one",
			a.Num, a.Project, b.Num, b.Project, l.Said.Verb).WithHint("use relates_to, derived_from, evolved_from or caused_by across projects")
	case a.Scope == engram.ScopeProject && b.Scope == engram.ScopeProject:
		return engram.Errorf(engram.CodeInvalid, "#%d belongs to project %q, #%d to %q", a.Num, a.Project, b.Num, b.Project).
			WithHint("a relation across projects needs a memory of scope personal or global: {update %d --scope global}", a.Num)
	}
	return nil
}

// same reports whether r already says what is to be written.
func (l Link) same(r engram.Relation) bool {
	if r.Verb != l.Said.Verb || r.Status != engram.RelationJudged {
		return false
	}
	return r.Source == l.Source.Num || ledger.HoldsBothWays(r.Verb)
}

// again updates an existing relation where the input differs.
func (l Link) again(ctx context.Context, was engram.Relation) (Linked, error) {
	now := was
	if l.strength != nil {
		now.Strength = *l.strength
	}
	if l.Said.Reason != "" {
		now.Reason = l.Said.Reason
	}
	if now == was {
		return l.done(was, LinkKnown), nil
	}
	now.UpdatedAt, now.Actor, now.ActorKind, now.Model, now.SessionID = l.tx.At, l.Said.Actor, l.Said.ActorKind, "", l.Said.SessionID
	return l.done(now, LinkChanged), l.tx.ReplaceRelation(ctx, was, now, l.Source.Project, "said again")
}

// verdict replaces the pair's other judgments by the relation.
func (l Link) verdict(ctx context.Context, pair []engram.Relation) (Linked, error) {
	action := LinkMade
	for _, r := range pair {
		if r.Verb == engram.VerbSupersedes && r.Supersedes() && l.Said.Verb == engram.VerbSupersedes {
			return Linked{}, engram.Errorf(engram.CodeConflict, "#%d supersedes #%d already, and both would be hidden", l.Target.Num, l.Source.Num).
				WithHint("run {unlink %d supersedes %d} first", l.Target.Num, l.Source.Num)
		}
		if r.Judgment() {
			action = LinkChanged
		}
	}
	c, err := Resolve(ctx, l.tx, Verdict{Source: l.Source.Num, Target: l.Target.Num, said: l.Said}, nil)
	return l.done(c.Relation, action), err
}

// done returns the result; r may have its ends reversed.
func (l Link) done(r engram.Relation, action LinkAction) Linked {
	out := Linked{Relation: r, Source: l.Source, Target: l.Target, Action: action}
	if r.Source == l.Target.Num {
		out.Source, out.Target = l.Target, l.Source
	}
	return out
}

// UnlinkInput selects relations of two memories to remove.
type UnlinkInput struct {
	A, B engram.Ref
	Verb engram.Verb // as engram.ParseVerb reads it; "" is every verb, with candidates and verdicts
}

// Unlink removes relations of two memories, in either direction, and returns them oldest first. The memories
// may be forgotten. CodeNotFound if no relation matches. Undo restores them. A pair whose verdict was removed
// may be flagged again.
func (k *Linker) Unlink(ctx context.Context, in UnlinkInput) ([]Linked, error) {
	var verb engram.Verb
	if in.Verb != "" {
		var err error
		if verb, err = engram.ParseVerb(string(in.Verb)); err != nil {
			return nil, err
		}
	}
	return ledger.Perform(ctx, k.ledger, "unlink", func(o *ledger.Tx) ([]Linked, error) {
		a, err := o.Store.Memory(ctx, screen.NormalRef(in.A))
		if err != nil {
			return nil, err
		}
		b, err := o.Store.Memory(ctx, screen.NormalRef(BesideOf(in.B, a)))
		if err != nil {
			return nil, err
		}
		return unlink(ctx, o, a, b, verb)
	})
}

func unlink(ctx context.Context, o *ledger.Tx, a, b engram.Memory, verb engram.Verb) ([]Linked, error) {
	pair, err := engram.RelationsBetween(ctx, o.Store, a.Num, b.Num)
	if err != nil {
		return nil, err
	}
	chosen := slices.Clone(pair)
	if verb != "" {
		chosen = slices.DeleteFunc(chosen, func(r engram.Relation) bool { return r.Verb != verb })
	}
	if len(chosen) == 0 {
		return nil, notLinked(a, b, verb, pair)
	}
	var gone []Linked
	for _, was := range chosen {
		now, err := RemoveRelation(ctx, o, was, a.Project, "requested")
		if err != nil {
			return nil, err
		}
		gone = append(gone, Link{Source: a, Target: b}.done(now, LinkRemoved))
	}
	return gone, nil
}

// notLinked returns an error that says how the memories are related instead.
func notLinked(a, b engram.Memory, verb engram.Verb, pair []engram.Relation) error {
	if verb == "" || len(pair) == 0 {
		return engram.Errorf(engram.CodeNotFound, "#%d and #%d are not related", a.Num, b.Num).
			WithHint("{graph %d} shows what it is related to", a.Num)
	}
	err := engram.Errorf(engram.CodeNotFound, "neither of #%d and #%d %s the other", a.Num, b.Num, verb)
	return err.WithHint("#%d %s #%d", pair[0].Source, pair[0].Verb, pair[0].Target)
}

// Current replaces superseded memories by those that supersede them, as far as these pass f; one that does not
// pass supersedes nothing. Order and repeats of ms, which it takes over, stay; added memories come last.
func Current(ctx context.Context, r engram.Reader, ms []engram.Memory, f engram.Filter) ([]engram.Memory, error) {
	known := map[int64]bool{}
	var next []int64
	for _, m := range ms {
		if !known[m.Num] {
			known[m.Num] = true
			next = append(next, m.Num)
		}
	}
	all := ms
	var relations []engram.Relation
	for range search.MostSuccessors {
		newer, err := engram.RelationsOf(ctx, r, next, []engram.Verb{engram.VerbSupersedes}, view.MostRelations)
		if err != nil {
			return nil, err
		}
		relations, next = append(relations, newer...), nil
		for _, rel := range newer {
			if known[rel.Target] && rel.Supersedes() && !known[rel.Source] && !slices.Contains(next, rel.Source) {
				next = append(next, rel.Source)
			}
		}
		if len(next) == 0 {
			break
		}
		sources, err := r.Memories(ctx, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for _, m := range sources {
			if view.Passes(m, f) {
				known[m.Num] = true
				all, next = append(all, m), append(next, m.Num)
			}
		}
	}
	relations = slices.DeleteFunc(relations, func(rel engram.Relation) bool { return !known[rel.Source] })
	replaced := retrieval.Replaced(relations)
	return slices.DeleteFunc(all, func(m engram.Memory) bool { return slices.Contains(replaced, m.Num) }), nil
}
