package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// files returns every byte that the store has on disk: database, log and backups.
func (w world) files() map[string][]byte {
	w.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(filepath.Dir(w.Path), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[d.Name()], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

// holds names the files that hold a word, in any case.
func (w world) holds(word string) (names []string) {
	w.Helper()
	for name, b := range w.files() {
		if bytes.Contains(bytes.ToLower(b), []byte(strings.ToLower(word))) {
			names = append(names, name)
		}
	}
	return names
}

func TestForgetHidesFromEverywhere(t *testing.T) {
	w := newWorld(t)
	keep, num := w.note("keep", "the lighthouse stays"), w.note("go", "the zebra goes")
	gone, err := w.Forget(t.Context(), engram.ByNum(num))
	if err != nil || len(gone) != 1 || gone[0].Num != num || gone[0].DeletedAt.IsZero() {
		t.Fatalf("got %+v, %v", gone, err)
	}
	if _, err := w.Get(t.Context(), engram.ByNum(num)); engram.CodeOf(err) != engram.CodeNotFound || engram.HintOf(err) == "" {
		t.Errorf("get: %v, hint %q", err, engram.HintOf(err))
	}
	if got := w.find("zebra"); len(got) > 0 {
		t.Errorf("search finds %v", got)
	}
	same(t, "list", w.list(engram.Filter{}), []int64{keep})
	same(t, "list of the forgotten", w.list(engram.Filter{Forgotten: true}), []int64{num})
	told, err := w.Engine.Context(t.Context(), brief.ContextInput{Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "context", nums(told.Memories), []int64{keep})
	around, err := w.Timeline(t.Context(), engram.ByNum(keep), 5, 5)
	if err != nil || around.Total != 1 || len(around.After) > 0 {
		t.Errorf("timeline: %+v, %v", around, err)
	}
	if st := w.stats(); st.Memories != 1 || st.Forgotten != 1 {
		t.Errorf("stats: %+v", st)
	}
}

func TestForgettingTwiceIsNotFound(t *testing.T) {
	w := newWorld(t)
	num := w.note("go", "goes")
	if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	_, err := w.Forget(t.Context(), engram.ByNum(num))
	wantCode(t, err, engram.CodeNotFound)
	_, err = w.Forget(t.Context(), engram.ByNum(99))
	wantCode(t, err, engram.CodeNotFound)
}

func TestForgettingSeveralIsAllOrNone(t *testing.T) {
	w := newWorld(t)
	a, b := w.note("a", "first"), w.note("b", "second")
	for name, verb := range map[string]func([]engram.Ref) ([]engram.Memory, error){
		"forget": func(refs []engram.Ref) ([]engram.Memory, error) { return w.Forget(t.Context(), refs...) },
		"erase": func(refs []engram.Ref) ([]engram.Memory, error) {
			d, err := w.Delete(t.Context(), true, refs...)
			return d.Memories, err
		},
	} {
		gone, err := verb([]engram.Ref{engram.ByNum(a), engram.ByNum(99), engram.ByNum(b)})
		wantCode(t, err, engram.CodeNotFound)
		if len(gone) > 0 || len(w.list(engram.Filter{})) != 2 {
			t.Errorf("%s of a missing one among others: %v are gone, %v are left", name, gone, w.list(engram.Filter{}))
		}
	}
	gone, err := w.Forget(t.Context(), engram.ByNum(b), engram.ByNum(a))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "in the order asked", nums(gone), []int64{b, a})
}

func TestNumbersAreNeverUsedAgain(t *testing.T) {
	w := newWorld(t)
	w.note("a", "first")
	last := w.note("b", "second")
	if _, err := w.Delete(t.Context(), true, engram.ByNum(last)); err != nil {
		t.Fatal(err)
	}
	if num := w.again().note("c", "third"); num != last+1 {
		t.Errorf("after #%d was erased the next memory is #%d", last, num)
	}
}

func TestErasingLeavesNothingOfTheText(t *testing.T) {
	for _, tt := range []struct {
		name   string
		forget bool
		others int
	}{
		{"of the only memory", false, 0}, {"of a forgotten one", true, 0},
		{"of one among others", false, 40}, {"of a forgotten one among others", true, 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			for i := range tt.others {
				w.note("other", strings.Repeat("word", i+1)+" of the others")
			}
			num := w.save(remember.SaveInput{Title: "Xylophone", Content: "a quagga in the box", Project: "demo", TopicKey: "zyzzyva/key", Tags: []string{"kumquat"},
				Metadata: map[string]any{"where": "vexillology"}, ToolName: "quokkatool", Type: "axolotltype"}).Memory.Num
			w.save(remember.SaveInput{Title: "Xylophone II", Content: "an okapi in the box", Project: "demo", TopicKey: "zyzzyva/key"})
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
				if names := w.holds(word); len(names) > 0 {
					t.Errorf("while the store is open, %q is in %v", word, names)
				}
			}
			w.Close(t)
			for _, word := range words {
				if names := w.holds(word); len(names) > 0 {
					t.Errorf("after it was closed, %q is in %v", word, names)
				}
			}
		})
	}
}

func TestTheMemoriesBesideAnErasedOneAreStillFound(t *testing.T) {
	w := newWorld(t)
	var want []int64
	for _, title := range []string{"alpha", "beta", "gamma", "delta"} {
		want = append(want, w.note(title, "a memory of the greek letters"))
	}
	if _, err := w.Delete(t.Context(), true, engram.ByNum(want[1])); err != nil {
		t.Fatal(err)
	}
	for i, title := range []string{"alpha", "beta", "gamma", "delta"} {
		if i == 1 {
			same(t, title, w.find(title), nil)
			continue
		}
		same(t, title, w.find(title)[:1], []int64{want[i]})
	}
}

func TestAMemoryThatIsNamedTwiceGoesOnce(t *testing.T) {
	for _, hard := range []bool{false, true} {
		w := newWorld(t)
		num := w.note("alpha", "a memory of the greek letters")
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
