package projects_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestMergingGivesEverythingToOneProject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Fill("demo")
	live, forgotten := w.Fill("old")
	res := w.Merge("Demo", " OLD ", "nothing", "demo")
	if want := (projects.MergeResult{To: "demo", Sources: 1, Memories: 2, Sessions: 1, Prompts: 1, Unknown: []string{"nothing"}}); !reflect.DeepEqual(res, want) {
		t.Errorf("got %+v, want %+v", res, want)
	}
	all := w.MustProjects()
	demo := all["demo"]
	if len(all) != 1 || demo.Memories != 2 || demo.Sessions != 2 || demo.Prompts != 2 {
		t.Errorf("got %+v", all)
	}
	enginetest.Same(t, "aliases", demo.Aliases, []string{"old"})
	enginetest.Same(t, "the forgotten came along", w.MustList(engram.Filter{Project: "demo", Forgotten: true}), []int64{forgotten, forgotten - 2})
	for _, name := range []string{"demo", "old", "Old"} {
		enginetest.Same(t, "search in "+name, enginetest.HitNums(w.MustSearch(search.SearchInput{Query: "old", Filter: engram.Filter{Project: name}}).Hits), []int64{live})
		if c, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: name}); err != nil || len(c.Sessions) != 2 || len(c.Prompts) != 2 {
			t.Errorf("context of %s: %+v, %v", name, c, err)
		}
		if ps, err := w.SearchPrompts(t.Context(), "asked", name, 0); err != nil || len(ps) != 2 {
			t.Errorf("prompts of %s: %v, %v", name, ps, err)
		}
	}
	if m := w.MustSave(remember.SaveInput{Content: "later", Project: "old"}).Memory; m.Project != "demo" {
		t.Errorf("saved under the old name it went to %q", m.Project)
	}
	if s, err := w.StartSession(t.Context(), remember.SessionInput{ID: "later", Project: "old"}); err != nil || s.Project != "demo" {
		t.Errorf("a session under the old name is of %q, %v", s.Project, err)
	}
}

func TestMergingTwiceChangesNothingTheSecondTime(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Fill("demo")
	w.Fill("old")
	w.Merge("demo", "old")
	entries := w.Since(func() {
		if res := w.Merge("demo", "old", "demo"); !reflect.DeepEqual(res, projects.MergeResult{To: "demo"}) {
			t.Errorf("got %+v", res)
		}
	})
	if len(entries) > 0 {
		t.Errorf("got entries %+v", entries)
	}
}

func TestMergingIntoANewName(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Fill("one")
	w.Fill("two")
	if res := w.Merge("New", "one", "two"); res.To != "new" || res.Sources != 2 || res.Memories != 4 {
		t.Errorf("got %+v", res)
	}
	all := w.MustProjects()
	if len(all) != 1 || all["new"].Memories != 2 {
		t.Errorf("got %+v", all)
	}
	enginetest.Same(t, "aliases", all["new"].Aliases, []string{"one", "two"})
	w.Merge("newer", "new")
	enginetest.Same(t, "aliases of the second", w.MustProjects()["newer"].Aliases, []string{"new", "one", "two"})
	if got := w.MustProject(projects.ProjectRequest{Explicit: "one"}); got.Name != "newer" {
		t.Errorf("the oldest name leads to %q", got.Name)
	}
}

func TestMergingNothingMakesNoProject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	if res := w.Merge("new", "nothing"); !reflect.DeepEqual(res, projects.MergeResult{To: "new", Unknown: []string{"nothing"}}) || len(w.MustProjects()) > 0 {
		t.Errorf("got %+v, projects %v", res, w.MustProjects())
	}
	for _, bad := range []string{"", " ", "a/b", "a\x00", "\xff", strings.Repeat("n", 201)} {
		_, err := w.MergeProjects(t.Context(), []string{"one"}, bad)
		enginetest.WantCode(t, err, engram.CodeInvalid)
	}
}

func TestMergingIntoAnAlias(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	live, _ := w.Fill("old")
	w.Fill("demo")
	w.Fill("third")
	w.Merge("demo", "old")
	if res := w.Merge("old", "third"); res.To != "demo" || res.Memories != 2 {
		t.Errorf("a merge into the alias of another project goes to that project: %+v", res)
	}
	// In reverse, the old name becomes the project again.
	if res := w.Merge("old", "demo"); res.To != "old" || res.Memories != 6 {
		t.Errorf("got %+v", res)
	}
	all := w.MustProjects()
	if len(all) != 1 || all["old"].Memories != 3 {
		t.Errorf("got %+v", all)
	}
	enginetest.Same(t, "aliases", all["old"].Aliases, []string{"demo", "third"})
	if m := w.MustGet(live).Memory; m.Project != "old" {
		t.Errorf("the memory is in %q", m.Project)
	}
	if got := w.MustProject(projects.ProjectRequest{Explicit: "demo"}); got.Name != "old" {
		t.Errorf("demo leads to %q", got.Name)
	}
}

