package engine_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

func (w world) merge(to string, from ...string) projects.MergeResult {
	w.Helper()
	res, err := w.MergeProjects(w.Context(), from, to)
	if err != nil {
		w.Fatalf("merge %v into %s: %v", from, to, err)
	}
	return res
}

func (w world) projects() map[string]engram.ProjectCounts {
	w.Helper()
	all, err := w.Projects(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	byName := map[string]engram.ProjectCounts{}
	for _, p := range all {
		byName[p.Name] = p
	}
	return byName
}

// fill gives a project two memories, one of them forgotten, a session and a prompt.
func (w world) fill(name string) (live, forgotten int64) {
	w.Helper()
	w.session("s-"+name, name)
	live = w.save(remember.SaveInput{Title: "of " + name, Content: "live in " + name, Project: name}).Memory.Num
	forgotten = w.save(remember.SaveInput{Title: "of " + name, Content: "forgotten in " + name, Project: name}).Memory.Num
	if _, err := w.Forget(w.Context(), engram.ByNum(forgotten)); err != nil {
		w.Fatal(err)
	}
	w.prompt(remember.PromptInput{Content: "asked in " + name, Project: name})
	return live, forgotten
}

func TestMergingGivesEverythingToOneProject(t *testing.T) {
	w := newWorld(t)
	w.fill("demo")
	live, forgotten := w.fill("old")
	res := w.merge("Demo", " OLD ", "nothing", "demo")
	if want := (projects.MergeResult{To: "demo", Sources: 1, Memories: 2, Sessions: 1, Prompts: 1, Unknown: []string{"nothing"}}); !reflect.DeepEqual(res, want) {
		t.Errorf("got %+v, want %+v", res, want)
	}
	all := w.projects()
	demo := all["demo"]
	if len(all) != 1 || demo.Memories != 2 || demo.Sessions != 2 || demo.Prompts != 2 {
		t.Errorf("got %+v", all)
	}
	same(t, "aliases", demo.Aliases, []string{"old"})
	same(t, "the forgotten came along", w.list(engram.Filter{Project: "demo", Forgotten: true}), []int64{forgotten, forgotten - 2})
	for _, name := range []string{"demo", "old", "Old"} {
		same(t, "search in "+name, hitNums(w.search(search.SearchInput{Query: "old", Filter: engram.Filter{Project: name}}).Hits), []int64{live})
		if c, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: name}); err != nil || len(c.Sessions) != 2 || len(c.Prompts) != 2 {
			t.Errorf("context of %s: %+v, %v", name, c, err)
		}
		if ps, err := w.SearchPrompts(t.Context(), "asked", name, 0); err != nil || len(ps) != 2 {
			t.Errorf("prompts of %s: %v, %v", name, ps, err)
		}
	}
	if m := w.save(remember.SaveInput{Content: "later", Project: "old"}).Memory; m.Project != "demo" {
		t.Errorf("saved under the old name it went to %q", m.Project)
	}
	if s, err := w.StartSession(t.Context(), remember.SessionInput{ID: "later", Project: "old"}); err != nil || s.Project != "demo" {
		t.Errorf("a session under the old name is of %q, %v", s.Project, err)
	}
}

func TestMergingTwiceChangesNothingTheSecondTime(t *testing.T) {
	w := newWorld(t)
	w.fill("demo")
	w.fill("old")
	w.merge("demo", "old")
	entries := w.since(func() {
		if res := w.merge("demo", "old", "demo"); !reflect.DeepEqual(res, projects.MergeResult{To: "demo"}) {
			t.Errorf("got %+v", res)
		}
	})
	if len(entries) > 0 {
		t.Errorf("got entries %+v", entries)
	}
}

func TestMergingIntoANewName(t *testing.T) {
	w := newWorld(t)
	w.fill("one")
	w.fill("two")
	if res := w.merge("New", "one", "two"); res.To != "new" || res.Sources != 2 || res.Memories != 4 {
		t.Errorf("got %+v", res)
	}
	all := w.projects()
	if len(all) != 1 || all["new"].Memories != 2 {
		t.Errorf("got %+v", all)
	}
	same(t, "aliases", all["new"].Aliases, []string{"one", "two"})
	w.merge("newer", "new")
	same(t, "aliases of the second", w.projects()["newer"].Aliases, []string{"new", "one", "two"})
	if got := w.mustProject(projects.ProjectRequest{Explicit: "one"}); got.Name != "newer" {
		t.Errorf("the oldest name leads to %q", got.Name)
	}
}

func TestMergingNothingMakesNoProject(t *testing.T) {
	w := newWorld(t)
	if res := w.merge("new", "nothing"); !reflect.DeepEqual(res, projects.MergeResult{To: "new", Unknown: []string{"nothing"}}) || len(w.projects()) > 0 {
		t.Errorf("got %+v, projects %v", res, w.projects())
	}
	for _, bad := range []string{"", " ", "a/b", "a\x00", "\xff", strings.Repeat("n", 201)} {
		_, err := w.MergeProjects(t.Context(), []string{"one"}, bad)
		wantCode(t, err, engram.CodeInvalid)
	}
}

