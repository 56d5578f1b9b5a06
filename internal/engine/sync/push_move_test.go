package sync_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// gather lets stores pull, one project or all, and push projects, until nothing is new.
func gather(r engram.Remote, projects []string, ws ...enginetest.World) {
	in := sync.PullInput{All: len(projects) > 1}
	if !in.All {
		in.Project = projects[0]
	}
	for range 2 {
		for _, w := range ws {
			if _, err := w.Pull(w.Context(), r, in); err != nil {
				w.Fatalf("pull %v: %v", projects, err)
			}
			for _, p := range projects {
				w.MustPush(r, sync.PushInput{Project: p})
			}
		}
	}
}

// titlesIn returns the titles of the live memories of a project, sorted.
func titlesIn(w enginetest.World, project string) (titles []string) {
	w.Helper()
	ms, err := w.List(w.Context(), engram.Filter{Project: project}, engram.Page{Limit: 50})
	if err != nil {
		w.Fatal(err)
	}
	for _, m := range ms {
		titles = append(titles, m.Title)
	}
	return titles
}

func TestAMemoryThatMovesBetweenProjectsOfOneRemoteArrives(t *testing.T) {
	t.Parallel()
	a := enginetest.NewWorld(t).Unlinked()
	b := a.Other("b")
	r := replicatest.NewPlace("here").Open()
	projects := []string{"demo", "shop"}
	num := a.Note("moves", "a text that moves")
	a.MustSave(remember.SaveInput{Title: "stays", Content: "of the shop", Project: "shop"})
	b.MustSave(remember.SaveInput{Title: "mine", Content: "so that there is one", Project: "demo"})
	gather(r, projects[:1], b)
	gather(r, projects, a, b)
	shop := "shop"
	if _, err := a.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Project: &shop}); err != nil {
		t.Fatal(err)
	}
	gather(r, projects, a, b)
	for _, w := range []enginetest.World{a, b} {
		enginetest.Same(t, "in demo", titlesIn(w, "demo"), []string{"mine"})
		if got := titlesIn(w, "shop"); len(got) != 2 {
			t.Errorf("in shop: got %v, want two", got)
		}
	}
	back := "demo"
	if _, err := a.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Project: &back}); err != nil {
		t.Fatal(err)
	}
	gather(r, projects, a, b)
	for _, w := range []enginetest.World{a, b} {
		enginetest.Same(t, "back in shop", titlesIn(w, "shop"), []string{"stays"})
		if got := titlesIn(w, "demo"); len(got) != 2 {
			t.Errorf("back in demo: got %v, want two", got)
		}
	}
}

// The others have it as forgotten then.
func TestAMemoryThatComesBackIntoItsProjectComesBackForOthers(t *testing.T) {
	t.Parallel()
	a := enginetest.NewWorld(t).Unlinked()
	b := a.Other("b")
	r := replicatest.NewPlace("here").Open()
	demo := []string{"demo"}
	num := a.Note("moves", "a text that moves")
	a.MustSave(remember.SaveInput{Title: "home", Content: "of another project", Project: "home"})
	gather(r, demo, a)
	if _, err := b.Pull(t.Context(), r, sync.PullInput{Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"home", "demo", "home", "demo"} {
		if _, err := a.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Project: &to}); err != nil {
			t.Fatal(err)
		}
		gather(r, demo, a, b)
		want := 0
		if to == "demo" {
			want = 1
		}
		if got := titlesIn(b, "demo"); len(got) != want {
			t.Errorf("after it moved to %s the other store has %v, want %d", to, got, want)
		}
		if got := titlesIn(a, "demo"); len(got) != want {
			t.Errorf("after it moved to %s its own store has %v, want %d", to, got, want)
		}
	}
}

// Some stores learn first that a memory left, and others first where it is now.
func TestReplicasOfAllProjectsAreEqualAfterMoves(t *testing.T) {
	t.Parallel()
	a := enginetest.NewWorld(t).Unlinked()
	b := a.Other("b")
	r := replicatest.NewPlace("here").Open()
	num := a.Note("moves", "a text that moves")
	a.MustSave(remember.SaveInput{Title: "stays", Content: "of the shop", Project: "shop"})
	a.MustSave(remember.SaveInput{Title: "third", Content: "of the yard", Project: "yard"})
	a.MustPush(r, sync.PushInput{All: true})
	pull := func(w enginetest.World, project string) {
		t.Helper()
		if p, err := w.Pull(t.Context(), r, sync.PullInput{Project: project, All: project == ""}); err != nil || len(p.Refused) > 0 {
			t.Fatalf("pull of %q: %+v, %v", project, p, err)
		}
	}
	pull(b, "")
	for _, step := range []struct{ to, push string }{{"shop", "demo"}, {"yard", ""}, {"demo", "yard"}, {"shop", "shop"}} {
		if _, err := a.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Project: &step.to}); err != nil {
			t.Fatal(err)
		}
		a.MustPush(r, sync.PushInput{Project: step.push, All: step.push == ""})
		pull(b, "")
		c := a.Other("late" + step.to)
		a.MustPush(r, sync.PushInput{All: true})
		for _, w := range []enginetest.World{b, c} {
			pull(w, "")
			if got, want := mustDump(w, ""), mustDump(a, ""); got != want {
				t.Errorf("after the move to %s there is\n%s\nwant\n%s", step.to, got, want)
			}
			if got, want := titlesIn(w, step.to), titlesIn(a, step.to); len(got) != len(want) {
				t.Errorf("after the move to %s there is %q, want %q", step.to, got, want)
			}
		}
	}
}

// mustDump is the canonical dump of a project; "" is every one.
func mustDump(w enginetest.World, project string) string {
	w.Helper()
	var b strings.Builder
	if err := w.Canonical(w.Context(), &b, project); err != nil {
		w.Fatal(err)
	}
	return b.String()
}
