package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// A store that renames a project still reads what the others write, which are told what to do; afterwards they have
// everything.
func TestARenamedProjectIsSharedOnceAllHaveRenamedIt(t *testing.T) {
	_, all := clones(t, 2)
	a, b := all[0], all[1]
	old := a.save(remember.SaveInput{Content: "the kettle", Project: "shop"}).Memory.ID
	meet(a, b)
	rename := func(c clone) {
		t.Helper()
		if _, err := c.RenameProject(t.Context(), "shop", "store"); err != nil {
			t.Fatal(err)
		}
	}
	rename(a)
	a.edit(old, "the other kettle")
	fresh := a.save(remember.SaveInput{Content: "the lamp", Project: "store"}).Memory.ID
	late := b.save(remember.SaveInput{Content: "the door", Project: "shop"}).Memory.ID
	b.push()
	a.pull() // as shop, which is its alias
	if now, _ := a.said(late); now != "the door" {
		t.Errorf("the one who renamed has %q of the others, want %q", now, "the door")
	}
	a.push()
	if others := b.pull().Others; len(others) != 1 || others[0].Project != "store" || others[0].Memories != 2 {
		t.Fatalf("the others are told %+v, want that two memories of store are pending", others)
	}
	st, err := b.RemoteStatus(t.Context(), b.remote, "shop")
	if err != nil || st.Pending != 1 || len(st.Others) != 1 || st.Others[0].Memories != 2 {
		t.Fatalf("the status is %+v, %v; want the batch pending, with two memories of store", st, err)
	}
	rename(b)
	meet(a, b)
	for n, c := range all {
		for id, want := range map[engram.ID]string{old: "the other kettle", fresh: "the lamp", late: "the door"} {
			if now, _ := c.said(id); now != want {
				t.Errorf("replica %d says %q, want %q", n, now, want)
			}
		}
	}
	equal(t, a, b)
}
