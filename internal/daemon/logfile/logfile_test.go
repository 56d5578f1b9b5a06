package logfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram/internal/daemon/logfile"
)

func TestALogIsSetAsideWhenItIsFull(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.log")
	l, err := logfile.Open(path, logfile.Options{MaxBytes: 100, Keep: 2})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			if _, err := fmt.Fprintf(l, "line %02d of thirty\n", i); err != nil { // 18 bytes
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || !slices.Equal(files, []string{path, path + ".1", path + ".2"}) {
		t.Fatalf("got %v, %v, want the log and two older ones", files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		info, _ := os.Stat(f)
		if err != nil || len(text) == 0 || len(text) > 100 || len(text)%18 != 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %d bytes, mode %v, %v; want whole lines, at most 100 bytes, 0600", f, len(text), info.Mode(), err)
		}
	}
}

func TestALogGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.log")
	for _, line := range []string{"one\n", "two\n"} {
		l, err := logfile.Open(path, logfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("got %q, %v, want both lines", got, err)
	}
}

func TestALineLongerThanTheLogIsKeptWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.log")
	l, err := logfile.Open(path, logfile.Options{MaxBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	long := strings.Repeat("x", 50) + "\n"
	for range 3 {
		if _, err := l.Write([]byte(long)); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{path, path + ".1", path + ".2"} {
		if got, err := os.ReadFile(f); err != nil || string(got) != long {
			t.Errorf("%s: got %q, %v, want the whole line", f, got, err)
		}
	}
}

func TestTheLastLinesOfALog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.log")
	if got := logfile.Tail(path, 0, 5); got != nil {
		t.Errorf("without a log: got %q, want none", got)
	}
	var all strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&all, "line %d\r\n\n", i)
	}
	if err := os.WriteFile(path, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	size := logfile.Size(path)
	for _, tt := range []struct {
		name string
		from int64
		most int
		want []string
	}{
		{"the last two", 0, 2, []string{"line 998", "line 999"}},
		{"what was written since", size - 22, 5, []string{"line 998", "line 999"}},
		{"nothing was written since", size, 5, nil},
		{"the log was set aside since", size + 1000, 1, []string{"line 999"}},
	} {
		if got := logfile.Tail(path, tt.from, tt.most); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := logfile.Tail(path, 0, 100000); len(got) == 0 || !strings.HasPrefix(got[0], "line ") {
		t.Errorf("more than is read: got %d lines that begin with %q, want whole ones", len(got), got[0])
	}
}
