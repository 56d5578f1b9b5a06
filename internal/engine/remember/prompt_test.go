package remember_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/project"
)

func promptNums(ps []engram.Prompt) []int64 {
	var all []int64
	for _, p := range ps {
		all = append(all, p.Num)
	}
	return all
}

func TestAPromptIsKept(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	p := w.Prompt(remember.PromptInput{Content: "  why?\n", Project: "Demo"})
	if p.Num != 1 || p.Content != "  why?\n" || p.Project != "demo" || p.SessionID != "manual-save-demo" || !strings.HasPrefix(p.SyncID, "prompt-") || p.CreatedAt.IsZero() {
		t.Errorf("got %+v", p)
	}
	ps, err := w.Prompts(t.Context(), "demo", engram.Page{})
	if err != nil || len(ps) != 1 || ps[0] != p {
		t.Errorf("kept %+v, %v; answered %+v", ps, err, p)
	}
}

func TestPromptsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for name, in := range map[string]remember.PromptInput{
		"nothing": {}, "white space": {Content: " \n"}, "NUL": {Content: "a\x00"}, "not UTF-8": {Content: "\xff"}, "too long": {Content: strings.Repeat("x", engram.MaxContent+1)},
		"a long session": {Content: "c", SessionID: strings.Repeat("s", 201), NewSession: true}, "a project that is not UTF-8": {Content: "c", Project: "\xff"},
		"a long project": {Content: "c", Project: strings.Repeat("p", 201)}, "a folder that is not UTF-8": {Content: "c", Directory: "\xff"},
	} {
		if _, err := w.SavePrompt(t.Context(), in); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: "c", SessionID: "nobody"})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	enginetest.WantProblem(t, err, project.ReasonUnknownSession)
	if st := w.MustStats(); st.Prompts+st.Sessions+len(st.Projects) > 0 {
		t.Errorf("left behind: %+v", st)
	}
	whole := strings.Repeat("x", engram.MaxContent)
	if p := w.Prompt(remember.PromptInput{Content: whole}); p.Content != whole {
		t.Error("a mebibyte was not kept whole")
	}
}

func TestPromptsAreFoundByTheirWords(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a := w.Prompt(remember.PromptInput{Content: "Why does the login time out?", Project: "demo"})
	b := w.Prompt(remember.PromptInput{Content: "Make the login page faster, the login is slow", Project: "other"})
	c := w.Prompt(remember.PromptInput{Content: "数据库怎么迁移", Project: "demo"})
	find := func(q, project string, limit int) []int64 {
		t.Helper()
		ps, err := w.SearchPrompts(t.Context(), q, project, limit)
		if err != nil {
			t.Fatal(err)
		}
		return promptNums(ps)
	}
	enginetest.Same(t, "a word", find("timing out", "", 0), []int64{a.Num})
	enginetest.Same(t, "in a project", find("login", "Demo", 0), []int64{a.Num})
	enginetest.Same(t, "Chinese", find("数据库", "", 0), []int64{c.Num})
	enginetest.Same(t, "nothing lists the newest", find(" ", "", 2), []int64{c.Num, b.Num})
	enginetest.Same(t, "an unknown project", find("login", "nothing", 0), nil)
	for _, limit := range []int{-1, 101} {
		_, err := w.SearchPrompts(t.Context(), "login", "", limit)
		enginetest.WantCode(t, err, engram.CodeInvalid)
	}
	if err := w.DeletePrompt(t.Context(), a.Num, true); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "a deleted one", find("login", "demo", 0), nil)
	enginetest.WantCode(t, w.DeletePrompt(t.Context(), a.Num, true), engram.CodeNotFound)
	enginetest.Same(t, "the others", find("login", "", 0), []int64{b.Num})
}

func TestADeletedPromptLeavesNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	p := w.Prompt(remember.PromptInput{Content: "what of the quagga", Project: "demo"})
	w.Prompt(remember.PromptInput{Content: "and of the others", Project: "demo"})
	if err := w.DeletePrompt(t.Context(), p.Num, true); err != nil {
		t.Fatal(err)
	}
	w.Close(t)
	if names := w.Holds("quagga"); len(names) > 0 {
		t.Errorf("it is in %v", names)
	}
}
