package exchange_test

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// opposed are two clones of three memories, A, B and C, with different verdicts on them that are not synced yet: a's
// first, b's later.
func opposed(t *testing.T, first, then [][3]string) (a, b enginetest.Clone, ids map[string]engram.ID) {
	t.Helper()
	_, cs := enginetest.Clones(t, 2)
	a, b = cs[0], cs[1]
	ids = map[string]engram.ID{}
	for _, title := range []string{"A", "B", "C"} {
		ids[title] = a.MustSave(remember.SaveInput{Title: title, Content: "about " + title, Project: "shop"}).Memory.ID
	}
	enginetest.Meet(a, b)
	for _, s := range first {
		a.MustLink(ids[s[0]], ids[s[2]], engram.Verb(s[1]))
	}
	b.Clock.Add(time.Hour)
	for _, s := range then {
		b.MustLink(ids[s[0]], ids[s[2]], engram.Verb(s[1]))
	}
	enginetest.Meet(a, b)
	return a, b, ids
}

func TestWhatAnotherWasShownForIsShownWhenThatGoes(t *testing.T) {
	t.Parallel()
	verdicts := [2][][3]string{{{"A", "contradicts", "B"}}, {{"A", "compatible", "B"}}}
	ring := [2][][3]string{{{"A", "supersedes", "B"}}, {{"B", "supersedes", "C"}, {"C", "supersedes", "A"}}}
	for _, tt := range []struct {
		name          string
		said          [2][][3]string
		shown         string // with both
		take          func(c enginetest.Clone, ids map[string]engram.ID) error
		then, undone  string
		there         string // elsewhere, where its place differs
		cannotBeTaken bool   // back
	}{
		{name: "of two verdicts the later one is unlinked", said: verdicts, shown: "A compatible B", take: func(c enginetest.Clone, ids map[string]engram.ID) error {
			_, err := c.Unlink(c.Context(), relate.UnlinkInput{A: engram.ByID(ids["A"]), B: engram.ByID(ids["B"])})
			return err
		}, then: "A contradicts B", undone: "A compatible B"},
		{name: "of a ring the later one is unlinked", said: ring, shown: "B supersedes C, C supersedes A", take: func(c enginetest.Clone, ids map[string]engram.ID) error {
			_, err := c.Unlink(c.Context(), relate.UnlinkInput{A: engram.ByID(ids["C"]), B: engram.ByID(ids["A"])})
			return err
		}, then: "A supersedes B, B supersedes C", undone: "B supersedes C, C supersedes A"},
		{name: "of a ring one says something else now", said: ring, shown: "B supersedes C, C supersedes A", take: func(c enginetest.Clone, ids map[string]engram.ID) error {
			_, err := c.Link(c.Context(), relate.LinkInput{Source: engram.ByID(ids["C"]), Target: engram.ByID(ids["A"]), Verb: engram.VerbCompatible})
			return err
		}, then: "A supersedes B, B supersedes C, C compatible A", undone: "B supersedes C, C supersedes A"},
		{name: "of a ring a memory is erased", said: ring, shown: "B supersedes C, C supersedes A", take: func(c enginetest.Clone, ids map[string]engram.ID) error {
			_, err := c.Delete(c.Context(), true, engram.ByID(ids["C"]))
			return err
		}, then: "A supersedes B", there: "A supersedes B, B supersedes C, C supersedes A", cannotBeTaken: true}, // C is hidden there, with its relations
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b, ids := opposed(t, tt.said[0], tt.said[1])
			for n, c := range []enginetest.Clone{a, b} {
				if got := c.LiveRelations(); got != tt.shown {
					t.Fatalf("replica %d shows %s, want %s", n, got, tt.shown)
				}
			}
			if err := tt.take(a, ids); err != nil {
				t.Fatal(err)
			}
			if got := a.LiveRelations(); got != tt.then {
				t.Errorf("when it is gone there is %s, want %s", got, tt.then)
			}
			op := a.LastOp()
			enginetest.Meet(a, b)
			if got, want := b.LiveRelations(), cmp.Or(tt.there, tt.then); got != want {
				t.Errorf("elsewhere there is %s, want %s", got, want)
			}
			enginetest.Equal(t, a, b)
			if tt.cannotBeTaken {
				return
			}
			a.World.TakeBack(op)
			if got := a.LiveRelations(); got != tt.undone {
				t.Errorf("after an undo there is %s, want %s", got, tt.undone)
			}
			redo := a.LastOp()
			enginetest.Meet(a, b)
			if got := b.LiveRelations(); got != tt.undone {
				t.Errorf("elsewhere after an undo there is %s, want %s", got, tt.undone)
			}
			a.World.TakeBack(redo)
			if got := a.LiveRelations(); got != tt.then {
				t.Errorf("after the undo was undone there is %s, want %s", got, tt.then)
			}
			enginetest.Meet(a, b)
			enginetest.Equal(t, a, b)
		})
	}
}

