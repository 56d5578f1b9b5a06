package engine

import (
	"context"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram/internal/project"
)

// Folders tells what a folder says about the project in it; internal/git does.
type Folders interface {
	Facts(ctx context.Context, dir string) (project.Facts, error)
}

// recentFolders remembers what a folder said for a moment. A server is asked about
// the same folder at every call, and asking git costs more than saving a memory.
type recentFolders struct {
	folders Folders
	now     func() time.Time

	mu    sync.Mutex
	facts map[string]recentFacts
}

type recentFacts struct {
	facts project.Facts
	until time.Time
}

const (
	folderMemory = 3 * time.Second // a person who renames a remote does not notice
	maxFolders   = 1000
)

// Facts returns what dir says, or said a moment ago. Errors are not remembered.
func (r *recentFolders) Facts(ctx context.Context, dir string) (project.Facts, error) {
	now := r.now()
	r.mu.Lock()
	known, ok := r.facts[dir]
	r.mu.Unlock()
	// A clock that ran backwards must not make it remember for longer.
	if left := known.until.Sub(now); ok && left > 0 && left <= folderMemory {
		return known.facts, nil
	}
	facts, err := r.folders.Facts(ctx, dir)
	if err != nil {
		return facts, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.facts) >= maxFolders {
		clear(r.facts)
	}
	r.facts[dir] = recentFacts{facts: facts, until: now.Add(folderMemory)}
	return facts, nil
}
