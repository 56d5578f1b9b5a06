// Package remember writes memories: saves one or many, with the look around for near-duplicates and contradictions,
// updates, captures learnings from a text, and keeps sessions and prompts.
package remember

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// Writer writes memories. It is safe for concurrent use.
type Writer struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver
	projects *projects.Registry
	search   *search.Finder
	relate   *relate.Linker
	texts    *contradiction.Reader
	folders  *Folders
}

// New returns a Writer, which compares texts by a Reader and remembers Folders that the Writers of a store share.
func New(l *ledger.Ledger, x *exposure.Recorder, a *anchors.Resolver, p *projects.Registry, f *search.Finder, k *relate.Linker, texts *contradiction.Reader, folders *Folders) *Writer {
	return &Writer{screen: l.Screen, ledger: l, exposure: x, anchors: a, projects: p, search: f, relate: k, texts: texts, folders: folders}
}

// CountSaves counts saves in their transaction, so that counters agree with the journal.
func CountSaves(ctx context.Context, o *ledger.Tx, saves []SaveResult) error {
	var all []engram.Counter
	for _, s := range saves {
		i := slices.IndexFunc(all, func(c engram.Counter) bool { return c.Project == s.Memory.Project && c.Outcome == string(s.Action) })
		if i < 0 {
			i = len(all)
			all = append(all, engram.Counter{Day: o.At, Project: s.Memory.Project, Operation: engram.OperationSave, Outcome: string(s.Action)})
		}
		all[i].Events++
	}
	return o.Store.RecordUse(ctx, engram.Use{Counters: all})
}

// ActionsOf returns what each save did.
func ActionsOf(saves []SaveResult) []ledger.Action {
	return walk.Mapped(saves, func(s SaveResult) ledger.Action { return s.Action })
}

// warnPending warns about saved memories that will not be injected until a person approves them.
func warnPending(ctx context.Context, o *ledger.Tx, all []SaveResult) error {
	var ms []engram.Memory
	for _, r := range all {
		if r.Known() || o.Pending[r.Memory.Num] { // the flags of a new one are in Pending
			ms = append(ms, r.Memory)
		}
	}
	if len(ms) == 0 {
		return nil
	}
	why, err := screen.Flagged(ctx, o.Store, ms)
	for i, r := range all {
		if because := why[r.Memory.Num]; because != nil {
			all[i].Warnings = append(all[i].Warnings, screen.PendingWarning(r.Memory.Num, because))
		}
	}
	return err
}
