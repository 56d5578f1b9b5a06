package git_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
)

// large is a repository of so many files, committed.
func (w workspace) large(files int) string {
	w.Helper()
	dir := w.path("large")
	w.git(dir, "init", "-q")
	for i := range files {
		w.write(source(fmt.Sprint("file ", i), 120), dir, fmt.Sprintf("internal/part%02d/section%02d", i%40, i/40%25), fmt.Sprintf("file%05d.go", i))
	}
	w.git(dir, "add", ".")
	w.git(dir, "commit", "-q", "-m", "all")
	return dir
}

// hits are anchors of ten finds: files and lines, of which half changed and one went elsewhere.
func (w workspace) hits(dir string) []engram.Anchor {
	w.Helper()
	var all []engram.Anchor
	name := func(i int) string {
		return fmt.Sprintf("internal/part%02d/section%02d/file%05d.go", i%40, i/40%25, i)
	}
	for n := range 10 {
		i := n * 977
		first := 0
		if n%2 == 0 {
			first = 40
		}
		all = append(all, w.anchor(dir, name(i), first, first))
		if n >= 5 {
			w.write("package new\n\n"+source(fmt.Sprint("file ", i), 120), dir, filepath.FromSlash(name(i)))
		}
	}
	w.git(dir, "mv", name(977), "internal/elsewhere.go")
	return all
}

func BenchmarkStates(b *testing.B) {
	w := newWorkspace(b)
	dir := w.large(10_000)
	all := w.hits(dir)
	if info, err := os.Stat(filepath.Join(dir, ".git", "index")); err == nil {
		b.Logf("index of %d bytes: %s", info.Size(), w.become(dir, all...))
	}
	for _, bench := range []struct {
		name string
		all  []engram.Anchor
	}{{"ten hits, one of them renamed", all}, {"nine hits", append(all[:1:1], all[2:]...)}, {"one file that stands", all[:1]}, {"one whose lines moved", all[8:9]}, {"of another repository", others(all)}} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				git.Code{}.States(context.Background(), dir, bench.all)
			}
		})
	}
	b.Run("to anchor to lines", func(b *testing.B) {
		for b.Loop() {
			if _, err := (git.Code{}).Anchors(context.Background(), dir, []engram.Place{{Path: all[2].Path, First: 3, Last: 9}}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("to name what is not there", func(b *testing.B) {
		named := make([]engram.Place, 32)
		for i := range named {
			named[i] = engram.Place{Path: fmt.Sprintf("internal/none/file%d.go", i)}
		}
		for b.Loop() {
			if _, err := (git.Code{}).Anchors(context.Background(), dir, nil, named); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// others are anchors of an unknown repository.
func others(all []engram.Anchor) []engram.Anchor {
	var out []engram.Anchor
	for _, a := range all {
		a.Repository, a.Commit = "example.com/other/one", "0123456789012345678901234567890123456789"
		out = append(out, a)
	}
	return out
}
