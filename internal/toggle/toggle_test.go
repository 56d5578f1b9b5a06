package toggle_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/toggle"
)

// at is the time of the switches here.
func at() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 800, time.FixedZone("", 3600)) }

// open returns the switch of a folder, with a lock of this process.
func open(dir string) toggle.Switch {
	var mu sync.Mutex
	return toggle.New(toggle.Options{Dir: dir, Lock: func(context.Context) (func() error, error) {
		mu.Lock()
		return func() error { mu.Unlock(); return nil }, nil
	}})
}

func off(t testing.TB, s toggle.Switch, names ...string) toggle.State {
	t.Helper()
	_, after, err := s.Off(t.Context(), names, at())
	if err != nil {
		t.Fatalf("off %q: %v", names, err)
	}
	return after
}

func on(t testing.TB, s toggle.Switch, names ...string) toggle.State {
	t.Helper()
	_, after, err := s.On(t.Context(), names, at())
	if err != nil {
		t.Fatalf("on %q: %v", names, err)
	}
	return after
}

func TestWhatIsOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		switches func(t *testing.T, s toggle.Switch)
		off, on  []string
	}{
		{"nothing, where nobody said anything", func(*testing.T, toggle.Switch) {}, nil, []string{"", "shop"}},
		{"everything", func(t *testing.T, s toggle.Switch) { off(t, s) }, []string{"", "shop"}, nil},
		{"one project, by whatever way to write it", func(t *testing.T, s toggle.Switch) { off(t, s, " Shop__Web") },
			[]string{"shop_web", "SHOP_web", "shop__web"}, []string{"", "shop", "web"}},
		{"all names of a project", func(t *testing.T, s toggle.Switch) { off(t, s, "shop", "old-shop") }, []string{"shop", "old-shop"}, []string{"", "bank"}},
		{"everything, whatever single projects are", func(t *testing.T, s toggle.Switch) { off(t, s); on(t, s, "shop") }, []string{"", "shop"}, nil},
		{"a project stays off when everything is switched on", func(t *testing.T, s toggle.Switch) { off(t, s, "shop"); off(t, s); on(t, s) },
			[]string{"shop"}, []string{"", "bank"}},
		{"on again", func(t *testing.T, s toggle.Switch) { off(t, s, "shop"); off(t, s); on(t, s); on(t, s, "Shop") }, nil, []string{"", "shop"}},
		{"on without ever off", func(t *testing.T, s toggle.Switch) { on(t, s); on(t, s, "shop") }, nil, []string{"", "shop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			tt.switches(t, open(dir))
			now := open(dir).State() // as another process reads it
			for _, name := range tt.off {
				if !now.Off(name) {
					t.Errorf("%q: got on, want off: %+v", name, now)
				}
			}
			for _, name := range tt.on {
				if now.Off(name) {
					t.Errorf("%q: got off, want on: %+v", name, now)
				}
			}
		})
	}
}

func TestASwitchTellsBeforeAndAfterAndKeepsTheTime(t *testing.T) {
	t.Parallel()
	s := open(t.TempDir())
	first := off(t, s, "shop")
	since := at().UTC().Truncate(time.Second)
	if !first.Projects["shop"].Equal(since) {
		t.Errorf("since: got %v, want %v", first.Projects["shop"], since)
	}
	before, after, err := s.Off(t.Context(), []string{"shop", "bank"}, at().Add(time.Hour))
	if err != nil || !reflect.DeepEqual(before.Names(), []string{"shop"}) || !reflect.DeepEqual(after.Names(), []string{"bank", "shop"}) {
		t.Fatalf("got %q, then %q, error %v", before.Names(), after.Names(), err)
	}
	if !after.Projects["shop"].Equal(since) || !after.Projects["bank"].Equal(since.Add(time.Hour)) {
		t.Errorf("what was off stays off since it was: got %v", after.Projects)
	}
	off(t, s)
	if _, again, err := s.Off(t.Context(), nil, at().Add(time.Hour)); err != nil || !again.Since.Equal(since) {
		t.Errorf("everything: got since %v, error %v, want %v", again.Since, err, since)
	}
}

func TestWhereNothingIsOffThereIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(dir)
	off(t, s)
	off(t, s, "shop")
	if info, err := os.Stat(filepath.Join(dir, toggle.FileName)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("while something is off: got %v, error %v, want a file for its owner alone", info, err)
	}
	on(t, s)
	on(t, s, "shop")
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("got %v, error %v, want an empty folder", left, err)
	}
}

// A damaged file must not undo a switch.
func TestAFileThatCannotBeUnderstoodIsOff(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":               "",
		"half":                `{"version":1,"everyth`,
		"no JSON":             "off\n",
		"a list":              "[]",
		"null":                "null",
		"no version":          "{}",
		"a later version":     `{"version":2,"everything":"2026-03-04T05:06:07Z"}`,
		"a word nobody knows": `{"version":1,"folders":["/src"]}`,
		"an invalid time":     `{"version":1,"everything":"yesterday"}`,
		"two values":          `{"version":1}{"version":1}`,
		"too large":           `{"version":1}` + strings.Repeat(" ", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, toggle.FileName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s := open(dir)
			if now := s.State(); !now.Off("") || !now.Off("shop") || engram.HintOf(now.Broken) == "" {
				t.Errorf("got %+v, want everything off, with the reason", now)
			}
			before, after, err := s.On(t.Context(), nil, at())
			if err != nil || before.Broken == nil || after.Broken != nil || s.State().Off("shop") {
				t.Errorf("on: got %+v, then %+v, error %v, want a good file that says on", before, after, err)
			}
			wantKept(t, after, text)
		})
	}
	t.Run("a folder has its name", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, toggle.FileName), 0o700); err != nil {
			t.Fatal(err)
		}
		s := open(dir)
		if !s.State().Off("") {
			t.Error("got on, want off")
		}
		if now := on(t, s); now.Off("") || now.Kept == "" || s.State().Any() {
			t.Errorf("on: got %+v, want the folder moved away, and nothing off", now)
		}
	})
	t.Run("a project alone is switched, and everything stays off", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, toggle.FileName), []byte("?"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(dir)
		if now := on(t, s, "shop"); !now.Off("shop") || !s.State().Off("") {
			t.Errorf("on for one project: got %+v, want everything off", now)
		}
		if now := s.State(); !now.Since.Equal(at().Truncate(time.Second)) || now.Broken != nil {
			t.Errorf("got %+v, want everything off since it was switched", now)
		}
	})
	t.Run("off again, twice: since when is known, and every text is kept", func(t *testing.T) {
		dir := t.TempDir()
		for _, text := range []string{"one", "two"} {
			if err := os.WriteFile(filepath.Join(dir, toggle.FileName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			now := off(t, open(dir))
			if now.Broken != nil || !now.Since.Equal(at().Truncate(time.Second)) {
				t.Errorf("got %+v, want off since it was switched", now)
			}
			wantKept(t, now, text)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
			t.Errorf("got %v, %v; want the switch and two texts", left, err)
		}
	})
}

// wantKept checks that a switch kept the unreadable content, unless it was blank.
func wantKept(t *testing.T, now toggle.State, text string) {
	t.Helper()
	if text == "" {
		if now.Kept != "" {
			t.Errorf("kept %s of an empty file", now.Kept)
		}
		return
	}
	if got, err := os.ReadFile(now.Kept); err != nil || string(got) != text {
		t.Errorf("kept: got %q, %v; want what the file said", got, err)
	}
}

// If the database cannot be opened either, its error matters more than switched-off agents.
func TestWhereThereCanBeNoFileNothingIsOff(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a file": file, "below a file": filepath.Join(file, "data"), "a link to itself": loop, "nothing": filepath.Join(file+"-not", "data")} {
		if now := open(dir).State(); now.Off("") || now.Off("shop") || now.Broken != nil {
			t.Errorf("the data directory is %s: got %+v, want that nothing is off", name, now)
		}
	}
}

