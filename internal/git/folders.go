// Package git reads what a folder tells about its project: the repository around it, its remote, its
// configuration, repositories below it. It changes nothing; project.Detect draws the conclusions.
//
// The repository is found by looking for .git (repository.go). The program git is asked for the remote
// (remote.go), because only git knows every place where that may be configured; for history
// (changelog.go, renamed.go); and for an index or commits that are not in plain files (index_ask.go).
// Without git, a folder still tells where it is.
package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/alanbuscaglia/engram/internal/project"
)

// Folders reads folders. The zero value is ready, for many goroutines at once.
type Folders struct {
	Timeout time.Duration // how long git may take; 0 is 2 seconds
}

// Facts returns what dir tells about its project; "" is the current folder, and one that cannot be read
// tells its name alone. It starts git once if there is a repository. Errors are those of ctx, and a
// current folder that is gone.
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
