//go:build unix

package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
)

// A repository from someone else must not make a save or a search block forever.
func TestAPipeInARepositoryKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"index", "packed-refs", "HEAD", "config", "commondir", "objects/info/alternates", "objects/pack/pack-1.idx", "info/attributes"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			dir := w.code("app", "")
			w.write("*.go filter=x\n", dir, ".gitattributes") // so that the index is asked
			w.git(dir, "pack-refs", "--all")
			a := w.anchor(dir, "b.go", 0, 0)
			missing, foreign := a, a
			missing.Path, foreign.Repository, foreign.Commit = "away.go", "example.com/another/one", strings.Repeat("1", 40)
			pipe := filepath.Join(dir, ".git", filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(pipe), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(pipe); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			done := make(chan bool)
			go func() {
				defer close(done)
				(git.Code{}).States(w.Context(), dir, []engram.Anchor{a, missing, foreign})
				_, _ = git.Code{}.Anchors(w.Context(), dir, []engram.Place{{Path: "b.go"}}, nil)
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Errorf("with a pipe for .git/%s the states of anchors are not told after 20 s", name)
			}
		})
	}
}
