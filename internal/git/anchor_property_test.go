package git_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
)

// gitSays is what git itself says became of an anchor to a whole file: what it would call the file
// now, and where it has the same contents.
func (w workspace) gitSays(dir string, a engram.Anchor) engram.AnchorState {
	w.Helper()
	info, err := os.Lstat(filepath.Join(dir, a.Path))
	if err == nil && !info.IsDir() {
		if w.output(dir, "hash-object", "--", a.Path) == a.Blob {
			return engram.AnchorVerified
		}
		return engram.AnchorChanged
	}
	for line := range strings.SplitSeq(w.output(dir, "ls-files", "-s"), "\n") {
		head, path, found := strings.Cut(line, "\t")
		if !found || strings.Fields(head)[1] != a.Blob {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, path)); err == nil && w.output(dir, "hash-object", "--", path) == a.Blob {
			return engram.AnchorMoved
		}
	}
	return engram.AnchorGone
}

// followed reports whether git takes a file for what another one was renamed to, in a commit or in
// what is staged.
func (w workspace) followed(dir, was, now string) bool {
	w.Helper()
	for _, args := range [][]string{{"log", "-M50%", "--name-status", "--diff-filter=R", "--format=", "-z"}, {"diff", "--cached", "-M50%", "--name-status", "--diff-filter=R", "-z", "HEAD"}} {
		words := strings.Split(w.output(dir, args...), "\x00")
		for i := 0; i+2 < len(words); i++ {
			if strings.HasPrefix(strings.TrimSpace(words[i]), "R") && words[i+2] == now && (words[i+1] == was || w.followed(dir, was, words[i+1])) {
				return true
			}
		}
	}
	return false
}

// linesSay is what became of lines in a file that says something else by now.
func linesSay(dir string, a engram.Anchor, lines []string) engram.AnchorState {
	b, err := os.ReadFile(filepath.Join(dir, a.Path))
	if err != nil {
		return engram.AnchorUnknown
	}
	now := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	at := func(first int) bool {
		return first+len(lines) <= len(now)+1 && slices.Equal(now[first-1:first-1+len(lines)], lines)
	}
	if at(a.First) {
		return engram.AnchorVerified
	}
	for first := range now {
		if at(first + 1) {
			return engram.AnchorMoved
		}
	}
	return engram.AnchorChanged
}

// After whatever edits, renames, commits and checkouts, what is said of files is what git says.
func TestStatesAgreeWithGit(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorkspace(t)
			rng := rand.New(rand.NewPCG(seed, 7))
			dir := w.code("app", "")
			w.git(dir, "config", "core.autocrlf", "false")
			w.git(dir, "update-index", "--index-version", []string{"2", "3", "4"}[seed%3])
			names := []string{"internal/a.go", "b.go", "x/y/c.go", "d e.txt", "ö.go"}
			type kept struct {
				engram.Anchor
				lines []string
			}
			var anchors []kept
			texts := 0
			for step := range 30 {
				name, other := names[rng.IntN(len(names))], names[rng.IntN(len(names))]
				path := filepath.Join(dir, name)
				_, missing := os.Stat(path)
				what := ""
				switch n := rng.IntN(9); {
				case n == 0 || missing != nil:
					texts++
					what = "writes " + name
					w.write(source(fmt.Sprint("text ", rng.IntN(1+texts/2)), 3+rng.IntN(20)), path)
				case n == 1:
					what = "adds a line to " + name
					b, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					w.write(fmt.Sprintf("new %d\n%s", step, b), path)
				case n == 2:
					what = "stages"
					w.git(dir, "add", "-A")
				case n == 3:
					what = "commits"
					w.git(dir, "add", "-A")
					w.git(dir, "commit", "-q", "--allow-empty", "-m", "step")
				case n == 4 && other != name:
					what = "renames " + name + " to " + other
					w.path("app/" + filepath.Dir(other))
					w.git(dir, "add", "-A")
					w.git(dir, "mv", "-f", name, other)
				case n == 5:
					what = "removes " + name
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				case n == 6:
					what = "touches " + name
					at := time.Unix(1_750_000_000+int64(step), 0)
					if err := os.Chtimes(path, at, at); err != nil {
						t.Fatal(err)
					}
				case n == 7:
					what = "goes back"
					w.git(dir, "add", "-A")
					w.git(dir, "reset", "-q", "--hard", []string{"HEAD", "HEAD~0"}[rng.IntN(2)])
				default:
					first := 1 + rng.IntN(3)
					a, err := git.Code{}.Anchors(t.Context(), dir, []engram.Place{{Path: name}, {Path: name, First: first, Last: first + rng.IntN(2)}}, nil)
					if err != nil {
						continue // it is shorter than that
					}
					b, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					lines := strings.Split(string(b), "\n")
					for _, one := range a {
						k := kept{Anchor: one}
						if !one.Whole() {
							k.lines = lines[one.First-1 : one.Last]
						}
						anchors = append(anchors, k)
					}
					what = "anchors to " + name
				}
				all := make([]engram.Anchor, len(anchors))
				for i, k := range anchors {
					all[i] = k.Anchor
				}
				for i, got := range (git.Code{}).States(t.Context(), dir, all) {
					k := anchors[i]
					says := w.gitSays(dir, k.Anchor)
					if k.lines != nil && says == engram.AnchorChanged {
						says = linesSay(dir, k.Anchor, k.lines)
					}
					if says == engram.AnchorGone && got.Now.Path != "" && w.followed(dir, k.Path, got.Now.Path) {
						continue // it was changed as well
					}
					if got.State != says {
						t.Fatalf("step %d, who %s: %s is %q, git says %q", step, what, k.Place(), got.State, says)
					}
				}
			}
			if len(anchors) == 0 {
				t.Fatal("nothing was anchored")
			}
		})
	}
}
