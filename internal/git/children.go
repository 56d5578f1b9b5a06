package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// A folder with very many entries is not where somebody keeps their
	// repositories, and no call may wait for a slow disk.
	maxEntries = 2000
	maxScan    = 200 * time.Millisecond
)

// childRepositories returns the folders directly in dir that are repositories,
// sorted. Links are not followed.
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

// isPassedOver reports folders that hold what was installed or built.
func isPassedOver(name string) bool {
	switch name {
	case "node_modules", "vendor", "__pycache__", "target", "dist", "build":
		return true
	}
	return strings.HasPrefix(name, ".") // .venv, .idea, .vscode and all else that is hidden
}
