package sync_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// apart are clones that have a remote for each project, as projects have repositories.
type apart struct {
	remotes map[string]engram.Remote
	all     []enginetest.Clone
	order   []string // in which each of them syncs its projects
}

func projectsApart(t *testing.T, many int, order ...string) apart {
	_, all := enginetest.Clones(t, many)
	p := apart{remotes: map[string]engram.Remote{}, all: all, order: order}
	for _, name := range order {
		p.remotes[name] = replicatest.NewPlace(name).Open()
	}
	return p
}

// sync lets each clone push and then each pull, project by project.
func (p apart) sync(t *testing.T) {
	t.Helper()
	for _, c := range p.all {
		for _, name := range p.order {
			if _, err := c.Push(t.Context(), p.remotes[name], sync.PushInput{Project: name}); err != nil && engram.CodeOf(err) != engram.CodeNotFound {
				t.Fatal(err)
			}
		}
	}
	for _, c := range p.all {
		for _, name := range p.order {
			if _, err := c.Pull(t.Context(), p.remotes[name], sync.PullInput{Project: name}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func moves(c enginetest.Clone, id engram.ID, project string) {
	c.Helper()
	if _, err := c.Update(context.Background(), remember.UpdateInput{Ref: engram.ByID(id), Project: &project}); err != nil {
		c.Fatal(err)
	}
}

func TestAMoveArrivesAtWhoeverSyncsOneProjectAtATime(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"shop", "demo"}, {"demo", "shop"}} {
		p := projectsApart(t, 2, order...)
		a, b := p.all[0], p.all[1]
		m := a.MustSave(remember.SaveInput{Title: "moves", Content: "first words", Project: "shop"}).Memory.ID
		a.MustSave(remember.SaveInput{Title: "stays", Content: "second words", Project: "shop"})
		a.MustSave(remember.SaveInput{Title: "other", Content: "third words", Project: "demo"})
		p.sync(t)
		for n, step := range []struct {
			by enginetest.Clone
			to string
		}{{a, "demo"}, {a, "shop"}, {b, "demo"}, {a, "shop"}} {
			moves(step.by, m, step.to)
			p.sync(t)
			p.sync(t)
			p.equal(t, fmt.Sprintf("%v, move %d to %s:", order, n, step.to))
			for _, c := range p.all {
				if got := titlesIn(c.World, step.to); len(got)+len(titlesIn(c.World, "shop"))+len(titlesIn(c.World, "demo")) != 5 {
					t.Errorf("%v, move %d to %s: there is %v, in shop %v, in demo %v; want two there and three in all",
						order, n, step.to, got, titlesIn(c.World, "shop"), titlesIn(c.World, "demo"))
				}
			}
		}
		if waits, err := b.Deferred(t.Context(), ""); err != nil || len(waits) != 0 {
			t.Errorf("%v: %v wait still, %v", order, waits, err)
		}
	}
}

func TestNobodyPullsAMemoryOutOfAnotherProject(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 1)
	c := all[0]
	m := c.MustSave(remember.SaveInput{Title: "mine", Content: "of a project that nobody shares", Project: "own"}).Memory
	there := enginetest.Foreign(string(m.ID), time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC), "mine", "words of somebody else")
	there.Causal = &engram.CausalMetadata{Base: engram.VersionStamp{At: engram.Clock(0).Tick(time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC)), Device: "elsewhere"}}
	enginetest.WriteTo(t, c.Remote, "mallory", there)
	for range 2 {
		c.MustPull()
		if now, was := said(c, m.ID); now != m.Content || len(was) != 0 || len(titlesIn(c.World, "own")) != 1 {
			t.Errorf("it says %q and said %q, and own has %v; want it as it was", now, was, titlesIn(c.World, "own"))
		}
	}
	if waits, err := c.Deferred(t.Context(), ""); err != nil || len(waits) != 1 || waits[0].Why != engram.DeferredMissing {
		t.Errorf("%+v wait, %v; want the record, until the memory leaves its project", waits, err)
	}
}
