// Package git reads the facts about a folder's project: its repository, remote, configuration and
// nested repositories. It changes nothing; project.Detect draws the conclusions.
//
// It finds the repository by looking for .git (repository.go), and runs git only for the remote, which
// may be configured in many places; for history (log.go, renamed.go); and for an index or commits that
// are not in plain files (index.go). Without git, the folder's name remains.
package git

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alanbuscaglia/engram/internal/project"
)

// Folders reads folders. The zero value is ready for concurrent use.
type Folders struct {
	Timeout time.Duration // limit for git; 0 is 2 seconds
}

// Facts returns the facts about dir's project; "" is the current folder. An unreadable folder has
// only its name. It runs git once if there is a repository. It fails if ctx ends or the current
// folder no longer exists.
func (f Folders) Facts(ctx context.Context, dir string) (project.Facts, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return project.Facts{}, fmt.Errorf("find folder %q: %w", dir, err)
	}
	facts := project.Facts{Dir: abs}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return facts, ctx.Err()
	}
	repo, inside := findRepository(abs)
	facts.Root, facts.Main = repo.root, repo.main
	c := findConfig(abs, repo.root)
	facts.ConfigDir, facts.ConfigName, facts.ConfigErr = c.dir, c.name, c.wrong
	if inside {
		facts.Remote = f.remote(ctx, repo.root)
	} else {
		facts.Children = childRepositories(ctx, abs)
	}
	return facts, ctx.Err()
}

const (
	// Limits of a scan, since no call may wait for a slow disk. People do not keep their
	// repositories in a folder with more entries.
	maxEntries = 2000
	maxScan    = 200 * time.Millisecond
)

// childRepositories returns the repositories directly in dir, sorted. Links are not followed.
func childRepositories(ctx context.Context, dir string) []string {
	ctx, cancel := context.WithTimeout(ctx, maxScan)
	defer cancel()
	folder, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer folder.Close()
	var found []string
	for seen := 0; seen < maxEntries && ctx.Err() == nil; {
		entries, err := folder.ReadDir(min(200, maxEntries-seen))
		seen += len(entries)
		for _, e := range entries {
			child := filepath.Join(dir, e.Name())
			if !e.IsDir() || isPassedOver(e.Name()) || ctx.Err() != nil {
				continue
			}
			if _, ok := gitDir(child); ok {
				found = append(found, child)
			}
		}
		if err != nil {
			break
		}
	}
	slices.Sort(found)
	return found
}

// isPassedOver reports whether a folder holds installed or generated files.
func isPassedOver(name string) bool {
	switch name {
	case "node_modules", "vendor", "__pycache__", "target", "dist", "build":
		return true
	}
	return strings.HasPrefix(name, ".") // .venv, .idea, .vscode and other hidden folders
}

const (
	// configFile holds the project name of a repository.
	configFile = ".engram/config.json"
	maxConfig  = 64 << 10
)

// config is the project name in a configuration, or what is wrong with it; empty without one.
type config struct{ dir, name, wrong string }

// findConfig returns the nearest configuration from dir up to root; only dir's own if root is "".
func findConfig(dir, root string) config {
	for {
		text, wrong, found := readConfig(dir)
		if found {
			c := config{dir: dir, wrong: wrong}
			if wrong == "" {
				c.name, c.wrong = parseConfig(text)
			}
			return c
		}
		parent := filepath.Dir(dir)
		if root == "" || dir == root || parent == dir {
			return config{}
		}
		dir = parent
	}
}

// readConfig reads the configuration in dir. It refuses links out of dir: a repository must not
// decide which other files are read on this machine.
func readConfig(dir string) (text []byte, wrong string, found bool) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", false
	}
	defer folder.Close()
	if at, err := folder.Lstat(filepath.Dir(configFile)); err == nil && at.Mode()&fs.ModeSymlink != 0 {
		return nil, "", false // anyone with push access could add this link: ignore it without an error
	}
	info, err := folder.Stat(configFile)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, "", false
	case err != nil:
		return nil, configFile + " cannot be read", true
	case !info.Mode().IsRegular(): // opening a pipe would block
		return nil, configFile + " is not a file", true
	}
	file, _, err := openRegularIn(folder, configFile, info)
	if err != nil {
		return nil, configFile + " cannot be read", true
	}
	defer file.Close()
	text, err = io.ReadAll(io.LimitReader(file, maxConfig+1))
	switch {
	case err != nil:
		return nil, configFile + " cannot be read", true
	case len(text) > maxConfig:
		return nil, configFile + " is larger than 64 KiB", true
	}
	return text, "", true
}

// parseConfig returns the configured name, or what is wrong, without quoting the text.
func parseConfig(text []byte) (name, wrong string) {
	text = []byte(strings.TrimPrefix(string(text), "\ufeff"))
	var c struct {
		ProjectName string `json:"project_name"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return "", configFile + ` is not JSON of the form {"project_name": "NAME"}`
	}
	if strings.TrimSpace(c.ProjectName) == "" {
		return "", configFile + " has no project_name"
	}
	return c.ProjectName, ""
}

// remote returns the URL of "origin" of the repository at root, without credentials; "" if it has
// none, or git is missing, refuses (another user's repository) or takes too long.
func (f Folders) remote(ctx context.Context, root string) string {
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	defer cancel()
	out, err := command(ctx, root, "remote", "get-url", "origin").Output()
	if err != nil {
		return ""
	}
	url, _, _ := strings.Cut(string(out), "\n")
	return project.SafeRemote(url)
}

func (f Folders) timeout() time.Duration {
	if f.Timeout > 0 {
		return f.Timeout
	}
	return 2 * time.Second
}

// environment returns env for a git that never prompts and that uses the folder it is given: inside
// a git hook, these variables point elsewhere.
func environment(env []string) []string {
	env = slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS",
			"GIT_CONFIG_COUNT", "GIT_TRACE":
			return true
		}
		return false
	})
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

// Ignored returns the rule by which git ignores a path below root, as FILE:LINE:PATTERN; "" if no
// rule matches, the file is tracked, or git is missing, fails or exceeds the Timeout.
//
// Source: git-check-ignore(1).
func (f Folders) Ignored(ctx context.Context, root, path string) string {
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	defer cancel()
	out, err := output(ctx, root, "check-ignore", "--verbose", "--", path)
	if err != nil { // also if no rule matches
		return ""
	}
	rule, _, found := strings.Cut(string(out), "\t")
	parts := strings.SplitN(rule, ":", 3)
	if !found || len(parts) != 3 || strings.HasPrefix(parts[2], "!") { // ! includes a file again
		return ""
	}
	return rule
}
