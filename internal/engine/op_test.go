package engine_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
)

// A reason may quote user input: it is redacted when it is written, not only when it is shown, and so is the same
// reason again.
func TestNoSecretIsWrittenAsAReason(t *testing.T) {
	t.Parallel()
	token := "ghp_" + "x8K2mQ9vT4rW7yB1nC6zL3pD5sF0gH2jA4kE"
	w := newApartWorld(t)
	reasons := []string{"opened with " + token, "opened with " + token, "requested", "closed with " + token}
	number, err := note(t.Context(), floor(w.store, w.e.Caller()), w.plain, reasons...)
	if err != nil {
		t.Fatal(err)
	}
	err = w.store.View(t.Context(), func(r engram.Reader) error {
		_, entries, err := engram.OperationOf(t.Context(), r, number)
		for i, m := range entries {
			if want := strings.ReplaceAll(reasons[i], token, "[REDACTED:github-pat]"); m.Reason != want {
				t.Errorf("entry %d has the reason %q, want %q", i, m.Reason, want)
			}
		}
		if len(entries) != len(reasons) {
			t.Errorf("%d entries, want %d", len(entries), len(reasons))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Maintenance of the whole store includes disabled projects: else rules would count as applied, and secrets would
// stay in them.
func TestSecretsOfAProjectThatIsKeptApartAreCutWithTheOthers(t *testing.T) {
	t.Parallel()
	token := "ghp_" + "x8K2mQ9vT4rW7yB1nC6zL3pD5sF0gH2jA4kE"
	w := newApartWorld(t)
	err := w.store.Update(t.Context(), func(tx engram.Tx) error {
		m := w.zebra
		m.Content = "the zebra opens with " + token
		if err := tx.ReplaceMemory(t.Context(), m); err != nil {
			return err
		}
		return tx.PutFact(t.Context(), screen.SecretRules, "older")
	})
	if err != nil {
		t.Fatal(err)
	}
	apart := w.e.As(w.e.Caller().Without(func() func(string) bool { return func(p string) bool { return p == "zebra" } }))
	if _, err := apart.Sleep(t.Context(), consolidate.SleepInput{Project: "plain"}); err != nil {
		t.Fatal(err)
	}
	m, err := w.e.Get(t.Context(), engram.ByNum(w.zebra.Num))
	if err != nil || strings.Contains(m.Memory.Content, token) {
		t.Errorf("after a sleep of others it says %q, %v", m.Memory.Content, err)
	}
}

// An operation that would write in a disabled project does nothing, whatever way leads there.
func TestNothingIsWrittenInAProjectThatIsKeptApart(t *testing.T) {
	t.Parallel()
	w := newApartWorld(t)
	apart := w.e.As(w.e.Caller().Without(func() func(string) bool { return func(p string) bool { return p == "zebra" } }))
	state := func() string {
		var b strings.Builder
		if err := w.e.Canonical(t.Context(), &b, "zebra"); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var file strings.Builder
	if _, err := w.e.Export(t.Context(), &file, exchange.ExportInput{Project: "zebra"}); err != nil {
		t.Fatal(err)
	}
	last := func() (op int64) {
		err := w.store.View(t.Context(), func(r engram.Reader) error {
			ops, err := r.Operations(t.Context(), engram.JournalFilter{}, engram.Page{Limit: 1})
			op = ops[0].Op
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return op
	}
	if _, err := w.e.Save(t.Context(), remember.SaveInput{Title: "zebra sleeps", Content: "the zebra sleeps standing", Project: "zebra"}); err != nil {
		t.Fatal(err)
	}
	newest, before := last(), state()
	changed := strings.ReplaceAll(file.String(), "savanna", "steppe")
	title, plain := "zebra runs", "plain"
	for name, verb := range map[string]func() error{
		"save": func() error {
			_, err := apart.Save(t.Context(), remember.SaveInput{Title: "t", Content: "c", Project: "zebra"})
			return err
		},
		"undo of its operation": func() error { _, err := apart.Undo(t.Context(), undo.UndoInput{Op: newest}); return err },
		"undo of the latest":    func() error { _, err := apart.Undo(t.Context(), undo.UndoInput{}); return err },
		"undo of many": func() error {
			_, err := apart.UndoRange(t.Context(), undo.UndoRangeInput{First: newest, Last: newest})
			return err
		},
		"import": func() error {
			_, err := apart.Import(t.Context(), strings.NewReader(changed), exchange.ImportInput{})
			return err
		},
		"forget": func() error { _, err := apart.Forget(t.Context(), engram.ByNum(w.zebra.Num)); return err },
		"erase":  func() error { _, err := apart.Delete(t.Context(), true, engram.ByNum(w.zebra.Num)); return err },
		"update": func() error {
			_, err := apart.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(w.zebra.Num), Title: &title})
			return err
		},
		"move from it": func() error {
			_, err := apart.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(w.zebra.Num), Project: &plain})
			return err
		},
		"approve":           func() error { _, err := apart.Approve(t.Context(), engram.ByNum(2)); return err },
		"refuse what waits": func() error { _, err := apart.RefuseDeferred(t.Context(), 1); return err },
		"merge into it":     func() error { _, err := apart.MergeProjects(t.Context(), []string{"plain"}, "zebra"); return err },
		"merge of it":       func() error { _, err := apart.MergeProjects(t.Context(), []string{"zebra"}, "plain"); return err },
		"prompt": func() error {
			_, err := apart.SavePrompt(t.Context(), remember.PromptInput{Content: "c", Project: "zebra"})
			return err
		},
		"start of a session": func() error {
			_, err := apart.StartSession(t.Context(), remember.SessionInput{ID: "s2", Project: "zebra"})
			return err
		},
		"end of a session": func() error { _, err := apart.EndSession(t.Context(), "s-zebra", "done"); return err },
	} {
		err := verb()
		if code := engram.CodeOf(err); code != engram.CodeForbidden && (name != "undo of many" || code != engram.CodeNotFound) { // many are listed first, and it is not among them
			t.Errorf("%s: got %v, want that it is forbidden", name, err)
		}
		if now := state(); now != before {
			t.Fatalf("%s changed it:\n%s\nwas\n%s", name, now, before)
		}
	}
	// What goes into another project leaves the disabled one alone, and comes in.
	if res, err := apart.Import(t.Context(), strings.NewReader(changed), exchange.ImportInput{Project: "plain", Mode: exchange.ImportMerge}); err != nil || res.Memories.Added == 0 {
		t.Errorf("import into another project: %+v, %v", res, err)
	}
	if _, err := apart.Sleep(t.Context(), consolidate.SleepInput{}); err != nil {
		t.Errorf("sleep: %v", err)
	}
	if now := state(); now != before {
		t.Errorf("an import into another project, or a sleep, changed it:\n%s\nwas\n%s", now, before)
	}
}
