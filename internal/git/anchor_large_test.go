package git_test

import (
	"context"
	"crypto/sha1"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
)

// fill puts so many files into the index that are not checked out, as a clone has them that is
// larger than its disk: to write them all would take longer than the test.
func (w workspace) fill(dir string, files int) {
	w.Helper()
	var info strings.Builder
	for i := range files {
		fmt.Fprintf(&info, "100644 %x\tinternal/part%02d/section%02d/file%06d.go\n", sha1.Sum(fmt.Append(nil, i)), i%40, i/40%25, i)
	}
	cmd := exec.Command("git", "-C", dir, "update-index", "--index-info")
	cmd.Stdin = strings.NewReader(info.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git update-index in %s: %v: %s", dir, err, out)
	}
}

// renamedIn is a repository of so many files with anchors to ten finds, of which one was renamed:
// to find it, all of the index is read.
func (w workspace) renamedIn(files int, version string) (dir string, all []engram.Anchor) {
	w.Helper()
	dir = w.code("large", "")
	for i := range 8 {
		name := fmt.Sprintf("src%d.go", i)
		w.write(source(name, 120), dir, name)
	}
	w.git(dir, "add", ".")
	w.git(dir, "commit", "-q", "-m", "more")
	for i := range 8 {
		all = append(all, w.anchor(dir, fmt.Sprintf("src%d.go", i), 3, 9))
	}
	all = append(all, w.anchor(dir, "internal/a.go", 10, 12), w.anchor(dir, "b.go", 0, 0))
	w.git(dir, "mv", "b.go", "zzz.go")
	w.write("new\n"+source("a", 40), dir, "internal", "a.go")
	w.fill(dir, files)
	w.git(dir, "update-index", "--index-version", version)
	return dir, all
}

// The time is the benchmarks' to tell; what would make it grow with the repository is an index that is
// read into memory.
func TestTenHitsAreSeenHoweverLargeTheRepository(t *testing.T) {
	for _, version := range []string{"2", "4"} {
		t.Run("version "+version, func(t *testing.T) {
			w := newWorkspace(t)
			dir, all := w.renamedIn(100_000, version)
			var states []engram.Anchored
			bytes := allocated(func() { states = git.Code{}.States(t.Context(), dir, all) })
			for i, s := range states {
				want := map[int]engram.AnchorState{8: engram.AnchorMoved, 9: engram.AnchorMoved}[i]
				if want == "" {
					want = engram.AnchorVerified
				}
				if s.State != want {
					t.Errorf("%s: got %q, want %q", s.Place(), s.State, want)
				}
			}
			t.Logf("ten hits of 100,000 files: %d bytes", bytes)
			if bytes > 1<<20 {
				t.Errorf("ten hits of 100,000 files allocate %d bytes", bytes)
			}
		})
	}
}

// allocated is how many bytes fn allocates.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func BenchmarkStatesOfALargeRepository(b *testing.B) {
	for _, version := range []string{"2", "4"} {
		w := newWorkspace(b)
		dir, all := w.renamedIn(100_000, version)
		for _, bench := range []struct {
			name string
			all  []engram.Anchor
		}{{"ten hits, one of them renamed", all}, {"nine hits", all[:9]}} {
			b.Run("version "+version+", "+bench.name, func(b *testing.B) {
				for b.Loop() {
					git.Code{}.States(context.Background(), dir, bench.all)
				}
			})
		}
	}
}
