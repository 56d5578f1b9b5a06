package engine

import (
	"context"

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
	return engram.NewHistory(m, revisions), err
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
