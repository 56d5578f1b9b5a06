package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/topic"
)

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
		return !marks(n.Relation)
	})}
}

// History returns the memory with all its versions.
func (d Detail) History() engram.History {
	return versions(d.Memory, d.Revisions, d.WrittenAt)
}

// versions returns the history of a memory whose current text was written at writtenAt.
func versions(m engram.Memory, revisions []engram.Revision, writtenAt time.Time) engram.History {
	h := engram.NewHistory(m, revisions)
	h.Versions[len(h.Versions)-1].WrittenAt = writtenAt
	return h
}

// Get returns a live memory; a forgotten one is not_found with a hint.
func (e *Engine) Get(ctx context.Context, ref engram.Ref) (Detail, error) {
	return e.getFrom(ctx, "", ref, time.Time{})
}

// GetAsOf is Get at a past time; the zero time is now.
func (e *Engine) GetAsOf(ctx context.Context, ref engram.Ref, at time.Time) (Detail, error) {
	return e.getFrom(ctx, "", ref, at)
}

// getFrom is GetAsOf for a caller in a folder; "" is the caller's own.
func (e *Engine) getFrom(ctx context.Context, dir string, ref engram.Ref, at time.Time) (Detail, error) {
	begun := e.tally.begin()
	d, err := e.getAsOf(ctx, dir, ref, at)
	s, project := exposure{operation: opGet}, ref.Project
	if err == nil {
		s.items, project = []exposedItem{{d.Memory, wholeTokens(d.Memory)}}, d.Memory.Project
	}
	e.tally.read(begun, project, s, err)
	return d, err
}

func (e *Engine) getAsOf(ctx context.Context, dir string, ref engram.Ref, at time.Time) (Detail, error) {
	var d Detail
	now := at
	if now.IsZero() {
		now = e.now()
	}
	err := e.store.View(ctx, func(r engram.Reader) error {
		r, degraded, err := e.readerAt(ctx, r, at)
		if err != nil {
			return err
		}
		m, err := live(ctx, r, ref)
		if err != nil {
			return err
		}
		clean, err := e.shownOf(ctx, r, m.Num)
		if err != nil {
			return err
		}
		if d.Revisions, d.WrittenAt, err = datedRevisions(ctx, r, m); err != nil {
			return err
		}
		if clean != nil {
			m = memoryBy(m, clean)
			shownRevisions(d.Revisions, clean.text)
		}
		d.Memory, d.State, d.Degraded = m, lifecycle.State(m, now), degraded
		fades, err := e.fading(ctx, r)
		if err != nil {
			return err
		}
		d.Strength, d.Why = lifecycle.Explain(m, now, fades.decay(m))
		if d.Relations, err = relationsOf(ctx, r, m.Num); err != nil {
			return err
		}
		if err := e.shownRelations(ctx, r, d.Relations); err != nil {
			return err
		}
		why, err := flagged(ctx, r, []engram.Memory{m})
		d.Flagged = why[m.Num]
		return err
	})
	if err != nil {
		return Detail{}, err
	}
	if at.IsZero() {
		by := e.states(ctx, dir, []engram.Memory{d.Memory})
		d.Anchors = by[d.Memory.Num]
		e.noteAnchors(ctx, by)
	}
	return d, nil
}

// live returns the memory that ref names unless it was forgotten.
func live(ctx context.Context, r engram.Reader, ref engram.Ref) (engram.Memory, error) {
	m, err := r.Memory(ctx, normalRef(ref))
	if err != nil {
		return m, err
	}
	if m.Forgotten() {
		return m, engram.Errorf(engram.CodeNotFound, "memory %s was forgotten", ref).WithHint("{log %d} shows what forgot it, and {undo OP} takes that back", m.Num)
	}
	return m, nil
}

func (o *op) live(ctx context.Context, ref engram.Ref) (engram.Memory, error) {
	return live(ctx, o.tx, ref)
}

func normalRef(ref engram.Ref) engram.Ref {
	ref.Project = normalProject(ref.Project)
	if ref.Topic != "" {
		ref.Topic = topic.Normalize(redact.Private(ref.Topic))
	}
	return ref
}

// History returns all versions of a memory, live or forgotten.
func (e *Engine) History(ctx context.Context, ref engram.Ref) (engram.History, error) {
	return view(ctx, e, func(r engram.Reader) (engram.History, error) { return e.shownHistory(ctx, r, ref) })
}

