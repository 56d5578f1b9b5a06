package sync_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// wrote returns everything that a push wrote to the remote, as text.
func wrote(c enginetest.Clone, p sync.Pushed) string {
	c.Helper()
	b, err := json.Marshal(wentIn(c.World, c.Remote, p.Batches))
	if err != nil {
		c.Fatal(err)
	}
	return string(b)
}

func TestWhatWasErasedElsewhereIsNotPushedAgain(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	m := a.MustSave(remember.SaveInput{Title: "key", Content: "the password is hunter2", Project: "shop"}).Memory
	other := a.MustSave(remember.SaveInput{Title: "other", Content: "stays", Project: "shop"}).Memory
	p := a.Prompt(remember.PromptInput{Content: "is it hunter2?", Project: "shop"})
	a.MustPush()
	b.MustPull()
	b.Edit(m.ID, "the password is hunter3")
	b.MustLink(other.ID, m.ID, engram.VerbCausedBy)
	if _, err := a.Delete(t.Context(), true, engram.ByID(m.ID)); err != nil {
		t.Fatal(err)
	}
	if err := a.DeletePrompt(t.Context(), p.Num, true); err != nil {
		t.Fatal(err)
	}
	a.MustPush()
	b.MustPull()
	if st, err := b.RemoteStatus(t.Context(), b.Remote, "shop"); err != nil || st.Unpushed != (sync.Unpushed{}) {
		t.Errorf("the status says that there is %+v to push, %v, want nothing", st.Unpushed, err)
	}
	if said := wrote(b, b.MustPush()); strings.Contains(said, "hunter") || strings.Contains(said, string(m.ID)) {
		t.Errorf("pushed after it was erased elsewhere: %s", said)
	}
	enginetest.Equal(t, a, b)
}
