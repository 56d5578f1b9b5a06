package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram/internal/atomicfile"
)

// put makes a file as it is before a test, with a mode that the umask has no part in.
func put(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// names are those of the files in a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestModes(t *testing.T) {
	for _, tt := range []struct {
		name        string
		was         fs.FileMode // 0: no file
		asked, want fs.FileMode
	}{
		{"a file that is made is its owner's", 0, 0, 0o600},
		{"a file that is made has the mode that is asked for", 0, 0o644, 0o644},
		{"a file keeps what it has", 0o640, 0, 0o640},
		{"unless another mode is asked for", 0o644, 0o600, 0o600},
	} {
		for _, alone := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "f.json")
				if tt.was != 0 {
					put(t, path, "old", tt.was)
				}
				if err := atomicfile.Write(path, []byte("new"), atomicfile.Options{Mode: tt.asked, Alone: alone}); err != nil {
					t.Fatal(err)
				}
				info, err := os.Stat(path)
				if err != nil || info.Mode().Perm() != tt.want || content(t, path) != "new" {
					t.Errorf("alone %v, was %v, asked for %v: got %v, %v and %q, want %v and %q", alone, tt.was, tt.asked, info.Mode(), err, content(t, path), tt.want, "new")
				}
				if got := names(t, filepath.Dir(path)); len(got) != 1 {
					t.Errorf("alone %v: in the folder are %q, want the file alone", alone, got)
				}
			})
		}
	}
}

func TestALinkStaysOneAndWhereItLeadsIsWritten(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	path, real := filepath.Join(dir, "f"), filepath.Join(elsewhere, "g")
	put(t, real, "old", 0o644)
	if err := os.Symlink(real, path); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("new"), atomicfile.Options{}); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(path); err != nil || to != real || content(t, real) != "new" {
		t.Errorf("the link leads to %q, %v, where it says %q; want %s and %q", to, err, content(t, real), real, "new")
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.Write(path, []byte("new"), atomicfile.Options{})
	if to, _ := os.Readlink(path); !errors.Is(err, atomicfile.ErrLeadsNowhere) || to != real {
		t.Errorf("leading nowhere: got %v, and the link leads to %q; want ErrLeadsNowhere and the link as it was", err, to)
	}
}

func TestAWriteThatFailsLeavesWhatWas(t *testing.T) {
	full := errors.New("the disk is full")
	for _, alone := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "f")
		put(t, path, "old", 0o644)
		err := atomicfile.Fill(path, atomicfile.Options{Alone: alone}, func(w io.Writer) error {
			if _, err := io.WriteString(w, "ha"); err != nil {
				t.Fatal(err)
			}
			return full
		})
		if err != full || content(t, path) != "old" || !slices.Equal(names(t, filepath.Dir(path)), []string{"f"}) {
			t.Errorf("alone %v: got %v, %q and %q; want its own error, the old content and nothing beside", alone, err, content(t, path), names(t, filepath.Dir(path)))
		}
	}
}

func TestWhatCannotBeReplacedIsTold(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "folder", "in it"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.Write(filepath.Join(dir, "folder"), []byte("new"), atomicfile.Options{})
	if _, renamed := errors.AsType[*os.LinkError](err); !renamed || !slices.Equal(names(t, dir), []string{"folder"}) {
		t.Errorf("a folder: got %v and %q, want an *os.LinkError and nothing beside", err, names(t, dir))
	}
	err = atomicfile.Write(filepath.Join(dir, "none", "f"), []byte("new"), atomicfile.Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: got %v, want fs.ErrNotExist", err)
	}
}

func TestWhatAKillLeftGoesWithTheNextWriteOrIsSwept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.md")
	beside := atomicfile.Beside(path)
	put(t, beside, "half of what was longer than the n", 0o400)
	if err := atomicfile.Write(path, []byte("new"), atomicfile.Options{Alone: true}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"f.md"}) || content(t, path) != "new" {
		t.Errorf("after the next write there are %q, and it says %q; want f.md alone, and new", got, content(t, path))
	}
	put(t, beside, "ha", 0o600)
	for range 2 {
		if err := atomicfile.Sweep(path); err != nil {
			t.Fatal(err)
		}
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"f.md"}) {
		t.Errorf("swept: there are %q; want f.md alone", got)
	}
}

func TestNamesBeside(t *testing.T) {
	for _, path := range []string{"/a/f.json", "f", "/a/.hidden", "/a/x.engram-new"} {
		beside := atomicfile.Beside(path)
		of, ok := atomicfile.Of(beside)
		if !ok || of != path || filepath.Dir(beside) != filepath.Dir(path) {
			t.Errorf("%s is written at %s, which is that of %q, %v; want the same folder and path", path, beside, of, ok)
		}
		if strings.HasSuffix(beside, filepath.Ext(path)) && filepath.Ext(path) != ".engram-new" && filepath.Ext(path) != "" {
			t.Errorf("%s ends as %s does, and might be loaded in its place", beside, path)
		}
	}
	for _, name := range []string{"f.json", ".engram-new", "..engram-new", "f.engram-new", ".f.engram-new.md"} {
		if of, ok := atomicfile.Of(name); ok {
			t.Errorf("%s is taken for that of %q, want no", name, of)
		}
	}
}

// Readers during writes see one complete content.
func TestReadersNeverSeeHalfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	whole := func(c byte) []byte { return []byte(strings.Repeat(string(c), 100_000)) }
	put(t, path, string(whole('a')), 0o600)
	var writers sync.WaitGroup
	for _, c := range []byte("bcde") {
		writers.Go(func() {
			for range 20 {
				if err := atomicfile.Write(path, whole(c), atomicfile.Options{Hasty: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for reads := 0; ; reads++ {
		if b := content(t, path); len(b) != 100_000 || strings.Trim(b, b[:1]) != "" {
			t.Fatalf("read %d: got %d bytes from %.3q to %.3q; want 100000 of one kind", reads, len(b), b, b[max(0, len(b)-3):])
		}
		select {
		case <-done:
			if got := names(t, filepath.Dir(path)); len(got) != 1 {
				t.Errorf("there are %q; want the file alone", got)
			}
			return
		default:
		}
	}
}