func historyOf(ctx context.Context, r engram.Reader, ref engram.Ref) (engram.History, error) {
	m, err := r.Memory(ctx, normalRef(ref))
	if err != nil {
		return engram.History{}, err
	}
	revisions, writtenAt, err := datedRevisions(ctx, r, m)
	if err != nil {
		return engram.History{}, err
	}
	return versions(m, revisions, writtenAt), nil
}

// datedRevisions returns the older texts of a memory and when its current text was written.
func datedRevisions(ctx context.Context, r engram.Reader, m engram.Memory) ([]engram.Revision, time.Time, error) {
	revisions, err := r.Revisions(ctx, m.Num)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := textWrite(ctx, r, m)
	return revisions, date(m, revisions, now), err
}

// textWrite returns the version stamp of a memory's text.
func textWrite(ctx context.Context, r engram.Reader, m engram.Memory) (engram.VersionStamp, error) {
	if p, past := r.(*pastReader); past {
		if s, known, err := p.textWrite(ctx, m.Num); known || err != nil {
			return s, err
		}
	}
	l, err := memoryMetadata(ctx, r, m)
	return l.Of(engram.PartText), err
}

// date sets the times of revisions from their version stamps, if known: unlike local times, these are the same
// on every machine. It returns the time of the current text, which the stamp now wrote.
func date(m engram.Memory, revisions []engram.Revision, now engram.VersionStamp) (writtenAt time.Time) {
	writtenAt = m.CreatedAt
	stamps := make([]engram.VersionStamp, len(revisions)+1)
	for i, r := range revisions {
		stamps[i], writtenAt = r.Stamp, r.ReplacedAt
	}
	if !now.Derived() { // a derived stamp says when anything was last written
		stamps[len(revisions)] = now
	}
	for i, r := range revisions {
		if r.Stamp.At == 0 {
			continue
		}
		revisions[i].WrittenAt = r.Stamp.At.Time()
		if at := nextAfter(stamps, r.Stamp); !at.IsZero() {
			revisions[i].ReplacedAt = at
		}
		if revisions[i].ReplacedAt.Before(revisions[i].WrittenAt) { // written under disagreeing clocks
			revisions[i].ReplacedAt = revisions[i].WrittenAt
		}
	}
	if now := stamps[len(revisions)]; now.At > 0 {
		return now.At.Time()
	}
	return writtenAt
}

// nextAfter returns the time of the earliest write after s; the zero Time without one.
func nextAfter(stamps []engram.VersionStamp, s engram.VersionStamp) time.Time {
	var next engram.VersionStamp
	for _, other := range stamps {
		if other.Compare(s) > 0 && (next == engram.VersionStamp{} || other.Compare(next) < 0) {
			next = other
		}
	}
	if next.At == 0 {
		return time.Time{}
	}
	return next.At.Time()
}

// Restore makes an earlier version, numbered as in engram.History.Version, the text of a live memory. The
// current text becomes a revision; restoring the current text changes nothing.
func (e *Engine) Restore(ctx context.Context, ref engram.Ref, number int) (engram.Memory, error) {
	return perform(ctx, e, "restore", func(o *op) (engram.Memory, error) {
		was, err := o.live(ctx, ref)
		if err != nil {
			return was, err
		}
		h, err := e.shownHistory(ctx, o.tx, engram.ByNum(was.Num))
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
		m.Type, m.Title, m.Content, m.NormalizedHash = v.Type, v.Title, v.Content, hashOf(v.Content)
		m.UpdatedAt = o.at
		m.RevisionCount++
		return m, o.replaceMemory(ctx, was, m, "restored")
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
func (e *Engine) Recollect(ctx context.Context, in RecollectInput) (engram.Found, error) {
	filter := engram.Filter{MinStrength: LeastStrength, Metadata: in.Metadata, Current: true}
	if in.MinStrength != nil {
		filter.MinStrength = *in.MinStrength
	}
	if strings.TrimSpace(in.Category) != "" {
		filter.Types = []engram.Type{engram.Type(in.Category)}
	}
	// Without a session: these clients open none.
	return e.SearchWhole(ctx, "", SearchInput{Query: in.Query, Limit: in.Limit, Filter: filter, ByStrength: true})
}

// Known reports whether the saved text existed before: it was a repeat, was merged into another memory, or
// revised one.
func (r SaveResult) Known() bool { return r.Action != ActionInserted }

// Contested returns the memory that the saved one most likely contradicts; nil if none is flagged.
func (r SaveResult) Contested() *engram.Memory {
	if len(r.Candidates) == 0 {
		return nil
	}
	return &r.Candidates[0].Memory
}
