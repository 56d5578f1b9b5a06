package markdown

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func acts(done []engram.NoteDone) string {
	var words []string
	for _, d := range done {
		words = append(words, string(d.Act))
	}
	return strings.Join(words, " ")
}

// round is one export of the story.
func round(t *testing.T, dir string, how engram.VaultMode) string {
	t.Helper()
	n := begin(t, Options{Dir: dir}, how)
	done := report(t, n)
	if err := n.End(); err != nil {
		t.Fatal(err)
	}
	return acts(done)
}

func TestADryRunWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	if got := round(t, dir, engram.VaultMode{DryRun: true}); got != "created created created" {
		t.Errorf("got %s", got)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the vault was made: %v", err)
	}
	round(t, dir, engram.VaultMode{})
	before := filesOf(t, dir)
	if got := round(t, dir, engram.VaultMode{DryRun: true}); got != "skipped skipped skipped" || !maps.Equal(before, filesOf(t, dir)) {
		t.Errorf("got %s, and files that changed", got)
	}
}

// A name of the person's own file stays with it, in any case and spelling.
func TestAPersonsFileKeepsItsName(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "engram", "shop", "fact", "POOL-size-kbdxsc.MD")
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := round(t, dir, engram.VaultMode{Force: true}); got != "created created created" {
		t.Errorf("got %s", got)
	}
	files := filesOf(t, dir)
	if files["engram/shop/fact/POOL-size-kbdxsc.MD"] != "mine" || files["engram/shop/fact/pool-size-297dkbdxsc.md"] == "" {
		t.Errorf("got %v", slicesOf(files))
	}
	if got := round(t, dir, engram.VaultMode{}); got != "skipped skipped skipped" {
		t.Errorf("a second time: got %s, want the longer name kept", got)
	}
}

func slicesOf(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	return names
}

// A file written by another program between look and write is left alone.
func TestWhatIsWrittenMeanwhileIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	round(t, dir, engram.VaultMode{})
	n := begin(t, Options{Dir: dir}, engram.VaultMode{})
	all, _ := story()
	name := filepath.Join(dir, "engram", "shop", "fact", "pool-size-kbdxsc.md")
	if err := os.WriteFile(name, []byte("typed just now"), 0o600); err != nil {
		t.Fatal(err)
	}
	all[1].Memory.Content = "new"
	d, err := n.Put(all[1])
	if err != nil || d.Act != engram.NoteEdited {
		t.Errorf("got %+v, %v; want it left alone", d, err)
	}
	if err := n.End(); err != nil {
		t.Fatal(err)
	}
	if got := filesOf(t, dir)["engram/shop/fact/pool-size-kbdxsc.md"]; got != "typed just now" {
		t.Errorf("it says %q", got)
	}
}

func TestWhatForceWritesOverIsKeptBeside(t *testing.T) {
	dir := t.TempDir()
	round(t, dir, engram.VaultMode{})
	name := filepath.Join(dir, "engram", "shop", "fact", "pool-size-kbdxsc.md")
	for i, want := range []string{"pool-size-kbdxsc.conflict.md", "pool-size-kbdxsc-2.conflict.md"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		edited := strings.Replace(string(b), "20 connections", strings.Repeat("x", i+1), 1)
		if err := os.WriteFile(name, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := round(t, dir, engram.VaultMode{Force: true}); got != "skipped updated skipped" {
			t.Errorf("got %s", got)
		}
		files := filesOf(t, dir)
		if files["engram/shop/fact/"+want] != edited || files["engram/shop/fact/pool-size-kbdxsc.md"] != string(b) {
			t.Errorf("round %d: got %v, want %s beside the note", i, slicesOf(files), want)
		}
	}
}

func TestAHubThatWasEditedIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	round(t, dir, engram.VaultMode{})
	name := filepath.Join(dir, "engram", "_topics", "shop-architecture-e8114e.md")
	if err := os.WriteFile(name, []byte("my own overview"), 0o600); err != nil {
		t.Fatal(err)
	}
	round(t, dir, engram.VaultMode{})
	if got := filesOf(t, dir)["engram/_topics/shop-architecture-e8114e.md"]; got != "my own overview" {
		t.Errorf("it says %q", got)
	}
	round(t, dir, engram.VaultMode{Force: true})
	files := filesOf(t, dir)
	if files["engram/_topics/shop-architecture-e8114e.conflict.md"] != "my own overview" || !strings.HasPrefix(files["engram/_topics/shop-architecture-e8114e.md"], "---\nhub: topic\n") {
		t.Errorf("forced: got %v", slicesOf(files))
	}
	n := begin(t, Options{Dir: dir}, engram.VaultMode{})
	if done, err := n.PutHubs(nil, []string{"shop"}); err != nil || done.Deleted != 2 || done.Standing != 0 {
		t.Errorf("no hubs any more: got %+v, %v", done, err)
	}
	if err := n.End(); err != nil {
		t.Fatal(err)
	}
}

