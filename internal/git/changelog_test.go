package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/git"
)

// repository makes a repository with one commit for each of files, which are what
// CHANGELOG.md says at each.
func repository(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
			"GIT_AUTHOR_DATE=2025-02-03T04:05:06Z", "GIT_COMMITTER_DATE=2025-02-03T04:05:06Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	for i, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run("add", ".")
		run("commit", "-q", "-m", "Change "+string(rune('A'+i)), "-m", "Why "+string(rune('A'+i))+".\n\nAt length.")
	}
	return dir
}

func TestAChangelogNamesTheCommitOfEachEntry(t *testing.T) {
	t.Parallel()
	dir := repository(t,
		"# Changes\n\n- first entry\n",
		"# Changes\n\n* third entry\n- second entry,\n  which goes on\n- first entry\n\nno entry\n")
	sub := filepath.Join(dir, "deep")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	got, found, err := git.Folders{}.Changelog(t.Context(), sub)
	if err != nil || !found {
		t.Fatalf("got %v, %v; want a changelog", found, err)
	}
	if len(got.Commits) != 2 || got.Commits[0].Subject != "Change A" || strings.TrimSpace(got.Commits[1].Body) != "Why B.\n\nAt length." ||
		!got.Commits[0].At.Equal(time.Date(2025, 2, 3, 4, 5, 6, 0, time.UTC)) {
		t.Fatalf("commits\n got: %+v\nwant: A, then B with its body, both of their day", got.Commits)
	}
	a, b := got.Commits[0].Hash, got.Commits[1].Hash
	want := []git.ChangelogLine{{Text: "third entry", Commit: b}, {Text: "second entry, which goes on", Commit: b}, {Text: "first entry", Commit: a}}
	if len(got.Lines) != len(want) {
		t.Fatalf("entries\n got: %+v\nwant: %+v", got.Lines, want)
	}
	for i := range want {
		if got.Lines[i] != want[i] {
			t.Errorf("entry %d\n got: %+v\nwant: %+v", i, got.Lines[i], want[i])
		}
	}
}

func TestWithoutAChangelogThereIsNone(t *testing.T) {
	t.Parallel()
	bare := t.TempDir()
	if _, found, err := (git.Folders{}).Changelog(t.Context(), bare); found || err != nil {
		t.Errorf("outside a repository: got %v, %v; want nothing", found, err)
	}
	if err := os.MkdirAll(filepath.Join(bare, "objects"), 0o700); err != nil {
		t.Fatal(err)
	}
	dir := repository(t, "- entry\n")
	if err := os.Remove(filepath.Join(dir, "CHANGELOG.md")); err != nil {
		t.Fatal(err)
	}
	if _, found, err := (git.Folders{}).Changelog(t.Context(), dir); found || err != nil {
		t.Errorf("where it was removed: got %v, %v; want nothing", found, err)
	}
}

// A changelog that git does not know yet is no reason to measure nothing else.
func TestAChangelogThatWasNeverCommittedIsNone(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	if err := os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte("- entry\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, found, err := (git.Folders{}).Changelog(t.Context(), dir); found || err != nil {
		t.Errorf("got %v, %v; want nothing", found, err)
	}
}

// What a repository's configuration names is not run: it may be anybody's.
func TestReadingAChangelogRunsNothing(t *testing.T) {
	t.Parallel()
	dir := repository(t, "- entry\n")
	trap := filepath.Join(t.TempDir(), "ran")
	for name, text := range map[string]string{
		".git/config":    "[core]\n\tfsmonitor = touch " + trap + "\n[diff \"x\"]\n\ttextconv = touch " + trap + "; cat\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = touch " + trap + "\n",
		".gitattributes": "*.md diff=x\n",
	} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got, found, err := git.Folders{}.Changelog(t.Context(), dir)
	if err != nil || !found || len(got.Lines) != 1 {
		t.Errorf("got %+v, %v, %v; want the entry", got, found, err)
	}
	if _, err := os.Stat(trap); !os.IsNotExist(err) {
		t.Errorf("a program of the repository's configuration was run")
	}
}
