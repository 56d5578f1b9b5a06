package engine

import (
	"context"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// History returns what a memory said before, and says now. A forgotten one has its
// history still.
func (e *Engine) History(ctx context.Context, ref engram.Ref) (h engram.History, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		h, err = historyOf(ctx, r, ref)
		return err
	})
	return h, err
}

func historyOf(ctx context.Context, r engram.Reader, ref engram.Ref) (engram.History, error) {
	m, err := r.Memory(ctx, normalRef(ref))
	if err != nil {
		return engram.History{}, err
	}
	revisions, err := r.Revisions(ctx, m.Num)
	if err != nil {
		return engram.History{}, err
	}
	l, err := lineageOf(ctx, r, engram.EntityMemory, key(m.Num), engram.Record{Memory: &engram.MemoryRecord{Memory: m}})
	h := engram.NewHistory(m, revisions)
	date(h.Versions, revisions, l.Of(engram.PartText))
	return h, err
}

// date gives versions the times of the writes that their texts come from, as far as those are
// known: they are the same on every machine, whenever a text came to it and whatever else was
// written since. now is the write of the last version, the others are those of revisions.
func date(versions []engram.Version, revisions []engram.Revision, now engram.Stamp) {
	stamps := make([]engram.Stamp, len(versions))
	for i, r := range revisions {
		stamps[i] = r.Stamp
	}
	if !strings.HasPrefix(now.Device, "~") { // else it says when anything was written last
		stamps[len(revisions)] = now
	}
	for i, s := range stamps {
		if s.At > 0 {
			versions[i].WrittenAt = s.At.Time()
		}
	}
	for i := range revisions {
		if at := nextAfter(stamps, stamps[i]); stamps[i].At > 0 && !at.IsZero() {
			versions[i].ReplacedAt = at
		}
	}
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
		h, err := historyOf(ctx, o.tx, engram.ByNum(was.Num))
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
