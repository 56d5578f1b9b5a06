package git_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
)

// output is what git says.
func (w workspace) output(dir string, args ...string) string {
	w.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
	if err != nil {
		w.Fatalf("git %q in %s: %v", args, dir, err)
	}
	return strings.TrimSpace(string(out))
}

// source is a file of lines that are all different.
func source(name string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d of %s\n", i+1, name)
	}
	return b.String()
}

// code is a repository with three files, committed.
func (w workspace) code(name, remote string, init ...string) string {
	w.Helper()
	dir := w.path(name)
	w.git(dir, append([]string{"init", "-q"}, init...)...)
	if remote != "" {
		w.git(dir, "remote", "add", "origin", remote)
	}
	w.write(source("a", 40), dir, "internal", "a.go")
	w.write(source("b", 5), dir, "b.go")
	w.write("", dir, "empty.go")
	w.git(dir, "add", ".")
	w.git(dir, "commit", "-q", "-m", "first of "+name) // another commit than elsewhere, made in the same second
	return dir
}

// anchor is the anchor to one place.
func (w workspace) anchor(dir, path string, first, last int) engram.Anchor {
	w.Helper()
	all, err := git.Code{}.Anchors(w.Context(), dir, []engram.Place{{Path: path, First: first, Last: last}}, nil)
	if err != nil || len(all) != 1 {
		w.Fatalf("anchor to %s in %s: %+v, %v", path, dir, all, err)
	}
	return all[0]
}

// become says what became of anchors, as "state" or "state path:first-last".
func (w workspace) become(dir string, all ...engram.Anchor) string {
	w.Helper()
	var said []string
	for _, s := range (git.Code{}).States(w.Context(), dir, all) {
		text := string(s.State)
		if text == "" {
			text = "unknown"
		}
		if s.Now.Path != "" {
			text += " " + s.Now.Path
		}
		if s.Now.First > 0 {
			text += fmt.Sprintf(":%d-%d", s.Now.First, s.Now.Last)
		}
		said = append(said, text)
	}
	return strings.Join(said, ", ")
}

