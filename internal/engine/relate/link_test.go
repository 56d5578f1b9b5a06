package relate_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestLinkSaysWhatOneMemoryIsToAnother(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b := w.Note("new", "fifteen minutes"), w.Note("old", "thirty minutes")
	half := 0.5
	l, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(a), Verb: " Derived-From ", Target: engram.ByNum(b), Strength: &half,
		Reason: "read  <private>key</private> there\n", SessionID: "s-1", ActorKind: relate.KindHuman})
	if err != nil {
		t.Fatal(err)
	}
	r := l.Relation
	got := fmt.Sprint(r.Source, r.Target, r.Verb, r.Status, r.Strength, r.Reason, r.ActorKind, r.SessionID, r.Confidence, l.Action)
	want := fmt.Sprint(a, b, engram.VerbDerivedFrom, engram.RelationJudged, 0.5, "read [REDACTED] there", "human", "s-1", 0.0, relate.LinkMade)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if d := w.MustGet(a); len(d.Relations) != 1 || d.Relations[0].Relation != r || d.Relations[0].Other.Num != b {
		t.Errorf("get #%d: relations %+v, want the one that was made", a, d.Relations)
	}
}

func TestToLinkAgainChangesOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b := w.Note("a", "one"), w.Note("b", "two")
	first := w.MustLink(a, engram.VerbRelatesTo, b)
	said := func(strength *float64, reason string) relate.Linked {
		t.Helper()
		l, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(a), Verb: "related", Target: engram.ByNum(b), Strength: strength, Reason: reason})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if wrote := w.Since(func() { said(nil, "") }); len(wrote) != 0 {
		t.Errorf("the same again wrote %+v", wrote)
	}
	half := 0.5
	var l relate.Linked
	wrote := enginetest.Entries(t, w.Since(func() { l = said(&half, "because") }))
	if len(wrote) != 1 || !slices.Contains(wrote[0].Was, "strength") || !slices.Contains(wrote[0].Was, "reason") {
		t.Errorf("another strength and reason left the entries %+v, want one with what they were", wrote)
	}
	if l.Relation.ID != first.Relation.ID || l.Relation.Strength != 0.5 || l.Relation.Reason != "because" || l.Action != relate.LinkChanged {
		t.Errorf("got %+v", l)
	}
	if l := said(nil, ""); l.Relation.Strength != 0.5 || l.Relation.Reason != "because" || l.Action != relate.LinkKnown {
		t.Errorf("who says nothing of strength and reason got %+v, want them left", l)
	}
	if got, want := w.LiveRelations(a, b), fmt.Sprintf("%d relates_to %d", a, b); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinkRefuses(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b, gone := w.Note("a", "one"), w.Note("b", "two"), w.Note("gone", "three")
	other := w.MustSave(remember.SaveInput{Title: "o", Content: "four", Project: "other"}).Memory.Num
	if _, err := w.Forget(t.Context(), engram.ByNum(gone)); err != nil {
		t.Fatal(err)
	}
	nan, many := math.NaN(), 1.5
	for _, tt := range []struct {
		name   string
		source int64
		verb   engram.Verb
		target int64
		change func(*relate.LinkInput)
		want   engram.Code
	}{
		{"a memory and itself", a, engram.VerbRelatesTo, a, nil, engram.CodeInvalid},
		{"a verb that does not exist", a, "likes", b, nil, engram.CodeInvalid},
		{"no verb", a, "", b, nil, engram.CodeInvalid},
		{"an invalid verdict", a, "pending", b, nil, engram.CodeInvalid},
		{"a source that was forgotten", gone, engram.VerbRelatesTo, b, nil, engram.CodeNotFound},
		{"a target that was forgotten", a, engram.VerbRelatesTo, gone, nil, engram.CodeNotFound},
		{"a target that does not exist", a, engram.VerbRelatesTo, 99, nil, engram.CodeNotFound},
		{"a strength above 1", a, engram.VerbRelatesTo, b, func(in *relate.LinkInput) { in.Strength = &many }, engram.CodeInvalid},
		{"a strength that is no number", a, engram.VerbRelatesTo, b, func(in *relate.LinkInput) { in.Strength = &nan }, engram.CodeInvalid},
		{"a reason that is not UTF-8", a, engram.VerbRelatesTo, b, func(in *relate.LinkInput) { in.Reason = "\xff" }, engram.CodeInvalid},
		{"memories of two projects", a, engram.VerbRelatesTo, other, nil, engram.CodeInvalid},
		{"a verdict on memories of two projects", a, engram.VerbSupersedes, other, nil, engram.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := relate.LinkInput{Source: engram.ByNum(tt.source), Verb: tt.verb, Target: engram.ByNum(tt.target)}
			if tt.change != nil {
				tt.change(&in)
			}
			wrote := w.In(t).Since(func() {
				_, err := w.Link(t.Context(), in)
				enginetest.WantCode(t, err, tt.want)
			})
			if len(wrote) != 0 {
				t.Errorf("it wrote %+v all the same", wrote)
			}
		})
	}
}

