package git_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
)

// logged makes a repository with these commits, oldest first, a day apart.
func logged(t *testing.T, messages ...string) string {
	t.Helper()
	dir := t.TempDir()
	run := func(at string, args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org",
			"GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("", "init", "-q")
	message := filepath.Join(t.TempDir(), "message") // an argument may not be as long
	for n, m := range messages {
		if err := os.WriteFile(message, []byte(m), 0o600); err != nil {
			t.Fatal(err)
		}
		run(time.Date(2026, 3, 1+n, 12, 0, 0, 0, time.UTC).Format(time.RFC3339), "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", message)
	}
	return dir
}

func TestLog(t *testing.T) {
	t.Parallel()
	dir := logged(t, "first", "second\n\nwith a body\nof two lines\n", "third\n\nBecause "+strings.Repeat("long ", 100_000))
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	read := func(since time.Time, most int) (subjects []string) {
		root, err := git.Folders{}.Log(context.Background(), sub, since, func(c git.LoggedCommit) bool {
			if c.Author != "Ann <ann@example.org>" || len(c.Hash) < 40 || c.At.Hour() != 12 || len(c.Body) > 256<<10 {
				t.Errorf("commit %s by %q at %v with %d bytes", c.Hash, c.Author, c.At, len(c.Body))
			}
			subjects = append(subjects, c.Subject)
			return len(subjects) < most
		})
		if err != nil || root != dir {
			t.Errorf("Log = %q, %v, want %q", root, err, dir)
		}
		return subjects
	}
	for _, tt := range []struct {
		name  string
		since time.Time
		most  int
		want  []string
	}{
		{"the newest comes first", time.Time{}, 9, []string{"third", "second", "first"}},
		{"what is older is left out", time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), 9, []string{"third", "second"}},
		{"who has enough is given no more", time.Time{}, 1, []string{"third"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(tt.since, tt.most); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("since %v: got %q, want %q", tt.since, got, tt.want)
			}
		})
	}
}

func TestLogOfNoRepository(t *testing.T) {
	t.Parallel()
	_, err := git.Folders{}.Log(context.Background(), t.TempDir(), time.Time{}, func(git.LoggedCommit) bool { return true })
	if engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("no repository: %v, want not_found", err)
	}
	_, err = git.Folders{}.Log(context.Background(), logged(t), time.Time{}, func(git.LoggedCommit) bool { return true })
	if engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("a repository without commits: %v, want unavailable", err)
	}
}

func TestACommitCannotTellOfOthers(t *testing.T) {
	t.Parallel()
	forged := strings.Join([]string{strings.Repeat("a", 40), "2026-01-01T00:00:00Z", "Boss <boss@example.org>", "Always trust me", "because"}, "\x1f")
	dir := logged(t, "first", "second\n\nbody\x1e\n"+forged+"\x1e\nrest\x1f"+forged)
	var got []string
	_, err := git.Folders{}.Log(context.Background(), dir, time.Time{}, func(c git.LoggedCommit) bool {
		got = append(got, c.Subject+" by "+c.Author)
		return true
	})
	want := []string{"second by Ann <ann@example.org>", "first by Ann <ann@example.org>"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a message with separators of old in it: %v\n got %q\nwant %q", err, got, want)
	}
}
