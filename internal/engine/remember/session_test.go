package remember_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestStartingASessionAgainKeepsWhatItWas(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	start := func(id, project, dir string) engram.Session {
		t.Helper()
		s, err := w.StartSession(t.Context(), remember.SessionInput{ID: id, Project: project, Directory: dir})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := w.Session(t.Context(), id)
		if err != nil || kept != s {
			t.Errorf("answered %+v, kept %+v, %v", s, kept, err)
		}
		return s
	}
	first := start("s1", "Demo", "")
	if first.Project != "demo" || first.StartedAt.IsZero() || first.ActiveAt != first.StartedAt || !first.EndedAt.IsZero() {
		t.Errorf("got %+v", first)
	}
	filled := start("s1", "other", "/work")
	if want := first; filled.Project != "demo" || filled.Directory != "/work" || filled.StartedAt != want.StartedAt {
		t.Errorf("an empty folder is filled in, nothing else changes: %+v", filled)
	}
	entries := w.Since(func() {
		if again := start("s1", "third", "/elsewhere"); again != filled {
			t.Errorf("got %+v, want %+v", again, filled)
		}
	})
	if st := w.MustStats(); len(entries) > 0 || len(st.Projects) != 1 {
		t.Errorf("starting it once more left %d entries and the projects %v", len(entries), st.Projects)
	}
}

func TestASessionWithoutAProjectGetsOne(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSave(remember.SaveInput{Content: "c", SessionID: "s1", NewSession: true})
	w.MustSession("s1", "demo")
	if s, err := w.Session(t.Context(), "s1"); err != nil || s.Project != "demo" {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestAStartThatIsRefused(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for name, in := range map[string]remember.SessionInput{
		"no project": {ID: "s"}, "NUL": {ID: "a\x00", Project: "demo"},
		"long id": {ID: strings.Repeat("s", 201), Project: "demo"}, "id not UTF-8": {ID: "\xff", Project: "demo"},
		"project not UTF-8": {ID: "s", Project: "p\xff"}, "long folder": {ID: "s", Project: "demo", Directory: strings.Repeat("/d", 2049)},
	} {
		_, err := w.StartSession(t.Context(), in)
		if engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if n := len(w.Journal()); n > 0 {
		t.Errorf("%d entries were written", n)
	}
}

func TestEndingASession(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s1", "demo")
	end := func(id, summary string) bool {
		t.Helper()
		ended, err := w.EndSession(t.Context(), id, summary)
		if err != nil {
			t.Fatal(err)
		}
		return ended.Known
	}
	if !end(" s1 ", "") {
		t.Error("the session is known")
	}
	first, _ := w.Session(t.Context(), "s1")
	if first.EndedAt.IsZero() || first.Summary != "" {
		t.Errorf("got %+v", first)
	}
	if entries := w.Since(func() { end("s1", "") }); len(entries) > 0 {
		t.Errorf("ending it again with nothing to add left %d entries", len(entries))
	}
	w.Clock.Add(time.Hour)
	end("s1", "what we did")
	second, _ := w.Session(t.Context(), "s1")
	if second.EndedAt != first.EndedAt || second.Summary != "what we did" {
		t.Errorf("the second end: %+v, want the first end's time", second)
	}
	end("s1", "")
	if third, _ := w.Session(t.Context(), "s1"); third != second {
		t.Errorf("an end without a summary took it away: %+v", third)
	}
	if entries := w.Since(func() {
		if end("nobody", "x") {
			t.Error("an unknown id is said to be known")
		}
	}); len(entries) > 0 {
		t.Errorf("an unknown id left %d entries", len(entries))
	}
	if _, err := w.EndSession(t.Context(), " ", ""); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("no id: %v", err)
	}
	for _, bad := range []string{"a\x00", "\xff", strings.Repeat("s", engram.MaxContent+1)} {
		if _, err := w.EndSession(t.Context(), "s1", bad); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("summary %.10q: %v", bad, err)
		}
	}
}

func TestSessionsByTheirNewestActivity(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		w.MustSession(id, map[bool]string{true: "demo", false: "other"}[id < "d"])
	}
	w.MustSave(remember.SaveInput{Content: "one", SessionID: "b", Project: "demo"})
	forgotten := w.MustSave(remember.SaveInput{Content: "two", SessionID: "b", Project: "demo"}).Memory.Num
	if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: "why", SessionID: "a", Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Forget(t.Context(), engram.ByNum(forgotten)); err != nil {
		t.Fatal(err)
	}
	ids := func(project string, p engram.Page) (ids []string) {
		all, err := w.Sessions(t.Context(), project, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			ids = append(ids, s.ID)
			if want := map[string]int{"b": 1}[s.ID]; s.Memories != want {
				t.Errorf("session %s is said to have %d memories, want %d", s.ID, s.Memories, want)
			}
		}
		return ids
	}
	enginetest.Same(t, "five unless asked", ids("", engram.Page{}), []string{"a", "b", "f", "e", "d"})
	enginetest.Same(t, "the next", ids("", engram.Page{Limit: 2, Offset: 4}), []string{"d", "c"})
	enginetest.Same(t, "of a project", ids("Demo", engram.Page{}), []string{"a", "b", "c"})
	enginetest.Same(t, "of an unknown project", ids("nothing", engram.Page{}), nil)
	for _, p := range []engram.Page{{Limit: -1}, {Limit: 1001}, {Offset: -1}} {
		if _, err := w.Sessions(t.Context(), "", p); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("page %+v: %v", p, err)
		}
	}
}

