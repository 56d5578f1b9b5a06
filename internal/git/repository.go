package git

import (
	"os"
	"path/filepath"
	"strings"
)

// repository is where a folder's repository lies.
type repository struct {
	root string // of the worktree the folder is in; a bare repository itself
	main string // root of the main worktree
}

// findRepository returns the repository that dir, which is absolute, lies in.
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

// gitDir returns the folder with the repository's data of a worktree at dir, or
// false when dir is none.
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

// isGitDir reports a folder with a repository's data: .git, or a bare repository.
// An empty folder called .git is none, and git looks further up as well.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil { // HEAD may be a link to nowhere yet
			return false
		}
	}
	return true
}

// mainRoot returns the root of the main worktree for the worktree at root with its
// data in git. A linked worktree names the common data in the file commondir; where
// that is missing, root is the main one: a usual clone, or a submodule.
func mainRoot(root, git string) string {
	common := firstLine(filepath.Join(git, "commondir"))
	if common == "" {
		return root
	}
	return homeOf(from(git, common))
}

// homeOf returns the folder that a repository's data belongs to: the one around
// .git, or around a bare repository that is hidden (.bare), else the bare
// repository itself.
func homeOf(git string) string {
	if strings.HasPrefix(filepath.Base(git), ".") {
		return filepath.Dir(git)
	}
	return git
}

// from returns path as seen from dir.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
