// Package git reads the facts about a folder's project: its repository, remote, configuration and
// nested repositories. It changes nothing; project.Detect draws the conclusions.
//
// It finds the repository by looking for .git (repository.go), and runs git only for the remote
// (remote.go), which may be configured in many places; for history (changelog.go, renamed.go); and
// for an index or commits that are not in plain files (index_ask.go). Without git, the folder's
// name remains.
package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
