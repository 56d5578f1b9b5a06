package git

import (
	"os"
	"path/filepath"
	"strings"
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