func (w workspace) want(what, got, want string) {
	w.Helper()
	if got != want {
		w.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}

func TestAnAnchorSaysWhereItStands(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("app", "https://me:t0ken@Example.com:8443/Owner/App.git")
	got := w.anchor(filepath.Join(dir, "internal"), "a.go", 3, 7)
	want := engram.Anchor{Repository: "example.com/owner/app", Commit: w.output(dir, "rev-parse", "HEAD"), Path: "internal/a.go",
		Blob: w.output(dir, "rev-parse", "HEAD:internal/a.go"), First: 3, Last: 7, Lines: got.Lines}
	if got != want || len(got.Lines) != 25 {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if a := w.anchor(dir, filepath.Join(dir, "b.go"), 0, 0); a.Path != "b.go" || !a.Whole() || a.Lines != "" {
		t.Errorf("an absolute path gives %+v", a)
	}
	w.git(dir, "pack-refs", "--all")
	w.want("the commit with packed references", w.anchor(dir, "b.go", 0, 0).Commit, want.Commit)
	w.git(dir, "checkout", "-q", "--detach")
	w.want("the commit of a detached HEAD", w.anchor(dir, "b.go", 0, 0).Commit, want.Commit)
}

func TestWhatCannotBeAnchoredTo(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("app", "")
	w.write("x\n", w.path("apart"), "x.go")
	w.write("x\n", dir, "..", "outside.go")
	if err := os.Symlink(filepath.Join(w.dir, "apart"), filepath.Join(dir, "way-out")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, dir, path string
		first, last     int
		code            engram.Code
		want            string
	}{
		{"a file that is not there", dir, "c.go", 0, 0, engram.CodeNotFound, "there is no file c.go"},
		{"a file below a file", dir, "b.go/c.go", 0, 0, engram.CodeNotFound, "there is no file b.go/c.go"},
		{"a file of a drive that there is not", dir, `C:\x.go`, 3, 4, engram.CodeNotFound, `there is no file C:\x.go`},
		{"a folder", dir, "internal", 0, 0, engram.CodeInvalid, "internal is not a file"},
		{"a file outside any repository", filepath.Join(w.dir, "apart"), "x.go", 0, 0, engram.CodeInvalid, "x.go is not in a repository"},
		{"a file above the repository", dir, "../outside.go", 0, 0, engram.CodeInvalid, "../outside.go is not in a repository"},
		{"a file to which a link leads out", dir, "way-out/x.go", 0, 0, engram.CodeInvalid, "way-out/x.go cannot be read, or has more than 8 MiB"},
		{"lines that it does not have", dir, "b.go", 4, 6, engram.CodeInvalid, "b.go has 5 lines, not 6"},
		{"a file of git's own", dir, ".git/HEAD", 0, 0, engram.CodeInvalid, `anchor's path ".git/HEAD" is outside its repository`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, err := git.Code{}.Anchors(t.Context(), tt.dir, []engram.Place{{Path: tt.path, First: tt.first, Last: tt.last}}, nil)
			if engram.CodeOf(err) != tt.code || !strings.Contains(fmt.Sprint(err), tt.want) || all != nil {
				t.Errorf("got %+v, %v (%s)\nwant %s (%s)", all, err, engram.CodeOf(err), tt.want, tt.code)
			}
		})
	}
}

func TestAFileIsFoundHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("my app", "")
	w.write(source("c", 9), dir, "a b", "c:d.go")
	w.write(source("n", 9), dir, "notes:3")
	for _, tt := range []struct{ name, dir, in, want string }{
		{"as it is", dir, "internal/a.go:3-9", "internal/a.go:3-9"},
		{"from below", filepath.Join(dir, "internal"), "../b.go#L2", "b.go:2"},
		{"absolute, from elsewhere", w.dir, filepath.Join(dir, "internal", "a.go") + "#L3-L4", "internal/a.go:3-4"},
		{"with a column", dir, "internal/a.go:3:14", "internal/a.go:3"},
		{"with blanks and colons", dir, "a b/c:d.go:2-4", "a b/c:d.go:2-4"},
		{"by a name that ends as lines do", dir, "notes:3", "notes:3"},
		{"a line of that", dir, "notes:3#L4", "notes:3#L4"},
		{"as another system writes it", dir, `.\internal\a.go:5`, "internal/a.go:5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := engram.ParsePlace(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			all, err := git.Code{}.Anchors(t.Context(), tt.dir, []engram.Place{p}, nil)
			if err != nil || len(all) != 1 {
				t.Fatalf("anchors to %q: %+v, %v", tt.in, all, err)
			}
			w.want("the place of "+tt.in, all[0].Place().String(), tt.want)
		})
	}
}

func TestNamedPlacesAreKeptWhereThereIsSuchAFile(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("app", "")
	all, err := git.Code{}.Anchors(t.Context(), filepath.Join(dir, "internal"), []engram.Place{{Path: "a.go"}},
		[]engram.Place{{Path: "internal/a.go"}, {Path: "a.go", First: 2, Last: 2}, {Path: "b.go", First: 90, Last: 91}, {Path: "no/such.go"}, {Path: "internal"}, {Path: "../../x"}})
	var got []string
	for _, a := range all {
		got = append(got, fmt.Sprintf("%s:%d-%d named=%t", a.Path, a.First, a.Last, a.Named))
	}
	w.want("named", strings.Join(got, ", "), "b.go:0-0 named=true, internal/a.go:0-0 named=false, internal/a.go:2-2 named=true")
	if err != nil {
		t.Error(err)
	}
}

func TestStatesTellWhatBecameOfAPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(w workspace, dir string)
		want   string // of the whole file, of lines 10 to 12, of the whole of b.go, of an empty file
	}{
		{"nothing happened", func(workspace, string) {}, "verified, verified, verified, verified"},
		{"the files were touched", func(w workspace, dir string) {
			for _, f := range []string{"internal/a.go", "b.go", "empty.go"} {
				if err := os.Chtimes(filepath.Join(dir, f), time.Time{}, time.Unix(1_700_000_000, 5)); err != nil {
					w.Fatal(err)
				}
			}
		}, "verified, verified, verified, verified"},
		{"a line behind the lines changed", func(w workspace, dir string) {
			w.write(strings.Replace(source("a", 40), "line 30", "another line", 1), dir, "internal", "a.go")
		}, "changed, verified, verified, verified"},
		{"lines were added before them", func(w workspace, dir string) {
			w.write("// new\n\n"+source("a", 40), dir, "internal", "a.go")
		}, "changed, moved internal/a.go:12-14, verified, verified"},
		{"they changed, staged", func(w workspace, dir string) {
			w.write(strings.Replace(source("a", 40), "line 11", "another line", 1), dir, "internal", "a.go")
			w.git(dir, "add", ".")
		}, "changed, changed, verified, verified"},
		{"the file was renamed", func(w workspace, dir string) {
			w.git(dir, "mv", "internal/a.go", "c.go")
			w.git(dir, "commit", "-q", "-m", "renamed")
		}, "moved c.go, moved c.go:10-12, verified, verified"},
		{"it was copied before, and of its copies one has its name", func(w workspace, dir string) {
			w.write(source("a", 40), dir, "x.go")
			w.write(source("a", 40), dir, "other", "a.go")
			w.git(dir, "add", ".")
			w.git(dir, "rm", "-q", "internal/a.go")
		}, "moved other/a.go, moved other/a.go:10-12, verified, verified"},
		{"the file is gone, but not for git", func(w workspace, dir string) {
			if err := os.Remove(filepath.Join(dir, "internal", "a.go")); err != nil {
				w.Fatal(err)
			}
		}, "gone, gone, verified, verified"},
		{"all was removed", func(w workspace, dir string) {
			w.git(dir, "rm", "-q", "-r", ".")
			w.git(dir, "commit", "-q", "-m", "none")
		}, "gone, gone, gone, gone"},
		{"a folder stands there", func(w workspace, dir string) {
			w.git(dir, "rm", "-q", "b.go")
			w.write("x", dir, "b.go", "x")
		}, "verified, verified, gone, verified"},
		{"line ends of another system", func(w workspace, dir string) {
			w.write(strings.ReplaceAll(source("a", 40), "\n", "\r\n"), dir, "internal", "a.go")
		}, "verified, verified, verified, verified"},
		{"line ends of another system, and a change", func(w workspace, dir string) {
			w.write("new\r\n"+strings.ReplaceAll(source("a", 40), "\n", "\r\n"), dir, "internal", "a.go")
		}, "changed, moved internal/a.go:11-13, verified, verified"},
		{"the index is gone", func(w workspace, dir string) {
			if err := os.Remove(filepath.Join(dir, ".git", "index")); err != nil {
				w.Fatal(err)
			}
		}, "verified, verified, verified, verified"},
		{"a merge in conflict", func(w workspace, dir string) {
			w.git(dir, "checkout", "-q", "-b", "other")
			w.write("theirs\n", dir, "b.go")
			w.git(dir, "commit", "-q", "-a", "-m", "theirs")
			w.git(dir, "checkout", "-q", "-")
			w.write("ours\n", dir, "b.go")
			w.git(dir, "commit", "-q", "-a", "-m", "ours")
			if out, err := exec.Command("git", "-C", dir, "merge", "other").CombinedOutput(); err == nil {
				w.Fatalf("it merged: %s", out)
			}
		}, "verified, verified, changed, verified"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			dir := w.code("app", "")
			anchors := []engram.Anchor{w.anchor(dir, "internal/a.go", 0, 0), w.anchor(dir, "internal/a.go", 10, 12), w.anchor(dir, "b.go", 0, 0), w.anchor(dir, "empty.go", 0, 0)}
			tt.change(w, dir)
			w.want("states", w.become(dir, anchors...), tt.want)
			w.want("states from below", w.become(filepath.Join(dir, "internal"), anchors...), tt.want)
		})
	}
}

