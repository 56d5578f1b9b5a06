package sync_test

import (
	"bytes"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

func pushTo(c enginetest.Clone, r engram.Remote, project string) sync.Pushed {
	c.Helper()
	p, err := c.Push(c.Context(), r, sync.PushInput{Project: project})
	if err != nil {
		c.Fatalf("push %s: %v", project, err)
	}
	return p
}

func dump(c enginetest.Clone, project string) string {
	c.Helper()
	var b bytes.Buffer
	if err := c.Canonical(c.Context(), &b, project); err != nil {
		c.Fatalf("canonical %s: %v", project, err)
	}
	return b.String()
}

func moveTo(c enginetest.Clone, project string, id engram.ID) {
	c.Helper()
	if _, err := c.Update(c.Context(), remember.UpdateInput{Ref: engram.ByID(id), Project: &project}); err != nil {
		c.Fatal(err)
	}
}

func TestWhoSharesOneProjectErasesNothingOfAnother(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		before bool // the erasure comes before the memory does
	}{{"of a memory that is here", false}, {"of a memory that comes later", true}} {
		t.Run(tt.name, func(t *testing.T) {
			_, cs := enginetest.Clones(t, 3)
			a, b, c := cs[0], cs[1], cs[2]
			bank := replicatest.NewPlace("bank")
			m := a.MustSave(remember.SaveInput{Title: "Rate", Content: "two percent", Project: "bank"}).Memory
			n := a.MustSave(remember.SaveInput{Title: "Fee", Content: "none", Project: "bank"}).Memory
			a.MustLink(m.ID, n.ID, engram.VerbCausedBy)
			pushTo(a, bank.Open(), "bank")
			enginetest.WriteTo(t, b.Remote, "mallory", enginetest.Erasing(m))
			if tt.before {
				b.PullFrom(b.Remote, "shop")
			}
			if p := b.PullFrom(bank.Open(), "bank"); p.Memories.Added != 2 || p.Relations.Added != 1 {
				t.Fatalf("pulled %+v, want both memories and their relation", p.Imported)
			}
			b.PullFrom(b.Remote, "shop")
			if d, err := b.Get(t.Context(), engram.ByID(m.ID)); err != nil || d.Memory.Forgotten() {
				t.Fatalf("the memory of the bank: %+v, %v, want it to be there", d.Memory, err)
			}
			b.Edit(m.ID, "three percent")
			if p := pushTo(b, bank.Open(), "bank"); p.Memories != 1 || p.Erased != 0 {
				t.Errorf("pushed to the bank %+v, want the edit and no erasure", p)
			}
			a.PullFrom(bank.Open(), "bank")
			if got, want := dump(b, "bank"), dump(a, "bank"); got != want {
				t.Errorf("the bank is\n%s\nthere\n%s", got, want)
			}
			c.MustSave(remember.SaveInput{Title: "s", Content: "x", Project: "shop"})
			c.PullFrom(c.Remote, "shop")
			pushTo(c, c.Remote, "shop")
			b.PullFrom(b.Remote, "shop")
			if got, want := dump(b, "shop"), dump(c, "shop"); got != want {
				t.Errorf("the shop is\n%s\nelsewhere\n%s", got, want)
			}
		})
	}
}

func TestWhatWasErasedHereStaysAwayFromEveryProject(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	bank := replicatest.NewPlace("bank")
	m := a.MustSave(remember.SaveInput{Title: "Rate", Content: "two percent", Project: "shop"}).Memory
	b.MustSave(remember.SaveInput{Title: "Other", Content: "x", Project: "bank"})
	a.MustPush()
	b.MustPull()
	moveTo(b, "bank", m.ID)
	pushTo(b, bank.Open(), "bank")
	if _, err := a.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
		t.Fatal(err)
	}
	if p := a.PullFrom(bank.Open(), "bank"); p.Memories.Added != 1 || p.Memories.Unchanged != 1 {
		t.Fatalf("pulled %+v, want the other memory alone", p.Imported)
	}
	// Replicas of the bank are told, or they would keep what this store never takes in.
	if p := pushTo(a, bank.Open(), "bank"); p.Erased != 1 {
		t.Fatalf("pushed to the bank %+v, want the erasure", p)
	}
	b.PullFrom(bank.Open(), "bank")
	if got, want := dump(b, "bank"), dump(a, "bank"); got != want {
		t.Errorf("the bank is\n%s\nwhere it was erased\n%s", got, want)
	}
}

func TestAnErasureGoesToWhereTheMemoryWasBeforeItMoved(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	m := a.MustSave(remember.SaveInput{Title: "Rate", Content: "two percent", Project: "shop"}).Memory
	a.MustSave(remember.SaveInput{Title: "Other", Content: "x", Project: "shop"})
	a.MustPush()
	b.MustPull()
	moveTo(a, "bank", m.ID)
	if _, err := a.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
		t.Fatal(err)
	}
	enginetest.Meet(a, b)
	if d, err := b.Get(t.Context(), engram.ByID(m.ID)); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("where it was before it moved: %+v, %v, want it forgotten", d.Memory, err)
	}
	enginetest.Equal(t, a, b)
}

func TestWhatIsKnownOfOneErasureIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 3)
	a, b, c := cs[0], cs[1], cs[2]
	m := a.MustSave(remember.SaveInput{Title: "Rate", Content: "two percent", Project: "shop"}).Memory
	a.MustSave(remember.SaveInput{Title: "Other", Content: "x", Project: "shop"})
	a.MustPush()
	b.MustPull()
	// Another program names it by its sync id alone, and c never had it.
	enginetest.WriteTo(t, a.Remote, "mem", engram.Record{Erased: &engram.Erased{Entity: engram.EntityMemory, ID: m.SyncID, SyncID: m.SyncID, Project: "shop", At: 9}})
	for _, own := range []enginetest.Clone{a, b} {
		if _, err := own.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Meet(a, b, c)
	enginetest.Equal(t, a, b, c)
}
