package engine_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// handOver transfers a store's memories to another by a file.
func (c clone) handOver(to clone) {
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
	_, all := clones(t, 3)
	a, b, c := all[0], all[1], all[2]
	id := a.save(remember.SaveInput{Title: "Lifetime", Content: "first", Project: "shop"}).Memory.ID
	a.handOver(c)
	c.edit(id, "older edit")
	for range 20 {
		a.Now()
	}
	a.edit(id, "later edit")
	a.push()
	b.pull()

	c.handOver(a)
	if p := a.push(); p.Memories != 1 {
		t.Errorf("with one more text, %d memories were pushed, want 1", p.Memories)
	}
	b.pull()
	for name, who := range map[string]clone{"the one who pushed": a, "the one who pulled": b} {
		if now, was := who.said(id); now != "later edit" || !slices.Equal(was, []string{"first", "older edit"}) {
			t.Errorf("%s says %q and said %q, want the later edit, and the first and the older one", name, now, was)
		}
	}
	equal(t, a, b)
	if p := b.push(); len(p.Batches) != 0 {
		t.Errorf("who pulled it has something to push: %+v", p)
	}
	if p := a.pull(); len(p.Batches) != 0 {
		t.Errorf("who pushed it has something to pull: %+v", p)
	}
}

// A file without version stamps brings the same text as a local write; what a store derives from it must be the
// same everywhere.
func TestTextsWithoutStampsArePushedOnce(t *testing.T) {
	_, all := clones(t, 2)
	a := all[0]
	id := a.save(remember.SaveInput{Title: "Lifetime", Content: "first", Project: "shop"}).Memory.ID
	meet(all...)
	file := `{"version":"1","exported_at":"2026-06-01T00:00:00Z","sessions":[],"prompts":[],"observations":[` +
		`{"sync_id":"` + a.syncID(id) + `","session_id":"","type":"fact","title":"Lifetime","content":"from elsewhere","project":"shop","scope":"project",` +
		`"created_at":"2026-01-01 00:00:00","updated_at":"2026-01-01 00:00:00"}]}`
	for range 2 {
		if _, err := a.Import(t.Context(), bytes.NewReader([]byte(file)), exchange.ImportInput{}); err != nil {
			t.Fatal(err)
		}
		a.edit(id, "from elsewhere")
		a.edit(id, "first")
	}
	meet(all...)
	equal(t, all...)
	for n, c := range all {
		if p := c.push(); len(p.Batches) != 0 {
			t.Errorf("replica %d: there is something to push still: %+v", n, p)
		}
	}
}

func (c clone) syncID(id engram.ID) string {
	c.Helper()
	d, err := c.Get(c.Context(), engram.ByID(id))
	if err != nil {
		c.Fatal(err)
	}
	return d.Memory.SyncID
}
