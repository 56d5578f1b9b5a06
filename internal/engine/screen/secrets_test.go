package screen_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// assembled builds a fake secret, so that scanners of repositories do not report this file.
func assembled(parts ...string) string { return strings.Join(parts, "") }

func githubToken() string { return assembled("gh", "p_", "x9Kd82LmQz7RtYw1VbN4cHs6JpFa0GuEi3To") }

// keeps reports whether any file of the store contains a text.
func keeps(w enginetest.World, text string) (files []string) {
	for name, b := range w.Files() {
		if bytes.Contains(b, []byte(text)) {
			files = append(files, name)
		}
	}
	return files
}

func TestSecretsAreCutOutOfWhatIsKept(t *testing.T) {
	t.Parallel()
	token := githubToken()
	password := "Tr0ub4dor" + "Corr3ctHorse"
	for _, tt := range []struct {
		name string
		run  func(w enginetest.World) ([]string, error)
	}{
		{"a content", func(w enginetest.World) ([]string, error) {
			res, err := w.Save(w.Context(), remember.SaveInput{Content: "CI uses " + token + " until May.", Project: "shop"})
			return res.Warnings, err
		}},
		{"a title", func(w enginetest.World) ([]string, error) {
			res, err := w.Save(w.Context(), remember.SaveInput{Title: "CI " + token, Content: "x", Project: "shop"})
			return res.Warnings, err
		}},
		{"a tag and a topic key", func(w enginetest.World) ([]string, error) {
			res, err := w.Save(w.Context(), remember.SaveInput{Content: "x", Project: "shop", Tags: []string{token}, TopicKey: "ci/" + token})
			return res.Warnings, err
		}},
		{"metadata, by the name of the value", func(w enginetest.World) ([]string, error) {
			res, err := w.Save(w.Context(), remember.SaveInput{Content: "x", Project: "shop", Metadata: map[string]any{"db": map[string]any{"password": password}, "ci": []any{token}}})
			return res.Warnings, err
		}},
		{"metadata, by the name of a password with signs, within others", func(w enginetest.World) ([]string, error) {
			res, err := w.Save(w.Context(), remember.SaveInput{Content: "x", Project: "shop", Metadata: map[string]any{"password": password, "db": []any{map[string]any{"db_password": password}}}})
			return res.Warnings, err
		}},
		{"an update", func(w enginetest.World) ([]string, error) {
			res, err := w.Save(w.Context(), remember.SaveInput{Content: "x", Project: "shop"})
			if err != nil {
				return nil, err
			}
			text := "now " + token
			m, err := w.Update(w.Context(), remember.UpdateInput{Ref: engram.ByNum(res.Memory.Num), Content: &text, Metadata: map[string]any{"password": password}})
			return m.Warnings, err
		}},
		{"a batch", func(w enginetest.World) ([]string, error) {
			all, err := w.SaveBatch(w.Context(), []remember.SaveInput{{Content: "x", Project: "shop"}, {Content: token, Project: "shop"}})
			if err != nil {
				return nil, err
			}
			return all[1].Warnings, nil
		}},
		{"a learning", func(w enginetest.World) ([]string, error) {
			res, err := w.Capture(w.Context(), remember.CaptureInput{Project: "shop", Content: "## Key Learnings:\n\n1. The build needs " + token + " to publish packages.\n"})
			return res.Warnings, err
		}},
		{"a prompt", func(w enginetest.World) ([]string, error) {
			p, err := w.SavePrompt(w.Context(), remember.PromptInput{Project: "shop", Content: "use " + token})
			return p.Warnings, err
		}},
		{"the summary of a session, and a query in it", func(w enginetest.World) ([]string, error) {
			if _, err := w.StartSession(w.Context(), remember.SessionInput{ID: "s", Project: "shop"}); err != nil {
				return nil, err
			}
			if _, err := w.Recall(w.Context(), search.RecallInput{SessionID: "s", SearchInput: search.SearchInput{Query: "where is " + token}}); err != nil {
				return nil, err
			}
			ended, err := w.EndSession(w.Context(), "s", "rotated "+token)
			return ended.Warnings, err
		}},
		{"a reason", func(w enginetest.World) ([]string, error) {
			a := enginetest.Planted(w, w, engram.OriginAgent, "A", "one").Num
			b := enginetest.Planted(w, w, engram.OriginAgent, "B", "two").Num
			_, err := w.Compare(w.Context(), relate.CompareInput{A: engram.ByNum(a), B: engram.ByNum(b), Verb: engram.VerbCompatible, Reasoning: "both have " + token})
			return nil, err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			warnings, err := tt.run(w)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []string{token, strings.ToLower(token), password, strings.TrimPrefix(token, "ghp_")} {
				if files := keeps(w, s); len(files) > 0 {
					t.Errorf("%q is in %v", s, files)
				}
			}
			if tt.name != "a reason" && !slices.ContainsFunc(warnings, func(s string) bool { return strings.HasPrefix(s, "Removed before saving: ") }) {
				t.Errorf("warnings %q do not say what was cut", warnings)
			}
			if strings.Contains(strings.Join(warnings, ""), token) {
				t.Errorf("warnings %q tell the secret", warnings)
			}
		})
	}
}

func TestASavesAnswerSaysWhatWasCut(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	res := w.MustSave(remember.SaveInput{Content: "CI uses " + githubToken() + " until May.", Project: "shop"})
	if want := "CI uses [REDACTED:github-pat] until May."; res.Memory.Content != want {
		t.Errorf("content %q, want %q", res.Memory.Content, want)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "github-pat") {
		t.Errorf("warnings %q, want one of github-pat", res.Warnings)
	}
	again := w.MustSave(remember.SaveInput{Content: "CI uses " + githubToken() + " until May.", Project: "shop"})
	if again.Action != ledger.ActionRepeated {
		t.Errorf("said again: %s, want a repeat of what was kept", again.Action)
	}
}

func TestAPersonMayKeepASecret(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	token := githubToken()
	res := w.MustSave(remember.SaveInput{Content: "CI uses " + token, Project: "shop", Origin: engram.OriginHuman, AllowSecret: true})
	if !strings.Contains(res.Memory.Content, token) || len(res.Warnings) > 0 {
		t.Errorf("got %q, warnings %q; want it kept", res.Memory.Content, res.Warnings)
	}
	var out bytes.Buffer
	if _, err := w.Export(t.Context(), &out, exchange.ExportInput{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), token) {
		t.Error("an export that was not told so has it")
	}
}
