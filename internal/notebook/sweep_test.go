package notebook_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/attend"
)

// A process that is killed while it writes leaves half a line: it must not take the next one
// with it.
func TestHalfALineSwallowsNoOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := open(dir)
	if err := errors.Join(n.Add("s", attend.Note{Kind: attend.KindAsked}), n.AddPending(attend.Pending{Key: "k0", Session: "s"})); err != nil {
		t.Fatal(err)
	}
	for _, path := range files(t, dir) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"kind":"tool","key":"half","text":"and th`); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(n.Add("s", attend.Note{Kind: attend.KindAsked}), n.AddPending(attend.Pending{Key: "k1", Session: "s"})); err != nil {
		t.Fatal(err)
	}
	notes, err := n.All("s")
	waiting, errWaiting := n.Pending("s")
	if err := errors.Join(err, errWaiting); err != nil || len(notes) != 2 || notes[1].Kind != attend.KindAsked || len(waiting) != 2 || waiting[1].Key != "k1" {
		t.Errorf("got %+v and %+v, %v", notes, waiting, err)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(all) == 0 {
		t.Fatalf("files %v, %v", all, err)
	}
	return all
}

// What a killed process has left is swept away: what was to take the place of a file at once,
// whatever it is, and what cannot be read if it is old.
func TestSweepingTakesWhatKilledProcessesLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := open(dir)
	if err := errors.Join(n.AddPending(attend.Pending{Key: "k", Session: "s"}), n.Add("s", attend.Note{Kind: attend.KindAsked})); err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{"garbage.wait": false, "empty.wait": false, atomicfile.Beside("gone.wait"): false, "young.wait": true}
	for _, path := range files(t, dir) {
		left[filepath.Base(path)] = true
		left[filepath.Base(atomicfile.Beside(path))] = false
	}
	for name := range left {
		path := filepath.Join(dir, name)
		if strings.HasPrefix(name, "empty") || strings.HasPrefix(name, "garbage") || strings.HasPrefix(name, "young") || strings.HasPrefix(name, ".") {
			if err := os.WriteFile(path, []byte(strings.Repeat("no line\n", len(name)%3)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasSuffix(name, ".wait") && !strings.HasPrefix(name, "young") {
			if err := os.Chtimes(path, at(0), at(0)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := n.Sweep(at(1)); err != nil {
		t.Fatal(err)
	}
	for name, want := range left {
		if _, err := os.Stat(filepath.Join(dir, name)); want != !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want it to stay: %v", name, err, want)
		}
	}
	if sessions, err := n.Unwritten(); err != nil || len(sessions) != 1 || sessions[0] != "s" {
		t.Errorf("unwritten: %v, %v", sessions, err)
	}
}

// To learn of which session something waits, a line is read and not the file: each session
// that starts asks for that.
func BenchmarkUnwritten(b *testing.B) {
	n := open(b.TempDir())
	for range 8 {
		if err := n.AddPending(attend.Pending{Key: "k", Session: "s", Text: strings.Repeat("word ", 100<<10)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if all, err := n.Unwritten(); err != nil || len(all) != 1 {
			b.Fatal(all, err)
		}
	}
}
