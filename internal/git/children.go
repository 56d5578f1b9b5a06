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
