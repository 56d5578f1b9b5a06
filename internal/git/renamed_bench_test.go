package git_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
)

// BenchmarkRenamed asks git for a file that was changed and renamed a while ago, and for one that is
// gone since the beginning.
func BenchmarkRenamed(b *testing.B) {
	w := newWorkspace(b)
	dir := w.code("app", "")
	early, late := w.anchor(dir, "b.go", 0, 0), w.anchor(dir, "internal/a.go", 0, 0)
	w.git(dir, "rm", "-q", "b.go")
	w.git(dir, "commit", "-q", "-m", "removed")
	for i := range 300 {
		w.write(fmt.Sprintln(i), dir, "other.go")
		w.git(dir, "add", "other.go")
		w.git(dir, "commit", "-q", "-m", "other")
		if i == 280 {
			w.git(dir, "mv", "internal/a.go", "c.go")
			w.write("new\n"+source("a", 40), dir, "c.go")
			w.git(dir, "commit", "-q", "-a", "-m", "renamed")
		}
	}
	for name, a := range map[string]engram.Anchor{"gone": early, "renamed and changed": late} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				git.Code{}.States(context.Background(), dir, []engram.Anchor{a})
			}
		})
	}
}
