package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
)

// wrote returns everything that a push wrote to the remote, as text.
func (c clone) wrote(p sync.Pushed) string {
	c.Helper()
	b, err := json.Marshal(c.wentIn(c.remote, p.Batches))
	if err != nil {
		c.Fatal(err)
	}
	return string(b)
}

func TestWhatWasErasedElsewhereIsNotPushedAgain(t *testing.T) {
	_, cs := clones(t, 2)
	a, b := cs[0], cs[1]
	m := a.save(remember.SaveInput{Title: "key", Content: "the password is hunter2", Project: "shop"}).Memory
	other := a.save(remember.SaveInput{Title: "other", Content: "stays", Project: "shop"}).Memory
	p := a.prompt(remember.PromptInput{Content: "is it hunter2?", Project: "shop"})
	a.push()
	b.pull()
	b.edit(m.ID, "the password is hunter3")
	b.link(other.ID, m.ID, engram.VerbCausedBy)
	if _, err := a.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
		t.Fatal(err)
	}
	if err := a.DeletePrompt(t.Context(), p.Num, true); err != nil {
		t.Fatal(err)
	}
	a.push()
	b.pull()
	if st, err := b.RemoteStatus(t.Context(), b.remote, "shop"); err != nil || st.Unpushed != (sync.Unpushed{}) {
		t.Errorf("the status says that there is %+v to push, %v, want nothing", st.Unpushed, err)
	}
	if said := b.wrote(b.push()); strings.Contains(said, "hunter") || strings.Contains(said, string(m.ID)) {
		t.Errorf("pushed after it was erased elsewhere: %s", said)
	}
	equal(t, a, b)
}
