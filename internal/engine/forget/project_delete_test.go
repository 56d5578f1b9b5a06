package forget_test

import (
	"reflect"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func prune(w enginetest.World, dry bool, names ...string) []string {
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
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Fill("full")
	_, forgotten := w.Fill("hidden")
	if _, err := w.Forget(t.Context(), engram.ByNum(forgotten-1)); err != nil {
		t.Fatal(err)
	}
	w.MustSession("s1", "empty")
	w.Prompt(remember.PromptInput{Content: "why", Project: "empty", SessionID: "s1"})
	w.MustSession("s2", "other")
	entries := w.Since(func() { enginetest.Same(t, "a dry run", prune(w, true), []string{"empty", "other"}) })
	if len(entries) > 0 || len(w.MustProjects()) != 4 || w.MustStats().Prompts != 3 {
		t.Errorf("the dry run changed something: %+v", entries)
	}
	names := []string{"Empty", "full", "nothing", "hidden"}
	enginetest.Same(t, "of these names", prune(w, false, names...), []string{"empty"})
	enginetest.Same(t, "the caller's names", names, []string{"Empty", "full", "nothing", "hidden"})
	if all := w.MustProjects(); len(all) != 3 || w.MustStats().Sessions != 3 || w.MustStats().Prompts != 2 {
		t.Errorf("left: %+v, %+v", all, w.MustStats())
	}
	enginetest.Same(t, "every such project", prune(w, false), []string{"other"})
	enginetest.Same(t, "nothing is left to prune", prune(w, false), nil)
	enginetest.Same(t, "no names are no projects", prune(w, true, []string{}...), nil)
}

func TestDeletingAProjectSoftly(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	live, forgotten := w.Fill("demo")
	w.Fill("other")
	d, err := w.DeleteProject(t.Context(), " Demo", false)
	if err != nil || !reflect.DeepEqual(d, forget.DeletedProject{Memories: 1, Prompts: 1}) {
		t.Errorf("got %+v, %v", d, err)
	}
	enginetest.Same(t, "the memories are forgotten", w.MustList(engram.Filter{Project: "demo", Forgotten: true}), []int64{live, forgotten})
	if p := w.MustProjects()["demo"]; p.Memories != 0 || p.Sessions != 1 || p.Prompts != 0 {
		t.Errorf("the project stays: %+v", p)
	}
	if p := w.MustProjects()["other"]; p.Memories != 1 || p.Prompts != 1 {
		t.Errorf("another project lost something: %+v", p)
	}
	_, err = w.DeleteProject(t.Context(), "nothing", false)
	enginetest.WantCode(t, err, engram.CodeNotFound)
}

func TestDeletingAProjectForGood(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Fill("quagga")
	w.Fill("other")
	w.Merge("quagga", "okapi")
	d, err := w.DeleteProject(t.Context(), "quagga", true)
	if err != nil || !reflect.DeepEqual(d, forget.DeletedProject{Memories: 2, Prompts: 1, Sessions: 1}) {
		t.Errorf("got %+v, %v", d, err)
	}
	if all := w.MustProjects(); len(all) != 1 || all["other"].Memories != 1 {
		t.Errorf("left: %+v", all)
	}
	if st := w.MustStats(); st.Memories != 1 || st.Forgotten != 1 || st.Sessions != 1 || st.Prompts != 1 {
		t.Errorf("left: %+v", st)
	}
	_, err = w.DeleteProject(t.Context(), "quagga", true)
	enginetest.WantCode(t, err, engram.CodeNotFound)
	w.Close(t)
	if names := w.Holds("live in quagga"); len(names) > 0 {
		t.Errorf("its texts are in %v", names)
	}
}

// An update may move a memory out of its session's project. Deleting the project must keep the session, and
// with it the memory's place in time.
func TestASessionThatHoldsAnotherProjectsMemoryOutlivesItsProject(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(w enginetest.World) error{
		"pruned":  func(w enginetest.World) error { _, err := w.PruneProjects(t.Context(), nil, false); return err },
		"deleted": func(w enginetest.World) error { _, err := w.DeleteProject(t.Context(), "old", true); return err },
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			w.MustSession("s1", "old")
			w.MustSession("s2", "old")
			num := w.MustSave(remember.SaveInput{Content: "c", Project: "old", SessionID: "s1"}).Memory.Num
			if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Project: new("demo")}); err != nil {
				t.Fatal(err)
			}
			if err := remove(w.In(t)); err != nil {
				t.Fatal(err)
			}
			if _, still := w.MustProjects()["old"]; still {
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