func TestWhatIsForEverybodyMayBeRelatedToAnyProject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	here := w.Note("here", "one")
	for _, scope := range []engram.Scope{engram.ScopePersonal, engram.ScopeGlobal} {
		there := w.MustSave(remember.SaveInput{Title: "there", Content: string(scope), Project: "other", Scope: scope}).Memory.Num
		w.MustLink(here, engram.VerbRelatesTo, there)
		w.MustLink(there, engram.VerbCausedBy, here)
		_, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(there), Verb: engram.VerbSupersedes, Target: engram.ByNum(here)})
		enginetest.WantCode(t, err, engram.CodeInvalid)
	}
}

func TestNoCircleOfWhatSupersedes(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b, c := w.Note("a", "one"), w.Note("b", "two"), w.Note("c", "three")
	w.MustLink(b, engram.VerbSupersedes, a)
	w.MustLink(c, engram.VerbSupersedes, b)
	before := w.LiveRelations(a, b, c)
	for _, pair := range [][2]int64{{a, b}, {b, c}, {a, c}} {
		_, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(pair[0]), Verb: engram.VerbSupersedes, Target: engram.ByNum(pair[1])})
		enginetest.WantCode(t, err, engram.CodeConflict)
		if engram.HintOf(err) == "" {
			t.Errorf("#%d supersedes #%d: no hint with %v", pair[0], pair[1], err)
		}
	}
	if got := w.LiveRelations(a, b, c); got != before {
		t.Errorf("got %s, want as before: %s", got, before)
	}
	w.MustUnlink(b, a, engram.VerbSupersedes)
	w.MustLink(a, engram.VerbSupersedes, b)
}

func TestOfTwoMemoriesThereIsOneVerdict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		before func(w enginetest.World, a, b int64)
		verb   engram.Verb
		action relate.LinkAction
		want   string
	}{
		{"a candidate becomes the verdict", func(w enginetest.World, a, b int64) { w.Flag(a, b) }, engram.VerbSupersedes, relate.LinkChanged, "1 supersedes 2"},
		{"also one that was raised from the other side", func(w enginetest.World, a, b int64) { w.Flag(b, a) }, engram.VerbSupersedes, relate.LinkChanged, "1 supersedes 2"},
		{"what holds both ways stays as it was raised", func(w enginetest.World, a, b int64) { w.Flag(b, a) }, engram.VerbContradicts, relate.LinkChanged, "2 contradicts 1"},
		{"a contradiction is said once, whoever says it", func(w enginetest.World, a, b int64) { w.MustLink(b, engram.VerbContradicts, a) }, "conflicts_with", relate.LinkKnown, "2 contradicts 1"},
		{"a later verdict takes the place of the earlier", func(w enginetest.World, a, b int64) { w.MustLink(a, engram.VerbContradicts, b) }, engram.VerbScoped, relate.LinkChanged, "1 scoped 2"},
		{"no conflict ends a supersession", func(w enginetest.World, a, b int64) { w.MustLink(b, engram.VerbSupersedes, a) }, engram.VerbNotConflict, relate.LinkChanged, "2 not_conflict 1"},
		{"other ties stay", func(w enginetest.World, a, b int64) {
			w.MustLink(a, engram.VerbCausedBy, b)
			w.MustLink(b, engram.VerbRelatesTo, a)
		},
			engram.VerbCompatible, relate.LinkMade, "1 caused_by 2, 2 relates_to 1, 1 compatible 2"},
		{"a tie leaves the verdict", func(w enginetest.World, a, b int64) { w.Flag(a, b) }, engram.VerbRelatesTo, relate.LinkMade, "1 contradicts 2 (pending), 1 relates_to 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			a, b := w.Note("a", "one"), w.Note("b", "two")
			tt.before(w, a, b)
			l := w.MustLink(a, tt.verb, b)
			if got := w.LiveRelations(a, b); got != tt.want || l.Action != tt.action {
				t.Errorf("%s: got %s (%s), want %s (%s)", tt.verb, got, l.Action, tt.want, tt.action)
			}
			if l.Source.Num != l.Relation.Source || l.Target.Num != l.Relation.Target {
				t.Errorf("the answer names #%d and #%d as the ends of %+v", l.Source.Num, l.Target.Num, l.Relation)
			}
		})
	}
}

