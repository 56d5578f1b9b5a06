package service_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/service"
)

// unit is the unit of a program.
func unit(t *testing.T, program string) string {
	t.Helper()
	text, err := service.Systemd(service.Server{Program: program, Args: []string{"serve"}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

// has fails unless the file has text; "" means no file.
func has(t *testing.T, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if text == "" && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil || string(got) != text {
		t.Errorf("%s: got %q, %v, want %q", path, got, err, text)
	}
}

// alone fails if the folder has other files, such as half-written ones.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(names) {
		t.Errorf("%s holds %v, %v, want %v", dir, entries, err, names)
	}
}

func TestAFileIsPutAndTakenAway(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "engram.service")
	one, two := unit(t, "/one"), unit(t, "/two")
	for _, step := range []struct {
		name string
		do   func(dry bool) (service.Change, error)
		want service.Action
		then string
	}{
		{"the first time", func(dry bool) (service.Change, error) { return service.Put(path, one, dry) }, service.Created, one},
		{"the same again", func(dry bool) (service.Change, error) { return service.Put(path, one, dry) }, service.Unchanged, one},
		{"another one", func(dry bool) (service.Change, error) { return service.Put(path, two, dry) }, service.Updated, two},
		{"taken away", func(dry bool) (service.Change, error) { return service.TakeAway(path, dry) }, service.Removed, ""},
		{"taken away again", func(dry bool) (service.Change, error) { return service.TakeAway(path, dry) }, service.Nothing, ""},
	} {
		before, _ := os.ReadFile(path)
		if c, err := step.do(true); err != nil || c.Action != step.want {
			t.Errorf("%s, dry: got %+v, %v, want %s", step.name, c, err, step.want)
		}
		has(t, path, string(before))
		if c, err := step.do(false); err != nil || c.Action != step.want || c.Path != path || c.Backup != "" {
			t.Errorf("%s: got %+v, %v, want %s", step.name, c, err, step.want)
		}
		has(t, path, step.then)
	}
	alone(t, dir)
}

func TestWhatSomebodyElseWroteIsKeptAndComesBack(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "engram.service")
	const mine = "[Service]\nExecStart=/mine\n"
	write(t, path, mine, 0o640)
	c, err := service.Put(path, unit(t, "/one"), false)
	if err != nil || c.Action != service.Replaced {
		t.Fatalf("got %+v, %v, want replaced", c, err)
	}
	has(t, c.Backup, mine)
	if _, err := service.Put(path, unit(t, "/two"), false); err != nil { // the backup stays that of mine
		t.Fatal(err)
	}
	has(t, c.Backup, mine)
	if c, err := service.TakeAway(path, false); err != nil || c.Action != service.Restored {
		t.Fatalf("got %+v, %v, want restored", c, err)
	}
	has(t, path, mine)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode: got %v, %v, want 0640", info, err)
	}
	alone(t, dir, "engram.service")
}

func TestWhatWasChangedSinceIsNotLost(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "engram.service")
	changed := unit(t, "/one")[:20] + "# mine\n" + unit(t, "/one")[20:]
	write(t, path, changed, 0o600)
	if c, err := service.TakeAway(path, false); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("take away: got %+v, %v, want a conflict", c, err)
	}
	has(t, path, changed)
	if c, err := service.Put(path, unit(t, "/two"), false); err != nil || c.Action != service.Replaced {
		t.Errorf("put: got %+v, %v, want it kept beside", c, err)
	}
	has(t, path+".before-engram", changed)
	write(t, path, "another one\n", 0o600)
	if c, err := service.Put(path, unit(t, "/two"), false); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("a second backup: got %+v, %v, want a conflict", c, err)
	}
	has(t, path, "another one\n")
	has(t, path+".before-engram", changed)
}

func TestALinkStaysALink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "engram.service")
	write(t, real, "mine\n", 0o600)
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if c, err := service.Put(link, unit(t, "/one"), false); err != nil || c.Action != service.Replaced {
		t.Fatalf("got %+v, %v", c, err)
	}
	if to, err := os.Readlink(link); err != nil || to != real {
		t.Errorf("the link: got %s, %v, want %s", to, err, real)
	}
	has(t, real, unit(t, "/one"))
	if _, err := service.TakeAway(link, false); err != nil {
		t.Fatal(err)
	}
	has(t, real, "mine\n")
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := service.Put(link, unit(t, "/one"), false); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("a link that leads nowhere: got %v, want a conflict", err)
	}
}

func TestAPlaceThatCannotBeWrittenIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "", 0o600)
	if _, err := service.Put(filepath.Join(file, "engram.service"), unit(t, "/one"), false); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
}
