// Package read shows what the store has: a memory with its history, lists, a timeline, the graph around a memory, the
// log, statistics and metrics, and why a session was shown what.
package read

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Reader shows what the store has. It is safe for concurrent use.
type Reader struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver
	search   *search.Finder
}

// New returns a Reader.
func New(l *ledger.Ledger, x *exposure.Recorder, a *anchors.Resolver, f *search.Finder) *Reader {
	return &Reader{screen: l.Screen, ledger: l, exposure: x, anchors: a, search: f}
}

// Detail is a memory with everything that belongs to it.
type Detail struct {
	Memory    engram.Memory
	State     engram.State
	Strength  float64           // now, 0 to 1
	Why       string            // reason for the strength
	WrittenAt time.Time         // when its current text was written
	Revisions []engram.Revision // oldest first; without the current text
	Relations []engram.RelationNote
	Flagged   []string // why it was flagged as instruction-like; nil: it was not, or was approved
	Anchors   []engram.Anchored
	Degraded  []string // what is unknown at a past time
}

// Note returns what affects how the memory should be read.
func (d Detail) Note() engram.Note {
	return engram.Note{State: d.State, Flagged: d.Flagged, Anchors: d.Anchors, Relations: slices.DeleteFunc(slices.Clone(d.Relations), func(n engram.RelationNote) bool {
		return !search.Marks(n.Relation)
	})}
}

// History returns the memory with all its versions.
func (d Detail) History() engram.History {
	return view.Versions(d.Memory, d.Revisions, d.WrittenAt)
}

// Get returns a live memory; a forgotten one is not_found with a hint.
func (d *Reader) Get(ctx context.Context, ref engram.Ref) (Detail, error) {
	return d.getFrom(ctx, "", ref, time.Time{})
}

// GetAsOf is Get at a past time; the zero time is now.
func (d *Reader) GetAsOf(ctx context.Context, ref engram.Ref, at time.Time) (Detail, error) {
	return d.getFrom(ctx, "", ref, at)
}

// getFrom is GetAsOf for a caller in a folder; "" is the caller's own.
func (d *Reader) getFrom(ctx context.Context, dir string, ref engram.Ref, at time.Time) (Detail, error) {
	begun := d.exposure.Tally.Begin()
	detail, err := d.getAsOf(ctx, dir, ref, at)
	s, project := exposure.Exposure{Operation: exposure.OpGet}, ref.Project
	if err == nil {
		s.Items, project = []exposure.Item{{Memory: detail.Memory, Tokens: exposure.WholeTokens(detail.Memory)}}, detail.Memory.Project
	}
	d.exposure.Tally.Read(begun, project, s, err)
	return detail, err
}

func (d *Reader) getAsOf(ctx context.Context, dir string, ref engram.Ref, at time.Time) (Detail, error) {
	var detail Detail
	now := at
	if now.IsZero() {
		now = d.ledger.Now()
	}
	err := d.ledger.View(ctx, func(r engram.Reader) error {
		r, degraded, err := view.ReaderAt(ctx, d.ledger, r, at)
		if err != nil {
			return err
		}
		m, err := ledger.Live(ctx, r, ref)
		if err != nil {
			return err
		}
		clean, err := d.screen.ShownOf(ctx, r, m.Num)
		if err != nil {
			return err
		}
		if detail.Revisions, detail.WrittenAt, err = view.DatedRevisions(ctx, r, m); err != nil {
			return err
		}
		if clean != nil {
			m = screen.MemoryBy(m, clean)
			screen.ShownRevisions(detail.Revisions, clean.Text)
		}
		detail.Memory, detail.State, detail.Degraded = m, lifecycle.State(m, now), degraded
		fades, err := d.search.Fading(ctx, r)
		if err != nil {
			return err
		}
		detail.Strength, detail.Why = lifecycle.Explain(m, now, fades.Decay(m))
		if detail.Relations, err = search.RelationsOf(ctx, r, m.Num); err != nil {
			return err
		}
		if err := d.screen.ShownRelations(ctx, r, detail.Relations); err != nil {
			return err
		}
		why, err := screen.Flagged(ctx, r, []engram.Memory{m})
		detail.Flagged = why[m.Num]
		return err
	})
	if err != nil {
		return Detail{}, err
	}
	if at.IsZero() {
		by := d.anchors.States(ctx, dir, []engram.Memory{detail.Memory})
		detail.Anchors = by[detail.Memory.Num]
		d.anchors.NoteAnchors(ctx, by)
	}
	return detail, nil
}