// Every way in which git may write its index, and keep its objects, is read.
func TestStatesInEveryKindOfRepository(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		init []string
		make func(w workspace, dir string)
		// moved is what is said of a file that went to another name.
		moved string
	}{
		{"an index of version 2", nil, func(w workspace, dir string) { w.git(dir, "update-index", "--index-version", "2") }, "moved c.go"},
		{"an index of version 3", nil, func(w workspace, dir string) {
			w.write("later", dir, "later.go")
			w.git(dir, "add", "-N", "later.go")
		}, "moved c.go"},
		{"an index of version 4", nil, func(w workspace, dir string) { w.git(dir, "update-index", "--index-version", "4") }, "moved c.go"},
		{"names of SHA-256", []string{"--object-format=sha256"}, func(workspace, string) {}, "moved c.go"},
		{"an index with a cache of untracked files", nil, func(w workspace, dir string) {
			w.git(dir, "update-index", "--force-untracked-cache")
			w.git(dir, "status")
		}, "moved c.go"},
		{"a split index", nil, func(w workspace, dir string) { w.git(dir, "update-index", "--split-index") }, "moved c.go"},
		{"a split index of version 4", nil, func(w workspace, dir string) {
			w.git(dir, "update-index", "--index-version", "4")
			w.git(dir, "update-index", "--split-index")
		}, "moved c.go"},
		{"a split index of SHA-256", []string{"--object-format=sha256"}, func(w workspace, dir string) { w.git(dir, "update-index", "--split-index") }, "moved c.go"},
		{"no commit yet", nil, func(w workspace, dir string) { w.git(dir, "update-ref", "-d", "HEAD") }, "moved c.go"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			dir := w.code("app", "", tt.init...)
			tt.make(w, dir)
			whole, lines, b := w.anchor(dir, "internal/a.go", 0, 0), w.anchor(dir, "internal/a.go", 10, 12), w.anchor(dir, "b.go", 0, 0)
			w.want("as it was", w.become(dir, whole, lines, b), "verified, verified, verified")
			w.write("new\n"+source("a", 40), dir, "internal", "a.go")
			w.git(dir, "mv", "b.go", "c.go")
			w.want("after a change", w.become(dir, whole, lines, b), "changed, moved internal/a.go:11-13, "+tt.moved)
		})
	}
}

// What cannot be read is not told of as if it were empty.
func TestWhatNobodyKnowsIsUnknown(t *testing.T) {
	spoil := func(file string) func(workspace, string) {
		return func(w workspace, dir string) {
			found, err := filepath.Glob(filepath.Join(dir, ".git", file))
			if err != nil || len(found) != 1 {
				w.Fatalf("files %s: %q, %v", file, found, err)
			}
			w.write("DIRC of nothing", found[0])
		}
	}
	for _, tt := range []struct {
		name   string
		change func(w workspace, dir string)
		want   string // of internal/a.go, which stands, and of b.go, which is not there
	}{
		{"an index", func(workspace, string) {}, "verified, gone"},
		{"an index that is broken", spoil("index"), "verified, unknown"},
		{"an index whose shared part is broken", func(w workspace, dir string) {
			w.git(dir, "update-index", "--split-index")
			spoil("sharedindex.*")(w, dir)
		}, "verified, unknown"},
		{"a split index where git is not installed", func(w workspace, dir string) {
			w.git(dir, "update-index", "--split-index")
			w.Setenv("PATH", w.TempDir())
		}, "verified, unknown"},
		{"an index written by a later version", func(w workspace, dir string) {
			path := filepath.Join(dir, ".git", "index")
			b, err := os.ReadFile(path)
			if err != nil {
				w.Fatal(err)
			}
			b[7] = 9
			w.write(string(b), path)
		}, "verified, unknown"},
		{"an index that is a folder", func(w workspace, dir string) {
			if err := os.Remove(filepath.Join(dir, ".git", "index")); err != nil {
				w.Fatal(err)
			}
			w.write("x", dir, ".git", "index", "x")
		}, "verified, unknown"},
		{"a folder that may not be read", func(w workspace, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "internal")); err != nil {
				w.Fatal(err)
			}
			if err := os.Symlink("internal", filepath.Join(dir, "internal")); err != nil { // a circle, which even root cannot follow
				w.Fatal(err)
			}
		}, "unknown, gone"},
		{"more copies than are looked at", func(w workspace, dir string) {
			for i := range 9 {
				w.write(source("b", 5), dir, fmt.Sprintf("copy%d.go", i))
			}
			w.git(dir, "add", ".")
			for i := range 9 {
				w.write("another", dir, fmt.Sprintf("copy%d.go", i))
			}
		}, "verified, unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			dir := w.code("app", "")
			anchors := []engram.Anchor{w.anchor(dir, "internal/a.go", 10, 12), w.anchor(dir, "b.go", 0, 0)}
			if err := os.Remove(filepath.Join(dir, "b.go")); err != nil {
				t.Fatal(err)
			}
			tt.change(w, dir)
			w.want("states", w.become(dir, anchors...), tt.want)
		})
	}
}

