package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/project"
)

func TestASaveWithoutASessionTakesTheOpenOne(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	at := func(in string) string {
		return w.MustSave(remember.SaveInput{Title: "t", Content: "in " + in + " at " + w.Clock.Now().String(), Project: in}).Memory.SessionID
	}
	if got := at("demo"); got != "manual-save-demo" {
		t.Errorf("with no session at all: %q", got)
	}
	w.MustSession("s1", "demo")
	if got := at("demo"); got != "s1" {
		t.Errorf("with an open session: %q", got)
	}
	w.MustSession("s2", "demo")
	if got := at("demo"); got != "s2" {
		t.Errorf("with two open sessions, the one started last: %q", got)
	}
	w.MustSave(remember.SaveInput{Content: "in the first", SessionID: "s1", Project: "demo"})
	if got := at("demo"); got != "s1" {
		t.Errorf("the one that was active last: %q", got)
	}
	if got := at("other"); got != "manual-save-other" {
		t.Errorf("in another project: %q", got)
	}
	for _, id := range []string{"s1", "s2"} {
		if _, err := w.EndSession(t.Context(), id, ""); err != nil {
			t.Fatal(err)
		}
	}
	if got := at("demo"); got != "manual-save-demo" {
		t.Errorf("when all have ended: %q", got)
	}
}

func TestTheManualSessionIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSave(remember.SaveInput{Content: "one", Project: "demo", Directory: "/home/me/demo"})
	w.MustSave(remember.SaveInput{Content: "two", Project: "demo", Directory: "/elsewhere"})
	s, err := w.Session(t.Context(), "manual-save-demo")
	if err != nil || s.Directory != "/home/me/demo" || s.Project != "demo" || s.StartedAt.IsZero() || !s.EndedAt.IsZero() || !s.ActiveAt.After(s.StartedAt) {
		t.Errorf("got %+v, %v", s, err)
	}
	if st := w.MustStats(); st.Sessions != 1 {
		t.Errorf("%d sessions", st.Sessions)
	}
}

func TestAProjectOfTheLongestNameCanBeSavedTo(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	long, other := strings.Repeat("p", engram.MaxName), strings.Repeat("p", engram.MaxName-1)+"q"
	one := w.MustSave(remember.SaveInput{Content: "one", Project: long}).Memory
	two := w.MustSave(remember.SaveInput{Content: "two", Project: other}).Memory
	if one.Project != long || one.SessionID == two.SessionID || !strings.HasPrefix(one.SessionID, "manual-save-") {
		t.Errorf("sessions %q and %q", one.SessionID, two.SessionID)
	}
	if again := w.MustSave(remember.SaveInput{Content: "three", Project: long}).Memory; again.SessionID != one.SessionID {
		t.Errorf("the second save went to %q, the first to %q", again.SessionID, one.SessionID)
	}
}

func TestASessionThatIsNotThere(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	_, err := w.Save(t.Context(), remember.SaveInput{Content: "c", SessionID: "nobody", Project: "demo"})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	enginetest.WantProblem(t, err, project.ReasonUnknownSession)
	if got, want := err.(*engram.Error).Msg, `Session "nobody" was provided but does not exist`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if st := w.MustStats(); len(st.Projects)+st.Sessions > 0 {
		t.Errorf("the refused save left %+v", st)
	}
	m := w.MustSave(remember.SaveInput{Content: "c", SessionID: " nobody ", NewSession: true, Project: "demo", Directory: "/d"}).Memory
	s, err := w.Session(t.Context(), "nobody")
	if err != nil || m.SessionID != "nobody" || s.Project != "demo" || s.Directory != "/d" {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestASessionOfAnotherProjectIsAConflict(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s1", "alpha")
	for name, write := range map[string]func() error{
		"save": func() error {
			_, err := w.Save(t.Context(), remember.SaveInput{Content: "c", SessionID: "s1", Project: "beta", NewSession: true})
			return err
		},
		"prompt": func() error {
			_, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: "c", SessionID: "s1", Project: "beta"})
			return err
		},
		"capture": func() error {
			_, err := w.Capture(t.Context(), remember.CaptureInput{Content: "## Learnings\n1. a learning of enough words\n", SessionID: "s1", Project: "beta"})
			return err
		},
		"summary": func() error {
			_, err := w.Summarize(t.Context(), remember.SaveInput{Content: "c", SessionID: "s1", Project: "beta"})
			return err
		},
	} {
		err := write()
		enginetest.WantCode(t, err, engram.CodeConflict)
		p := enginetest.WantProblem(t, err, project.ReasonSession)
		if p.SessionProject != "alpha" || p.Project != "beta" {
			t.Errorf("%s: got %+v", name, p)
		}
		if want := `Session "s1" belongs to project "alpha", but request targeted "beta"`; err.(*engram.Error).Msg != want {
			t.Errorf("%s: got %q, want %q", name, err, want)
		}
	}
	if st := w.MustStats(); st.Memories+st.Prompts > 0 || len(st.Projects) != 1 {
		t.Errorf("something was written: %+v", st)
	}
}

func TestProjectNamesAreNormalizedWithAWarning(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, tt := range []struct {
		name, in, want string
		warned         bool
	}{
		{"as it is", "demo", "demo", false}, {"case", "Demo", "demo", true}, {"white space", " demo\n", "demo", true},
		{"runs of hyphens", "de--mo", "de-mo", true}, {"runs of underscores", "de___mo", "de_mo", true},
		{"blanks inside", "my  demo", "my demo", true}, {"none", "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := w.In(t)
			res := w.MustSave(remember.SaveInput{Title: tt.name, Content: tt.name, Project: tt.in})
			if res.Memory.Project != tt.want {
				t.Errorf("project %q became %q, want %q", tt.in, res.Memory.Project, tt.want)
			}
			warned := len(res.Warnings) > 0 && strings.HasPrefix(res.Warnings[0], "Project name normalized: ") && strings.HasSuffix(res.Warnings[0], `→ "`+tt.want+`"`)
			if warned != tt.warned {
				t.Errorf("project %q: warnings %q", tt.in, res.Warnings)
			}
		})
	}
}

func TestASimilarProjectIsNamedUntilThereIsAMemory(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("a", "first")
	for _, tt := range []struct{ project, similar string }{{"demo-api", `"demo" (1 memory)`}, {"demmo", `"demo" (2 memories)`}} {
		res := w.MustSave(remember.SaveInput{Content: tt.project, Project: tt.project})
		want := fmt.Sprintf("Project %q has no memories. Similar project found: %s. Consider using that name instead.", tt.project, tt.similar)
		if len(res.Warnings) != 1 || res.Warnings[0] != want {
			t.Errorf("got %q\nwant %q", res.Warnings, want)
		}
		w.Note("b", "second")
	}
	if res := w.MustSave(remember.SaveInput{Content: "fourth", Project: "demmo"}); len(res.Warnings) > 0 {
		t.Errorf("a project with memories got %q", res.Warnings)
	}
	if res := w.MustSave(remember.SaveInput{Content: "fifth", Project: "unlike"}); len(res.Warnings) > 0 {
		t.Errorf("a name like no other got %q", res.Warnings)
	}
}

func TestASimilarProjectWithoutMemoriesIsNotRecommended(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s", "demo")
	if res := w.MustSave(remember.SaveInput{Content: "c", Project: "demmo"}); len(res.Warnings) > 0 {
		t.Errorf("got %q", res.Warnings)
	}
}
