package own_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/own"
)

func save(t *testing.T, p enginetest.Parts, in remember.SaveInput) engram.Memory {
	t.Helper()
	in.NewSession = true
	r, err := p.Save(t.Context(), in)
	if err != nil {
		t.Fatalf("save %q: %v", in.Title, err)
	}
	return r.Memory
}

func ask(t *testing.T, p enginetest.Parts, session, project, prompt string) {
	t.Helper()
	if _, err := p.SavePrompt(t.Context(), remember.PromptInput{Content: prompt, SessionID: session, Project: project, NewSession: true}); err != nil {
		t.Fatalf("prompt %q: %v", prompt, err)
	}
}

// sets returns the sets of a project by name.
func sets(t *testing.T, p enginetest.Parts, project string) map[string]eval.Set {
	t.Helper()
	all, err := own.Sets(t.Context(), p.Store, project)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]eval.Set{}
	for _, s := range all {
		byName[s.Name] = s
	}
	return byName
}

// answers returns the questions of a set with the ids of their answers.
func answers(s eval.Set) []string {
	var out []string
	for _, q := range s.Questions {
		for _, d := range s.Documents {
			if s.Relevant[q.ID][d.ID] {
				out = append(out, q.Text+" → "+d.ID)
			}
		}
	}
	return out
}

func TestATitleAsksForItsText(t *testing.T) {
	p := enginetest.NewParts(t)
	tokens := save(t, p, remember.SaveInput{Title: "Auth model", Content: "Access lives 15 minutes, in a cookie.", Project: "shop"})
	other := save(t, p, remember.SaveInput{Title: "Queue choice", Content: "NATS, because it is one binary.", Project: "mail"})
	again := save(t, p, remember.SaveInput{Title: "auth  Model", Content: "Refresh lives 14 days.", Project: "shop"})
	save(t, p, remember.SaveInput{Content: "No title was given, so it is the first words.", Project: "shop"})
	save(t, p, remember.SaveInput{Title: "Retry", Content: "One word asks for nothing in particular.", Project: "shop"})
	save(t, p, remember.SaveInput{Title: "Session summary: shop", Content: "Did things.", Project: "shop", Type: engram.TypeSessionSummary})
	gone := save(t, p, remember.SaveInput{Title: "Forgotten idea", Content: "It was bad.", Project: "shop"})
	if _, err := p.Forget(t.Context(), engram.Ref{Num: gone.Num}); err != nil {
		t.Fatal(err)
	}

	s := sets(t, p, "")["titles"]
	want := []string{"Auth model → " + string(tokens.ID), "Auth model → " + string(again.ID), "Queue choice → " + string(other.ID)}
	if got := answers(s); !slices.Equal(got, want) {
		t.Errorf("questions\n got: %q\nwant: %q", got, want)
	}
	if len(s.Documents) != 6 || !slices.Equal(s.Groups, []string{"shop", "mail"}) {
		t.Errorf("got %d documents in %v, want 6 in shop and mail", len(s.Documents), s.Groups)
	}
	for i, d := range s.Documents {
		if d.Title != "" || d.Time.IsZero() || d.Seq != i {
			t.Errorf("document %d: got %+v, want no title, a time, and its place", i, d)
		}
	}
	if got := answers(sets(t, p, "mail")["titles"]); len(got) != 1 {
		t.Errorf("of one project: got %q, want its question alone", got)
	}
}

func TestAPromptAsksForWhatWasSavedRightAfterIt(t *testing.T) {
	p := enginetest.NewParts(t)
	ask(t, p, "s1", "shop", "why is the checkout page slow?")
	slow := save(t, p, remember.SaveInput{Title: "N+1 in Cart.load", Content: "One JOIN now.", Project: "shop", SessionID: "s1"})
	save(t, p, remember.SaveInput{Title: "Elsewhere", Content: "Of another session.", Project: "shop", SessionID: "s2"})
	ask(t, p, "s1", "shop", "and which coupons expire wrongly?")
	p.Clock.Add(45 * time.Minute)
	save(t, p, remember.SaveInput{Title: "Much later", Content: "About something else.", Project: "shop", SessionID: "s1"})
	ask(t, p, "s1", "shop", "tell me everything about payments")
	for i := range 4 {
		save(t, p, remember.SaveInput{Title: fmt.Sprint("One of many ", i), Content: fmt.Sprint("Text of it ", i), Project: "shop", SessionID: "s1"})
	}
	got, want := answers(sets(t, p, "shop")["prompts"]), []string{"why is the checkout page slow? → " + string(slow.ID)}
	if !slices.Equal(got, want) {
		t.Errorf("questions\n got: %q\nwant: %q", got, want)
	}
}

