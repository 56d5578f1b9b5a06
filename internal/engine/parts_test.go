package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// about is a replica's view of a memory without its words, and the number of its earlier texts.
func (c clone) about(id engram.ID) string {
	c.Helper()
	d, err := c.Get(c.Context(), engram.ByID(id))
	if err != nil {
		c.Fatalf("get %s: %v", id, err)
	}
	return fmt.Sprintf("%s, in short %q, by %q, %d before", d.Memory.Content, d.Memory.Summary, d.Memory.ToolName, len(d.Revisions))
}

// report saves a text with its tool name.
func (c clone) report(tool string, typ engram.Type) engram.ID {
	return c.save(remember.SaveInput{Title: "Lifetime", Content: "fifteen minutes", TopicKey: "token/lifetime", Type: typ, ToolName: tool, Project: "shop"}).Memory.ID
}

// lineage returns the causal metadata of a memory.
func (c clone) lineage(num int64) (l engram.CausalMetadata) {
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
	place, all := clones(t, 2)
	a, b := all[0], all[1]
	id := a.report("Edit", "fact")
	meet(a, b)
	a.Clock.Add(time.Hour)
	a.report("Bash", "decision")
	a.push()
	b.pull()
	if got, want := b.about(id), `fifteen minutes, in short "", by "Bash", 0 before`; got != want {
		t.Errorf("after the tool changed there is\n%s, want\n%s", got, want)
	}
	equal(t, a, b)

	at := a.Clock.Now().Add(time.Minute)
	m := a.get(a.num(id)).Memory
	m.Summary, m.Origin = "15 m", engram.OriginHuman
	l := lifecycle.Stamped(a.lineage(m.Num), []engram.Part{engram.PartSummary}, engram.VersionStamp{At: engram.Clock(0).Tick(at), Device: "elsewhere"})
	write(t, place.Open(), "elsewhere", engram.Record{Memory: &engram.MemoryRecord{Memory: m}, Causal: &l})
	meet(a, b)
	for n, c := range all {
		if got, want := c.about(id), `fifteen minutes, in short "15 m", by "Bash", 0 before`; got != want {
			t.Errorf("replica %d: with a summary there is\n%s, want\n%s", n, got, want)
		}
	}
	equal(t, a, b)
}

// A summary belongs to the text: changing the text removes it everywhere, changing another field does not.
func TestASummaryGoesWithTheContent(t *testing.T) {
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
			place, all := clones(t, 2)
			a, b := all[0], all[1]
			r := foreign(id1, a.Clock.Now(), "Lifetime", "fifteen minutes")
			r.Memory.Memory.Summary = "15 m"
			write(t, place.Open(), "elsewhere", r)
			meet(a, b)
			if got, want := b.about(id1), `fifteen minutes, in short "15 m", by "", 0 before`; got != want {
				t.Fatalf("at first there is\n%s, want\n%s", got, want)
			}
			a.Clock.Add(time.Hour)
			in := remember.UpdateInput{Ref: engram.ByID(id1)}
			tt.in(&in)
			if _, err := a.Update(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			meet(a, b)
			for n, c := range all {
				if got := c.about(id1); got != tt.want {
					t.Errorf("replica %d has\n%s, want\n%s", n, got, tt.want)
				}
			}
			equal(t, a, b)
		})
	}
}

// Fields that an undo restores beside the text are replicated too.
func TestAnUndoOfAToolTravels(t *testing.T) {
	_, all := clones(t, 2)
	a, b := all[0], all[1]
	id := a.report("Bash", "fact")
	meet(a, b)
	a.Clock.Add(time.Hour)
	a.report("Edit", "decision")
	meet(a, b)
	a.Clock.Add(time.Hour)
	j := a.journal()
	if _, err := a.Undo(t.Context(), undo.UndoInput{Op: j[len(j)-1].Op}); err != nil {
		t.Fatal(err)
	}
	meet(a, b)
	for n, c := range all {
		if got, want := c.about(id), `fifteen minutes, in short "", by "Bash", 0 before`; got != want {
			t.Errorf("replica %d: after the undo there is\n%s, want\n%s", n, got, want)
		}
	}
}

// Making a shared memory personal warns.
func TestWhatWasSharedIsNotTakenBackByBecomingPersonal(t *testing.T) {
	_, all := clones(t, 2)
	a, b := all[0], all[1]
	shared := a.save(remember.SaveInput{Content: "the door opens with the left key", Project: "shop"}).Memory
	meet(a, b)
	own := a.save(remember.SaveInput{Content: "the kettle is behind the shelf", Project: "shop"}).Memory
	for _, tt := range []struct {
		name  string
		at    clone
		num   int64
		scope engram.Scope
		told  bool
	}{
		{"one that was never shared", a, own.Num, engram.ScopePersonal, false},
		{"one that everybody may have", a, shared.Num, engram.ScopeGlobal, false},
		{"one that was pushed", a, shared.Num, engram.ScopePersonal, true},
		{"again", a, shared.Num, engram.ScopePersonal, false},
		{"one that was pulled", b, b.num(shared.ID), engram.ScopePersonal, true},
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
