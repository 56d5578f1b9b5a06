package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Traces tells who outside the store holds copies of memories.
type Traces interface {
	// Holding returns the backups and shared files that have one of the memories. root are
	// the folders of the projects they belonged to.
	Holding(ctx context.Context, ms []engram.Memory, roots []string) ([]engram.Trace, error)
}

// Deleted says what was forgotten or erased.
type Deleted struct {
	Memories []engram.Memory
	HeldBy   []engram.Trace // who holds the text of what was erased; nil after forgetting
	Degraded []string
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
	// Asked before: afterwards nobody knows any more what was merged into what.
	err := e.store.View(ctx, func(r engram.Reader) error {
		for _, ref := range refs {
			m, err := r.Memory(ctx, normalRef(ref))
			if err != nil {
				return err
			}
			held, err := heldBy(ctx, r, m)
			if err != nil {
				return err
			}
			d.HeldBy = append(d.HeldBy, held...)
			if p, known, err := r.Project(ctx, m.Project); err != nil {
				return err
			} else if known && p.Root != "" {
				roots = append(roots, p.Root)
			}
		}
		return nil
	})
	if err != nil {
		return Deleted{}, err
	}
	if d.Memories, err = e.Erase(ctx, refs...); err != nil {
		return Deleted{}, err
	}
	if e.traces != nil {
		outside, err := e.traces.Holding(ctx, d.Memories, roots)
		if err != nil { // the text is gone from here: that stands
			d.Degraded = append(d.Degraded, fmt.Sprintf("backups and chunks could not be looked through: %v", err))
		}
		d.HeldBy = append(d.HeldBy, outside...)
	}
	return d, nil
}

// heldBy returns the memories tied to m that hold its text, now or in a revision: it
// was merged into them.
func heldBy(ctx context.Context, r engram.Reader, m engram.Memory) ([]engram.Trace, error) {
	relations, err := r.Relations(ctx, []int64{m.Num})
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{m.Num: true}
	var held []engram.Trace
	for _, rel := range relations {
		num := rel.Source
		if num == m.Num {
			num = rel.Target
		}
		if seen[num] {
			continue
		}
		seen[num] = true
		h, err := historyOf(ctx, r, engram.ByNum(num))
		if err != nil {
			return nil, err
		}
		for _, v := range h.Versions {
			if strings.Contains(v.Content, m.Content) {
				held = append(held, engram.Trace{Kind: engram.TraceMemory, Where: fmt.Sprintf("#%d", num)})
				break
			}
		}
	}
	return held, nil
}
