package sync_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// handOver transfers a store's memories to another by a file.
func handOver(c enginetest.Clone, to enginetest.Clone) {
	c.Helper()
	var b bytes.Buffer
	if _, err := c.Export(c.Context(), &b, exchange.ExportInput{Project: "shop"}); err != nil {
		c.Fatal(err)
	}
	if _, err := to.Import(c.Context(), &b, exchange.ImportInput{}); err != nil {
		c.Fatal(err)
	}
}

// An older edit adds a revision but no current version stamp; revisions alone would equal the remote's state.
func TestAnOlderTextThatComesByAFileIsPushed(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 3)
	a, b, c := all[0], all[1], all[2]
	id := a.MustSave(remember.SaveInput{Title: "Lifetime", Content: "first", Project: "shop"}).Memory.ID
	handOver(a, c)
	c.Edit(id, "older edit")
	for range 20 {
		a.Now()
	}
	a.Edit(id, "later edit")
	a.MustPush()
	b.MustPull()

	handOver(c, a)
	if p := a.MustPush(); p.Memories != 1 {
		t.Errorf("with one more text, %d memories were pushed, want 1", p.Memories)
	}
	b.MustPull()
	for name, who := range map[string]enginetest.Clone{"the one who pushed": a, "the one who pulled": b} {
		if now, was := said(who, id); now != "later edit" || !slices.Equal(was, []string{"first", "older edit"}) {
			t.Errorf("%s says %q and said %q, want the later edit, and the first and the older one", name, now, was)
		}
	}
	enginetest.Equal(t, a, b)
	if p := b.MustPush(); len(p.Batches) != 0 {
		t.Errorf("who pulled it has something to push: %+v", p)
	}
	if p := a.MustPull(); len(p.Batches) != 0 {
		t.Errorf("who pushed it has something to pull: %+v", p)
	}
}

// A file without version stamps brings the same text as a local write; what a store derives from it must be the
// same everywhere.
func TestTextsWithoutStampsArePushedOnce(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a := all[0]
	id := a.MustSave(remember.SaveInput{Title: "Lifetime", Content: "first", Project: "shop"}).Memory.ID
	enginetest.Meet(all...)
	file := `{"version":"1","exported_at":"2026-06-01T00:00:00Z","sessions":[],"prompts":[],"observations":[` +
		`{"sync_id":"` + syncID(a, id) + `","session_id":"","type":"fact","title":"Lifetime","content":"from elsewhere","project":"shop","scope":"project",` +
		`"created_at":"2026-01-01 00:00:00","updated_at":"2026-01-01 00:00:00"}]}`
	for range 2 {
		if _, err := a.Import(t.Context(), bytes.NewReader([]byte(file)), exchange.ImportInput{}); err != nil {
			t.Fatal(err)
		}
		a.Edit(id, "from elsewhere")
		a.Edit(id, "first")
	}
	enginetest.Meet(all...)
	enginetest.Equal(t, all...)
	for n, c := range all {
		if p := c.MustPush(); len(p.Batches) != 0 {
			t.Errorf("replica %d: there is something to push still: %+v", n, p)
		}
	}
}

func syncID(c enginetest.Clone, id engram.ID) string {
	c.Helper()
	d, err := c.Get(c.Context(), engram.ByID(id))
	if err != nil {
		c.Fatal(err)
	}
	return d.Memory.SyncID
}
