package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// newApp is an App whose data directory is dir.
func newApp(t *testing.T, dir string) *app.App {
	t.Helper()
	a := app.New(app.Options{
		Config: config.Config{DataDir: dir, DBPath: filepath.Join(dir, "engram.db"), Timezone: time.UTC},
		Actor:  "test", Version: "1", Dir: t.TempDir(),
	})
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return a
}

func save(t *testing.T, a *app.App, content string) engram.Memory {
	t.Helper()
	r, err := a.Engine.Save(t.Context(), remember.SaveInput{Content: content, Project: "p"})
	if err != nil {
		t.Fatalf("save %q: %v", content, err)
	}
	return r.Memory
}

func TestAnAppTouchesTheDiskAtTheFirstVerb(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	a := newApp(t, dir)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("after New: stat of the data directory got %v, want that it does not exist", err)
	}
	save(t, a, "something")
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "engram.db"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s: got %v, %v; want %v", path, info, err, want)
		}
	}
}

func TestAStoreThatCouldNotBeOpenedIsTriedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := newApp(t, dir)
	if err := a.Ready(t.Context()); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("with a file in its place: got %v, want unavailable", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := a.Ready(t.Context()); err != nil {
		t.Errorf("when it is gone: got %v, want nil", err)
	}
}

func TestAClosedAppSaysSo(t *testing.T) {
	t.Parallel()
	a := newApp(t, t.TempDir())
	save(t, a, "something")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Engine.Stats(t.Context(), ""); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("a verb after Close: got %v, want unavailable", err)
	}
}

func TestIDsAreULIDsThatRise(t *testing.T) {
	a := newApp(t, t.TempDir())
	form := regexp.MustCompile(`^mem_[0-9a-hjkmnp-tv-z]{26}$`)
	var last engram.ID
	for range 100 {
		m := save(t, a, "text of "+time.Now().String())
		if !form.MatchString(string(m.ID)) || m.ID <= last {
			t.Fatalf("id %q after %q: want a rising, lower-case ULID", m.ID, last)
		}
		last = m.ID
	}
}

func TestFirstUsesMayComeAtOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t, t.TempDir())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := a.Engine.Save(t.Context(), remember.SaveInput{Content: "at once", Project: "p"}); err != nil {
				t.Errorf("save: %v", err)
			}
		})
	}
	wg.Wait()
	s, err := a.Engine.Stats(t.Context(), "")
	if err != nil || s.Memories != 1 {
		t.Errorf("eight repeats: got %d memories, %v; want 1", s.Memories, err)
	}
}

func TestAToolNobodyHasIsRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t, t.TempDir())
	if err := a.ServeMCP(t.Context(), nil, nil, "nonsense"); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("got %v, want invalid", err)
	}
}
