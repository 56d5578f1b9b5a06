package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
)

// Git's own index cannot tell a file that was changed in the moment in which it was written from
// one that was not: such a one has to be read.
func TestAFileChangedInTheMomentOfTheIndexIsRead(t *testing.T) {
	w := newWorkspace(t)
	dir := w.code("repo", "")
	big, at := filepath.Join(dir, "big.go"), time.Now().Add(-time.Hour).Truncate(time.Second)
	text := source("big", 20_000) // more than is read rather than looked up
	w.write(text, dir, "big.go")
	stamp := func(file string) {
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	stamp(big)
	w.git(dir, "add", ".")
	w.git(dir, "commit", "-q", "-m", "a large file")
	a := w.anchor(dir, "big.go", 0, 0)
	index := filepath.Join(dir, ".git", "index")
	for _, tt := range []struct {
		name, text string
		want       engram.AnchorState
	}{
		{"as it was", text, engram.AnchorVerified},
		{"of the same size and time, but changed", strings.Replace(text, "line 1 of", "LINE 1 of", 1), engram.AnchorChanged},
	} {
		w.write(tt.text, dir, "big.go")
		stamp(big)
		stamp(index)
		states := git.Code{}.States(t.Context(), dir, []engram.Anchor{a})
		if len(states) != 1 || states[0].State != tt.want {
			t.Errorf("%s: %+v; want %s", tt.name, states, tt.want)
		}
	}
}

// What a repository says is data: a reference that leads out of it is not read.
func TestAReferenceDoesNotLeadOutOfItsRepository(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("repo", "")
	elsewhere := strings.Repeat("ab", 20)
	w.write(elsewhere+"\n", filepath.Dir(dir), "elsewhere")
	w.write(elsewhere+"\n", dir, ".git", "beside")
	for _, ref := range []string{"../../elsewhere", "refs/../../../elsewhere", filepath.Join(filepath.Dir(dir), "elsewhere"), "beside"} {
		w.write("ref: "+ref+"\n", dir, ".git", "HEAD")
		if got := w.anchor(dir, "b.go", 0, 0).Commit; got != "" {
			t.Errorf("ref: %s is followed to %s", ref, got)
		}
	}
}
