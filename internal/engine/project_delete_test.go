package engine_test

import (
	"reflect"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

func (w world) prune(dry bool, names ...string) []string {
	w.Helper()
	gone, err := w.PruneProjects(w.Context(), names, dry)
	if err != nil {
		w.Fatalf("prune %v: %v", names, err)
	}
	var all []string
	for _, p := range gone {
		all = append(all, p.Name)
	}
	return all
}

func TestPruningRemovesProjectsWithoutMemories(t *testing.T) {
	w := newWorld(t)
	w.fill("full")
	_, forgotten := w.fill("hidden")
	if _, err := w.Forget(t.Context(), engram.ByNum(forgotten-1)); err != nil {
		t.Fatal(err)
	}
	w.session("s1", "empty")
	w.prompt(remember.PromptInput{Content: "why", Project: "empty", SessionID: "s1"})
	w.session("s2", "other")
	entries := w.since(func() { same(t, "a dry run", w.prune(true), []string{"empty", "other"}) })
	if len(entries) > 0 || len(w.projects()) != 4 || w.stats().Prompts != 3 {
		t.Errorf("the dry run changed something: %+v", entries)
	}
	names := []string{"Empty", "full", "nothing", "hidden"}
	same(t, "of these names", w.prune(false, names...), []string{"empty"})
	same(t, "the caller's names", names, []string{"Empty", "full", "nothing", "hidden"})
	if all := w.projects(); len(all) != 3 || w.stats().Sessions != 3 || w.stats().Prompts != 2 {
		t.Errorf("left: %+v, %+v", all, w.stats())
	}
	same(t, "every such project", w.prune(false), []string{"other"})
	same(t, "nothing is left to prune", w.prune(false), nil)
	same(t, "no names are no projects", w.prune(true, []string{}...), nil)
}

func TestDeletingAProjectSoftly(t *testing.T) {
	w := newWorld(t)
	live, forgotten := w.fill("demo")
	w.fill("other")
	d, err := w.DeleteProject(t.Context(), " Demo", false)
	if err != nil || !reflect.DeepEqual(d, forget.DeletedProject{Memories: 1, Prompts: 1}) {
		t.Errorf("got %+v, %v", d, err)
	}
	same(t, "the memories are forgotten", w.list(engram.Filter{Project: "demo", Forgotten: true}), []int64{live, forgotten})
	if p := w.projects()["demo"]; p.Memories != 0 || p.Sessions != 1 || p.Prompts != 0 {
		t.Errorf("the project stays: %+v", p)
	}
	if p := w.projects()["other"]; p.Memories != 1 || p.Prompts != 1 {
		t.Errorf("another project lost something: %+v", p)
	}
	_, err = w.DeleteProject(t.Context(), "nothing", false)
	wantCode(t, err, engram.CodeNotFound)
}

func TestDeletingAProjectForGood(t *testing.T) {
	w := newWorld(t)
	w.fill("quagga")
	w.fill("other")
	w.merge("quagga", "okapi")
	d, err := w.DeleteProject(t.Context(), "quagga", true)
	if err != nil || !reflect.DeepEqual(d, forget.DeletedProject{Memories: 2, Prompts: 1, Sessions: 1}) {
		t.Errorf("got %+v, %v", d, err)
	}
	if all := w.projects(); len(all) != 1 || all["other"].Memories != 1 {
		t.Errorf("left: %+v", all)
	}
	if st := w.stats(); st.Memories != 1 || st.Forgotten != 1 || st.Sessions != 1 || st.Prompts != 1 {
		t.Errorf("left: %+v", st)
	}
	_, err = w.DeleteProject(t.Context(), "quagga", true)
	wantCode(t, err, engram.CodeNotFound)
	w.Close(t)
	if names := w.holds("live in quagga"); len(names) > 0 {
		t.Errorf("its texts are in %v", names)
	}
}

// An update may move a memory out of its session's project. Deleting the project must keep the session, and
// with it the memory's place in time.
func TestASessionThatHoldsAnotherProjectsMemoryOutlivesItsProject(t *testing.T) {
	for name, remove := range map[string]func(w world) error{
		"pruned":  func(w world) error { _, err := w.PruneProjects(t.Context(), nil, false); return err },
		"deleted": func(w world) error { _, err := w.DeleteProject(t.Context(), "old", true); return err },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.session("s1", "old")
			w.session("s2", "old")
			num := w.save(remember.SaveInput{Content: "c", Project: "old", SessionID: "s1"}).Memory.Num
			if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Project: new("demo")}); err != nil {
				t.Fatal(err)
			}
			if err := remove(w.in(t)); err != nil {
				t.Fatal(err)
			}
			if _, still := w.projects()["old"]; still {
				t.Error("the project is still there")
			}
			tl, err := w.Timeline(t.Context(), engram.ByNum(num), 5, 5)
			if err != nil || tl.Session.ID != "s1" || tl.Session.Project != "" || tl.Total != 1 {
				t.Errorf("its session: %+v, %v", tl.Session, err)
			}
			if _, err := w.Session(t.Context(), "s2"); engram.CodeOf(err) != engram.CodeNotFound {
				t.Errorf("the other session: %v", err)
			}
		})
	}
}
