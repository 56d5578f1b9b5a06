package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// indexOf is an index that git wrote, of files with these names.
func indexOf(t testing.TB, version string, names ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) []byte {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(environment(cmd.Environ()), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return out
	}
	git("init", "-q")
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("add", ".")
	if version == "3" {
		if err := os.WriteFile(filepath.Join(dir, "later"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-N", "later")
	} else {
		git("update-index", "--index-version", version)
	}
	data, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// scanBytes is scanIndex of data.
func scanBytes(ctx context.Context, data []byte, hash int, each func(*entry)) error {
	return scanIndex(ctx, bytes.NewReader(data), int64(len(data)), hash, each)
}

func names() []string {
	deep := strings.Repeat("deep/", 30) + "file.go"
	return []string{"a.go", "a/b.go", "a/bb.go", "a/c/d e.go", "a/c/ö.go", deep, deep + "2", "z"}
}

func TestEveryVersionOfAnIndexHasTheSameFiles(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "3", "4"} {
		data := indexOf(t, version, names()...)
		if got := binary.BigEndian.Uint32(data[4:]); got != uint32(version[0]-'0') {
			t.Fatalf("git wrote version %d, want %s", got, version)
		}
		var got []string
		err := scanBytes(context.Background(), data, 20, func(e *entry) {
			if string(e.path) == "later" {
				return
			}
			got = append(got, string(e.path))
			if hex.EncodeToString(e.blob) != blobName(20, e.path) || int(e.size()) != len(e.path) { // each file holds its name
				t.Errorf("version %s: %s is %x, of %d bytes", version, e.path, e.blob, e.size())
			}
		})
		want := slices.Sorted(slices.Values(names()))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("version %s: %v\n got %q\nwant %q", version, err, got, want)
		}
	}
}

func TestAnIndexThatIsCutOffIsNone(t *testing.T) {
	t.Parallel()
	data := indexOf(t, "4", names()...)
	for n := range data {
		if err := scanBytes(context.Background(), data[:n], 20, func(*entry) {}); err == nil && n < len(data)-200 {
			t.Errorf("the first %d of %d bytes are read as an index", n, len(data))
		}
	}
}

func FuzzIndex(f *testing.F) {
	for _, version := range []string{"2", "3", "4"} {
		f.Add(indexOf(f, version, names()...), true)
	}
	f.Add([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff"), false)
	f.Fuzz(func(t *testing.T, data []byte, sha1 bool) {
		hash := 32
		if sha1 {
			hash = 20
		}
		entries, bytes := 0, 0
		err := scanBytes(context.Background(), data, hash, func(e *entry) {
			entries++
			bytes += len(e.path)
			if len(e.blob) != hash {
				t.Fatalf("a blob of %d bytes", len(e.blob))
			}
		})
		if err == nil && entries > len(data) {
			t.Errorf("%d entries in %d bytes", entries, len(data))
		}
	})
}

func FuzzFindLines(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), 2, 2, "01234567-0123456789abcdef")
	f.Fuzz(func(t *testing.T, content []byte, first, count int, mark string) {
		lines := linesOf(content)
		if count < 1 || count > len(lines) || first < 0 || first > 1<<24 {
			return
		}
		if at := findLines(lines, mark, first, count); at < 0 || at > 0 && linesMark(lines[at-1:at-1+count]) != mark {
			t.Errorf("%q is found at %d", mark, at)
		}
		if first < 1 || first-1+count > len(lines) {
			return
		}
		if own := linesMark(lines[first-1 : first-1+count]); findLines(lines, own, first, count) != first {
			t.Errorf("lines %d and %d more of %q are not where they are", first, count, content)
		}
	})
}
