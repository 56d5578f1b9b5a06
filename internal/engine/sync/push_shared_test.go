package sync_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

func forget(c enginetest.Clone, id engram.ID) {
	c.Helper()
	if _, err := c.Forget(c.Context(), engram.ByID(id)); err != nil {
		c.Fatal(err)
	}
}

func TestWhatWasForgottenBeforeItWasSharedIsToldToNobody(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	kept := a.MustSave(remember.SaveInput{Title: "kept", Content: "for all", Project: "shop", SessionID: "s1", NewSession: true}).Memory
	slip := a.MustSave(remember.SaveInput{Title: "slip", Content: "the password is hunter2", Project: "shop", SessionID: "s1"}).Memory
	a.MustLink(slip.ID, kept.ID, engram.VerbCausedBy)
	asked := a.Prompt(remember.PromptInput{Content: "is it hunter2?", Project: "shop"})
	if err := a.DeletePrompt(t.Context(), asked.Num, false); err != nil {
		t.Fatal(err)
	}
	forget(a, slip.ID)
	all := a.Journal()
	op := all[len(all)-1].Op
	p := a.MustPush()
	if said := wrote(a, p); strings.Contains(said, "hunter2") || strings.Contains(said, string(slip.ID)) || p.Memories != 1 || p.Relations != 0 {
		t.Errorf("went %s, %+v", said, p)
	}
	if st, err := a.RemoteStatus(t.Context(), a.Remote, "shop"); err != nil || st.Unpushed != (sync.Unpushed{}) {
		t.Errorf("the status says that there is %+v to push, %v, want nothing", st.Unpushed, err)
	}
	b.MustPull()

	// Changes of shared things are pushed.
	forget(a, kept.ID)
	if p := a.MustPush(); p.Memories != 1 {
		t.Errorf("what was shared and forgotten: went %+v, want 1 memory", p)
	}
	b.MustPull()
	_, err := b.Get(t.Context(), engram.ByID(kept.ID))
	enginetest.WantCode(t, err, engram.CodeNotFound)

	// A restored memory is pushed with its relations.
	if _, err := a.Undo(t.Context(), undo.UndoInput{Op: op}); err != nil {
		t.Fatal(err)
	}
	if p := a.MustPush(); p.Memories != 1 || p.Relations != 1 {
		t.Errorf("what came back: went %+v, want a memory and a relation", p)
	}
	b.MustPull()
	if now, _ := said(b, slip.ID); now != slip.Content {
		t.Errorf("elsewhere it says %q, want what came back", now)
	}
}

