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

// Detail is a whole memory with what belongs to it.
type Detail struct {
	Memory    engram.Memory
	State     engram.State
	Strength  float64           // how strong the memory is now, 0 to 1
	Why       string            // why it is as strong, in words
	WrittenAt time.Time         // when it came to say what it says
	Revisions []engram.Revision // oldest first; without the current text
	Relations []engram.RelationNote
	Flagged   []string // why it reads like an order to an agent, in words; nil: it does not, or was approved
	Anchors   []engram.Anchored
	Degraded  []string // what could not be told of a time past
}

// Note returns what changes how the memory should be read.
func (d Detail) Note() engram.Note {
	return engram.Note{State: d.State, Flagged: d.Flagged, Anchors: d.Anchors, Relations: slices.DeleteFunc(slices.Clone(d.Relations), func(n engram.RelationNote) bool {
		return !marks(n.Relation)
	})}
}

// History is the memory with all that it said until then.
func (d Detail) History() engram.History {
	h := engram.NewHistory(d.Memory, d.Revisions)
	h.Versions[len(h.Versions)-1].WrittenAt = d.WrittenAt
	return h
}

// Get returns a live memory; a forgotten one is not_found with a hint.
func (e *Engine) Get(ctx context.Context, ref engram.Ref) (Detail, error) {
	return e.GetAsOf(ctx, ref, time.Time{})
}

// GetAsOf is Get as it would have answered at a time past; the zero time is now.
func (e *Engine) GetAsOf(ctx context.Context, ref engram.Ref, at time.Time) (Detail, error) {
	begun := e.tally.begin()
	d, err := e.getAsOf(ctx, ref, at)
	s, project := exposure{operation: useGet}, ref.Project
	if err == nil {
		s.items, project = []exposedItem{{d.Memory, wholeTokens(d.Memory)}}, d.Memory.Project
	}
	e.tally.read(begun, project, s, err)
	return d, err
}

func (e *Engine) getAsOf(ctx context.Context, ref engram.Ref, at time.Time) (Detail, error) {
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
		by := e.states(ctx, []engram.Memory{d.Memory})
		d.Anchors = by[d.Memory.Num]
		e.noteAnchors(ctx, by)
	}
	return d, nil
}

// live returns the memory that ref names, if it was not forgotten.
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

// History returns what a memory said before, and says now. A forgotten one has its
// history still.
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
	return Detail{Memory: m, WrittenAt: writtenAt, Revisions: revisions}.History(), nil
}

// datedRevisions are the older texts of a memory, and when it came to say what it says.
func datedRevisions(ctx context.Context, r engram.Reader, m engram.Memory) ([]engram.Revision, time.Time, error) {
	revisions, err := r.Revisions(ctx, m.Num)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := textWrite(ctx, r, m)
	return revisions, date(m, revisions, now), err
}

// textWrite is the write that the text of a memory comes from.
func textWrite(ctx context.Context, r engram.Reader, m engram.Memory) (engram.VersionStamp, error) {
	if p, past := r.(*pastReader); past {
		if s, known, err := p.textWrite(ctx, m.Num); known || err != nil {
			return s, err
		}
	}
	l, err := memoryMetadata(ctx, r, m)
	return l.Of(engram.PartText), err
}

// date gives revisions the times of the writes that their texts come from, as far as those are
// known: they are the same on every machine, whenever a text came to it and whatever else was
// written since. It returns that of the text in force, which the write now made.
func date(m engram.Memory, revisions []engram.Revision, now engram.VersionStamp) (writtenAt time.Time) {
	writtenAt = m.CreatedAt
	stamps := make([]engram.VersionStamp, len(revisions)+1)
	for i, r := range revisions {
		stamps[i], writtenAt = r.Stamp, r.ReplacedAt
	}
	if !now.Derived() { // else it says when anything was written last
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
		if revisions[i].ReplacedAt.Before(revisions[i].WrittenAt) { // of clocks that do not agree
			revisions[i].ReplacedAt = revisions[i].WrittenAt
		}
	}
	if now := stamps[len(revisions)]; now.At > 0 {
		return now.At.Time()
	}
	return writtenAt
}

// nextAfter is when the earliest of the writes after s was; the zero Time when there is none.
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

// Restore lets a live memory say again what it said in an earlier version. What it says
// now becomes a revision; restoring what it says already changes nothing. The number is
// as in engram.History.Version.
func (e *Engine) Restore(ctx context.Context, ref engram.Ref, number int) (engram.Memory, error) {
	var m engram.Memory
	err := e.write(ctx, "restore", func(o *op) error {
		was, err := o.live(ctx, ref)
		if err != nil {
			return err
		}
		h, err := o.shownHistory(ctx, o.tx, engram.ByNum(was.Num))
		if err != nil {
			return err
		}
		v, err := h.Version(number)
		if err != nil {
			return err
		}
		m = was
		if v.Title == was.Title && v.Content == was.Content && v.Type == was.Type {
			return nil
		}
		if v.Content != was.Content {
			m.Summary = ""
		}
		m.Type, m.Title, m.Content, m.NormalizedHash = v.Type, v.Title, v.Content, hashOf(v.Content)
		m.UpdatedAt = o.at
		m.RevisionCount++
		return o.replaceMemory(ctx, was, m, "restored")
	})
	if err != nil {
		return engram.Memory{}, err
	}
	return m, nil
}

// LeastStrength is the strength, 0 to 1, below which Recollect leaves memories out that is
// not told another.
const LeastStrength = 0.1

// RecollectInput is what the tool recall asks.
type RecollectInput struct {
	Query       string         // a question or words; "" lists the newest
	Limit       int            // 0 is the default of a search
	Category    string         // only of this type; blank: of any
	MinStrength *float64       // 0 to 1; nil is LeastStrength
	Metadata    map[string]any // only what has all of this, exactly
}

// Recollect answers as the tool recall does, for whoever offers it: from all projects, by
// likeness × strength, current memories alone, each whole.
func (e *Engine) Recollect(ctx context.Context, in RecollectInput) (engram.Found, error) {
	filter := engram.Filter{MinStrength: LeastStrength, Metadata: in.Metadata, Current: true}
	if in.MinStrength != nil {
		filter.MinStrength = *in.MinStrength
	}
	if strings.TrimSpace(in.Category) != "" {
		filter.Types = []engram.Type{engram.Type(in.Category)}
	}
	// Without a session: nobody opens one there.
	return e.SearchWhole(ctx, "", SearchInput{Query: in.Query, Limit: in.Limit, Filter: filter, ByStrength: true})
}

// Known reports whether what was to be saved was there before: it was counted as a repeat,
// taken up by another memory, or revised one.
func (r SaveResult) Known() bool { return r.Action != ActionInserted }

// Contested is the memory that the saved one likeliest contradicts; nil when none is
// suspected.
func (r SaveResult) Contested() *engram.Memory {
	if len(r.Candidates) == 0 {
		return nil
	}
	return &r.Candidates[0].Memory
}
