package engine_test

import (
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// One-line fields have no control characters: on a terminal they would move the cursor, and in a private span they
// would hide its end.
func TestNamesHaveNoControlCharacters(t *testing.T) {
	const title, hidden, tag, session = "red\x1b[31m\x07 alert\u0085twice", "kept <pri\x01vate>secret</pri\x01vate> open", "bu\x1bg", "s-\x7f1"
	check := func(t *testing.T, m engram.Memory) {
		t.Helper()
		if m.Title != "red[31m alert twice" || !slices.Equal(m.Tags, []string{"bug"}) || m.SessionID != "s-1" || m.ToolName != "kept [REDACTED] open" {
			t.Errorf("there is title %q, tags %q, session %q, tool %q", m.Title, m.Tags, m.SessionID, m.ToolName)
		}
	}
	t.Run("of a save", func(t *testing.T) {
		w := newWorld(t)
		check(t, w.save(remember.SaveInput{Title: title, Content: "x\ty\nz", Tags: []string{tag}, SessionID: session, NewSession: true, ToolName: hidden, Project: "shop"}).Memory)
	})
	t.Run("of a batch", func(t *testing.T) {
		place, all := clones(t, 1)
		r := foreign(id1, all[0].Clock.Now(), title, "x\ty\nz")
		m := &r.Memory.Memory
		m.Tags, m.SessionID, m.ToolName = []string{tag}, session, hidden
		write(t, place.Open(), "elsewhere", r)
		all[0].pull()
		got := all[0].get(all[0].num(id1)).Memory
		check(t, got)
		if got.Content != "x\ty\nz" {
			t.Errorf("the content is %q", got.Content)
		}
	})
}

// An unknown scope is rejected, not guessed: the default would publish a memory meant to be personal.
func TestAScopeThatDoesNotExistIsRejected(t *testing.T) {
	for _, scope := range []engram.Scope{"private", "team", "personal-ish"} {
		place, all := clones(t, 1)
		r := foreign(id1, all[0].Clock.Now(), "x", "y")
		r.Memory.Memory.Scope = scope
		write(t, place.Open(), "elsewhere", r, foreign(id2, all[0].Clock.Now(), "x", "fine"))
		p := all[0].pull()
		if st := all[0].stats(); st.Memories != 1 || p.All().Rejected != 1 || len(p.Imported.Rejected) != 1 {
			t.Errorf("scope %q: %d memories, rejected %+v; want the other one alone", scope, st.Memories, p.Imported.Rejected)
		}
	}
}