func TestATopicThatBothHaveKeepsBothTexts(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	mine := w.MustSave(remember.SaveInput{Title: "mine", Content: "text of the target", Project: "demo", TopicKey: "k"}).Memory.Num
	theirs := w.MustSave(remember.SaveInput{Title: "theirs", Content: "text of the source", Project: "old", TopicKey: "k"}).Memory.Num
	other := w.MustSave(remember.SaveInput{Title: "other", Content: "only there", Project: "old", TopicKey: "other"}).Memory.Num
	w.Merge("demo", "old")
	if m := w.MustGet(mine).Memory; m.TopicKey != "k" || m.Content != "text of the target" {
		t.Errorf("the target's: %+v", m)
	}
	if m := w.MustGet(theirs).Memory; m.TopicKey != "" || m.Content != "text of the source" {
		t.Errorf("the source's: %+v", m)
	}
	if m := w.MustGet(other).Memory; m.TopicKey != "other" {
		t.Errorf("a topic of the source alone: %+v", m)
	}
	enginetest.Same(t, "both are found", enginetest.HitNums(w.MustSearch(search.SearchInput{Query: "text", Filter: engram.Filter{Project: "demo"}}).Hits), []int64{theirs, mine})
	last := w.Journal() // what was moved, the source that went, the target's new alias
	if topics, _ := enginetest.Was(t, last[len(last)-3])["topics"].(map[string]any); topics["2"] != "k" || len(topics) != 1 {
		t.Errorf("the journal says of the lost topic: %v", topics)
	}
}

func TestSimilarProjects(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Fill("engramm")
	for range 2 {
		w.MustSave(remember.SaveInput{Content: w.Clock.Now().String(), Project: "engram"})
	}
	w.Fill("unlike")
	groups, err := w.SimilarProjects(t.Context())
	if err != nil || len(groups) != 1 || len(groups[0]) != 2 || groups[0][0].Name != "engram" || groups[0][0].Memories != 2 || groups[0][1].Name != "engramm" {
		t.Errorf("got %+v, %v", groups, err)
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	w.Fill("demo")
	w.Fill("other")
	w.MustSave(remember.SaveInput{Content: "a decision", Type: "decision", Project: "demo", Related: []engram.Ref{engram.ByNum(1)}})
	st := w.MustStats()
	if st.Memories != 3 || st.Forgotten != 2 || st.Sessions != 2 || st.Prompts != 2 || st.Relations != 1 || st.Types["manual"] != 2 || st.Types["decision"] != 1 || st.Bytes == 0 && !enginetest.OnServer() {
		t.Errorf("got %+v", st)
	}
	enginetest.Same(t, "projects", st.Projects, []string{"demo", "other"})
	st, err := w.Stats(t.Context(), " Demo")
	if err != nil || st.Memories != 2 || st.Forgotten != 1 || st.Sessions != 1 || st.Prompts != 1 {
		t.Errorf("of demo: %+v, %v", st, err)
	}
	_, err = w.Stats(t.Context(), "nothing")
	enginetest.WantCode(t, err, engram.CodeNotFound)
}

// The renamed project keeps its folder.
func TestARenamedProjectKeepsItsPlace(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Fill("demo")
	place := func(p engram.ProjectCounts) []string { return []string{p.Root, p.Remote} }
	at := []string{"/src/demo", "example.com/demo"}
	err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
		p, _, err := tx.Project(t.Context(), "demo")
		if err != nil {
			return err
		}
		p.Root, p.Remote = at[0], at[1]
		return tx.PutProject(t.Context(), p)
	})
	if err != nil {
		t.Fatal(err)
	}
	before := w.MustProjects()["demo"]
	if _, err := w.RenameProject(t.Context(), "demo", "shop"); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "under the new name", place(w.MustProjects()["shop"]), at)
	w.TakeBack(w.LastOp())
	all := w.MustProjects()
	if got := all["demo"]; len(all) != 1 || !reflect.DeepEqual(got, before) {
		t.Errorf("after the undo\n got %+v\nwant demo as it was, %+v", all, before)
	}

	// The new name is in use when the old one returns and does not get its folder.
	if _, err := w.RenameProject(t.Context(), "demo", "shop"); err != nil {
		t.Fatal(err)
	}
	renamed := w.LastOp()
	w.MustSave(remember.SaveInput{Title: "Of the shop", Content: "Nothing that the other has", Project: "shop"})
	w.TakeBack(renamed)
	all = w.MustProjects()
	enginetest.Same(t, "the old one", place(all["demo"]), at)
	enginetest.Same(t, "the new one", place(all["shop"]), []string{"", ""})
}