func TestTheUndoOfWhatIsHiddenTakesItAway(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	x := a.MustSave(remember.SaveInput{Title: "A", Content: "about A", Project: "shop"}).Memory.ID
	y := a.MustSave(remember.SaveInput{Title: "B", Content: "about B", Project: "shop"}).Memory.ID
	enginetest.Meet(a, b)
	a.MustLink(x, y, engram.VerbContradicts)
	said := a.LastOp()
	b.Clock.Add(time.Hour)
	b.MustLink(x, y, engram.VerbCompatible)
	enginetest.Meet(a, b)
	a.World.TakeBack(said) // b's verdict is shown for it
	if _, err := a.Unlink(t.Context(), relate.UnlinkInput{A: engram.ByID(x), B: engram.ByID(y)}); err != nil {
		t.Fatal(err)
	}
	enginetest.Meet(a, b)
	if got := a.LiveRelations() + b.LiveRelations(); got != "" {
		t.Errorf("there is %s, want nothing: both are taken back", got)
	}
	enginetest.Equal(t, a, b)
}

// Whatever is written, removed and undone: stores with the same writes show the same.
func TestWhatIsShownFollowsFromWhatWasWritten(t *testing.T) {
	t.Parallel()
	tries := 0
	rapid.Check(t, func(rt *rapid.T) {
		if tries++; tries > 25 {
			return // each opens three stores
		}
		_, cs := enginetest.Clones(t, 3)
		a, b, late := cs[0], cs[1], cs[2]
		var ids []engram.ID
		for n := range 3 {
			ids = append(ids, a.MustSave(remember.SaveInput{Title: fmt.Sprint("M", n), Content: fmt.Sprint("about ", n), Project: "shop"}).Memory.ID)
		}
		enginetest.Meet(a, b)
		memory := rapid.SampledFrom(ids)
		verb := rapid.SampledFrom([]engram.Verb{engram.VerbSupersedes, engram.VerbContradicts, engram.VerbCompatible, engram.VerbRelatesTo})
		for range rapid.IntRange(4, 14).Draw(rt, "steps") {
			c := rapid.SampledFrom([]enginetest.Clone{a, b}).Draw(rt, "who")
			c.Clock.Add(time.Duration(rapid.IntRange(1, 100).Draw(rt, "seconds")) * time.Second)
			x, y := memory.Draw(rt, "source"), memory.Draw(rt, "target")
			var err error
			switch rapid.IntRange(0, 6).Draw(rt, "step") {
			case 0, 1, 2:
				_, err = c.Link(t.Context(), relate.LinkInput{Source: engram.ByID(x), Target: engram.ByID(y), Verb: verb.Draw(rt, "verb")})
			case 3:
				_, err = c.Unlink(t.Context(), relate.UnlinkInput{A: engram.ByID(x), B: engram.ByID(y)})
			case 4:
				entries, _, failed := c.Engine.Log(t.Context(), read.LogInput{Page: engram.Page{Limit: 1}})
				if err = failed; err == nil && (entries[0].Name == "link" || entries[0].Name == "unlink" || entries[0].Name == "undo") {
					_, err = c.Undo(t.Context(), undo.UndoInput{Op: entries[0].Op})
				}
			default:
				enginetest.Meet(a, b)
			}
			switch engram.CodeOf(err) {
			case "", engram.CodeNotFound, engram.CodeConflict, engram.CodeInvalid:
			default:
				rt.Fatal(err)
			}
		}
		enginetest.Meet(a, b)
		late.MustPull()
		for name, other := range map[string]enginetest.Clone{"the other one": b, "one that came late": late} {
			if got, want := a.LiveRelations(), other.LiveRelations(); got != want {
				rt.Fatalf("one shows %q, %s %q", got, name, want)
			}
		}
	})
}
