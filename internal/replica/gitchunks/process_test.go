//go:build unix

package gitchunks_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// childEnv makes the test binary a process that writes chunks: a goroutine cannot be killed or fill
// a disk.
const childEnv = "ENGRAM_TEST_CHILD"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "write":
		err = childWrite(os.Args[1], os.Args[2], os.Args[3])
	case "full":
		err = childFull(os.Args[1], os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// childWrite writes chunks of one memory each, from a number on, and prints each ID once it is
// stored.
func childWrite(dir, from, count string) error {
	first, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	r, err := gitchunks.Open(gitchunks.Options{Dir: dir})
	if err != nil {
		return err
	}
	for i := range n {
		b, err := r.Write(context.Background(), engram.Batch{At: at(i % 60)}, []engram.Record{memory(first+i, strings.Repeat("words ", 5000))})
		if err != nil {
			return err
		}
		fmt.Println(b.ID)
	}
	return nil
}

// childFull writes a chunk under a file size limit, and prints the result.
func childFull(dir, most string) error {
	n, err := strconv.ParseUint(most, 10, 64)
	if err != nil {
		return err
	}
	r, err := gitchunks.Open(gitchunks.Options{Dir: dir})
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ) // the write fails instead
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		return err
	}
	_, err = r.Write(context.Background(), engram.Batch{At: at(9)}, []engram.Record{memory(99, "the last")})
	fmt.Printf("%s %v\n", engram.CodeOf(err), err)
	return nil
}

func child(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), childEnv+"="+name)
	return c
}

// whole checks that every chunk is readable, that these IDs are there, and that after Settle the
// manifest lists exactly them and nothing else is left.
func whole(t *testing.T, dir string, kept []string) {
	t.Helper()
	r := open(t, gitchunks.Options{Dir: dir, Now: func() time.Time { return time.Now().Add(2 * time.Hour) }})
	batches, err := r.Batches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, b := range batches {
		ids = append(ids, b.ID)
		if records, err := readAll(t, r, b.ID); err != nil || len(records) != 1 {
			t.Errorf("chunk %s: %d records, %v", b.ID, len(records), err)
		}
	}
	for _, id := range kept {
		if !slices.Contains(ids, id) {
			t.Errorf("chunk %s was kept, and is not there", id)
		}
	}
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(ids) > 0 {
		if got := idsOf(t, readText(t, manifestPath(dir))); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(ids))) {
			t.Errorf("the manifest lists %v, want %v", got, ids)
		}
	}
	if left := listing(t, dir); strings.Contains(left, ".tmp-") {
		t.Errorf("something is left:\n%s", left)
	}
}

// A write killed at any moment happened or did not.
func TestAWriterIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var kept []string
	for round := range 15 {
		c := child(t, "write", dir, strconv.Itoa(round*1000), "500")
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 1 + round%3 {
			if !lines.Scan() {
				t.Fatalf("round %d: the writer has stopped: %v", round, lines.Err())
			}
			kept = append(kept, lines.Text())
		}
		// Into the next one, a little further each time.
		time.AfterFunc(time.Duration(round)*521*time.Microsecond, func() { _ = c.Process.Kill() })
		for lines.Scan() {
			kept = append(kept, lines.Text())
		}
		_ = c.Wait() // it was killed
		whole(t, dir, kept)
	}
}

func TestTwoProcessesWriteAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := child(t, "write", dir, "0", "15"), child(t, "write", dir, "1000", "15")
	var first, second strings.Builder
	a.Stdout, b.Stdout = &first, &second
	for _, c := range []*exec.Cmd{a, b} {
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []*exec.Cmd{a, b} {
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	kept := strings.Fields(first.String() + second.String())
	if len(kept) != 30 {
		t.Fatalf("got %d chunks, want 30", len(kept))
	}
	whole(t, dir, kept)
}

// A full disk keeps the old state, whether the chunk or the manifest does not fit.
func TestAFullDiskLeavesTheOldState(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		there int // chunks
		most  string
	}{
		{"no room for the first chunk", 0, "100"},
		{"no room for a chunk", 2, "100"},
		{"room for the chunk, and not for the manifest", 9, "900"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			r := open(t, gitchunks.Options{Dir: dir})
			for i := range tt.there {
				keep(t, r, engram.Batch{At: at(i)}, memory(i, "a"))
			}
			for _, name := range []string{".engram", ".engram/chunks"} { // which may stay
				if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			before := listing(t, dir)
			out, err := child(t, "full", dir, tt.most).CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), string(engram.CodeUnavailable)+" ") {
				t.Fatalf("got %v: %s; want that it is unavailable", err, out)
			}
			if wants := tt.there == 9; wants != strings.Contains(string(out), "manifest.json") {
				t.Errorf("got %s; want that it is about the manifest: %v", out, wants)
			}
			if after := listing(t, dir); after != before {
				t.Errorf("there is now\n%s\nwant\n%s", after, before)
			}
			whole(t, dir, nil)
			keep(t, r, engram.Batch{At: at(40)}, memory(99, "the last"))
			if got, err := r.Batches(t.Context()); err != nil || len(got) != tt.there+1 {
				t.Errorf("once there is room: got %+v, %v", got, err)
			}
		})
	}
}