func TestASearchAsksForWhatWasReadAfterIt(t *testing.T) {
	p := enginetest.NewParts(t)
	read := save(t, p, remember.SaveInput{Title: "Port", Content: "The server listens on 7437.", Project: "shop", SessionID: "s"})
	seen := save(t, p, remember.SaveInput{Title: "Host", Content: "The loopback address alone.", Project: "shop", SessionID: "s"})
	err := p.Store.Update(t.Context(), func(tx engram.Tx) error {
		use := func(verb, query string, m engram.Memory) engram.Exposure {
			return engram.Exposure{At: p.Clock.Now(), SessionID: "s", Project: "shop", Operation: verb, Query: query, Memory: m.Num, Rank: 1, Tokens: 9}
		}
		return tx.RecordUse(t.Context(), engram.Use{Exposures: []engram.Exposure{
			use("get", "", seen),
			use("search", "where does the server listen?", read), use("search", "where does the server listen?", seen), use("get", "", read),
		}})

	})
	if err != nil {
		t.Fatal(err)
	}
	got, want := answers(sets(t, p, "")["prompts"]), []string{"where does the server listen? → " + string(read.ID)}
	if !slices.Equal(got, want) {
		t.Errorf("questions\n got: %q\nwant: %q", got, want)
	}
}

func TestNothingRememberedMakesNoQuestions(t *testing.T) {
	for name, s := range sets(t, enginetest.NewParts(t), "") {
		if len(s.Questions)+len(s.Documents) != 0 {
			t.Errorf("%s: got %+v, want nothing", name, s)
		}
	}
}

func TestAChangelogAsksForTheCommitsThatWroteIt(t *testing.T) {
	commits := []own.Commit{
		{Hash: "c1", Subject: "Cart: one query", Body: "Loading each item took a query of its own."},
		{Hash: "c2", Subject: "Release 2.0"},
		{Hash: "c3", Subject: "Coupons", Body: "Coupons no longer expire at midnight UTC."},
	}
	got := own.Changelog([]own.Line{
		{Text: "Carts load **faster** ([#12](https://example.org/12)), thanks @anna (abc1234)", Commit: "c1"},
		{Text: "Old entry moved here one", Commit: "c2"}, {Text: "Old entry moved here two", Commit: "c2"},
		{Text: "Old entry moved here three", Commit: "c2"}, {Text: "Old entry moved here four", Commit: "c2"},
		{Text: "Coupons no longer expire at midnight UTC", Commit: "c3"},
		{Text: "An entry older than what was read", Commit: "c0"},
	}, commits)
	if len(got.Documents) != 3 || got.Documents[1].Text != "Release 2.0" {
		t.Errorf("documents\n got: %+v\nwant: three, the second with its subject as its text", got.Documents)
	}
	if len(got.Questions) != 1 || !got.Relevant[got.Questions[0].ID]["c1"] {
		t.Fatalf("questions\n got: %+v, %v\nwant: one, answered by c1", got.Questions, got.Relevant)
	}
	if q := got.Questions[0].Text; !strings.HasPrefix(q, "Carts load faster") || strings.ContainsAny(q, "#@()[]*") || strings.Contains(q, "abc1234") || strings.Contains(q, "http") {
		t.Errorf("question: got %q, want no number, name, link or hash in it", q)
	}
}

func TestASetHasNoMoreQuestionsThanCanBeAsked(t *testing.T) {
	var lines []own.Line
	var commits []own.Commit
	for i := range own.MaxQuestions + 10 {
		hash := fmt.Sprint("c", i)
		lines = append(lines, own.Line{Text: fmt.Sprint("Repaired wheel number ", i), Commit: hash})
		commits = append(commits, own.Commit{Hash: hash, Subject: fmt.Sprint("wheel ", i)})
	}
	if got := len(own.Changelog(lines, commits).Questions); got != own.MaxQuestions {
		t.Errorf("got %d questions, want %d", got, own.MaxQuestions)
	}
}