func TestMergingIntoAnAlias(t *testing.T) {
	w := newWorld(t)
	live, _ := w.fill("old")
	w.fill("demo")
	w.fill("third")
	w.merge("demo", "old")
	if res := w.merge("old", "third"); res.To != "demo" || res.Memories != 2 {
		t.Errorf("a merge into the alias of another project goes to that project: %+v", res)
	}
	// In reverse, the old name becomes the project again.
	if res := w.merge("old", "demo"); res.To != "old" || res.Memories != 6 {
		t.Errorf("got %+v", res)
	}
	all := w.projects()
	if len(all) != 1 || all["old"].Memories != 3 {
		t.Errorf("got %+v", all)
	}
	same(t, "aliases", all["old"].Aliases, []string{"demo", "third"})
	if m := w.get(live).Memory; m.Project != "old" {
		t.Errorf("the memory is in %q", m.Project)
	}
	if got := w.mustProject(projects.ProjectRequest{Explicit: "demo"}); got.Name != "old" {
		t.Errorf("demo leads to %q", got.Name)
	}
}

func TestATopicThatBothHaveKeepsBothTexts(t *testing.T) {
	w := newWorld(t)
	mine := w.save(remember.SaveInput{Title: "mine", Content: "text of the target", Project: "demo", TopicKey: "k"}).Memory.Num
	theirs := w.save(remember.SaveInput{Title: "theirs", Content: "text of the source", Project: "old", TopicKey: "k"}).Memory.Num
	other := w.save(remember.SaveInput{Title: "other", Content: "only there", Project: "old", TopicKey: "other"}).Memory.Num
	w.merge("demo", "old")
	if m := w.get(mine).Memory; m.TopicKey != "k" || m.Content != "text of the target" {
		t.Errorf("the target's: %+v", m)
	}
	if m := w.get(theirs).Memory; m.TopicKey != "" || m.Content != "text of the source" {
		t.Errorf("the source's: %+v", m)
	}
	if m := w.get(other).Memory; m.TopicKey != "other" {
		t.Errorf("a topic of the source alone: %+v", m)
	}
	same(t, "both are found", hitNums(w.search(search.SearchInput{Query: "text", Filter: engram.Filter{Project: "demo"}}).Hits), []int64{theirs, mine})
	last := w.journal() // what was moved, the source that went, the target's new alias
	if topics, _ := was(t, last[len(last)-3])["topics"].(map[string]any); topics["2"] != "k" || len(topics) != 1 {
		t.Errorf("the journal says of the lost topic: %v", topics)
	}
}

func TestSimilarProjects(t *testing.T) {
	w := newWorld(t)
	w.fill("engramm")
	for range 2 {
		w.save(remember.SaveInput{Content: w.Clock.Now().String(), Project: "engram"})
	}
	w.fill("unlike")
	groups, err := w.SimilarProjects(t.Context())
	if err != nil || len(groups) != 1 || len(groups[0]) != 2 || groups[0][0].Name != "engram" || groups[0][0].Memories != 2 || groups[0][1].Name != "engramm" {
		t.Errorf("got %+v, %v", groups, err)
	}
}

func TestStats(t *testing.T) {
	w := newWorld(t).unlinked()
	w.fill("demo")
	w.fill("other")
	w.save(remember.SaveInput{Content: "a decision", Type: "decision", Project: "demo", Related: []engram.Ref{engram.ByNum(1)}})
	st := w.stats()
	if st.Memories != 3 || st.Forgotten != 2 || st.Sessions != 2 || st.Prompts != 2 || st.Relations != 1 || st.Types["manual"] != 2 || st.Types["decision"] != 1 || st.Bytes == 0 {
		t.Errorf("got %+v", st)
	}
	same(t, "projects", st.Projects, []string{"demo", "other"})
	st, err := w.Stats(t.Context(), " Demo")
	if err != nil || st.Memories != 2 || st.Forgotten != 1 || st.Sessions != 1 || st.Prompts != 1 {
		t.Errorf("of demo: %+v, %v", st, err)
	}
	_, err = w.Stats(t.Context(), "nothing")
	wantCode(t, err, engram.CodeNotFound)
}

// The renamed project keeps its folder.
func TestARenamedProjectKeepsItsPlace(t *testing.T) {
	w := newWorld(t)
	w.fill("demo")
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
	before := w.projects()["demo"]
	if _, err := w.RenameProject(t.Context(), "demo", "shop"); err != nil {
		t.Fatal(err)
	}
	same(t, "under the new name", place(w.projects()["shop"]), at)
	w.takeBack(w.op())
	all := w.projects()
	if got := all["demo"]; len(all) != 1 || !reflect.DeepEqual(got, before) {
		t.Errorf("after the undo\n got %+v\nwant demo as it was, %+v", all, before)
	}

	// The new name is in use when the old one returns and does not get its folder.
	if _, err := w.RenameProject(t.Context(), "demo", "shop"); err != nil {
		t.Fatal(err)
	}
	renamed := w.op()
	w.save(remember.SaveInput{Title: "Of the shop", Content: "Nothing that the other has", Project: "shop"})
	w.takeBack(renamed)
	all = w.projects()
	same(t, "the old one", place(all["demo"]), at)
	same(t, "the new one", place(all["shop"]), []string{"", ""})
}
