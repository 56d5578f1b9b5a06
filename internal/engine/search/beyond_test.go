package search_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/render"
)

// persons is a world with memories of three projects, some of them personal or global.
func persons(t *testing.T) (w enginetest.World, editor, tabs, style int64) {
	w = enginetest.NewWorld(t)
	say := func(project, scope, title, content string) int64 {
		return w.MustSave(remember.SaveInput{Title: title, Content: content, Project: project, Scope: engram.Scope(scope)}).Memory.Num
	}
	say("shop", "project", "Queue", "Orders wait in a queue until the payment is confirmed.")
	say("mail", "project", "Editor of templates", "The editor of mail templates is written in Vue.")
	editor = say("mail", "personal", "Editor", "I write all code in the Helix editor with tree-sitter.")
	tabs = say("mail", "personal", "Indentation", "Tabs, never spaces, for indentation.")
	style = say("site", "global", "Changelog", "Every change has an entry in the changelog.")
	return w, editor, tabs, style
}

func TestWhatIsPersonalIsFoundInEveryProject(t *testing.T) {
	t.Parallel()
	w, editor, tabs, style := persons(t)
	for _, tt := range []struct {
		name  string
		in    search.SearchInput
		want  []int64
		first int64
	}{
		{"in another project", search.SearchInput{Query: "helix editor", Filter: engram.Filter{Project: "shop"}}, []int64{editor}, editor},
		{"by words alone", search.SearchInput{Query: "indentation tabs", Mode: search.ModeLexical, Filter: engram.Filter{Project: "shop"}}, []int64{tabs}, tabs},
		{"by meaning alone", search.SearchInput{Query: "indentation with tabs", Mode: search.ModeSemantic, Filter: engram.Filter{Project: "shop"}}, []int64{tabs}, tabs},
		{"every word", search.SearchInput{Query: "tabs spaces", All: true, Filter: engram.Filter{Project: "shop"}}, []int64{tabs}, tabs},
		{"what is everybody's", search.SearchInput{Query: "changelog entry", Filter: engram.Filter{Project: "shop"}}, []int64{style}, style},
		{"in a project without memories", search.SearchInput{Query: "helix editor", Filter: engram.Filter{Project: "nowhere"}}, []int64{editor}, editor},
		{"of that scope", search.SearchInput{Query: "helix editor", Filter: engram.Filter{Project: "shop", Scope: engram.ScopePersonal}}, []int64{editor}, editor},
		{"of another scope", search.SearchInput{Query: "helix editor", Filter: engram.Filter{Project: "shop", Scope: engram.ScopeGlobal}}, nil, 0},
		{"of the project alone", search.SearchInput{Query: "helix editor", Filter: engram.Filter{Project: "shop", Scope: engram.ScopeProject}}, nil, 0},
		{"what is the project's own", search.SearchInput{Query: "helix editor", Own: true, Filter: engram.Filter{Project: "shop"}}, nil, 0},
		{"of another type", search.SearchInput{Query: "helix editor", Filter: engram.Filter{Project: "shop", Types: []engram.Type{"bugfix"}}}, nil, 0},
	} {
		found, err := w.Search(t.Context(), tt.in)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := enginetest.HitNums(found.Hits); len(tt.want) != len(got) || len(got) > 0 && got[0] != tt.first {
			t.Errorf("%s: %q finds %v, want %v", tt.name, tt.in.Query, got, tt.want)
		}
	}
	t.Run("at a time past", func(t *testing.T) {
		then := w.Clock.Now()
		w.Clock.Add(time.Hour)
		w.MustForget(tabs)
		found, err := w.Search(t.Context(), search.SearchInput{Query: "indentation tabs", AsOf: then, Filter: engram.Filter{Project: "shop"}})
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Same(t, "then", enginetest.HitNums(found.Hits), []int64{tabs})
		if found, err = w.Search(t.Context(), search.SearchInput{Query: "indentation tabs", Filter: engram.Filter{Project: "shop"}}); err != nil {
			t.Fatal(err)
		}
		enginetest.Same(t, "now, that it was forgotten", enginetest.HitNums(found.Hits), nil)
	})
}

func TestWhatIsPersonalIsNotSeenFromAProjectThatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	w, editor, _, _ := persons(t)
	apart := w.As(w.Caller().Without(func() func(string) bool { return func(project string) bool { return project == "mail" } }))
	for _, e := range []struct {
		name string
		*engine.Engine
		want []int64
	}{{"everybody", w.Engine, []int64{editor}}, {"an agent", apart, nil}} {
		found, err := e.Search(t.Context(), search.SearchInput{Query: "helix editor", Filter: engram.Filter{Project: "shop"}})
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Same(t, e.name, enginetest.HitNums(found.Hits), e.want)
	}
}

func TestWhatIsPersonalIsToldInEveryProject(t *testing.T) {
	t.Parallel()
	w, editor, tabs, style := persons(t)
	for _, tt := range []struct {
		name, project string
		scope         engram.Scope
		own, beside   int
	}{
		{"in another project", "shop", "", 1, 3},
		{"in a project without memories", "nowhere", "", 0, 3},
		{"in the project where it was saved it stands among its own", "mail", "", 3, 1},
		{"of that scope", "shop", engram.ScopePersonal, 0, 2},
		{"of the project alone", "shop", engram.ScopeProject, 1, 0},
		{"in all projects it is one of all", "", "", 5, 0},
	} {
		c, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: tt.project, Scope: tt.scope})
		if err != nil || len(c.Memories) != tt.own || len(c.Personal) != tt.beside {
			t.Errorf("%s: %d of its own and %d beside, %v; want %d and %d", tt.name, len(c.Memories), len(c.Personal), err, tt.own, tt.beside)
		}
	}
	w.MustForget(tabs)
	c, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "after one was forgotten", enginetest.Nums(c.Personal), []int64{style, editor})
	told := render.Context(c, render.Options{})
	if !strings.Contains(told, "### Personal, in every project\n") || c.Tokens > c.Budget {
		t.Errorf("told of a budget of %d:\n%s", c.Budget, told)
	}
}

func TestMuchThatIsPersonalDoesNotCrowdOutTheProject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i := range 30 {
		w.MustSave(remember.SaveInput{Title: fmt.Sprintf("Habit %d", i), Content: strings.Repeat(fmt.Sprintf("habit%d ", i), 40), Project: "mail", Scope: engram.ScopePersonal, Permanent: true})
		w.MustSave(remember.SaveInput{Title: fmt.Sprintf("Matter %d", i), Content: strings.Repeat(fmt.Sprintf("matter%d ", i), 20), Project: "shop"})
	}
	c, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: "shop"})
	if err != nil || len(c.Personal) == 0 || len(c.Personal) > 10 || len(c.Memories) < 10 || c.Tokens > c.Budget {
		t.Errorf("%d of its own and %d beside in %d tokens, %v; want most of its own", len(c.Memories), len(c.Personal), c.Tokens, err)
	}
}
