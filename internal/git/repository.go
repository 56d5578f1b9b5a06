package git

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram/internal/project"
)

type repository struct {
	root string // of the worktree that contains the folder; a bare repository itself
	main string // root of the main worktree
}

// findRepository returns the repository that contains dir, which is absolute.
func findRepository(dir string) (repository, bool) {
	for {
		if git, ok := gitDir(dir); ok {
			return repository{root: dir, main: mainRoot(dir, git)}, true
		}
		if isGitDir(dir) {
			root := homeOf(dir)
			return repository{root: root, main: root}, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return repository{}, false
		}
		dir = parent
	}
}

// gitDir returns the folder with the repository data of a worktree at dir; false if dir is not one.
func gitDir(dir string) (string, bool) {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case err != nil:
		return "", false
	case info.IsDir():
		return git, isGitDir(git)
	}
	// In worktrees and submodules .git is a file that names the folder.
	text, ok := strings.CutPrefix(firstLine(git), "gitdir:")
	if !ok {
		return "", false
	}
	return from(dir, strings.TrimSpace(text)), true
}

// isGitDir reports whether dir is .git or a bare repository. Like git it ignores an empty .git.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil { // HEAD may be a link to a missing file
			return false
		}
	}
	return true
}

// mainRoot returns the root of the main worktree for the worktree at root with its data in git. A
// linked worktree names the common data in the file commondir; without it, root is the main one: a
// clone or a submodule.
func mainRoot(root, git string) string {
	common := firstLine(filepath.Join(git, "commondir"))
	if common == "" {
		return root
	}
	return homeOf(from(git, common))
}

// homeOf returns the folder that repository data belongs to: the parent of .git or of another
// hidden bare repository (.bare), else the bare repository itself.
func homeOf(git string) string {
	if strings.HasPrefix(filepath.Base(git), ".") {
		return filepath.Dir(git)
	}
	return git
}

func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// worktree is a checked-out repository, as far as its own files describe it.
type worktree struct {
	root   string // folder of its files
	git    string // data of this worktree: HEAD and index
	common string // data of all worktrees: objects, refs and configuration
	main   string // root of the main worktree
	hash   int    // length of object names: 20 or 32 bytes
	remote string // URL of "origin" in its configuration; "" if it has none
}

// openWorktree returns the worktree that contains dir, which is absolute.
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

// maxGitConfig is the number of bytes read of a configuration.
const maxGitConfig = 256 << 10

// configure reads the remote and the hash size from a git configuration. It ignores include and
// insteadOf: a repository without a known remote is identified by its commits.
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

// identity returns the name of the repository in anchors (engram.Anchor.Repository).
func (w worktree) identity() string {
	if name := project.RemoteIdentity(w.remote); name != "" {
		return name
	}
	sum := sha256.Sum256([]byte(w.main))
	return "local:" + hex.EncodeToString(sum[:8])
}

// head returns the checked-out commit; "" before the first one, or if git's files do not name it.
func (w worktree) head() string {
	line := firstLine(filepath.Join(w.git, "HEAD"))
	for range 5 { // a reference may point to another one
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

// isName reports whether s can be the name of an object of this repository.
func (w worktree) isName(s string) bool {
	return len(s) == 2*w.hash && strings.Trim(s, "0123456789abcdef") == ""
}

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

// maxPackedRefs is the number of bytes read of the packed references.
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
