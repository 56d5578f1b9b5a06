package search_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// placed is the content of a project at a time, by each kind of question.
func placed(w enginetest.World, project string, at time.Time) map[string][]int64 {
	w.Helper()
	ms, _, err := enginetest.ListAsOf(w.Context(), w, engram.Filter{Project: project, Current: true}, engram.Page{}, at)
	if err != nil {
		w.Fatalf("list %q as of %v: %v", project, at, err)
	}
	strong, _, err := enginetest.ListAsOf(w.Context(), w, engram.Filter{Project: project, MinStrength: 0.01}, engram.Page{}, at)
	if err != nil {
		w.Fatalf("list %q as of %v by strength: %v", project, at, err)
	}
	c, err := w.Engine.Context(w.Context(), brief.ContextInput{Project: project, AsOf: at})
	if err != nil {
		w.Fatalf("context of %q as of %v: %v", project, at, err)
	}
	in := search.SearchInput{AsOf: at, Filter: engram.Filter{Project: project}}
	newest := enginetest.HitNums(w.MustSearch(in).Hits)
	in.Query = "kettle"
	told := map[string][]int64{"list": enginetest.Nums(ms), "list by strength": enginetest.Nums(strong), "context": enginetest.Nums(c.Memories), "newest": newest,
		"search": enginetest.HitNums(w.MustSearch(in).Hits)}
	for _, list := range told {
		slices.Sort(list)
	}
	return told
}

func wantPlaced(w enginetest.World, what, project string, at time.Time, want ...int64) {
	w.Helper()
	for way, got := range placed(w, project, at) {
		enginetest.Same(w, what+": "+way+" of project "+project, got, want)
	}
}

func TestAProjectThatWasMergedIsAskedForByItsNameThen(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	a := w.MustSave(remember.SaveInput{Title: "Alpha kettle", Content: "kettle in a", Project: "a", TopicKey: "k/a"}).Memory.Num
	b := w.MustSave(remember.SaveInput{Title: "Beta kettle", Content: "kettle in b", Project: "b", TopicKey: "k/b"}).Memory.Num
	then := w.Later()
	w.Merge("b", "a")
	merged := w.Later()
	late := w.MustSave(remember.SaveInput{Title: "Late kettle", Content: "kettle of the two", Project: "a"}).Memory.Num
	w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(b), Content: new("kettle in b, descaled")})
	end := w.Later()

	wantPlaced(w, "before the merge", "a", then, a)
	wantPlaced(w, "before the merge", "b", then, b)
	wantPlaced(w, "before the merge", "", then, a, b)
	for _, name := range []string{"a", "b"} {
		wantPlaced(w, "after it, when a was another name of b", name, merged, a, b)
		wantPlaced(w, "at the end", name, end, a, b, late)
	}
	wantPlaced(w, "a project that never was", "c", then)
	d, err := w.GetAsOf(t.Context(), engram.Ref{Topic: "k/a", Project: "a"}, then)
	if err != nil || d.Memory.Num != a || d.Memory.Project != "a" {
		t.Errorf("the topic k/a of a: got #%d of %q, %v; want #%d of a", d.Memory.Num, d.Memory.Project, err, a)
	}
	_, err = w.GetAsOf(t.Context(), engram.Ref{Topic: "k/b", Project: "a"}, then)
	enginetest.WantCode(t, err, engram.CodeNotFound)
}

func TestAProjectThatWasRenamedIsFoundByBothNames(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	num := w.MustSave(remember.SaveInput{Title: "Kettle", Content: "the kettle whistles", Project: "old"}).Memory.Num
	then := w.Later()
	for _, step := range [][2]string{{"old", "middle"}, {"middle", "young"}} {
		if _, err := w.RenameProject(t.Context(), step[0], step[1]); err != nil {
			t.Fatal(err)
		}
		w.Later()
	}
	for _, name := range []string{"old", "middle", "young"} {
		wantPlaced(w, "before it was renamed twice", name, then, num)
	}
	// The old name is given to another project: at that time it was still the first one's.
	other := w.MustSave(remember.SaveInput{Title: "Other kettle", Content: "a kettle of tin", Project: "other"}).Memory.Num
	if _, err := w.RenameProject(t.Context(), "other", "tin"); err != nil {
		t.Fatal(err)
	}
	before := w.Later()
	if _, err := w.MergeProjects(t.Context(), []string{"tin"}, "other"); err != nil {
		t.Fatal(err)
	}
	w.Later()
	wantPlaced(w, "when tin was its name", "tin", before, other)
	wantPlaced(w, "when tin was its name, by that which it has again", "other", before, other)
}

func TestWhatWasAskedAndBegunInAProjectStaysThere(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	w.MustSession("s-a", "a")
	w.MustSession("s-b", "b")
	w.Prompt(remember.PromptInput{Content: "kettle of a?", Project: "a"})
	w.Prompt(remember.PromptInput{Content: "kettle of b?", Project: "b"})
	then := w.Later()
	w.Merge("b", "a")
	w.Prompt(remember.PromptInput{Content: "kettle of both?", Project: "a"})
	w.Later()
	for project, want := range map[string][2]string{"a": {"s-a", "kettle of a?"}, "b": {"s-b", "kettle of b?"}} {
		c, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: project, AsOf: then})
		if err != nil {
			t.Fatal(err)
		}
		var sessions, prompts []string
		for _, s := range c.Sessions {
			if !strings.HasPrefix(s.ID, "s-") {
				continue // made for the prompts
			}
			sessions = append(sessions, s.ID)
			if s.Project != project {
				t.Errorf("session %s was in %q, want %q", s.ID, s.Project, project)
			}
		}
		for _, p := range c.Prompts {
			prompts = append(prompts, p.Content)
		}
		enginetest.Same(t, "sessions of "+project, sessions, []string{want[0]})
		enginetest.Same(t, "prompts of "+project, prompts, []string{want[1]})
	}
}

func TestTheProjectOfAQuestionAboutThePast(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSave(remember.SaveInput{Content: "kettle in a", Project: "a"})
	w.MustSave(remember.SaveInput{Content: "kettle in b", Project: "b"})
	then := w.Later()
	w.Merge("b", "a")
	merged := w.Later()
	for _, tt := range []struct {
		name string
		at   time.Time
		want string
	}{
		{"now the name leads on", time.Time{}, "b"},
		{"before the merge it was a project", then, "a"},
		{"after it, it led on", merged, "b"},
	} {
		if got := w.MustProject(projects.ProjectRequest{Explicit: "a", AsOf: tt.at}).Name; got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	_, err := w.ProjectFor(t.Context(), projects.ProjectRequest{Explicit: "c", AsOf: then})
	enginetest.WantCode(t, err, engram.CodeNotFound)
}
