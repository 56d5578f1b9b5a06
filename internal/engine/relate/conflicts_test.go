package relate_test

import (
	"maps"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestConflictsByStatus(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	older, newer, r := candidate(w)
	x, y := w.Note("Release day", "We release on Monday"), w.Note("Cache", "The cache is written by the importer")
	if _, err := w.Compare(t.Context(), relate.CompareInput{A: engram.ByNum(x), B: engram.ByNum(y), Verb: engram.VerbNotConflict, Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	counts := func() map[engram.RelationStatus]int {
		s, err := w.ConflictStats(t.Context(), "demo")
		if err != nil {
			t.Fatal(err)
		}
		for _, status := range relate.ConflictStatuses() {
			if got := len(conflicts(w, status)); got != s.ByStatus[status] {
				t.Errorf("%s: the list has %d, the counts say %d", status, got, s.ByStatus[status])
			}
		}
		return s.ByStatus
	}
	want := func(when string, m map[engram.RelationStatus]int) {
		t.Helper()
		if got := counts(); !maps.Equal(got, m) {
			t.Errorf("%s: got %v, want %v", when, got, m)
		}
	}
	want("one waits, one is judged", map[engram.RelationStatus]int{"pending": 1, "judged": 1})
	if _, err := w.Ignore(t.Context(), engram.RelationRef{Num: r.Num}, "both are drafts"); err != nil {
		t.Fatal(err)
	}
	want("one was set aside", map[engram.RelationStatus]int{"ignored": 1, "judged": 1})
	if _, err := w.Forget(t.Context(), engram.ByNum(older)); err != nil {
		t.Fatal(err)
	}
	want("one lost a memory", map[engram.RelationStatus]int{"orphaned": 1, "judged": 1})
	c, err := w.Conflict(t.Context(), engram.RelationRef{ID: r.ID})
	if err != nil || c.Status() != relate.StatusOrphaned || c.Source.Num != newer || !c.Target.Forgotten() {
		t.Errorf("shown: %+v, %v; want it orphaned", c, err)
	}
	if _, err := w.Delete(t.Context(), true, engram.ByNum(older)); err != nil {
		t.Fatal(err)
	}
	want("an erased memory takes its conflicts along", map[engram.RelationStatus]int{"judged": 1})
}

func TestTiesAreNoConflicts(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b := w.Note("Release day", "We release on Monday"), w.Note("Cache", "The cache is written by the importer")
	l, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(a), Target: engram.ByNum(b), Verb: engram.VerbRelatesTo})
	if err != nil {
		t.Fatal(err)
	}
	if list := conflicts(w, ""); len(list) != 0 {
		t.Errorf("listed: %+v, want nothing", list)
	}
	if _, err := w.Conflict(t.Context(), engram.RelationRef{Num: l.Relation.Num}); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("shown: %v, want not_found", err)
	}
}

func TestConflictsRefuse(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	_, _, r := candidate(w)
	judge(w, relate.JudgeInput{Ref: engram.RelationRef{Num: r.Num}, Verb: engram.VerbScoped})
	if _, err := w.Ignore(t.Context(), engram.RelationRef{Num: r.Num}, ""); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("setting aside what is judged: %v, want a conflict", err)
	}
	for _, f := range []relate.ConflictFilter{{Status: "open"}, {Page: engram.Page{Limit: -1}}, {Page: engram.Page{Limit: 501}}, {Page: engram.Page{Offset: -1}}} {
		if _, _, err := w.Conflicts(t.Context(), f); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%+v: %v, want invalid", f, err)
		}
	}
	if list, total, err := w.Conflicts(t.Context(), relate.ConflictFilter{Project: "nowhere"}); err != nil || total != 0 || len(list) != 0 {
		t.Errorf("an unknown project: %v, %d, %v", list, total, err)
	}
}
