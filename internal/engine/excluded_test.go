package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// apartFrom is e without some projects.
func apartFrom(e *engine.Engine, names ...string) *engine.Engine {
	return e.As(e.Caller().Without(func() func(string) bool {
		if len(names) == 0 {
			return nil
		}
		return func(name string) bool { return strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") }
	}))
}

// Injected texts include what a person wants in every project, but nothing from an excluded project.
func TestUnaskedNothingIsToldOfAProjectThatIsKeptApart(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	for _, in := range []remember.SaveInput{
		{Title: "Zebra stripes are black", Content: "Always draw zebra stripes in black ink", Scope: "personal", Type: "preference", Project: "shop", Origin: engram.OriginHuman},
		{Title: "Zebra count", Content: "Each zebra is counted twice by the wildlife team", Scope: "global", Type: "preference", Project: "shop", Importance: new(0.9), Origin: engram.OriginHuman},
		{Title: "Blog engine", Content: "The blog is rendered by Hugo", Project: "blog", Origin: engram.OriginHuman},
	} {
		if _, err := e.Save(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	for session, ask := range map[string]func(e *engine.Engine, session string) (string, error){
		"brief": func(e *engine.Engine, session string) (string, error) {
			b, err := e.Brief(t.Context(), brief.SessionBriefInput{Project: "blog", SessionID: session})
			return b.Text, err
		},
		"remind": func(e *engine.Engine, session string) (string, error) {
			r, err := e.Remind(t.Context(), brief.RemindInput{Project: "blog", SessionID: session, Query: "how are zebra stripes drawn in black ink?"})
			return r.Text, err
		},
	} {
		told, err := ask(e, session+"-on")
		if err != nil {
			t.Fatal(err)
		}
		if session == "brief" && !strings.Contains(told, "ebra") {
			t.Errorf("%s while nothing is apart: got %q, want the preference", session, told)
		}
		told, err = ask(apartFrom(e, "shop"), session+"-off")
		if err != nil || strings.Contains(told, "ebra") {
			t.Errorf("%s with shop apart: got %q, error %v, want nothing of it", session, told, err)
		}
	}
}

// Queries over all projects answer as if excluded projects did not exist, with full pages, limits and counts.
func TestAProjectThatIsKeptApartIsAsIfItWereNot(t *testing.T) {
	t.Parallel()
	with, without := enginetest.New(t), enginetest.New(t)
	projects := []string{"shop", "blog", "shop", "bank", "shop", "shop", "blog"}
	for i := range 30 {
		in := remember.SaveInput{Title: fmt.Sprintf("Note %d", i), Content: fmt.Sprintf("wolf number%d runs", i),
			Project: projects[i%len(projects)], Type: []engram.Type{"decision", "bugfix"}[i%2]}
		for _, e := range []*engine.Engine{with, without} {
			if e == without && in.Project == "shop" {
				continue
			}
			if _, err := e.Save(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
	}
	apart := apartFrom(with, "shop")
	for _, page := range [][2]int{{1, 0}, {3, 0}, {3, 5}, {8, 9}, {20, 0}, {20, 40}} {
		limit, offset := page[0], page[1]
		for what, ask := range map[string]func(e *engine.Engine) (string, error){
			"list": func(e *engine.Engine) (string, error) {
				ms, err := e.List(t.Context(), engram.Filter{}, engram.Page{Limit: limit, Offset: offset})
				return titlesIn(ms), err
			},
			"search": func(e *engine.Engine) (string, error) {
				found, err := e.Search(t.Context(), search.SearchInput{Query: "wolf", Limit: limit, Mode: search.ModeLexical})
				return fmt.Sprint(len(found.Hits) + len(found.BelowThreshold)), err
			},
			"stats": func(e *engine.Engine) (string, error) {
				st, err := e.Stats(t.Context(), "")
				return fmt.Sprint(st.Memories, st.Sessions, st.Projects, st.Types), err
			},
			"stats by type": func(e *engine.Engine) (string, error) {
				st, err := e.StatsOver(t.Context(), read.StatsInput{By: engram.ByType})
				by := map[string]int{}
				for _, g := range st.Groups {
					by[g.Name] = g.Memories
				}
				return fmt.Sprint(by, st.Due, st.Revisions, st.Pending), err
			},
			"stats by project": func(e *engine.Engine) (string, error) {
				st, err := e.StatsOver(t.Context(), read.StatsInput{By: engram.ByProject})
				return fmt.Sprint(len(st.Groups)), err
			},
			"log": func(e *engine.Engine) (string, error) {
				entries, _, err := e.Log(t.Context(), read.LogInput{Page: engram.Page{Limit: limit, Offset: offset}})
				var all []string
				for _, entry := range entries {
					for _, item := range entry.Items {
						if item.Entity == engram.EntityMemory {
							all = append(all, item.Title)
						}
					}
				}
				return strings.Join(all, ", "), err
			},
			"sessions": func(e *engine.Engine) (string, error) {
				ss, err := e.Sessions(t.Context(), "", engram.Page{Limit: limit, Offset: offset})
				return fmt.Sprint(len(ss)), err
			},
			"queue": func(e *engine.Engine) (string, error) {
				q, err := e.Queue(t.Context(), review.QueueInput{})
				return fmt.Sprint(q.Counts), err
			},
			"projects": func(e *engine.Engine) (string, error) {
				ps, err := e.Projects(t.Context())
				return fmt.Sprint(len(ps)), err
			},
		} {
			got, err := ask(apart)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			want, err := ask(without)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if got != want {
				t.Errorf("%s, limit %d, offset %d: got %s, want %s", what, limit, offset, got, want)
			}
		}
	}
}

func titlesIn(ms []engram.Memory) string {
	var all []string
	for _, m := range ms {
		all = append(all, m.Title)
	}
	return strings.Join(all, ", ")
}
