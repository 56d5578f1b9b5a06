// Package exchange writes a store to records and takes records in: it exports, imports files, and merges what other
// replicas wrote by the version stamps of its parts.
package exchange

import (
	"context"
	"reflect"
	"slices"

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

// uncut restores, in an incoming memory, secrets that were redacted when it left this store, where its text is
// otherwise unchanged: a person keeps them, and a copy coming back is no write of those words. It compares by
// version stamps if there are any. kept reports whether everything stays as it is here.
func (i *Importing) uncut(ctx context.Context, here, there engram.Record) (_ engram.Record, kept bool, err error) {
	if !screen.HasCuts(*there.Memory) { // no need to ask for kept secrets
		return there, false, nil
	}
	marks, err := i.Tx.Store.Trust(ctx, []int64{here.Memory.Memory.Num})
	if err != nil || len(screen.TextsMarked(marks[here.Memory.Memory.Num], engram.TrustSecret)) == 0 {
		return there, false, err
	}
	left := screen.RecordBy(here, i.Porter.screen.Redactor().Named)
	same := func(p engram.Part) bool { return there.Causal == nil || here.Causal.Of(p) == there.Causal.Of(p) }
	record := *there.Memory
	m, full, cut := &record.Memory, here.Memory.Memory, left.Memory.Memory
	if same(engram.PartText) && m.Title == cut.Title && m.Content == cut.Content {
		m.Title, m.Content, m.NormalizedHash, m.Origin = full.Title, full.Content, full.NormalizedHash, full.Origin
	}
	if same(engram.PartSummary) && m.Summary == cut.Summary {
		m.Summary = full.Summary
	}
	if same("topic_key") && m.TopicKey == cut.TopicKey {
		m.TopicKey = full.TopicKey
	}
	if same("metadata") && reflect.DeepEqual(m.Metadata, cut.Metadata) {
		m.Metadata = full.Metadata
	}
	kept = m.Title == full.Title && m.Content == full.Content && m.Summary == full.Summary && m.TopicKey == full.TopicKey &&
		reflect.DeepEqual(m.Metadata, full.Metadata) && slices.Equal(m.Tags, full.Tags)
	record.Revisions = slices.Clone(record.Revisions)
	for n, r := range record.Revisions {
		k := slices.IndexFunc(left.Memory.Revisions, func(was engram.Revision) bool {
			return r.Stamp == was.Stamp && r.Title == was.Title && r.Content == was.Content
		})
		if k >= 0 {
			record.Revisions[n].Title, record.Revisions[n].Content = here.Memory.Revisions[k].Title, here.Memory.Revisions[k].Content
		}
		kept = kept && (k >= 0 || !screen.HasCuts(engram.MemoryRecord{Revisions: []engram.Revision{r}}))
	}
	there.Memory = &record
	return there, kept, nil
}