// History returns all versions of a memory, live or forgotten.
func (d *Reader) History(ctx context.Context, ref engram.Ref) (engram.History, error) {
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (engram.History, error) { return d.shownHistory(ctx, r, ref) })
}

// Restore makes an earlier version, numbered as in engram.History.Version, the text of a live memory. The
// current text becomes a revision; restoring the current text changes nothing.
func (d *Reader) Restore(ctx context.Context, ref engram.Ref, number int) (engram.Memory, error) {
	return ledger.Perform(ctx, d.ledger, "restore", func(o *ledger.Tx) (engram.Memory, error) {
		was, err := o.Live(ctx, ref)
		if err != nil {
			return was, err
		}
		h, err := d.shownHistory(ctx, o.Store, engram.ByNum(was.Num))
		if err != nil {
			return was, err
		}
		v, err := h.Version(number)
		if err != nil {
			return was, err
		}
		m := was
		if v.Title == was.Title && v.Content == was.Content && v.Type == was.Type {
			return m, nil
		}
		if v.Content != was.Content {
			m.Summary = ""
		}
		m.Type, m.Title, m.Content, m.NormalizedHash = v.Type, v.Title, v.Content, screen.HashOf(v.Content)
		m.UpdatedAt = o.At
		m.RevisionCount++
		return m, o.ReplaceMemory(ctx, was, m, "restored")
	})
}

// LeastStrength is Recollect's default minimum strength, 0 to 1.
const LeastStrength = 0.1

// RecollectInput is the input of the tool recall.
type RecollectInput struct {
	Query       string         // a question or words; "" lists the newest
	Limit       int            // 0 is the search's default
	Category    string         // only this type; blank: any
	MinStrength *float64       // 0 to 1; nil is LeastStrength
	Metadata    map[string]any // only memories with all of these values
}

// Recollect implements the tool recall: it searches all projects by likeness × strength and returns current
// memories, each whole.
func (d *Reader) Recollect(ctx context.Context, in RecollectInput) (engram.Found, error) {
	filter := engram.Filter{MinStrength: LeastStrength, Metadata: in.Metadata, Current: true}
	if in.MinStrength != nil {
		filter.MinStrength = *in.MinStrength
	}
	if strings.TrimSpace(in.Category) != "" {
		filter.Types = []engram.Type{engram.Type(in.Category)}
	}
	// Without a session: these clients open none.
	return d.SearchWhole(ctx, "", search.SearchInput{Query: in.Query, Limit: in.Limit, Filter: filter, ByStrength: true})
}

// shownHistory is historyOf, redacted.
func (d *Reader) shownHistory(ctx context.Context, r engram.Reader, ref engram.Ref) (engram.History, error) {
	h, err := view.HistoryOf(ctx, r, ref)
	if err != nil {
		return h, err
	}
	why, err := screen.Flagged(ctx, r, []engram.Memory{h.Memory})
	if err != nil {
		return h, err
	}
	h.Flagged = why[h.Memory.Num]
	clean, err := d.screen.ShownOf(ctx, r, h.Memory.Num)
	if err != nil || clean == nil {
		return h, err
	}
	h.Memory = screen.MemoryBy(h.Memory, clean)
	for i := range h.Versions {
		v := &h.Versions[i]
		v.Title, v.Content, v.Reason = clean.Text(v.Title), clean.Text(v.Content), clean.Text(v.Reason)
	}
	return h, nil
}