// A vault on a full or read-only disk keeps what it had.
func TestAVaultThatCannotBeWrittenStaysAsItWas(t *testing.T) {
	dir := t.TempDir()
	round(t, dir, engram.VaultMode{})
	before := filesOf(t, dir)
	// A folder that is a file acts as a disk that refuses, for every user.
	n := begin(t, Options{Dir: dir}, engram.VaultMode{})
	all, _ := story()
	if err := os.WriteFile(filepath.Join(dir, "engram", "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all[1].Memory.Project = "other"
	n.Place(engram.NotePlace{ID: all[1].Memory.ID, Project: "other", Type: all[1].Memory.Type, Title: all[1].Memory.Title})
	if d, err := n.Put(all[1]); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("got %+v, %v; want that a file stands there", d, err)
	}
	if err := n.End(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "engram", "other")); err != nil {
		t.Fatal(err)
	}
	after := filesOf(t, dir)
	delete(before, "engram/"+stateName)
	delete(after, "engram/"+stateName)
	if !maps.Equal(before, after) {
		t.Errorf("got %v, want %v", slicesOf(after), slicesOf(before))
	}
	if got := round(t, dir, engram.VaultMode{}); got != "skipped skipped skipped" {
		t.Errorf("afterwards: got %s", got)
	}
}

// A refused write names the wanted file, not the temporary one, and says what to do.
func TestADiskThatRefusesIsToldWithItsFileAndWhatToDo(t *testing.T) {
	temp := func(no syscall.Errno) error {
		return &os.PathError{Op: "write", Path: ".engram-abcdef123456.tmp", Err: no}
	}
	for _, tt := range []struct {
		name       string
		err        error
		says, hint string
	}{
		{"a full disk", temp(syscall.ENOSPC), "cannot write engram/shop/a.md: " + syscall.ENOSPC.Error(), "free space"},
		{"a full disk, and what was begun stays", errors.Join(temp(syscall.ENOSPC), temp(syscall.EIO)), "cannot write engram/shop/a.md: " + syscall.ENOSPC.Error(), "free space"},
		{"no permission", temp(syscall.EACCES), "cannot write engram/shop/a.md: " + syscall.EACCES.Error(), "make the vault writable"},
		{"a rename that fails", &os.LinkError{Op: "rename", Old: ".engram-abcdef123456.tmp", New: "shop/a.md", Err: syscall.EIO}, "cannot write engram/shop/a.md: " + syscall.EIO.Error(), ""},
		{"what no system says", errors.New("path escapes"), "cannot write engram/shop/a.md: path escapes", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := unwritten("engram/shop/a.md", tt.err)
			var e *engram.Error
			if !errors.As(err, &e) || e.Code != engram.CodeUnavailable || err.Error() != tt.says || !strings.Contains(e.Hint, tt.hint) || tt.hint == "" && e.Hint != "" {
				t.Errorf("%v: got %q, hint %q; want %q, hint …%s…", tt.err, err, e.Hint, tt.says, tt.hint)
			}
		})
	}
}

func FuzzState(f *testing.F) {
	dir := f.TempDir()
	f.Add(`{"version": 1, "notes": {}, "hubs": {}, "folders": {}}`)
	f.Add(`{"version": 1, "notes": {"mem_01m806jkpqhmcmj478e3cqpkg0": {"path": "../x.md"}}}`)
	f.Add(`{"version": 1, "hubs": {"topic:a": {"path": "_topics/a.md", "size": -1}}, "folders": null}`)
	f.Fuzz(func(t *testing.T, s string) {
		if err := os.MkdirAll(filepath.Join(dir, "engram"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "engram", stateName), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := New(Options{Dir: dir}).Begin(t.Context(), engram.VaultMode{DryRun: true})
		if err != nil {
			if c := engram.CodeOf(err); c != engram.CodeInvalid && c != engram.CodeConflict {
				t.Errorf("%q: got %v (%s)", s, err, c)
			}
			return
		}
		n := v.(*notes)
		for _, id := range n.Known() {
			if !local(n.state.Notes[id].Path) {
				t.Errorf("%q: the note of %s is at %q", s, id, n.state.Notes[id].Path)
			}
		}
		report(t, n)
		if err := n.End(); err != nil {
			t.Error(err)
		}
	})
}