func TestASessionWithMemoriesIsNotDeleted(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s1", "demo")
	if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: "why", SessionID: "s1", Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	num := w.MustSave(remember.SaveInput{Content: "c", SessionID: "s1", Project: "demo"}).Memory.Num
	refused := func() {
		t.Helper()
		err := w.DeleteSession(t.Context(), "s1", true)
		enginetest.WantCode(t, err, engram.CodeConflict)
		if want := `session still has observations: session "s1" has 1 observation(s)`; err.(*engram.Error).Msg != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
	refused()
	if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	refused() // forgotten ones count
	if _, err := w.Delete(t.Context(), true, engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	if err := w.DeleteSession(t.Context(), "s1", true); err != nil {
		t.Fatal(err)
	}
	enginetest.WantCode(t, w.DeleteSession(t.Context(), "s1", true), engram.CodeNotFound)
	ps, err := w.Prompts(t.Context(), "demo", engram.Page{})
	if err != nil || len(ps) != 1 || ps[0].SessionID != "" {
		t.Errorf("its prompts stay: %+v, %v", ps, err)
	}
}

// Each step is undone separately: the journal must contain what removing the session did to a hidden prompt.
func TestAHiddenPromptGetsItsSessionBack(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s1", "demo")
	p := w.Prompt(remember.PromptInput{Content: "what is it", SessionID: "s1", Project: "demo"})
	if _, err := w.DeleteProject(t.Context(), "demo", false); err != nil {
		t.Fatal(err)
	}
	hidden := w.LastOp()
	if err := w.DeleteSession(t.Context(), "s1", false); err != nil {
		t.Fatal(err)
	}
	w.TakeBack(w.LastOp())
	w.TakeBack(hidden)
	ps, err := w.Prompts(t.Context(), "demo", engram.Page{})
	if err != nil || len(ps) != 1 || ps[0].Num != p.Num || ps[0].SessionID != "s1" {
		t.Errorf("after both undos: got %+v, %v; want #%d in session s1", ps, err, p.Num)
	}
}

func TestASummaryIsAMemory(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s1", "demo")
	res, err := w.Summarize(t.Context(), remember.SaveInput{Title: "ignored", Type: "decision", Content: "## Goal\nship it", Project: "Demo"})
	m := res.Memory
	if err != nil || m.Type != engram.TypeSessionSummary || m.Title != "Session summary: demo" || m.SessionID != "s1" || m.Content != "## Goal\nship it" {
		t.Errorf("got %+v, %v", m, err)
	}
	if _, err := w.Summarize(t.Context(), remember.SaveInput{Project: "demo"}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("without content: %v", err)
	}
}

func TestRunningSessionsAreThoseThatHaveNotEnded(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, s := range [][2]string{{"first", "demo"}, {"ended", "demo"}, {"elsewhere", "other"}, {"last", "demo"}} {
		w.Clock.Add(time.Minute)
		w.MustSession(s[0], s[1])
	}
	w.MustSave(remember.SaveInput{Title: "By hand", Content: "Saved without a session.", Project: "demo"}) // opens a manual session
	if _, err := w.EndSession(t.Context(), "ended", ""); err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(time.Minute)
	w.MustSave(remember.SaveInput{Title: "Active", Content: "It makes the first session the latest.", Project: "demo", SessionID: "first"})
	for _, tt := range []struct {
		name, project string
		page          engram.Page
		want          string
	}{
		{"of a project, the latest activity first", "Demo", engram.Page{}, "first last"},
		{"of every project", "", engram.Page{}, "first last elsewhere"},
		{"a page", "", engram.Page{Limit: 1, Offset: 1}, "last"},
		{"of an unknown project", "nowhere", engram.Page{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, err := w.RunningSessions(t.Context(), tt.project, tt.page)
			var ids []string
			for _, s := range all {
				ids = append(ids, s.ID)
			}
			if got := strings.Join(ids, " "); err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}
