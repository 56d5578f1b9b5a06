package sync_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// pullOf pulls one project; "" is every one.
func pullOf(c enginetest.Clone, project string) sync.Pulled {
	c.Helper()
	p, err := c.Pull(c.Context(), c.Remote, sync.PullInput{Project: project, All: project == ""})
	if err != nil {
		c.Fatalf("pull of %q: %v", project, err)
	}
	return p
}

func TestABatchOfTwoProjectsIsReadForEach(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]string{"the other one": "web", "every one": ""} {
		t.Run(name, func(t *testing.T) {
			_, all := enginetest.Clones(t, 2)
			from, to := all[0], all[1]
			from.MustSave(remember.SaveInput{Title: "Lifetime", Content: "of shop", Project: "shop"})
			there := from.MustSave(remember.SaveInput{Title: "Colour", Content: "of web", Project: "web"}).Memory.ID
			if _, err := from.Push(t.Context(), from.Remote, sync.PushInput{All: true}); err != nil {
				t.Fatal(err)
			}
			if p := pullOf(to, "shop"); p.Memories.Added != 1 || len(p.Others) != 1 || p.Others[0].Project != "web" || p.Others[0].Memories != 1 {
				t.Fatalf("pull of shop: %+v, %+v, want one memory, and one of web left", p.Imported, p.Others)
			}
			if p := pullOf(to, "shop"); p.Known != 1 || len(p.Batches) != 0 {
				t.Errorf("pull of shop again: %d known and %d read, want 1 and 0", p.Known, len(p.Batches))
			}
			if st, err := to.RemoteStatus(t.Context(), to.Remote, "shop"); err != nil || st.Pending != 1 || st.Pulled != 1 || len(st.Others) != 1 || st.Others[0].Memories != 1 {
				t.Errorf("status of shop: %+v, %v; want the batch pulled, and pending for web", st, err)
			}
			if st, err := to.RemoteStatus(t.Context(), to.Remote, then); err != nil || st.Pending != 1 {
				t.Errorf("status of %q: %+v, %v; want 1 pending", then, st, err)
			}
			if p := pullOf(to, then); p.Memories.Added != 1 || len(p.Batches) != 1 {
				t.Errorf("pull of %q: %+v, want the other memory", then, p.Imported)
			}
			if now, _ := said(to, there); now != "of web" {
				t.Errorf("the memory of web says %q", now)
			}
			if st, err := to.RemoteStatus(t.Context(), to.Remote, "shop"); err != nil || st.Pending != 0 || len(st.Others) != 0 {
				t.Errorf("status of shop in the end: %+v, %v; want nothing pending", st, err)
			}
			if p := pullOf(to, then); p.Known != 1 || len(p.Batches) != 0 {
				t.Errorf("pull of %q again: %d known and %d read, want 1 and 0", then, p.Known, len(p.Batches))
			}
			if p := pullOf(from, "shop"); p.Known != 1 {
				t.Errorf("who wrote the batch reads it: %+v", p)
			}
		})
	}
}

func TestABatchOfOneProjectIsReadOnceForAll(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	all[0].MustSave(remember.SaveInput{Title: "Lifetime", Content: "of shop", Project: "shop"})
	all[0].MustPush()
	all[1].MustPull()
	if p := pullOf(all[1], ""); p.Known != 1 || len(p.Batches) != 0 {
		t.Errorf("pull of all: %d known and %d read, want 1 and 0", p.Known, len(p.Batches))
	}
}

func TestAnAliasHasWhatWasPassedOverReadAgain(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	from, to := all[0], all[1]
	from.MustSave(remember.SaveInput{Title: "Lifetime", Content: "of shop", Project: "shop"})
	from.MustSave(remember.SaveInput{Title: "Colour", Content: "of web", Project: "web"})
	if _, err := from.Push(t.Context(), from.Remote, sync.PushInput{All: true}); err != nil {
		t.Fatal(err)
	}
	to.MustSave(remember.SaveInput{Title: "Own", Content: "made here", Project: "web"})
	to.MustPull()
	if _, err := to.MergeProjects(t.Context(), []string{"web"}, "shop"); err != nil {
		t.Fatal(err)
	}
	if p := to.MustPull(); p.Memories.Added != 1 {
		t.Errorf("pull of shop, which web is now: %+v, want the memory of web", p.Imported)
	}
}
