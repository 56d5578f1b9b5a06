// Package projects determines which project a call concerns, from its name, session or folder, and merges and renames
// projects.
package projects

import (
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"time"
)

// Registry knows the projects of a store. It is safe for concurrent use.
type Registry struct {
	ledger *ledger.Ledger
	screen *screen.Screen

	Folders  Folders // nil: a folder's project is its base name
	resolved bool    // ProjectRequest.Override comes from the settings: if it is invalid, the folder decides
}

// New returns a Registry. resolved says that ProjectRequest.Override comes from the settings, not from the call: if it is
// no valid project name, the folder decides, with a warning.
func New(l *ledger.Ledger, folders Folders, resolved bool) *Registry {
	return &Registry{screen: l.Screen, ledger: l, Folders: folders, resolved: resolved}
}

// Recently returns folders with a short memory, for servers that ask about the same folder at every call; nil for nil.
func Recently(folders Folders, now func() time.Time) Folders {
	if folders == nil {
		return nil
	}
	return &recentFolders{folders: folders, now: now, facts: map[string]recentFacts{}}
}
