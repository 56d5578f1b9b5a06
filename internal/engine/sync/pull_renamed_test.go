package sync_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A store that renames a project still reads what the others write, which are told what to do; afterwards they have
// everything.
func TestARenamedProjectIsSharedOnceAllHaveRenamedIt(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	old := a.MustSave(remember.SaveInput{Content: "the kettle", Project: "shop"}).Memory.ID
	enginetest.Meet(a, b)
	rename := func(c enginetest.Clone) {
		t.Helper()
		if _, err := c.RenameProject(t.Context(), "shop", "store"); err != nil {
			t.Fatal(err)
		}
	}
	rename(a)
	a.Edit(old, "the other kettle")
	fresh := a.MustSave(remember.SaveInput{Content: "the lamp", Project: "store"}).Memory.ID
	late := b.MustSave(remember.SaveInput{Content: "the door", Project: "shop"}).Memory.ID
	b.MustPush()
	a.MustPull() // as shop, which is its alias
	if now, _ := said(a, late); now != "the door" {
		t.Errorf("the one who renamed has %q of the others, want %q", now, "the door")
	}
	a.MustPush()
	if others := b.MustPull().Others; len(others) != 1 || others[0].Project != "store" || others[0].Memories != 2 {
		t.Fatalf("the others are told %+v, want that two memories of store are pending", others)
	}
	st, err := b.RemoteStatus(t.Context(), b.Remote, "shop")
	if err != nil || st.Pending != 1 || len(st.Others) != 1 || st.Others[0].Memories != 2 {
		t.Fatalf("the status is %+v, %v; want the batch pending, with two memories of store", st, err)
	}
	rename(b)
	enginetest.Meet(a, b)
	for n, c := range all {
		for id, want := range map[engram.ID]string{old: "the other kettle", fresh: "the lamp", late: "the door"} {
			if now, _ := said(c, id); now != want {
				t.Errorf("replica %d says %q, want %q", n, now, want)
			}
		}
	}
	enginetest.Equal(t, a, b)
}
