package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// apart are clones that have a remote for each project, as projects have repositories.
type apart struct {
	remotes map[string]engram.Remote
	all     []clone
	order   []string // in which each of them syncs its projects
}

func projectsApart(t *testing.T, many int, order ...string) apart {
	_, all := clones(t, many)
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

func (c clone) moves(id engram.ID, project string) {
	c.Helper()
	if _, err := c.Update(context.Background(), remember.UpdateInput{Ref: engram.ByID(id), Project: &project}); err != nil {
		c.Fatal(err)
	}
}

func TestAMoveArrivesAtWhoeverSyncsOneProjectAtATime(t *testing.T) {
	for _, order := range [][]string{{"shop", "demo"}, {"demo", "shop"}} {
		p := projectsApart(t, 2, order...)
		a, b := p.all[0], p.all[1]
		m := a.save(remember.SaveInput{Title: "moves", Content: "first words", Project: "shop"}).Memory.ID
		a.save(remember.SaveInput{Title: "stays", Content: "second words", Project: "shop"})
		a.save(remember.SaveInput{Title: "other", Content: "third words", Project: "demo"})
		p.sync(t)
		for n, step := range []struct {
			by clone
			to string
		}{{a, "demo"}, {a, "shop"}, {b, "demo"}, {a, "shop"}} {
			step.by.moves(m, step.to)
			p.sync(t)
			p.sync(t)
			p.equal(t, fmt.Sprintf("%v, move %d to %s:", order, n, step.to))
			for _, c := range p.all {
				if got := c.titlesIn(step.to); len(got)+len(c.titlesIn("shop"))+len(c.titlesIn("demo")) != 5 {
					t.Errorf("%v, move %d to %s: there is %v, in shop %v, in demo %v; want two there and three in all",
						order, n, step.to, got, c.titlesIn("shop"), c.titlesIn("demo"))
				}
			}
		}
		if waits, err := b.Deferred(t.Context(), ""); err != nil || len(waits) != 0 {
			t.Errorf("%v: %v wait still, %v", order, waits, err)
		}
	}
}

func TestNobodyPullsAMemoryOutOfAnotherProject(t *testing.T) {
	_, all := clones(t, 1)
	c := all[0]
	m := c.save(remember.SaveInput{Title: "mine", Content: "of a project that nobody shares", Project: "own"}).Memory
	there := foreign(string(m.ID), time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC), "mine", "words of somebody else")
	there.Causal = &engram.CausalMetadata{Base: engram.VersionStamp{At: engram.Clock(0).Tick(time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC)), Device: "elsewhere"}}
	write(t, c.remote, "mallory", there)
	for range 2 {
		c.pull()
		if now, was := c.said(m.ID); now != m.Content || len(was) != 0 || len(c.titlesIn("own")) != 1 {
			t.Errorf("it says %q and said %q, and own has %v; want it as it was", now, was, c.titlesIn("own"))
		}
	}
	if waits, err := c.Deferred(t.Context(), ""); err != nil || len(waits) != 1 || waits[0].Why != engram.DeferredMissing {
		t.Errorf("%+v wait, %v; want the record, until the memory leaves its project", waits, err)
	}
}
