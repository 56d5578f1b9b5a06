package git_test

import (
	"context"
	"errors"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/project"
)

// TestMain hides the machine's own configuration of git from all tests, and says who commits.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"CONFIG_GLOBAL": os.DevNull, "CONFIG_NOSYSTEM": "1", "AUTHOR_NAME": "A", "AUTHOR_EMAIL": "a@example.org",
		"COMMITTER_NAME": "A", "COMMITTER_EMAIL": "a@example.org"} {
		if err := os.Setenv("GIT_"+name, value); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(m.Run())
}

// workspace is a temporary folder for repositories.
type workspace struct {
	testing.TB
	dir string
}

func newWorkspace(t testing.TB) workspace {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return workspace{t, dir}
}

// path returns a folder in the workspace and makes it.
func (w workspace) path(name string) string {
	w.Helper()
	dir := filepath.Join(w.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.Fatal(err)
	}
	return dir
}

func (w workspace) git(dir string, args ...string) {
	w.Helper()
	if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
		w.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
}

// repo makes a repository with one commit, and a remote when it is not "".
func (w workspace) repo(name, remote string) string {
	w.Helper()
	dir := w.path(name)
	w.git(dir, "init", "-q")
	w.git(dir, "commit", "-q", "--allow-empty", "-m", "first")
	if remote != "" {
		w.git(dir, "remote", "add", "origin", remote)
	}
	return dir
}

func (w workspace) write(text string, parts ...string) {
	w.Helper()
	file := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// facts asks for dir and compares.
func (w workspace) facts(dir string, want project.Facts) {
	w.Helper()
	got, err := git.Folders{}.Facts(context.Background(), dir)
	if err != nil || !reflect.DeepEqual(got, want) {
		w.Errorf("Facts(%s)\n got %+v, %v\nwant %+v", dir, got, err, want)
	}
}

func TestARepositoryTellsItsRootAndRemote(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.repo("app", "git@example.org:me/app.git")
	inner := w.path("app/cmd/tool")
	want := project.Facts{Dir: dir, Root: dir, Main: dir, Remote: "git@example.org:me/app.git"}
	w.facts(dir, want)
	want.Dir = inner
	w.facts(inner, want)
}

func TestARepositoryWithoutARemote(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.repo("app", "")
	w.git(dir, "remote", "add", "upstream", "git@example.org:they/app.git")
	w.facts(dir, project.Facts{Dir: dir, Root: dir, Main: dir})
}

func TestCredentialsInARemoteGoNoFurther(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.repo("app", "https://me:t0ken@example.org/me/app.git?t0ken")
	w.facts(dir, project.Facts{Dir: dir, Root: dir, Main: dir, Remote: "https://example.org/me/app.git"})
}

func TestARemoteWrittenShort(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.repo("app", "work:app")
	w.git(dir, "config", "url.ssh://git@example.org/team/.insteadOf", "work:")
	w.facts(dir, project.Facts{Dir: dir, Root: dir, Main: dir, Remote: "ssh://git@example.org/team/app"})
}

func TestAWorktreeTellsTheMainOne(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	main := w.repo("app", "")
	wt := filepath.Join(w.dir, "elsewhere", "app-fix")
	w.git(main, "worktree", "add", "-q", wt)
	inner := w.path("elsewhere/app-fix/cmd")
	w.facts(inner, project.Facts{Dir: inner, Root: wt, Main: main})
}

func TestAWorktreeOfABareRepository(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, bare, main string }{
		{"one with a name of its own", "srv/app.git", "srv/app.git"},
		{"one that is hidden in its project", "app/.bare", "app"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			source, bare := w.repo("source", ""), filepath.Join(w.dir, tt.bare)
			w.git(source, "clone", "-q", "--bare", ".", bare)
			w.git(bare, "remote", "remove", "origin")
			wt := filepath.Join(w.dir, "wt")
			w.git(bare, "worktree", "add", "-q", wt, "HEAD")
			main := filepath.Join(w.dir, tt.main)
			w.facts(wt, project.Facts{Dir: wt, Root: wt, Main: main})
			w.facts(bare, project.Facts{Dir: bare, Root: main, Main: main})
		})
	}
}

func TestASubmoduleIsARepositoryOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	library, app := w.repo("library", ""), w.repo("app", "")
	w.git(app, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib")
	sub := filepath.Join(app, "lib")
	w.facts(sub, project.Facts{Dir: sub, Root: sub, Main: sub, Remote: library})
}

func TestTheNearestRepositoryCounts(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.repo("outer", "git@example.org:me/outer.git")
	inner := w.repo("outer/vendored/inner", "")
	w.facts(inner, project.Facts{Dir: inner, Root: inner, Main: inner})
}

func TestAnEmptyDotGitIsNoRepository(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.path("plain")
	w.path("plain/.git")
	w.facts(dir, project.Facts{Dir: dir})
}

func TestInsideDotGit(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.repo("app", "")
	hooks := w.path("app/.git/hooks")
	w.facts(hooks, project.Facts{Dir: hooks, Root: dir, Main: dir})
}

