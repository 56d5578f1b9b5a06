package forget_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestForgetHidesFromEverywhere(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	keep, num := w.Note("keep", "the lighthouse stays"), w.Note("go", "the zebra goes")
	gone, err := w.Forget(t.Context(), engram.ByNum(num))
	if err != nil || len(gone) != 1 || gone[0].Num != num || gone[0].DeletedAt.IsZero() {
		t.Fatalf("got %+v, %v", gone, err)
	}
	if _, err := w.Get(t.Context(), engram.ByNum(num)); engram.CodeOf(err) != engram.CodeNotFound || engram.HintOf(err) == "" {
		t.Errorf("get: %v, hint %q", err, engram.HintOf(err))
	}
	if got := w.MustFind("zebra"); len(got) > 0 {
		t.Errorf("search finds %v", got)
	}
	enginetest.Same(t, "list", w.MustList(engram.Filter{}), []int64{keep})
	enginetest.Same(t, "list of the forgotten", w.MustList(engram.Filter{Forgotten: true}), []int64{num})
	told, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "context", enginetest.Nums(told.Memories), []int64{keep})
	around, err := w.Timeline(t.Context(), engram.ByNum(keep), 5, 5)
	if err != nil || around.Total != 1 || len(around.After) > 0 {
		t.Errorf("timeline: %+v, %v", around, err)
	}
	if st := w.MustStats(); st.Memories != 1 || st.Forgotten != 1 {
		t.Errorf("stats: %+v", st)
	}
}

func TestForgettingTwiceIsNotFound(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("go", "goes")
	if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	_, err := w.Forget(t.Context(), engram.ByNum(num))
	enginetest.WantCode(t, err, engram.CodeNotFound)
	_, err = w.Forget(t.Context(), engram.ByNum(99))
	enginetest.WantCode(t, err, engram.CodeNotFound)
}

func TestForgettingSeveralIsAllOrNone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a, b := w.Note("a", "first"), w.Note("b", "second")
	for name, verb := range map[string]func([]engram.Ref) ([]engram.Memory, error){
		"forget": func(refs []engram.Ref) ([]engram.Memory, error) { return w.Forget(t.Context(), refs...) },
		"erase": func(refs []engram.Ref) ([]engram.Memory, error) {
			d, err := w.Delete(t.Context(), true, refs...)
			return d.Memories, err
		},
	} {
		gone, err := verb([]engram.Ref{engram.ByNum(a), engram.ByNum(99), engram.ByNum(b)})
		enginetest.WantCode(t, err, engram.CodeNotFound)
		if len(gone) > 0 || len(w.MustList(engram.Filter{})) != 2 {
			t.Errorf("%s of a missing one among others: %v are gone, %v are left", name, gone, w.MustList(engram.Filter{}))
		}
	}
	gone, err := w.Forget(t.Context(), engram.ByNum(b), engram.ByNum(a))
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "in the order asked", enginetest.Nums(gone), []int64{b, a})
}

func TestNumbersAreNeverUsedAgain(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("a", "first")
	last := w.Note("b", "second")
	if _, err := w.Delete(t.Context(), true, engram.ByNum(last)); err != nil {
		t.Fatal(err)
	}
	if num := w.Reopened().Note("c", "third"); num != last+1 {
		t.Errorf("after #%d was erased the next memory is #%d", last, num)
	}
}

func TestErasingLeavesNothingOfTheText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		forget bool
		others int
	}{
		{"of the only memory", false, 0}, {"of a forgotten one", true, 0},
		{"of one among others", false, 40}, {"of a forgotten one among others", true, 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			for i := range tt.others {
				w.Note("other", strings.Repeat("word", i+1)+" of the others")
			}
			num := w.MustSave(remember.SaveInput{Title: "Xylophone", Content: "a quagga in the box", Project: "demo", TopicKey: "zyzzyva/key", Tags: []string{"kumquat"},
				Metadata: map[string]any{"where": "vexillology"}, ToolName: "quokkatool", Type: "axolotltype"}).Memory.Num
			w.MustSave(remember.SaveInput{Title: "Xylophone II", Content: "an okapi in the box", Project: "demo", TopicKey: "zyzzyva/key"})
			if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Content: new("a narwhal"), TopicKey: new("other/key"), Tags: &[]string{"pangolin"}}); err != nil {
				t.Fatal(err)
			}
			if tt.forget {
				if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
					t.Fatal(err)
				}
			}
			gone, err := w.Delete(t.Context(), true, engram.ByNum(num))
			if err != nil || len(gone.Memories) != 1 {
				t.Fatalf("got %+v, %v", gone, err)
			}
			if _, err := w.Get(t.Context(), engram.ByNum(num)); engram.CodeOf(err) != engram.CodeNotFound {
				t.Errorf("get: %v", err)
			}
			if _, err := w.Delete(t.Context(), true, engram.ByNum(num)); engram.CodeOf(err) != engram.CodeNotFound {
				t.Errorf("a second erase: %v", err)
			}
			words := []string{"xylophone", "xylophon", "quagga", "okapi", "narwhal", "zyzzyva", "kumquat", "vexillology", "quokkatool", "axolotltype", "pangolin"}
			for _, word := range words {
				if names := w.Holds(word); len(names) > 0 {
					t.Errorf("while the store is open, %q is in %v", word, names)
				}
			}
			w.Close(t)
			for _, word := range words {
				if names := w.Holds(word); len(names) > 0 {
					t.Errorf("after it was closed, %q is in %v", word, names)
				}
			}
		})
	}
}

func TestTheMemoriesBesideAnErasedOneAreStillFound(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	var want []int64
	for _, title := range []string{"alpha", "beta", "gamma", "delta"} {
		want = append(want, w.Note(title, "a memory of the greek letters"))
	}
	if _, err := w.Delete(t.Context(), true, engram.ByNum(want[1])); err != nil {
		t.Fatal(err)
	}
	for i, title := range []string{"alpha", "beta", "gamma", "delta"} {
		if i == 1 {
			enginetest.Same(t, title, w.MustFind(title), nil)
			continue
		}
		enginetest.Same(t, title, w.MustFind(title)[:1], []int64{want[i]})
	}
}

func TestAMemoryThatIsNamedTwiceGoesOnce(t *testing.T) {
	t.Parallel()
	for _, hard := range []bool{false, true} {
		w := enginetest.NewWorld(t)
		num := w.Note("alpha", "a memory of the greek letters")
		m, err := w.Get(t.Context(), engram.ByNum(num))
		if err != nil {
			t.Fatal(err)
		}
		d, err := w.Delete(t.Context(), hard, engram.ByNum(num), engram.Ref{ID: string(m.Memory.ID)}, engram.ByNum(num))
		if err != nil || len(d.Memories) != 1 || d.Memories[0].Num != num {
			t.Errorf("delete #%d three times in one call, hard=%v: %v, %v; want it once", num, hard, d.Memories, err)
		}
	}
}
