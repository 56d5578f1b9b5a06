package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// mostStale is up to how many memories whose code changed are listed and counted, and mostLooked
// of how many of them the code is looked at before.
const (
	mostStale  = 1000
	mostLooked = 100
)

// lookAtStale looks what became meanwhile of the code of memories that wait because it changed,
// by number, and notes it.
func (e *Engine) lookAtStale(ctx context.Context, project string) (map[int64][]engram.Anchored, error) {
	if e.code == nil || e.dir == "" {
		return nil, nil
	}
	var stale []engram.Memory
	err := e.store.View(ctx, func(r engram.Reader) error {
		name, err := deferredProject(ctx, r, project)
		if err != nil {
			return err
		}
		stale, err = r.StaleAnchors(ctx, name, engram.Page{Limit: mostLooked})
		return err
	})
	if err != nil {
		return nil, err
	}
	states := e.states(ctx, stale)
	e.noteAnchors(ctx, states)
	return states, nil
}

// changed lists memories whose code is another one, but those that were put off.
func (q *queueing) changed(ctx context.Context, r engram.Reader) error {
	ms, err := r.StaleAnchors(ctx, q.project, engram.Page{Limit: mostStale})
	if err != nil {
		return err
	}
	marks, err := r.Trust(ctx, memoryNums(ms))
	if err != nil {
		return err
	}
	ms = slices.DeleteFunc(ms, func(m engram.Memory) bool {
		now := retrieval.Standing(q.states[m.Num]) // another process may have kept it from being noted
		return snoozed(m, marks[m.Num], q.now) || now != engram.AnchorUnknown && !now.Stale()
	})
	q.Counts[engram.QueueChanged] = len(ms)
	p := q.take(len(ms))
	ms = ms[p.Offset : p.Offset+p.Limit]
	seen, err := r.SeenAnchors(ctx, memoryNums(ms))
	if err != nil {
		return err
	}
	for _, m := range ms {
		item := engram.QueueItem{Kind: engram.QueueChanged, Memory: m, State: lifecycle.State(m, q.now)}
		item.Anchors, item.Reasons = q.changes(m, seen[m.Num])
		q.Items = append(q.Items, item)
	}
	return nil
}

// changes are the anchors of a memory as they stand, and what a person is told of them: each file
// that is another one, by name. Where nobody could look it is what was seen the last time.
func (q *queueing) changes(m engram.Memory, seen engram.AnchorState) (all []engram.Anchored, why []string) {
	all = q.states[m.Num]
	if retrieval.Standing(all) == engram.AnchorUnknown {
		all = make([]engram.Anchored, len(m.Anchors))
		for i, a := range m.Anchors {
			all[i].Anchor = a
		}
		return all, []string{line(placesOfAnchors(m.Anchors)) + ": " + string(seen) + " when it was last looked at"}
	}
	for _, a := range all {
		if retrieval.Standing([]engram.Anchored{a}).Stale() {
			why = append(why, line(a.Place().String())+": "+string(a.State))
		}
	}
	return all, why
}