func TestRepositoriesBelowAFolder(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.path("work")
	w.path("work/notes")
	w.repo("work/deep/down", "")
	for _, name := range []string{"node_modules", "vendor", ".venv", "__pycache__", "target", "dist", "build", ".idea", ".vscode", ".hidden"} {
		w.repo("work/"+name, "")
	}
	w.facts(dir, project.Facts{Dir: dir})

	a := w.repo("work/a", "git@example.org:me/other.git")
	w.facts(dir, project.Facts{Dir: dir, Children: []string{a}})

	c, b := w.repo("work/c", ""), w.repo("work/b", "")
	w.facts(dir, project.Facts{Dir: dir, Children: []string{a, b, c}})
}

func TestFoldersWithoutARepository(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	plain := w.path("plain")
	w.facts(plain, project.Facts{Dir: plain})
	missing := filepath.Join(w.dir, "missing", "folder")
	w.facts(missing, project.Facts{Dir: missing})
	w.write("text", w.dir, "file")
	file := filepath.Join(w.dir, "file")
	w.facts(file, project.Facts{Dir: file})
}

func TestTheCurrentFolder(t *testing.T) {
	w := newWorkspace(t)
	dir := w.repo("app", "")
	t.Chdir(dir)
	w.facts("", project.Facts{Dir: dir, Root: dir, Main: dir})
	w.facts(".", project.Facts{Dir: dir, Root: dir, Main: dir})
}

func TestWithoutGitTheFolderStillTells(t *testing.T) {
	w := newWorkspace(t)
	main := w.repo("app", "git@example.org:me/app.git")
	wt := filepath.Join(w.dir, "wt")
	w.git(main, "worktree", "add", "-q", wt)
	t.Setenv("PATH", w.path("empty"))
	w.facts(main, project.Facts{Dir: main, Root: main, Main: main})
	w.facts(wt, project.Facts{Dir: wt, Root: wt, Main: main})
}

func TestWhenGitRefusesTheFolderStillTells(t *testing.T) {
	w := newWorkspace(t)
	dir := w.repo("app", "git@example.org:me/app.git")
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1") // git's own way to play a repository of somebody else
	w.facts(dir, project.Facts{Dir: dir, Root: dir, Main: dir})
}

func TestASlowGitIsNotWaitedFor(t *testing.T) {
	w := newWorkspace(t)
	dir := w.repo("app", "git@example.org:me/app.git")
	bin := w.path("bin")
	w.write("#!/bin/sh\n/bin/sleep 15\n", bin, "git")
	if err := os.Chmod(filepath.Join(bin, "git"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	start := time.Now()
	got, err := git.Folders{Timeout: 50 * time.Millisecond}.Facts(context.Background(), dir)
	if want := (project.Facts{Dir: dir, Root: dir, Main: dir}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("a git of 15 s was waited for %v", took)
	}
}

// Inside a hook git sets variables that name the repository of the hook.
func TestVariablesOfAnotherRepositoryDoNotCount(t *testing.T) {
	w := newWorkspace(t)
	dir, other := w.repo("app", "git@example.org:me/app.git"), w.repo("other", "git@example.org:me/other.git")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	w.facts(dir, project.Facts{Dir: dir, Root: dir, Main: dir, Remote: "git@example.org:me/app.git"})
}

func TestACancelledContextIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.repo("app", "")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := (git.Folders{}).Facts(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v, want %v", got, err, context.Canceled)
	}
}

// What the parts make together: the facts of real folders, and the project in them.
func TestDetectFromRealFolders(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	app := w.repo("Work/App", "")
	remote := w.repo("Remote", "https://me:t0ken@example.org/team/Shop.git")
	configured := w.repo("Configured", "git@example.org:me/other.git")
	w.write(`{"project_name": "The--Shop"}`, configured, ".engram", "config.json")
	wt := filepath.Join(w.dir, "app-fix")
	w.git(app, "worktree", "add", "-q", wt)
	for _, tt := range []struct {
		dir, name string
		source    project.Source
		path      string
	}{
		{app, "app", project.SourceRoot, app},
		{wt, "app", project.SourceRoot, wt},
		{remote, "shop", project.SourceRemote, remote},
		{configured, "the-shop", project.SourceConfig, configured},
		{filepath.Dir(app), "app", project.SourceChild, app},
		{w.path("Notes"), "notes", project.SourceBaseName, w.path("Notes")},
		{w.dir, "", project.SourceAmbiguous, w.dir},
	} {
		facts, err := git.Folders{}.Facts(context.Background(), tt.dir)
		if err != nil {
			t.Fatal(err)
		}
		d, err := project.Detect(facts)
		if d.Name != tt.name || d.Source != tt.source || d.Path != tt.path || (err != nil) != (tt.name == "") {
			t.Errorf("%s: got %+v, %v\nwant %+v", tt.dir, d, err, tt)
		}
		if err != nil && strings.Contains(err.Error(), "t0ken") {
			t.Errorf("%s: the error shows a password: %v", tt.dir, err)
		}
	}
}

func BenchmarkFactsInARepository(b *testing.B) {
	w := newWorkspace(b)
	dir := w.repo("app", "git@example.org:me/app.git")
	for b.Loop() {
		if _, err := (git.Folders{}).Facts(context.Background(), dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFactsOutsideOne(b *testing.B) {
	w := newWorkspace(b)
	dir := w.path("plain")
	for b.Loop() {
		if _, err := (git.Folders{}).Facts(context.Background(), dir); err != nil {
			b.Fatal(err)
		}
	}
}
