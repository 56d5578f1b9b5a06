package relate_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// candidate saves two contradicting memories and flags them; the newer one is the source.
func candidate(w enginetest.World) (older, newer int64, r engram.Relation) {
	w.Helper()
	older = w.Note("Access token lifetime", "Access tokens live 15 minutes in the shop API")
	newer = w.Note("Access token lifetime", "Access tokens live 5 minutes in the shop API")
	return older, newer, raised(w)
}

// raised returns the newest candidate of project demo, if need be found by a scan.
func raised(w enginetest.World) engram.Relation {
	w.Helper()
	if _, err := w.Scan(w.Context(), relate.ScanInput{Project: "demo", Apply: true}); err != nil {
		w.Fatalf("scan: %v", err)
	}
	list := conflicts(w, engram.RelationPending)
	if len(list) == 0 {
		w.Fatal("no candidate was raised")
	}
	return list[0].Relation
}

func conflicts(w enginetest.World, status engram.RelationStatus) []relate.Conflict {
	w.Helper()
	list, total, err := w.Conflicts(w.Context(), relate.ConflictFilter{Project: "demo", Status: status})
	if err != nil || total != len(list) {
		w.Fatalf("conflicts of status %q: %d of %d, %v", status, len(list), total, err)
	}
	return list
}

func judge(w enginetest.World, in relate.JudgeInput) relate.Conflict {
	w.Helper()
	c, err := w.Judge(w.Context(), in)
	if err != nil {
		w.Fatalf("judge %+v: %v", in, err)
	}
	return c
}

func TestJudgeTakesTheCandidatesPlace(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	older, newer, r := candidate(w)
	if r.Source != newer || r.Target != older || r.Verb != engram.VerbContradicts || r.Status != engram.RelationPending {
		t.Fatalf("the candidate is %+v, want #%d to #%d, contradicts and pending", r, newer, older)
	}
	sure := 0.75
	got := judge(w, relate.JudgeInput{Ref: engram.RelationRef{ID: strings.ToUpper(r.ID)}, Verb: engram.VerbSupersedes,
		Reason: "measured <private>by Ann</private> again", Evidence: "commit 1a2b", Confidence: &sure, SessionID: "s1", Model: "m-1"})
	rel := got.Relation
	if rel.Num != r.Num || rel.ID != r.ID || rel.Status != engram.RelationJudged || rel.Verb != engram.VerbSupersedes || rel.Source != newer ||
		rel.Confidence != sure || rel.Evidence != "commit 1a2b" || rel.SessionID != "s1" || rel.Model != "m-1" ||
		rel.Actor != "agent" || rel.ActorKind != relate.KindAgent {
		t.Errorf("the verdict is %+v", rel)
	}
	if strings.Contains(rel.Reason, "Ann") || !strings.HasPrefix(rel.Reason, "measured") {
		t.Errorf("the reason is %q, want it without what is private", rel.Reason)
	}
	if got.Source.Num != newer || got.Target.Num != older {
		t.Errorf("the memories are #%d and #%d, want #%d and #%d", got.Source.Num, got.Target.Num, newer, older)
	}
	if again := judge(w, relate.JudgeInput{Ref: engram.RelationRef{Num: r.Num}, Verb: engram.VerbScoped}); again.Relation.ID != r.ID ||
		again.Relation.Verb != engram.VerbScoped || again.Relation.Reason != "" || again.Relation.Confidence != 1 {
		t.Errorf("judged again: %+v, want the same relation with the new verdict alone", again.Relation)
	}
	if n := len(w.Live(newer)); n != 1 {
		t.Errorf("the pair has %d relations, want 1", n)
	}
}