func TestAFileThatGitDoesNotKeepIsKnownByWhatItSays(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.path("new")
	w.git(dir, "init", "-q")
	w.write(source("a", 40), dir, "a.go")
	whole, lines := w.anchor(dir, "a.go", 0, 0), w.anchor(dir, "a.go", 10, 12)
	w.want("without commits there is none", whole.Commit, "")
	w.want("the name that git would give", whole.Blob, w.output(dir, "hash-object", "a.go"))
	w.want("as it was, where there is no index", w.become(dir, whole, lines), "verified, verified")
	w.write("new\n"+source("a", 40), dir, "a.go")
	w.want("changed", w.become(dir, whole, lines), "changed, moved a.go:11-13")
	w.write(source("a", 40), dir, "a.go")
	w.write("*.go\n", dir, ".gitignore")
	w.git(dir, "add", ".")
	w.git(dir, "commit", "-q", "-m", "first")
	w.want("after the first commit, still not kept", w.become(dir, whole, lines), "verified, verified")
	w.git(dir, "add", "-f", "a.go")
	w.git(dir, "mv", "a.go", "b.go")
	w.want("kept, and renamed", w.become(dir, whole, lines), "moved b.go, moved b.go:10-12")
	if err := os.Remove(filepath.Join(dir, "b.go")); err != nil {
		t.Fatal(err)
	}
	w.want("and removed", w.become(dir, whole, lines), "gone, gone")
}

func TestAWorktreeHasAnIndexOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, split := range []string{"--no-split-index", "--split-index"} {
		w := newWorkspace(t)
		dir := w.code("app", "")
		a, b := w.anchor(dir, "internal/a.go", 10, 12), w.anchor(dir, "b.go", 0, 0)
		w.git(dir, "worktree", "add", "-q", "../tree", "-b", "tree")
		tree := filepath.Join(w.dir, "tree")
		w.git(tree, "update-index", split)
		w.git(tree, "mv", "b.go", "c.go")
		w.git(tree, "rm", "-q", "internal/a.go")
		w.want("in the worktree, "+split, w.become(tree, a, b), "gone, moved c.go")
		w.want("in the main one, "+split, w.become(dir, a, b), "verified, verified")
	}
}

func TestASparseCheckoutMayHaveWhatWentElsewhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ sparse, want string }{{"--no-sparse-index", "moved far/b.go"}, {"--sparse-index", "moved far/b.go"}} {
		w := newWorkspace(t)
		dir := w.code("app", "")
		b := w.anchor(dir, "b.go", 0, 0)
		w.path("app/far")
		w.git(dir, "mv", "b.go", "far/b.go")
		w.git(dir, "commit", "-q", "-m", "moved")
		w.git(dir, "sparse-checkout", "init", "--cone", tt.sparse)
		w.git(dir, "sparse-checkout", "set", "internal")
		w.want(tt.sparse, w.become(dir, b), tt.want)
	}
}

func TestASparseCheckoutTellsWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, sparse := range []string{"--no-sparse-index", "--sparse-index"} {
		w := newWorkspace(t)
		dir := w.code("app", "")
		w.write("x\n", dir, "docs", "x.md")
		w.git(dir, "add", ".")
		w.git(dir, "commit", "-q", "-m", "docs")
		whole, lines := w.anchor(dir, "internal/a.go", 0, 0), w.anchor(dir, "internal/a.go", 10, 12)
		w.git(dir, "sparse-checkout", "init", "--cone", sparse)
		w.git(dir, "sparse-checkout", "set", "docs")
		w.want(sparse, w.become(dir, whole, lines), "verified, verified")
	}
}

func TestAnAnchorIsOfItsRepositoryWhereverThatIs(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("app", "")
	local := w.anchor(dir, "b.go", 0, 0)
	if !strings.HasPrefix(local.Repository, "local:") {
		t.Fatalf("a repository without a remote is called %q", local.Repository)
	}
	w.git(w.dir, "clone", "-q", "app", "clone")
	clone := filepath.Join(w.dir, "clone")
	w.want("in a clone", w.become(clone, local), "verified")
	w.git(clone, "gc", "-q")
	w.want("in a clone with a pack", w.become(clone, local), "verified")
	w.git(w.dir, "clone", "-q", "--shared", "app", "borrows")
	w.want("in a clone that borrows objects", w.become(filepath.Join(w.dir, "borrows"), local), "verified")
	w.git(dir, "worktree", "add", "-q", "../tree", "-b", "tree")
	tree := filepath.Join(w.dir, "tree")
	w.write("changed\n", tree, "b.go")
	w.want("in another worktree", w.become(tree, local), "changed")
	w.want("in its own", w.become(dir, local), "verified")
	w.want("from a worktree it has the same name", w.anchor(tree, "internal/a.go", 0, 0).Repository, local.Repository)

	other := w.code("other", "")
	w.want("elsewhere", w.become(other, local), "unknown")
	w.want("in no repository", w.become(w.path("apart"), local), "unknown")
	w.want("nowhere", w.become(filepath.Join(w.dir, "missing"), local), "unknown")

	named := w.code("named", "git@example.com:Owner/App.git")
	there := w.anchor(named, "b.go", 0, 0)
	again := w.code("again", "ssh://git@example.com:22/owner/app")
	w.want("where the remote is the same", w.become(again, there), "verified")

	w.git(named, "-c", "protocol.file.allow=always", "submodule", "add", "-q", dir, "sub")
	inside := w.anchor(named, "sub/b.go", 0, 0)
	w.want("of a submodule", inside.Path, "b.go")
	w.want("in a submodule", w.become(filepath.Join(named, "sub"), inside, local), "verified, verified")
	w.want("outside of it", w.become(named, inside), "unknown")
}

func TestContentsThatGitKeepsOtherwise(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("app", "")
	w.git(dir, "config", "filter.loud.clean", "tr A-Z a-z")
	w.git(dir, "config", "filter.loud.smudge", "tr a-z A-Z")
	w.write("*.txt filter=loud\n", dir, ".gitattributes")
	w.write("quiet words\n", dir, "x.txt")
	w.git(dir, "add", ".")
	w.git(dir, "commit", "-q", "-m", "filter")
	if err := os.Remove(filepath.Join(dir, "x.txt")); err != nil {
		t.Fatal(err)
	}
	w.git(dir, "checkout", "-q", "x.txt")
	w.git(dir, "status", "--short")
	w.git(dir, "update-index", "--refresh")
	a := w.anchor(dir, "x.txt", 0, 0)
	w.want("the name of what is kept", a.Blob, w.output(dir, "rev-parse", "HEAD:x.txt"))
	w.want("as it was", w.become(dir, a), "verified")
	w.write("QUIET WORDS\n", dir, "x.txt")
	w.want("touched", w.become(dir, a), "unknown")
}

func TestStatesHeedTheDeadline(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("app", "")
	a := w.anchor(dir, "b.go", 0, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := (git.Code{}).States(ctx, dir, []engram.Anchor{a, a}); len(got) != 2 || got[0].State != engram.AnchorUnknown || got[0].Anchor != a {
		t.Errorf("got %+v", got)
	}
}
