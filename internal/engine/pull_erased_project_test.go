package engine_test

import (
	"bytes"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// pullFrom pulls a project from a remote of its own.
func (c clone) pullFrom(r engram.Remote, project string) sync.Pulled {
	c.Helper()
	p, err := c.Pull(c.Context(), r, sync.PullInput{Project: project})
	if err != nil {
		c.Fatalf("pull %s: %v", project, err)
	}
	return p
}

func (c clone) pushTo(r engram.Remote, project string) sync.Pushed {
	c.Helper()
	p, err := c.Push(c.Context(), r, sync.PushInput{Project: project})
	if err != nil {
		c.Fatalf("push %s: %v", project, err)
	}
	return p
}

func (c clone) dump(project string) string {
	c.Helper()
	var b bytes.Buffer
	if err := c.Canonical(c.Context(), &b, project); err != nil {
		c.Fatalf("canonical %s: %v", project, err)
	}
	return b.String()
}

func (c clone) moveTo(project string, id engram.ID) {
	c.Helper()
	if _, err := c.Update(c.Context(), remember.UpdateInput{Ref: engram.ByID(id), Project: &project}); err != nil {
		c.Fatal(err)
	}
}

// erasing is an erasure as a client that may write to the shop's shared project can send it.
func erasing(m engram.Memory) engram.Record {
	return engram.Record{Erased: &engram.Erased{Entity: engram.EntityMemory, ID: string(m.ID), SyncID: m.SyncID, Project: "shop", At: 1}}
}

func TestWhoSharesOneProjectErasesNothingOfAnother(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before bool // the erasure comes before the memory does
	}{{"of a memory that is here", false}, {"of a memory that comes later", true}} {
		t.Run(tt.name, func(t *testing.T) {
			_, cs := clones(t, 3)
			a, b, c := cs[0], cs[1], cs[2]
			bank := replicatest.NewPlace("bank")
			m := a.save(remember.SaveInput{Title: "Rate", Content: "two percent", Project: "bank"}).Memory
			n := a.save(remember.SaveInput{Title: "Fee", Content: "none", Project: "bank"}).Memory
			a.link(m.ID, n.ID, engram.VerbCausedBy)
			a.pushTo(bank.Open(), "bank")
			write(t, b.remote, "mallory", erasing(m))
			if tt.before {
				b.pullFrom(b.remote, "shop")
			}
			if p := b.pullFrom(bank.Open(), "bank"); p.Memories.Added != 2 || p.Relations.Added != 1 {
				t.Fatalf("pulled %+v, want both memories and their relation", p.Imported)
			}
			b.pullFrom(b.remote, "shop")
			if d, err := b.Get(t.Context(), engram.ByID(m.ID)); err != nil || d.Memory.Forgotten() {
				t.Fatalf("the memory of the bank: %+v, %v, want it to be there", d.Memory, err)
			}
			b.edit(m.ID, "three percent")
			if p := b.pushTo(bank.Open(), "bank"); p.Memories != 1 || p.Erased != 0 {
				t.Errorf("pushed to the bank %+v, want the edit and no erasure", p)
			}
			a.pullFrom(bank.Open(), "bank")
			if got, want := b.dump("bank"), a.dump("bank"); got != want {
				t.Errorf("the bank is\n%s\nthere\n%s", got, want)
			}
			c.save(remember.SaveInput{Title: "s", Content: "x", Project: "shop"})
			c.pullFrom(c.remote, "shop")
			c.pushTo(c.remote, "shop")
			b.pullFrom(b.remote, "shop")
			if got, want := b.dump("shop"), c.dump("shop"); got != want {
				t.Errorf("the shop is\n%s\nelsewhere\n%s", got, want)
			}
		})
	}
}

func TestWhatWasErasedHereStaysAwayFromEveryProject(t *testing.T) {
	_, cs := clones(t, 2)
	a, b := cs[0], cs[1]
	bank := replicatest.NewPlace("bank")
	m := a.save(remember.SaveInput{Title: "Rate", Content: "two percent", Project: "shop"}).Memory
	b.save(remember.SaveInput{Title: "Other", Content: "x", Project: "bank"})
	a.push()
	b.pull()
	b.moveTo("bank", m.ID)
	b.pushTo(bank.Open(), "bank")
	if _, err := a.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
		t.Fatal(err)
	}
	if p := a.pullFrom(bank.Open(), "bank"); p.Memories.Added != 1 || p.Memories.Unchanged != 1 {
		t.Fatalf("pulled %+v, want the other memory alone", p.Imported)
	}
	// Replicas of the bank are told, or they would keep what this store never takes in.
	if p := a.pushTo(bank.Open(), "bank"); p.Erased != 1 {
		t.Fatalf("pushed to the bank %+v, want the erasure", p)
	}
	b.pullFrom(bank.Open(), "bank")
	if got, want := b.dump("bank"), a.dump("bank"); got != want {
		t.Errorf("the bank is\n%s\nwhere it was erased\n%s", got, want)
	}
}

func TestAnErasureGoesToWhereTheMemoryWasBeforeItMoved(t *testing.T) {
	_, cs := clones(t, 2)
	a, b := cs[0], cs[1]
	m := a.save(remember.SaveInput{Title: "Rate", Content: "two percent", Project: "shop"}).Memory
	a.save(remember.SaveInput{Title: "Other", Content: "x", Project: "shop"})
	a.push()
	b.pull()
	a.moveTo("bank", m.ID)
	if _, err := a.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
		t.Fatal(err)
	}
	meet(a, b)
	if d, err := b.Get(t.Context(), engram.ByID(m.ID)); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("where it was before it moved: %+v, %v, want it forgotten", d.Memory, err)
	}
	equal(t, a, b)
}

func TestWhatIsKnownOfOneErasureIsTheSameEverywhere(t *testing.T) {
	_, cs := clones(t, 3)
	a, b, c := cs[0], cs[1], cs[2]
	m := a.save(remember.SaveInput{Title: "Rate", Content: "two percent", Project: "shop"}).Memory
	a.save(remember.SaveInput{Title: "Other", Content: "x", Project: "shop"})
	a.push()
	b.pull()
	// Another program names it by its sync id alone, and c never had it.
	write(t, a.remote, "mem", engram.Record{Erased: &engram.Erased{Entity: engram.EntityMemory, ID: m.SyncID, SyncID: m.SyncID, Project: "shop", At: 9}})
	for _, own := range []clone{a, b} {
		if _, err := own.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
			t.Fatal(err)
		}
	}
	meet(a, b, c)
	equal(t, a, b, c)
}
