package review_test

import (
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// One-line fields have no control characters: on a terminal they would move the cursor, and in a private span they
// would hide its end.
func TestNamesHaveNoControlCharacters(t *testing.T) {
	t.Parallel()
	const title, hidden, tag, session = "red\x1b[31m\x07 alert\u0085twice", "kept <pri\x01vate>secret</pri\x01vate> open", "bu\x1bg", "s-\x7f1"
	check := func(t *testing.T, m engram.Memory) {
		t.Helper()
		if m.Title != "red[31m alert twice" || !slices.Equal(m.Tags, []string{"bug"}) || m.SessionID != "s-1" || m.ToolName != "kept [REDACTED] open" {
			t.Errorf("there is title %q, tags %q, session %q, tool %q", m.Title, m.Tags, m.SessionID, m.ToolName)
		}
	}
	t.Run("of a save", func(t *testing.T) {
		w := enginetest.NewWorld(t)
		check(t, w.MustSave(remember.SaveInput{Title: title, Content: "x\ty\nz", Tags: []string{tag}, SessionID: session, NewSession: true, ToolName: hidden, Project: "shop"}).Memory)
	})
	t.Run("of a batch", func(t *testing.T) {
		place, all := enginetest.Clones(t, 1)
		r := enginetest.Foreign(enginetest.ID1, all[0].Clock.Now(), title, "x\ty\nz")
		m := &r.Memory.Memory
		m.Tags, m.SessionID, m.ToolName = []string{tag}, session, hidden
		enginetest.WriteTo(t, place.Open(), "elsewhere", r)
		all[0].MustPull()
		got := all[0].MustGet(all[0].Num(enginetest.ID1)).Memory
		check(t, got)
		if got.Content != "x\ty\nz" {
			t.Errorf("the content is %q", got.Content)
		}
	})
}

// An unknown scope is rejected, not guessed: the default would publish a memory meant to be personal.
func TestAScopeThatDoesNotExistIsRejected(t *testing.T) {
	t.Parallel()
	for _, scope := range []engram.Scope{"private", "team", "personal-ish"} {
		place, all := enginetest.Clones(t, 1)
		r := enginetest.Foreign(enginetest.ID1, all[0].Clock.Now(), "x", "y")
		r.Memory.Memory.Scope = scope
		enginetest.WriteTo(t, place.Open(), "elsewhere", r, enginetest.Foreign(enginetest.ID2, all[0].Clock.Now(), "x", "fine"))
		p := all[0].MustPull()
		if st := all[0].MustStats(); st.Memories != 1 || p.All().Rejected != 1 || len(p.Imported.Rejected) != 1 {
			t.Errorf("scope %q: %d memories, rejected %+v; want the other one alone", scope, st.Memories, p.Imported.Rejected)
		}
	}
}
