package engine

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
)

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
func textWrite(ctx context.Context, r engram.Reader, m engram.Memory) (engram.Stamp, error) {
	if p, past := r.(*pastReader); past {
		if s, known, err := p.textWrite(ctx, m.Num); known || err != nil {
			return s, err
		}
	}
	l, err := memoryLineage(ctx, r, m)
	return l.Of(engram.PartText), err
}

// date gives revisions the times of the writes that their texts come from, as far as those are
// known: they are the same on every machine, whenever a text came to it and whatever else was
// written since. It returns that of the text in force, which the write now made.
func date(m engram.Memory, revisions []engram.Revision, now engram.Stamp) (writtenAt time.Time) {
	writtenAt = m.CreatedAt
	stamps := make([]engram.Stamp, len(revisions)+1)
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
func nextAfter(stamps []engram.Stamp, s engram.Stamp) time.Time {
	var next engram.Stamp
	for _, other := range stamps {
		if other.Compare(s) > 0 && (next == engram.Stamp{} || other.Compare(next) < 0) {
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
