package git

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram/internal/project"
)

// worktree is a checked out repository, as far as its own files tell.
type worktree struct {
	root   string // where its files are
	git    string // data of this worktree: HEAD and index
	common string // data of all worktrees: objects, refs and configuration
	main   string // root of the main worktree
	hash   int    // size of names of objects: 20 bytes, or 32
	remote string // of "origin", as its configuration has it; "" for none
}

// openWorktree returns the worktree that dir, which is absolute, lies in.
func openWorktree(dir string) (worktree, bool) {
	repo, found := findRepository(dir)
	if !found {
		return worktree{}, false
	}
	git, found := gitDir(repo.root)
	if !found {
		return worktree{}, false // a bare repository has no files
	}
	w := worktree{root: repo.root, git: git, common: git, main: repo.main, hash: 20}
	if common := firstLine(filepath.Join(git, "commondir")); common != "" {
		w.common = from(git, common)
	}
	w.configure(readLimited(filepath.Join(w.common, "config"), maxGitConfig))
	return w, true
}

// maxGitConfig is how much of a configuration is read.
const maxGitConfig = 256 << 10

// configure takes what matters here out of a configuration of git. Files that it includes and
// what rewrites addresses are not followed: a repository that nobody knows by its remote is known
// by its commits.
func (w *worktree) configure(text string) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[]"))
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case section == `remote "origin"` && key == "url" && w.remote == "":
			w.remote = value
		case section == "extensions" && key == "objectformat" && strings.EqualFold(value, "sha256"):
			w.hash = 32
		}
	}
}

// identity is what the repository is called by its anchors (engram.Anchor.Repository).
func (w worktree) identity() string {
	if name := project.RemoteIdentity(w.remote); name != "" {
		return name
	}
	sum := sha256.Sum256([]byte(w.main))
	return "local:" + hex.EncodeToString(sum[:8])
}

// head is the commit that is checked out; "" when there is none yet, or nobody can tell without
// git.
func (w worktree) head() string {
	line := firstLine(filepath.Join(w.git, "HEAD"))
	for range 5 { // a reference may be to another one
		ref, is := strings.CutPrefix(line, "ref:")
		if !is {
			break
		}
		if line = w.ref(strings.TrimSpace(ref)); line == "" {
			return ""
		}
	}
	if !w.isName(line) {
		return ""
	}
	return line
}

// isName reports whether s is the name of an object of this repository.
func (w worktree) isName(s string) bool {
	return len(s) == 2*w.hash && strings.Trim(s, "0123456789abcdef") == ""
}

// ref is what a reference says.
func (w worktree) ref(name string) string {
	if !filepath.IsLocal(name) || !strings.HasPrefix(name, "refs/") {
		return ""
	}
	for _, dir := range []string{w.git, w.common} {
		if line := firstLine(filepath.Join(dir, filepath.FromSlash(name))); line != "" {
			return line
		}
	}
	return w.packedRef(name)
}

// maxPackedRefs is how much of the packed references is read.
const maxPackedRefs = 16 << 20

func (w worktree) packedRef(name string) string {
	file, _, err := openRegular(filepath.Join(w.common, "packed-refs"))
	if err != nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(io.LimitReader(file, maxPackedRefs))
	for lines.Scan() {
		if commit, rest, _ := strings.Cut(lines.Text(), " "); rest == name {
			return commit
		}
	}
	return ""
}
