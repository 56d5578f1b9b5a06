package engine

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

// Traces tells who outside the store holds copies of memories.
type Traces interface {
	// Holding returns the backups and shared files that have one of the memories, of which
	// ID and SyncID are set, and the paths of those that could not be read and may have
	// one. roots are the folders of the projects they belonged to.
	Holding(ctx context.Context, ms []engram.Memory, roots []string) (held []engram.Trace, unread []string, err error)
}

// Deleted says what was forgotten or erased.
type Deleted struct {
	Memories []engram.Memory
	HeldBy   []engram.Trace // who holds the text of what was erased; nil after forgetting
	Degraded []string       // where it was not looked, and why
}

// Delete forgets memories, or with hard erases them for good; all or none. After an
// erase it says who holds the texts all the same: backups, chunks that were shared by
// git, memories into which one was merged.
func (e *Engine) Delete(ctx context.Context, hard bool, refs ...engram.Ref) (Deleted, error) {
	if !hard {
		ms, err := e.Forget(ctx, refs...)
		return Deleted{Memories: ms}, err
	}
	var d Deleted
	var roots []string
	err := e.write(ctx, "erase", func(o *op) (err error) {
		// Asked before: afterwards nobody knows any more what was merged into what.
		ms, err := each(ctx, refs, o.tx.Memory)
		if err != nil {
			return err
		}
		if d.HeldBy, roots, err = o.held(ctx, ms); err != nil {
			return err
		}
		d.Memories = ms
		return o.eraseAll(ctx, ms)
	})
	if err != nil {
		return Deleted{}, err
	}
	outside, degraded := e.heldOutside(ctx, d.Memories, roots)
	d.HeldBy, d.Degraded = append(d.HeldBy, outside...), degraded
	return d, nil
}

// held returns the memories that keep texts of those that are to be erased, and the
// folders of their projects.
func (o *op) held(ctx context.Context, ms []engram.Memory) (held []engram.Trace, roots []string, err error) {
	going := map[int64]bool{}
	for _, m := range ms {
		going[m.Num] = true
	}
	h := holdersIn(o.tx, func(m engram.Memory) bool { return going[m.Num] })
	for _, m := range ms {
		if err := h.lookFor(ctx, m); err != nil {
			return nil, nil, err
		}
		if p, known, err := o.tx.Project(ctx, m.Project); err != nil {
			return nil, nil, err
		} else if known && p.Root != "" {
			roots = append(roots, p.Root)
		}
	}
	return h.held, roots, nil
}

// heldOutside returns who outside the store holds copies of erased memories, and what
// could not be looked through. The texts are gone from here: that stands, whatever
// happens there.
func (e *Engine) heldOutside(ctx context.Context, ms []engram.Memory, roots []string) (held []engram.Trace, degraded []string) {
	if e.traces == nil || len(ms) == 0 {
		return nil, nil
	}
	held, unread, err := e.traces.Holding(ctx, ms, roots)
	for _, path := range unread {
		degraded = append(degraded, fmt.Sprintf("%s could not be read: it may hold the text still", path))
	}
	if err != nil {
		degraded = append(degraded, fmt.Sprintf("backups and chunks could not be looked through: %v", err))
	}
	return held, degraded
}