func TestUnlinkTakesAwayWhatIsNamed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b, c := w.Note("a", "one"), w.Note("b", "two"), w.Note("c", "three")
	w.MustLink(a, engram.VerbRelatesTo, b)
	w.MustLink(b, engram.VerbRelatesTo, a)
	w.MustLink(a, engram.VerbCausedBy, b)
	w.MustLink(a, engram.VerbRelatesTo, c)
	w.Flag(b, a)
	if gone := w.MustUnlink(a, b, "related"); len(gone) != 2 || !gone[0].Relation.Removed() || gone[1].Source.Num != b {
		t.Errorf("unlink relates_to: got %+v, want both directions", gone)
	}
	if got, want := w.LiveRelations(a, b, c), "1 caused_by 2, 1 relates_to 3, 2 contradicts 1 (pending)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	w.MustUnlink(b, a, "")
	if got, want := w.LiveRelations(a, b, c), "1 relates_to 3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, verb := range []engram.Verb{"", engram.VerbRelatesTo} {
		_, err := w.Unlink(t.Context(), relate.UnlinkInput{A: engram.ByNum(a), B: engram.ByNum(b), Verb: verb})
		enginetest.WantCode(t, err, engram.CodeNotFound)
	}
	_, err := w.Unlink(t.Context(), relate.UnlinkInput{A: engram.ByNum(a), B: engram.ByNum(c), Verb: engram.VerbCausedBy})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	if hint := engram.HintOf(err); hint != "#1 relates_to #3" {
		t.Errorf("the hint is %q, want what there is", hint)
	}
	if again := w.MustLink(a, engram.VerbCausedBy, b); again.Action != relate.LinkMade {
		t.Errorf("after unlink, link says %s", again.Action)
	}
}

func TestUnlinkReachesWhatWasForgotten(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b := w.Note("a", "one"), w.Note("b", "two")
	w.MustLink(a, engram.VerbRelatesTo, b)
	if _, err := w.Forget(t.Context(), engram.ByNum(b)); err != nil {
		t.Fatal(err)
	}
	w.MustUnlink(a, b, "")
	if got := w.LiveRelations(a, b); got != "" {
		t.Errorf("got %s, want nothing", got)
	}
}

// The journal entries of link and unlink suffice for undo: an entry without Was created the relation, and
// removed_at tells a removal.
func TestLinkAndUnlinkCanBeTakenBackFromTheJournal(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b := w.Note("a", "one"), w.Note("b", "two")
	var l relate.Linked
	made := w.Since(func() { l = w.MustLink(a, engram.VerbSupersedes, b) })
	if len(made) != 1 || made[0].Operation != "link" || made[0].Entity != engram.EntityRelation || made[0].Key != fmt.Sprint(l.Relation.Num) || made[0].Was != nil {
		t.Errorf("link left %+v, want one entry of a relation that was not there", made)
	}
	gone := w.Since(func() { w.MustUnlink(a, b, "") })
	if len(gone) != 1 || gone[0].Operation != "unlink" || gone[0].Key != fmt.Sprint(l.Relation.Num) {
		t.Fatalf("unlink left %+v, want one entry of the relation", gone)
	}
	fields := enginetest.Was(t, gone[0])
	if at, ok := fields["removed_at"]; !ok || at != "0001-01-01T00:00:00Z" {
		t.Errorf("unlink keeps %v, want that it was not removed", fields)
	}
	if _, ok := fields["updated_at"]; !ok || len(fields) != 2 {
		t.Errorf("unlink keeps %v, want removed_at and updated_at alone", fields)
	}
}