func TestJudgeRefuses(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	_, newer, r := candidate(w)
	other := w.MustSave(remember.SaveInput{Title: "Deploys", Content: "We deploy on Mondays", Project: "other"}).Memory.Num
	forgotten := w.Note("Old", "gone soon")
	ref := engram.RelationRef{ID: r.ID}
	half, two := 0.5, 2.0
	for _, tt := range []struct {
		name string
		run  func() error
		code engram.Code
		says string
	}{
		{"a relation nobody knows", func() error {
			_, err := w.Judge(t.Context(), relate.JudgeInput{Ref: engram.RelationRef{ID: "rel-0000000000000000"}, Verb: engram.VerbScoped})
			return err
		}, engram.CodeNotFound, "rel-0000000000000000"},
		{"an invalid verb", func() error {
			_, err := w.Judge(t.Context(), relate.JudgeInput{Ref: ref, Verb: "beats"})
			return err
		}, engram.CodeInvalid, "beats"},
		{"a verb that is no verdict", func() error {
			_, err := w.Judge(t.Context(), relate.JudgeInput{Ref: ref, Verb: engram.VerbDerivedFrom})
			return err
		}, engram.CodeInvalid, "not a verdict"},
		{"a confidence out of range", func() error {
			_, err := w.Judge(t.Context(), relate.JudgeInput{Ref: ref, Verb: engram.VerbScoped, Confidence: &two})
			return err
		}, engram.CodeInvalid, "confidence"},
		{"a kind of judge nobody knows", func() error {
			_, err := w.Judge(t.Context(), relate.JudgeInput{Ref: ref, Verb: engram.VerbScoped, ActorKind: "oracle"})
			return err
		}, engram.CodeInvalid, "oracle"},
		{"memories of two projects", func() error {
			_, err := w.Compare(t.Context(), relate.CompareInput{A: engram.ByNum(newer), B: engram.ByNum(other), Verb: engram.VerbScoped, Confidence: half})
			return err
		}, engram.CodeInvalid, `"other"`},
		{"a memory and itself", func() error {
			_, err := w.Compare(t.Context(), relate.CompareInput{A: engram.ByNum(newer), B: engram.ByNum(newer), Verb: engram.VerbScoped, Confidence: half})
			return err
		}, engram.CodeInvalid, "itself"},
		{"a memory nobody knows", func() error {
			_, err := w.Compare(t.Context(), relate.CompareInput{A: engram.ByNum(newer), B: engram.ByNum(99), Verb: engram.VerbScoped, Confidence: half})
			return err
		}, engram.CodeNotFound, "99"},
		{"a candidate of which a memory was forgotten", func() error {
			if _, err := w.Compare(t.Context(), relate.CompareInput{A: engram.ByNum(forgotten), B: engram.ByNum(newer), Verb: engram.VerbContradicts, Confidence: half}); err != nil {
				return err
			}
			rel := w.Live(forgotten)[0]
			if _, err := w.Forget(t.Context(), engram.ByNum(forgotten)); err != nil {
				return err
			}
			_, err := w.Judge(t.Context(), relate.JudgeInput{Ref: engram.RelationRef{Num: rel.Num}, Verb: engram.VerbScoped})
			return err
		}, engram.CodeConflict, "forgotten"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.run(); engram.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %s with %q", err, tt.code, tt.says)
			}
		})
	}
}

// A cycle of superseding memories would hide all of them.
func TestNoRingOfMemoriesThatSupersedeEachOther(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b, c := w.Note("A", "one"), w.Note("B", "two"), w.Note("C", "three")
	supersede := func(x, y int64) error {
		_, err := w.Compare(t.Context(), relate.CompareInput{A: engram.ByNum(x), B: engram.ByNum(y), Verb: engram.VerbSupersedes, Confidence: 1})
		return err
	}
	for _, p := range [][2]int64{{b, a}, {c, b}} {
		if err := supersede(p[0], p[1]); err != nil {
			t.Fatalf("#%d supersedes #%d: %v", p[0], p[1], err)
		}
	}
	if err := supersede(a, c); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("#%d supersedes #%d: got %v, want a conflict", a, c, err)
	}
	if err := supersede(a, b); err != nil {
		t.Errorf("turning a verdict round: %v", err)
	}
	rels := w.Live(a)
	if len(rels) != 1 || rels[0].Source != a || rels[0].Target != b {
		t.Errorf("after turning round: %+v, want one relation from #%d to #%d", rels, a, b)
	}
}

func TestVerdictAndTieOfOneVerbBecomeOne(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	older, newer, r := candidate(w)
	if _, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(older), Target: engram.ByNum(newer), Verb: engram.VerbRelatesTo}); err != nil {
		t.Fatalf("link: %v", err)
	}
	judge(w, relate.JudgeInput{Ref: engram.RelationRef{Num: r.Num}, Verb: engram.VerbRelatesTo})
	rels := w.Live(newer)
	if len(rels) != 1 || rels[0].Num != r.Num || !rels[0].Judgment() {
		t.Fatalf("the pair has %+v, want the verdict alone", rels)
	}
	res, err := w.Scan(t.Context(), relate.ScanInput{Project: "demo", Apply: true})
	if err != nil || res.Inserted != 0 || res.AlreadyRelated != 1 {
		t.Errorf("scanning again: %+v, %v; want nothing raised", res, err)
	}
}

func TestReverseLetsTheOlderMemoryHold(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	older, newer, r := candidate(w)
	got := judge(w, relate.JudgeInput{Ref: engram.RelationRef{Num: r.Num}, Verb: engram.VerbSupersedes, Reverse: true})
	if got.Relation.Source != older || got.Relation.Target != newer {
		t.Errorf("got #%d supersedes #%d, want #%d supersedes #%d", got.Relation.Source, got.Relation.Target, older, newer)
	}
	list, err := w.List(t.Context(), engram.Filter{Project: "demo", Current: true}, engram.Page{Limit: 10})
	if err != nil || len(list) != 1 || list[0].Num != older {
		t.Errorf("current memories: %v, %v; want #%d alone", list, err, older)
	}
}

