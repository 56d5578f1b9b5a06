package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Tally counts what the verbs of a process do, in memory: a read must not wait for the
// disk to be counted, and a thousand of them a second must not either. Flush writes down
// what Metrics tells later; what a process that was killed had not flushed is lost. Saves
// are written down where they save, with the journal. Totals are those of the
// process, where a call that failed has the code of its error for an outcome.
//
// Its lock is held for a few additions and never while anything is waited for. A nil
// Tally counts nothing. It may be used by many goroutines.
type Tally struct {
	now func() time.Time

	mu      sync.Mutex
	pending map[cell]engram.Tally // not yet flushed
	totals  map[counted]engram.Tally
	times   map[string]*Times
}

// cell is where a counter of the store belongs.
type cell struct {
	day     int64 // since 1970, UTC
	project string
	counted
}

type counted struct{ verb, outcome string }

// maxCells bounds what waits to be flushed: whoever asks about a new project each time
// must not fill the memory. Beyond it projects are not told apart.
const maxCells = 4096

// NewTally returns a Tally that tells the time by now, which should be monotonic.
func NewTally(now func() time.Time) *Tally {
	return &Tally{now: now, pending: map[cell]engram.Tally{}, totals: map[counted]engram.Tally{}, times: map[string]*Times{}}
}

// begin is when a verb began; the zero time where nothing is counted.
func (t *Tally) begin() time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.now()
}

// read counts a read that began at a time: what it showed, or that it failed.
func (t *Tally) read(begun time.Time, project string, s showing, err error) {
	if t == nil {
		return
	}
	o := counted{s.verb, engram.OutcomeFound}
	n := engram.Tally{Events: 1, Memories: len(s.items)}
	for _, item := range s.items {
		n.Tokens += item.tokens
	}
	switch code := engram.CodeOf(err); {
	case code == engram.CodeNotFound && s.verb == useGet, err == nil && len(s.items) == 0 && !s.found:
		o.outcome, err = engram.OutcomeNothing, nil
	case err != nil:
		o.outcome = string(code)
	}
	if s.fallback {
		n.Fallbacks = 1
	}
	if project = normalProject(project); len(project) > engram.MaxName {
		project = "" // there is no such project, and what waits must stay small
	}
	t.add(begun, o, n, project, err == nil)
}

// saved counts saves of one call that began at a time, which the store has counted.
func (t *Tally) saved(begun time.Time, actions []Action, err error) {
	if t == nil {
		return
	}
	if err != nil {
		t.add(begun, counted{engram.VerbSave, string(engram.CodeOf(err))}, engram.Tally{Events: 1}, "", false)
		return
	}
	for i, a := range actions {
		at := begun
		if i > 0 {
			at = time.Time{} // the call took its time once
		}
		t.add(at, counted{engram.VerbSave, string(a)}, engram.Tally{Events: 1}, "", false)
	}
}

func (t *Tally) add(begun time.Time, o counted, n engram.Tally, project string, flush bool) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.totals[o] = t.totals[o].Plus(n)
	if !begun.IsZero() {
		times := t.times[o.verb]
		if times == nil {
			times = &Times{Verb: o.verb}
			t.times[o.verb] = times
		}
		times.add(now.Sub(begun))
	}
	if !flush {
		return
	}
	c := cell{now.Unix() / (24 * 60 * 60), project, o}
	if _, there := t.pending[c]; !there && len(t.pending) >= maxCells {
		c.project = ""
	}
	t.pending[c] = t.pending[c].Plus(n)
}

// Take empties what waits to be written down, and returns it, in no order.
func (t *Tally) Take() []engram.Counter {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	cs := countersOf(t.pending)
	clear(t.pending)
	return cs
}

// waiting is what was not flushed yet.
func (t *Tally) waiting() []engram.Counter {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return countersOf(t.pending)
}

func countersOf(pending map[cell]engram.Tally) (cs []engram.Counter) {
	for c, n := range pending {
		cs = append(cs, engram.Counter{Day: time.Unix(c.day*24*60*60, 0).UTC(), Project: c.project, Verb: c.verb, Outcome: c.outcome, Tally: n})
	}
	return cs
}

// Put lets counters wait that were taken: here, or by a process that left them behind.
func (t *Tally) Put(cs []engram.Counter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range cs {
		at := cell{c.Day.Unix() / (24 * 60 * 60), c.Project, counted{c.Verb, c.Outcome}}
		if _, there := t.pending[at]; !there && len(t.pending) >= maxCells {
			at.project = ""
		}
		t.pending[at] = t.pending[at].Plus(c.Tally)
	}
}

// FlushTally writes down what the Tally of this Engine has counted since the last time; with
// nothing to write it costs nothing. What cannot be written waits for the next time, and
// the error, with the store's code, says why.
func (e *Engine) FlushTally(ctx context.Context) error {
	cs := e.tally.Take()
	if len(cs) == 0 {
		return nil
	}
	err := e.store.Update(ctx, func(tx engram.Tx) error { return tx.AddCounters(ctx, cs) })
	if err != nil {
		e.tally.Put(cs)
	}
	return err
}

// Total is how often a verb came to an outcome in this process.
type Total struct {
	Verb, Outcome string
	engram.Tally
}

// Times says how long answers of one verb took in this process.
type Times struct {
	Verb    string
	Buckets [13]int // answers that took up to the edge of TimeEdges and longer than the one before; the last: longer than all
	Sum     time.Duration
	Count   int
}

// TimeEdges are the upper edges of the buckets of Times, chosen for answers out of memory
// up to those of a language model.
func TimeEdges() [12]time.Duration {
	const ms = time.Millisecond
	return [12]time.Duration{ms / 4, ms / 2, ms, 5 * ms / 2, 5 * ms, 10 * ms, 25 * ms, 50 * ms, 100 * ms, 250 * ms, time.Second, 10 * time.Second}
}

func (t *Times) add(took time.Duration) {
	edges := TimeEdges()
	i, _ := slices.BinarySearch(edges[:], took)
	t.Buckets[i]++
	t.Sum += took
	t.Count++
}

// Totals returns what was counted in this process, by verb and outcome, and how long it
// took, by verb; nothing without a Tally.
func (e *Engine) Totals() (totals []Total, times []Times) {
	t := e.tally
	if t == nil {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for o, n := range t.totals {
		totals = append(totals, Total{o.verb, o.outcome, n})
	}
	slices.SortFunc(totals, func(a, b Total) int { return cmp.Or(cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Outcome, b.Outcome)) })
	for _, verb := range slices.Sorted(maps.Keys(t.times)) {
		times = append(times, *t.times[verb])
	}
	return totals, times
}

// countSaves counts saves in the transaction that saves, so that they agree with the
// journal whatever happens.
func (o *op) countSaves(ctx context.Context, saves []SaveResult) error {
	var cs []engram.Counter
	for _, s := range saves {
		cs = append(cs, engram.Counter{Day: o.at, Project: s.Memory.Project, Verb: engram.VerbSave, Outcome: string(s.Action), Tally: engram.Tally{Events: 1}})
	}
	return o.tx.AddCounters(ctx, cs)
}

func actionsOf(saves []SaveResult) []Action {
	actions := make([]Action, len(saves))
	for i, s := range saves {
		actions[i] = s.Action
	}
	return actions
}
