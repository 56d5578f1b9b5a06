package git_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
)

// A file that was renamed and changed is followed by what git takes for renames.
func TestStatesFollowRenames(t *testing.T) {
	t.Parallel()
	text := source("a", 40)
	changed := strings.Replace(text, "line 30", "another line", 1)
	for _, tt := range []struct {
		name   string
		change func(w workspace, dir string, commit func(what string))
		want   string // of the whole file, and of lines 10 to 12
	}{
		{"changed in one commit, renamed in a later one", func(w workspace, dir string, commit func(string)) {
			w.write(changed, dir, "internal", "a.go")
			commit("changed")
			w.git(dir, "mv", "internal/a.go", "c.go")
			commit("renamed")
		}, "changed c.go, moved c.go:10-12"},
		{"renamed in one commit, changed in a later one", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "mv", "internal/a.go", "c.go")
			commit("renamed")
			w.write("new\n"+text, dir, "c.go")
			commit("changed")
		}, "changed c.go, moved c.go:11-13"},
		{"all of it rewritten before it was renamed", func(w workspace, dir string, commit func(string)) {
			w.write(source("another", 40), dir, "internal", "a.go")
			commit("rewritten")
			w.git(dir, "mv", "internal/a.go", "c.go")
			commit("renamed")
		}, "changed c.go, changed c.go"},
		{"changed and renamed in the same commit", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "mv", "internal/a.go", "c.go")
			w.write(changed, dir, "c.go")
			commit("both")
		}, "changed c.go, moved c.go:10-12"},
		{"renamed twice, and changed between", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "mv", "internal/a.go", "c.go")
			commit("renamed")
			w.write(changed, dir, "c.go")
			commit("changed")
			w.git(dir, "mv", "c.go", "d.go")
			commit("renamed again")
		}, "changed d.go, moved d.go:10-12"},
		{"renamed away and back under another name, with a new file in between", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "mv", "internal/a.go", "c.go")
			commit("away")
			w.git(dir, "mv", "c.go", "internal/a.go")
			commit("back")
			w.write(changed, dir, "internal", "a.go")
			commit("changed")
			w.git(dir, "mv", "internal/a.go", "d.go")
			commit("away again")
		}, "changed d.go, moved d.go:10-12"},
		{"renamed and changed, staged", func(w workspace, dir string, _ func(string)) {
			w.git(dir, "mv", "internal/a.go", "c.go")
			w.write(changed, dir, "c.go")
			w.git(dir, "add", "-A")
		}, "changed c.go, moved c.go:10-12"},
		{"renamed and changed in a commit, renamed again and staged", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "mv", "internal/a.go", "c.go")
			w.write(changed, dir, "c.go")
			commit("both")
			w.git(dir, "mv", "c.go", "d.go")
		}, "changed d.go, moved d.go:10-12"},
		{"on a branch that was merged, beside a change", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "checkout", "-q", "-b", "side")
			w.git(dir, "mv", "internal/a.go", "c.go")
			commit("renamed")
			w.git(dir, "checkout", "-q", "-")
			w.write(changed, dir, "internal", "a.go")
			commit("changed")
			w.git(dir, "merge", "-q", "--no-edit", "side")
		}, "changed c.go, moved c.go:10-12"},
		{"in the merge itself", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "checkout", "-q", "-b", "side")
			w.write(changed, dir, "internal", "a.go")
			commit("changed")
			w.git(dir, "checkout", "-q", "-")
			w.write("b\n", dir, "b.go")
			commit("beside")
			w.git(dir, "merge", "-q", "--no-commit", "side")
			w.git(dir, "mv", "internal/a.go", "c.go")
			commit("merged")
		}, "changed c.go, moved c.go:10-12"},
		{"split in two", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "mv", "internal/a.go", "c.go")
			w.write(strings.Join(strings.SplitAfter(text, "\n")[:28], ""), dir, "c.go")
			w.write(strings.Join(strings.SplitAfter(text, "\n")[28:], ""), dir, "d.go")
			commit("split")
		}, "changed c.go, moved c.go:10-12"},
		{"removed for good", func(w workspace, dir string, commit func(string)) {
			w.write(changed, dir, "internal", "a.go")
			commit("changed")
			w.git(dir, "rm", "-q", "internal/a.go")
			commit("removed")
		}, "gone, gone"},
		{"renamed, changed, and removed for good", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "mv", "internal/a.go", "c.go")
			commit("renamed")
			w.write(changed, dir, "c.go")
			commit("changed")
			w.git(dir, "rm", "-q", "c.go")
			commit("removed")
		}, "gone, gone"},
		{"removed, with another file beside it that is new", func(w workspace, dir string, commit func(string)) {
			w.git(dir, "rm", "-q", "internal/a.go")
			w.write(source("something else", 40), dir, "c.go")
			commit("replaced")
		}, "gone, gone"},
		{"a name that means something to git", func(w workspace, dir string, commit func(string)) {
			w.write(changed, dir, "internal", "a.go")
			commit("changed")
			w.git(dir, "mv", "internal/a.go", ":(top)*.go")
			commit("renamed")
			w.write(text, dir, ":(top)*.go")
			w.write(changed, dir, ":(top)*.go")
			w.git(dir, "--literal-pathspecs", "mv", ":(top)*.go", "D äöü.go")
			commit("renamed again")
		}, "changed D äöü.go, moved D äöü.go:10-12"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			dir := w.code("app", "")
			whole, lines := w.anchor(dir, "internal/a.go", 0, 0), w.anchor(dir, "internal/a.go", 10, 12)
			tt.change(w, dir, func(what string) {
				w.git(dir, "add", "-A")
				w.git(dir, "commit", "-q", "-m", what)
			})
			w.want("states", w.become(dir, whole, lines), tt.want)
			w.want("states from below", w.become(filepath.Join(dir, ".git", ".."), whole, lines), tt.want)
		})
	}
}

// What a repository's own settings say of renames and of what git shows makes no difference.
func TestRenamesAreFollowedWhateverTheSettings(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("app", "")
	whole := w.anchor(dir, "internal/a.go", 0, 0)
	w.git(dir, "mv", "internal/a.go", "c.go")
	w.write("new\n"+source("a", 40), dir, "c.go")
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-q", "-m", "both")
	for key, value := range map[string]string{"diff.renames": "false", "diff.relative": "true", "log.follow": "true", "log.showSignature": "true", "color.ui": "always",
		"diff.external": "/bin/false", "log.decorate": "full", "diff.noprefix": "true", "core.quotePath": "true", "diff.renameLimit": "1", "log.date": "relative"} {
		w.git(dir, "config", key, value)
	}
	w.want("states", w.become(dir, whole), "changed c.go")
}

// Out of time, no file is reported as gone.
func TestWithoutTimeNobodySaysThatAFileIsGone(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.code("app", "")
	whole := w.anchor(dir, "internal/a.go", 0, 0)
	w.git(dir, "rm", "-q", "internal/a.go")
	w.git(dir, "commit", "-q", "-m", "removed")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s := (git.Code{}).States(ctx, dir, []engram.Anchor{whole}); s[0].State != engram.AnchorUnknown {
		t.Errorf("got %q, want nothing", s[0].State)
	}
}
