// Package exchange writes a store to records and takes records in: it exports, imports files, and merges what other
// replicas wrote by the version stamps of its parts.
package exchange

import (
	"context"
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Porter exports and imports. It is safe for concurrent use.
type Porter struct {
	screen *screen.Screen
	ledger *ledger.Ledger

	clinic  Backups // backs the store up before an import that replaces; nil: none
	formats map[string]engram.Format
	spool   func() (Spool, error) // temporary storage of an import; nil: memory
	version string                // of the program; may be empty
}

// Backups copies the database before an import replaces what is there.
type Backups interface {
	// Backup copies the whole database and returns the file; its name says what it precedes.
	Backup(ctx context.Context, before string) (file string, err error)
}

// Options configure a Porter; each may be left out.
type Options struct {
	Clinic  Backups                  // nil: no import replaces
	Formats map[string]engram.Format // by name; should include NativeFormat
	Spool   func() (Spool, error)    // opens temporary storage for the records of an import; nil: memory
	Version string                   // of the program, for exports
}

// New returns a Porter.
func New(l *ledger.Ledger, o Options) *Porter {
	return &Porter{screen: l.Screen, ledger: l, clinic: o.Clinic, formats: o.Formats, spool: o.Spool, version: o.Version}
}
