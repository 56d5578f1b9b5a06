package screen_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/render"
)

// anotherToken is kept by a person on purpose.
func anotherToken() string { return assembled("gh", "p_", "Qm4Zt7Rk29Lw8XbVn1cHs6JpFa0GuEiYd53K") }

// underOlderRules is a world whose memories were written before the rules knew githubToken: 1 has it in a tag
// and a revision, 2 had it, 3 is clean, 4 keeps anotherToken; a prompt, a session and a relation have it too.
func underOlderRules(t *testing.T) enginetest.World {
	t.Helper()
	enginetest.OfFile(t)
	w, ctx, token := enginetest.NewWorld(t), t.Context(), githubToken()
	w.MustSession("s", "demo")
	for _, title := range []string{"Deploy", "Publish", "Cache"} {
		w.Note(title, title+" is on Fridays.")
	}
	w.MustSave(remember.SaveInput{Title: "Registry", Content: "It opens with " + anotherToken(), Project: "demo", Origin: engram.OriginHuman, AllowSecret: true})
	w.Prompt(remember.PromptInput{Content: "why is the publishing broken", Project: "demo", SessionID: "s"})
	if _, err := w.EndSession(ctx, "s", "rotated keys"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Link(ctx, relate.LinkInput{Source: engram.ByNum(1), Target: engram.ByNum(2), Verb: "relates_to", Reason: "both deploy"}); err != nil {
		t.Fatal(err)
	}
	err := w.Store.Update(ctx, func(tx engram.Tx) error {
		if err := tx.PutFact(ctx, "secret_rules", "0"); err != nil {
			return err
		}
		for num, change := range map[int64]func(*engram.Memory){
			1: func(m *engram.Memory) {
				m.Content, m.Tags, m.Metadata = "CI uses "+token, []string{"ci", strings.ToLower(token)}, map[string]any{"ci": token}
				m.RevisionCount = 2
			},
			2: func(m *engram.Memory) { m.RevisionCount = 2 },
		} {
			m, err := tx.Memory(ctx, engram.ByNum(num))
			if err != nil {
				return err
			}
			change(&m)
			if err := tx.ReplaceMemory(ctx, m); err != nil {
				return err
			}
			if err := tx.InsertRevision(ctx, engram.Revision{Memory: num, Number: 1, Type: m.Type, Title: "Old", Content: "It was " + token, WrittenAt: m.CreatedAt, ReplacedAt: m.UpdatedAt}); err != nil {
				return err
			}
			was, _ := json.Marshal(map[string]any{"metadata": map[string]any{"ci": token}, "importance": 0.25})
			last, err := engram.LastMutation(ctx, tx)
			if err != nil {
				return err
			}
			if err := tx.Append(ctx, &engram.Mutation{At: last.At + 1, Actor: "cli", Operation: "update", Entity: engram.EntityMemory, Key: map[int64]string{1: "1", 2: "2"}[num], Project: "demo", Reason: "has " + token, Was: was}); err != nil {
				return err
			}
		}
		r, err := tx.Relation(ctx, engram.RelationRef{Num: 1})
		if err != nil {
			return err
		}
		r.Reason = "both have " + token
		s, err := tx.Session(ctx, "s")
		if err != nil {
			return err
		}
		s.Summary = "rotated " + token
		p, err := engram.PromptAt(ctx, tx, 1)
		if err != nil {
			return err
		}
		p.Content = "why is " + token + " broken"
		for _, err := range []error{tx.ReplaceRelation(ctx, r), tx.PutSession(ctx, s), tx.Cut(ctx, engram.Cut{Prompts: []engram.Prompt{p}})} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(keeps(w, token)) == 0 {
		t.Fatal("the world has no secret to begin with")
	}
	return w
}

// secretsCheck returns the doctor's check of secrets.
func secretsCheck(t *testing.T, w enginetest.World, full bool) health.Check {
	t.Helper()
	r, err := w.Doctor(t.Context(), consolidate.DoctorInput{All: true, Check: string(health.Secrets), Full: full})
	if err != nil {
		t.Fatal(err)
	}
	return r.Checks[0]
}

func TestADoctorFindsSecretsThatOlderRulesLetIn(t *testing.T) {
	t.Parallel()
	w := underOlderRules(t)
	c := secretsCheck(t, w, false)
	if c.Reason != "secrets_kept" || c.Evidence["memories"] != 1 || c.Evidence["past"] != 1 || c.Evidence["prompts"] != 1 || c.Evidence["relations"] != 1 || c.Evidence["sessions"] != 1 {
		t.Errorf("got %s, %v; want one memory, one past, a prompt, a relation and a session", c.Reason, c.Evidence)
	}
	if !strings.Contains(c.Message, "github-pat") || strings.Contains(c.Message, githubToken()) {
		t.Errorf("it says %q; want the kind, and no secret", c.Message)
	}
}

// isCopy reports whether a file is the doctor's backup.
func isCopy(file string) bool { return strings.HasSuffix(file, "-doctor.db") }

func TestWhatOlderRulesLetInIsCutOutOnce(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(w enginetest.World) error{
		"by a doctor": func(w enginetest.World) error {
			m, err := w.Fix(w.Context(), consolidate.FixInput{DoctorInput: consolidate.DoctorInput{All: true, Check: string(health.Secrets)}})
			if err == nil && (len(m.Steps) != 1 || m.Steps[0].Err != nil || m.Report.Status != health.OK) {
				t.Errorf("got %+v, want one step after which all is well", m)
			}
			return err
		},
		"by a sleep": func(w enginetest.World) error { _, err := w.Sleep(w.Context(), consolidate.SleepInput{}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			w := underOlderRules(t)
			if err := cut(w); err != nil {
				t.Fatal(err)
			}
			for _, s := range []string{githubToken(), strings.ToLower(githubToken())} {
				if files := slices.DeleteFunc(keeps(w, s), isCopy); len(files) > 0 {
					t.Errorf("%q is in %v", s, files)
				}
			}
			if c := secretsCheck(t, w, true); c.Result != health.OK || c.Evidence["looked_at_by"] != c.Evidence["rules"] {
				t.Errorf("afterwards: %s, %v", c.Reason, c.Evidence)
			}
			d := w.MustGet(1)
			if d.Memory.Content != "CI uses [REDACTED:github-pat]" || !slices.Equal(d.Memory.Tags, []string{"ci"}) || len(d.Revisions) != 1 || d.Revisions[0].Content != "It was [REDACTED:github-pat]" {
				t.Errorf("memory 1 is %+v, its past %+v", d.Memory, d.Revisions)
			}
			if m := w.MustGet(4).Memory; !strings.Contains(m.Content, anotherToken()) {
				t.Errorf("what a person means to keep is %q", m.Content)
			}
			if found := w.MustSearch(search.SearchInput{Query: "CI uses", Filter: engram.Filter{Project: "demo"}}); len(found.Hits) == 0 || found.Hits[0].Memory.Num != 1 {
				t.Errorf("found %+v, want memory 1", found.Hits)
			}
			if ps, err := w.SearchPrompts(t.Context(), "broken", "demo", 5); err != nil || len(ps) != 1 {
				t.Errorf("found %+v, %v, want the prompt", ps, err)
			}
			for range 3 { // the cut, and what was before it, bring no secret back
				if _, err := w.Undo(t.Context(), undo.UndoInput{}); err != nil && engram.CodeOf(err) == engram.CodeInternal {
					t.Fatal(err)
				}
			}
			if files := slices.DeleteFunc(keeps(w, githubToken()), isCopy); len(files) > 0 {
				t.Errorf("after an undo it is in %v", files)
			}
		})
	}
}

// Until it is removed it is not shown by any read.
func TestWhatOlderRulesLetInIsNotShown(t *testing.T) {
	t.Parallel()
	w, ctx := underOlderRules(t), t.Context()
	shown := map[string]any{}
	note := func(what string, x any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		shown[what] = x
	}
	d, err := w.Get(ctx, engram.ByNum(1))
	note("get", d, err)
	h, err := w.History(ctx, engram.ByNum(2))
	note("history", h, err)
	ps, err := w.Prompts(ctx, "demo", engram.Page{})
	note("prompts", ps, err)
	ps, err = w.SearchPrompts(ctx, "broken", "demo", 5)
	note("a search of prompts", ps, err)
	ss, err := w.Sessions(ctx, "demo", engram.Page{})
	note("sessions", ss, err)
	s, err := w.Session(ctx, "s")
	note("a session", s, err)
	c, err := w.Engine.Context(ctx, brief.ContextInput{Project: "demo"})
	note("the context", render.Context(c, render.Options{}), err)
	found, err := w.Search(ctx, search.SearchInput{Query: "CI uses", Filter: engram.Filter{Project: "demo"}})
	note("a search", found, err)
	for what, x := range shown {
		b, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(string(b)), strings.ToLower(githubToken())) {
			t.Errorf("%s shows it: %s", what, b)
		}
	}
	if d, err := w.Get(ctx, engram.ByNum(4)); err != nil || !strings.Contains(d.Memory.Content, anotherToken()) {
		t.Errorf("what a person means to keep is shown as %q, %v", d.Memory.Content, err)
	}
	m, err := w.Restore(ctx, engram.ByNum(2), 1)
	if err != nil || m.Content != "It was [REDACTED:github-pat]" {
		t.Errorf("restored: %q, %v; want it without the secret", m.Content, err)
	}
}