func TestNamesThatNoProjectHas(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	for _, name := range []string{"", "  ", "a\x00b", "..", strings.Repeat("x", engram.MaxName+1), "\xff"} {
		if _, _, err := open(dir).Off(t.Context(), []string{name}, at()); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%q: got %v, want invalid", name, err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("refused names made %s", dir)
	}
}

func TestWhatCannotBeWrittenIsSaid(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(dir).Off(t.Context(), nil, at()); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
	refusing := toggle.New(toggle.Options{Dir: t.TempDir(), Lock: func(context.Context) (func() error, error) {
		return nil, engram.Errorf(engram.CodeUnavailable, "locked")
	}})
	if _, _, err := refusing.Off(t.Context(), nil, at()); engram.CodeOf(err) != engram.CodeUnavailable || refusing.State().Off("") {
		t.Errorf("locked: got %v, want that nothing is switched", err)
	}
}

func TestManyAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	s := open(t.TempDir())
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, _, err := s.Off(t.Context(), []string{fmt.Sprint("p", i)}, at()); err != nil {
				t.Error(err)
			}
			for range 50 {
				if now := s.State(); now.Broken != nil {
					t.Errorf("half a file was read: %v", now.Broken)
					return
				}
			}
		})
	}
	all.Wait()
	if got := len(s.State().Names()); got != 20 {
		t.Errorf("got %d projects, want 20", got)
	}
}

// The file has every switch, in any order.
func TestTheFileRemembersEverySwitch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		s := open(dir)
		everything, projects := false, map[string]bool{}
		for range rapid.IntRange(0, 12).Draw(rt, "switches") {
			names := rapid.SliceOfN(rapid.SampledFrom([]string{"shop", "bank", "größe", "a/b"}), 0, 2).Draw(rt, "names")
			isOff := rapid.Bool().Draw(rt, "off")
			if isOff {
				off(t, s, names...)
			} else {
				on(t, s, names...)
			}
			everything = isOff && len(names) == 0 || everything && (isOff || len(names) > 0)
			for _, n := range names {
				if delete(projects, n); isOff {
					projects[n] = true
				}
			}
		}
		now := s.State()
		if now.Everything != everything || len(now.Projects) != len(projects) || now.Broken != nil {
			rt.Fatalf("got %+v, want everything %v, projects %v", now, everything, projects)
		}
		for n := range projects {
			if !slices.Contains(now.Names(), n) || !now.Off(n) {
				rt.Fatalf("%q: got on, want off: %+v", n, now)
			}
		}
	})
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"version":1,"everything":"2026-03-04T05:06:07Z","projects":{"shop":"2026-03-04T05:06:07Z"}}`))
	f.Add([]byte(`{"version":1,"projects":{}}`))
	f.Add([]byte("\ufeff{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, toggle.FileName), text, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(dir)
		if now := s.State(); now.Broken != nil && !now.Off("") {
			t.Errorf("%q: broken and on", text)
		}
		if now := off(t, s, "shop"); !now.Off("shop") || !s.State().Off("shop") {
			t.Errorf("%q: got %+v after off", text, now)
		}
	})
}

// Every call of a tool asks the switch.
func BenchmarkState(b *testing.B) {
	for _, bb := range []struct {
		name string
		off  bool
	}{{"nothing is off", false}, {"a project is", true}} {
		b.Run(bb.name, func(b *testing.B) {
			s := open(b.TempDir())
			if bb.off {
				off(b, s, "shop")
			}
			for b.Loop() {
				if s.State().Off("bank") {
					b.Fatal("off")
				}
			}
		})
	}
}
