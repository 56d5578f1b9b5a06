package sync_test

import (
	"context"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	enginesync "github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// equal checks that all clones have the same canonical dump.
func (p apart) equal(t *testing.T, when string) {
	t.Helper()
	first := dump(p.all[0], "")
	for n, c := range p.all[1:] {
		if got := dump(c, ""); got != first {
			t.Errorf("%s clone %d has\n%s\nwant what clone 0 has\n%s", when, n+1, got, first)
		}
		if strings.Contains(dump(c, ""), "@") {
			t.Errorf("%s a name grew: %s", when, dump(c, ""))
		}
	}
}

// sitting returns the session that a memory is shown in.
func sitting(c enginetest.Clone, id engram.ID) string {
	c.Helper()
	got, err := c.Get(context.Background(), engram.ByID(id))
	if err != nil {
		c.Fatal(err)
	}
	return got.Memory.SessionID
}

// Its session stays behind, and the others may or may not know that session in its project yet.
func TestWhatMovesKeepsTheSessionThatItWasWrittenIn(t *testing.T) {
	t.Parallel()
	for _, clones := range []int{2, 3} {
		for _, order := range [][]string{{"shop", "demo"}, {"demo", "shop"}} {
			p := projectsApart(t, clones, order...)
			a := p.all[0]
			m := a.MustSave(remember.SaveInput{Title: "moves", Content: "first words", Project: "shop"}).Memory
			a.MustSave(remember.SaveInput{Title: "stays", Content: "second words", Project: "demo"})
			p.sync(t)
			for n, to := range []string{"demo", "shop", "demo"} {
				moves(p.all[n%clones], m.ID, to)
				for range clones {
					p.sync(t)
				}
				when := strings.Join(order, " before ") + ", after the move to " + to
				p.equal(t, when)
				for n, c := range p.all {
					if got := sitting(c, m.ID); got != m.SessionID {
						t.Errorf("%s clone %d shows it in session %q, want %q", when, n, got, m.SessionID)
					}
				}
			}
		}
	}
}

// Content of another project must not appear in a session.
func TestAPullPutsNothingIntoASessionOfAnotherProject(t *testing.T) {
	t.Parallel()
	p := projectsApart(t, 2, "shop", "demo")
	a, b := p.all[0], p.all[1]
	own := b.MustSave(remember.SaveInput{Title: "own", Content: "of the demo", Project: "demo", SessionID: "s1", NewSession: true}).Memory
	theirs := a.MustSave(remember.SaveInput{Title: "theirs", Content: "of the shop", Project: "shop", SessionID: "s1", NewSession: true}).Memory
	if _, err := a.SavePrompt(t.Context(), remember.PromptInput{Content: "what of the shop?", Project: "shop", SessionID: "s1"}); err != nil {
		t.Fatal(err)
	}
	sync := func() {
		t.Helper()
		if _, err := a.Push(t.Context(), p.remotes["shop"], enginesync.PushInput{Project: "shop"}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Pull(t.Context(), p.remotes["shop"], enginesync.PullInput{Project: "shop"}); err != nil {
			t.Fatal(err)
		}
	}
	sync()
	if got := sitting(b, theirs.ID); got != "" {
		t.Errorf("it is shown in session %q, want none: that is of project demo", got)
	}
	if line, err := b.Timeline(t.Context(), engram.ByID(own.ID), 5, 5); err != nil || len(line.After) > 0 {
		t.Errorf("the timeline of the other project has %+v, %v", line.After, err)
	}
	if ps, err := b.Prompts(t.Context(), "shop", engram.Page{Limit: 5}); err != nil || len(ps) != 1 || ps[0].SessionID != "" {
		t.Errorf("the prompts of the shop are %+v, %v; want one in no session", ps, err)
	}
	if got, want := strings.Count(dump(b, "shop"), `"SessionID":"s1"`), 2; got != want {
		t.Errorf("the dump names the session %d times, want %d:\n%s", got, want, dump(b, "shop"))
	}
	if _, err := b.MergeProjects(t.Context(), []string{"demo"}, "shop"); err != nil {
		t.Fatal(err)
	}
	if got := sitting(b, theirs.ID); got != "s1" {
		t.Errorf("when the two are one project it is shown in session %q, want s1", got)
	}
}

// A replica may have it there by a file, and push it as new.
func TestWhatMovedBeforeItWasSharedLeavesWhereOthersPushIt(t *testing.T) {
	t.Parallel()
	p := projectsApart(t, 2, "demo", "shop")
	a, b := p.all[0], p.all[1]
	m := a.MustSave(remember.SaveInput{Title: "moves", Content: "first words", Project: "demo"}).Memory
	enginetest.Imported(t, b.Engine, enginetest.Exported(t, a.Engine, exchange.ExportInput{Project: "demo"}), exchange.ImportInput{})
	moves(a, m.ID, "shop")
	for range 3 {
		p.sync(t)
	}
	p.equal(t, "after the move")
	if got := titlesIn(b.World, "demo"); len(got) != 0 {
		t.Errorf("demo has %v, want nothing: it moved", got)
	}
}
