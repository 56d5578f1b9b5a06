package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Version is what a memory said for a while.
type Version struct {
	Number     int // the RevisionCount it had meanwhile, from 1, rising; not without gaps
	Type       engram.Type
	Title      string
	Content    string
	WrittenAt  time.Time
	ReplacedAt time.Time // zero for what it says now
	Reason     string    // why it was replaced
}

// History is a memory with all that it ever said.
type History struct {
	Memory   engram.Memory // as it is now, forgotten or not
	Versions []Version     // oldest first; the last is what it says now
}

// History returns what a memory said before, and says now. A forgotten one has its
// history still.
func (e *Engine) History(ctx context.Context, ref engram.Ref) (h History, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		h, err = historyOf(ctx, r, ref)
		return err
	})
	return h, err
}

func historyOf(ctx context.Context, r engram.Reader, ref engram.Ref) (History, error) {
	m, err := r.Memory(ctx, normalRef(ref))
	if err != nil {
		return History{}, err
	}
	h := History{Memory: m}
	revisions, err := r.Revisions(ctx, m.Num)
	if err != nil {
		return History{}, err
	}
	for _, v := range revisions {
		h.Versions = append(h.Versions, Version{v.Number, v.Type, v.Title, v.Content, v.WrittenAt, v.ReplacedAt, v.Reason})
	}
	written := m.CreatedAt
	if len(revisions) > 0 {
		written = revisions[len(revisions)-1].ReplacedAt
	}
	h.Versions = append(h.Versions, Version{Number: m.RevisionCount, Type: m.Type, Title: m.Title, Content: m.Content, WrittenAt: written})
	return h, nil
}

// Version returns the version with a number; not_found when there is none. 0 is what the
// memory says now, -1 what it said before that, and so on.
func (h History) Version(number int) (Version, error) {
	if number <= 0 {
		if i := len(h.Versions) - 1 + number; i >= 0 {
			return h.Versions[i], nil
		}
	}
	i := slices.IndexFunc(h.Versions, func(v Version) bool { return v.Number == number })
	if i < 0 || number <= 0 {
		return Version{}, engram.Errorf(engram.CodeNotFound, "memory #%d has no version %d", h.Memory.Num, number).
			WithHint("history shows which there are")
	}
	return h.Versions[i], nil
}

// Restore lets a live memory say again what it said in an earlier version. What it says
// now becomes a revision; restoring what it says already changes nothing. The number is
// as in History.Version.
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
		m.Type, m.Title, m.Content, m.NormalizedHash, m.Summary = v.Type, v.Title, v.Content, hashOf(v.Content), ""
		m.UpdatedAt = o.at
		m.RevisionCount++
		return o.replaceMemory(ctx, was, m, "restored")
	})
	if err != nil {
		return engram.Memory{}, err
	}
	return m, nil
}