// Each verdict removes the pair from the queue, and a scan does not bring it back.
func TestEveryVerdictClosesThePair(t *testing.T) {
	t.Parallel()
	for _, verb := range relate.Verdicts() {
		t.Run(string(verb), func(t *testing.T) {
			w := enginetest.NewWorld(t)
			_, _, r := candidate(w)
			judge(w, relate.JudgeInput{Ref: engram.RelationRef{Num: r.Num}, Verb: verb, ActorKind: relate.KindHuman})
			res, err := w.Scan(t.Context(), relate.ScanInput{Project: "demo", Apply: true})
			if err != nil || res.Inserted != 0 {
				t.Errorf("scan after %s: %+v, %v; want nothing raised", verb, res, err)
			}
			if n := len(conflicts(w, engram.RelationPending)); n != 0 {
				t.Errorf("%d wait after %s, want none", n, verb)
			}
			if list := conflicts(w, engram.RelationJudged); len(list) != 1 || list[0].Relation.Verb != verb || list[0].Relation.Actor != "user" {
				t.Errorf("judged after %s: %+v", verb, list)
			}
		})
	}
}

func TestVerdictsAreUndone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	older, _, r := candidate(w)
	before := w.Live(older)
	judge(w, relate.JudgeInput{Ref: engram.RelationRef{Num: r.Num}, Verb: engram.VerbSupersedes, Reverse: true})
	if _, err := w.Undo(t.Context(), undo.UndoInput{}); err != nil {
		t.Fatalf("undo: %v", err)
	}
	after := w.Live(older)
	if len(after) != 1 || after[0].Num != before[0].Num || after[0].Status != engram.RelationPending {
		t.Errorf("after undo: %+v, want %+v", after, before)
	}
}

func TestAnOldJudgmentIDLeadsToWhatTookItsPlace(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	older, newer, r := candidate(w)
	old := engram.RelationRef{ID: r.ID}
	turned, err := w.Compare(t.Context(), relate.CompareInput{A: engram.ByNum(older), B: engram.ByNum(newer), Verb: engram.VerbSupersedes, Confidence: 1, Reasoning: "measured"})
	if err != nil || turned.Relation.ID == r.ID {
		t.Fatalf("compare the other way round: %+v, %v; want another relation", turned.Relation, err)
	}
	if c, err := w.Conflict(t.Context(), old); err != nil || c.Relation.ID != turned.Relation.ID {
		t.Errorf("conflict %s: got %+v, %v, want %s", r.ID, c.Relation, err, turned.Relation.ID)
	}
	if got := judge(w, relate.JudgeInput{Ref: old, Verb: engram.VerbScoped}); got.Relation.ID != turned.Relation.ID {
		t.Errorf("judge %s scoped: got %+v, want the verdict on %s", r.ID, got.Relation, turned.Relation.ID)
	}
	got := judge(w, relate.JudgeInput{Ref: old, Verb: engram.VerbSupersedes})
	if got.Relation.Source != newer || got.Relation.Target != older {
		t.Errorf("judge %s supersedes: got #%d supersedes #%d, want the ends of the relation that was named, #%d and #%d",
			r.ID, got.Relation.Source, got.Relation.Target, newer, older)
	}
	if live := w.Live(older); len(live) != 1 {
		t.Errorf("relations of #%d: %+v, want one", older, live)
	}
	if _, err := w.Unlink(t.Context(), relate.UnlinkInput{A: engram.ByNum(older), B: engram.ByNum(newer)}); err != nil {
		t.Fatalf("unlink: %v", err)
	}
	if _, err := w.Judge(t.Context(), relate.JudgeInput{Ref: old, Verb: engram.VerbScoped}); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("judge %s after all was unlinked: got %v, want not_found", r.ID, err)
	}
}

func TestOnlySupersedesHasAnotherWayRound(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	_, _, r := candidate(w)
	_, err := w.Judge(t.Context(), relate.JudgeInput{Ref: engram.RelationRef{Num: r.Num}, Verb: engram.VerbContradicts, Reverse: true})
	if engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("contradicts in reverse: got %v, want invalid", err)
	}
}

func TestACandidateIsSetAsideOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	_, _, r := candidate(w)
	latest := func() int64 {
		entries, _, err := w.Engine.Log(t.Context(), read.LogInput{Page: engram.Page{Limit: 1}})
		if err != nil || len(entries) != 1 {
			t.Fatalf("log: %v, %v", entries, err)
		}
		return entries[0].Op
	}
	var after []int64
	for _, reason := range []string{"both are drafts", "both are drafts", "", "both are sketches"} {
		c, err := w.Ignore(t.Context(), engram.RelationRef{Num: r.Num}, reason)
		if err != nil || c.Relation.Status != engram.RelationIgnored {
			t.Fatalf("ignore for %q: %+v, %v", reason, c.Relation, err)
		}
		after = append(after, latest())
	}
	if after[1] != after[0] || after[2] != after[0] || after[3] == after[0] {
		t.Errorf("the latest operation after each: %v, want another one for another reason alone", after)
	}
}
