package exchange_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// about is a replica's view of a memory without its words, and the number of its earlier texts.
func about(c enginetest.Clone, id engram.ID) string {
	c.Helper()
	d, err := c.Get(c.Context(), engram.ByID(id))
	if err != nil {
		c.Fatalf("get %s: %v", id, err)
	}
	return fmt.Sprintf("%s, in short %q, by %q, %d before", d.Memory.Content, d.Memory.Summary, d.Memory.ToolName, len(d.Revisions))
}

// report saves a text with its tool name.
func report(c enginetest.Clone, tool string, typ engram.Type) engram.ID {
	return c.MustSave(remember.SaveInput{Title: "Lifetime", Content: "fifteen minutes", TopicKey: "token/lifetime", Type: typ, ToolName: tool, Project: "shop"}).Memory.ID
}

// lineage returns the causal metadata of a memory.
func lineage(c enginetest.Clone, num int64) (l engram.CausalMetadata) {
	c.Helper()
	err := c.Store.View(c.Context(), func(r engram.Reader) error {
		all, err := r.Replica().CausalMetadata(c.Context(), engram.EntityMemory, []string{fmt.Sprint(num)})
		l = all[fmt.Sprint(num)]
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	return l
}

// A change of only the tool or the summary is replicated, and adds no revision.
func TestAChangeBesideTheWordsTravels(t *testing.T) {
	t.Parallel()
	place, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	id := report(a, "Edit", "fact")
	enginetest.Meet(a, b)
	a.Clock.Add(time.Hour)
	report(a, "Bash", "decision")
	a.MustPush()
	b.MustPull()
	if got, want := about(b, id), `fifteen minutes, in short "", by "Bash", 0 before`; got != want {
		t.Errorf("after the tool changed there is\n%s, want\n%s", got, want)
	}
	enginetest.Equal(t, a, b)

	at := a.Clock.Now().Add(time.Minute)
	m := a.MustGet(a.Num(id)).Memory
	m.Summary, m.Origin = "15 m", engram.OriginHuman
	l := lifecycle.Stamped(lineage(a, m.Num), []engram.Part{engram.PartSummary}, engram.VersionStamp{At: engram.Clock(0).Tick(at), Device: "elsewhere"})
	enginetest.WriteTo(t, place.Open(), "elsewhere", engram.Record{Memory: &engram.MemoryRecord{Memory: m}, Causal: &l})
	enginetest.Meet(a, b)
	for n, c := range all {
		if got, want := about(c, id), `fifteen minutes, in short "15 m", by "Bash", 0 before`; got != want {
			t.Errorf("replica %d: with a summary there is\n%s, want\n%s", n, got, want)
		}
	}
	enginetest.Equal(t, a, b)
}

// A summary belongs to the text: changing the text removes it everywhere, changing another field does not.
func TestASummaryGoesWithTheContent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   func(*remember.UpdateInput)
		want string
	}{
		{"another content", func(in *remember.UpdateInput) { in.Content = new("five minutes") }, `five minutes, in short "", by "", 1 before`},
		{"the same content", func(in *remember.UpdateInput) { in.Content, in.Tags = new("fifteen minutes"), new([]string{"a"}) }, `fifteen minutes, in short "15 m", by "", 0 before`},
		{"another title", func(in *remember.UpdateInput) { in.Title = new("Life") }, `fifteen minutes, in short "15 m", by "", 1 before`},
		{"another type", func(in *remember.UpdateInput) { in.Type = new(engram.Type("decision")) }, `fifteen minutes, in short "15 m", by "", 0 before`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			place, all := enginetest.Clones(t, 2)
			a, b := all[0], all[1]
			r := enginetest.Foreign(enginetest.ID1, a.Clock.Now(), "Lifetime", "fifteen minutes")
			r.Memory.Memory.Summary = "15 m"
			enginetest.WriteTo(t, place.Open(), "elsewhere", r)
			enginetest.Meet(a, b)
			if got, want := about(b, enginetest.ID1), `fifteen minutes, in short "15 m", by "", 0 before`; got != want {
				t.Fatalf("at first there is\n%s, want\n%s", got, want)
			}
			a.Clock.Add(time.Hour)
			in := remember.UpdateInput{Ref: engram.ByID(enginetest.ID1)}
			tt.in(&in)
			if _, err := a.Update(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			enginetest.Meet(a, b)
			for n, c := range all {
				if got := about(c, enginetest.ID1); got != tt.want {
					t.Errorf("replica %d has\n%s, want\n%s", n, got, tt.want)
				}
			}
			enginetest.Equal(t, a, b)
		})
	}
}

// Fields that an undo restores beside the text are replicated too.
func TestAnUndoOfAToolTravels(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	id := report(a, "Bash", "fact")
	enginetest.Meet(a, b)
	a.Clock.Add(time.Hour)
	report(a, "Edit", "decision")
	enginetest.Meet(a, b)
	a.Clock.Add(time.Hour)
	j := a.Journal()
	if _, err := a.Undo(t.Context(), undo.UndoInput{Op: j[len(j)-1].Op}); err != nil {
		t.Fatal(err)
	}
	enginetest.Meet(a, b)
	for n, c := range all {
		if got, want := about(c, id), `fifteen minutes, in short "", by "Bash", 0 before`; got != want {
			t.Errorf("replica %d: after the undo there is\n%s, want\n%s", n, got, want)
		}
	}
}

// Making a shared memory personal warns.
func TestWhatWasSharedIsNotTakenBackByBecomingPersonal(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	shared := a.MustSave(remember.SaveInput{Content: "the door opens with the left key", Project: "shop"}).Memory
	enginetest.Meet(a, b)
	own := a.MustSave(remember.SaveInput{Content: "the kettle is behind the shelf", Project: "shop"}).Memory
	for _, tt := range []struct {
		name  string
		at    enginetest.Clone
		num   int64
		scope engram.Scope
		told  bool
	}{
		{"one that was never shared", a, own.Num, engram.ScopePersonal, false},
		{"one that everybody may have", a, shared.Num, engram.ScopeGlobal, false},
		{"one that was pushed", a, shared.Num, engram.ScopePersonal, true},
		{"again", a, shared.Num, engram.ScopePersonal, false},
		{"one that was pulled", b, b.Num(shared.ID), engram.ScopePersonal, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := tt.at.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(tt.num), Scope: &tt.scope})
			if err != nil {
				t.Fatal(err)
			}
			if told := len(m.Warnings) == 1 && strings.Contains(m.Warnings[0], fmt.Sprintf("engram delete %d --hard", tt.num)); told != tt.told || !told && len(m.Warnings) > 0 {
				t.Errorf("told %q, want a warning: %v", m.Warnings, tt.told)
			}
		})
	}
}