// A folder names a person and a machine: it is not pushed, and does not count as a change.
func TestTheFolderOfASessionStaysHere(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	in := remember.SessionInput{ID: "s1", Project: "shop", Directory: "/home/ann/shop"}
	for _, c := range cs {
		if _, err := c.StartSession(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		in.Directory = "/home/bob/shop"
	}
	a.MustSave(remember.SaveInput{Content: "said by ann", Project: "shop", SessionID: "s1"})
	b.MustSave(remember.SaveInput{Content: "said by bob", Project: "shop", SessionID: "s1"})
	for _, c := range cs {
		if said := wrote(c, c.MustPush()); strings.Contains(said, "/home/") || !strings.Contains(said, "s1") {
			t.Errorf("went %s, want the session without its folder", said)
		}
	}
	enginetest.Meet(cs...)
	enginetest.Equal(t, cs...)
	for n, want := range []string{"/home/ann/shop", "/home/bob/shop"} {
		if s, err := cs[n].Session(t.Context(), "s1"); err != nil || s.Directory != want {
			t.Errorf("clone %d has the folder %q, %v, want its own %q", n, s.Directory, err, want)
		}
	}
	in.Directory = "/home/ann/elsewhere"
	if _, err := a.StartSession(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if p := a.MustPush(); len(p.Batches) != 0 {
		t.Errorf("after a change of the folder alone went %s", wrote(a, p))
	}
}

func TestASessionGoesWithWhatStandsInIt(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	end := func(id string) {
		t.Helper()
		if _, err := w.EndSession(t.Context(), id, "what "+id+" came to"); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"empty", "summed-up", "mine", "mixed", "asked"} {
		w.MustSession(id, "demo")
	}
	end("summed-up")
	for id, scope := range map[string]engram.Scope{"mine": engram.ScopePersonal, "mixed": engram.ScopeProject} {
		w.MustSave(remember.SaveInput{Content: "mine alone, in " + id, Project: "demo", SessionID: id, Scope: engram.ScopePersonal})
		w.MustSave(remember.SaveInput{Content: "said in " + id, Project: "demo", SessionID: id, Scope: scope})
		end(id)
	}
	w.Prompt(remember.PromptInput{Content: "why?", Project: "demo", SessionID: "asked"})
	r := replicatest.NewPlace("here").Open()
	went := func(in sync.PushInput) string {
		t.Helper()
		var ids []string
		for _, rec := range wentIn(w, r, w.MustPush(r, in).Batches) {
			if rec.Session != nil {
				ids = append(ids, rec.Session.ID)
			}
		}
		b, _ := json.Marshal(ids)
		return string(b)
	}
	if got, want := went(sync.PushInput{}), `["asked","mixed","summed-up"]`; got != want {
		t.Errorf("the sessions %s went, want %s", got, want)
	}
	if st := status(w, r); st.Unpushed != (sync.Unpushed{}) {
		t.Errorf("the status says %+v", st.Unpushed)
	}
	w.MustSave(remember.SaveInput{Content: "for all", Project: "demo", SessionID: "mine"})
	if got, want := went(sync.PushInput{All: true}), `["mine"]`; got != want {
		t.Errorf("later the sessions %s went, want %s", got, want)
	}
}

// Prompts of a session with only personal content reveal that content.
func TestASessionOfPersonalMemoriesStaysWithItsPromptsAndItsSummary(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	r := replicatest.NewPlace("here").Open()
	mine := func(id string) {
		t.Helper()
		w.MustSave(remember.SaveInput{Content: "mine alone, in " + id, Project: "demo", SessionID: id, Scope: engram.ScopePersonal})
		w.Prompt(remember.PromptInput{Content: "secret question in " + id, Project: "demo", SessionID: id})
		if _, err := w.EndSession(t.Context(), id, "secret summary of "+id); err != nil {
			t.Fatal(err)
		}
	}
	said := func() string {
		t.Helper()
		b, err := json.Marshal(wentIn(w, r, w.MustPush(r, sync.PushInput{}).Batches))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	w.MustSession("new", "demo")
	w.MustSession("known", "demo")
	asked := w.Prompt(remember.PromptInput{Content: "open question", Project: "demo", SessionID: "known"})
	mine("new")
	if went := said(); strings.Contains(went, "secret") || !strings.Contains(went, "open question") {
		t.Errorf("at first went %s, want the open question alone", went)
	}
	mine("known")
	if went := said(); strings.Contains(went, "secret") {
		t.Errorf("of a session that others have went %s, want nothing that is said since", went)
	}
	if st := status(w, r); st.Unpushed != (sync.Unpushed{}) {
		t.Errorf("the status says that there is %+v to push, want nothing", st.Unpushed)
	}
	if err := w.DeletePrompt(t.Context(), asked.Num, false); err != nil {
		t.Fatal(err)
	}
	if went := said(); strings.Contains(went, "secret") || !strings.Contains(went, asked.SyncID) {
		t.Errorf("after the open question was deleted went %s, want it", went)
	}
	w.MustSave(remember.SaveInput{Content: "for all", Project: "demo", SessionID: "new"})
	if went := said(); !strings.Contains(went, "secret summary of new") || !strings.Contains(went, "secret question in new") || strings.Contains(went, "in known") {
		t.Errorf("with a memory for all went %s, want its session with the question", went)
	}
}

// A deleted session in which others go on is shown while something is in it, and its deletion is told all the same.
func TestTheDeletionOfASessionThatOthersUseIsTold(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	a.MustSession("s1", "shop")
	if _, err := a.EndSession(t.Context(), "s1", "what it came to"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Delete(t.Context(), true, engram.ByNum(1)); err != nil { // the memory of the summary
		t.Fatal(err)
	}
	a.MustPush()
	b.MustPull()
	if err := a.DeleteSession(t.Context(), "s1", false); err != nil {
		t.Fatal(err)
	}
	b.MustSave(remember.SaveInput{Content: "said by bob", Project: "shop", SessionID: "s1"})
	b.MustPush()
	a.MustPull()
	a.MustPush()
	b.MustPull()
	if x, y := a.MustCanonical(), b.MustCanonical(); x != y {
		t.Errorf("the stores differ:\n%s\n%s", x, y)
	}
}
