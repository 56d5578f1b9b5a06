package exposure

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Operations are the counted operations.
func Operations() []string {
	return []string{engram.OperationSave, OpSearch, OpRecall, OpContext, OpGet, OpRemind}
}

// CollectCounters stores the counters of this process and those that others left behind. After an error, what is not
// stored stays pending; Metrics includes that of this process.
func (x *Recorder) CollectCounters(ctx context.Context) error {
	if x.collect != nil {
		if err := x.collect(); err != nil {
			return err
		}
	}
	return x.FlushTally(ctx)
}

// Entry returns the value of a key, which it adds if missing.
func Entry[K comparable, V any](all map[K]*V, key K) *V {
	v := all[key]
	if v == nil {
		v = new(V)
		all[key] = v
	}
	return v
}

// Tally counts the operations of a process in memory, so that counting never waits for the disk. FlushTally
// stores the counts for Metrics; a killed process loses unflushed ones. Saves are counted in their own
// transaction, with the journal. Totals are per process, with the error code as the outcome of a failed call.
//
// A nil Tally counts nothing. It is safe for concurrent use, and never blocks while it holds its lock.
type Tally struct {
	now func() time.Time

	Mu      sync.Mutex
	pending map[cell]engram.Tally // not yet flushed
	Totals  map[Counted]engram.Tally
	Times   map[string]*Times
}

// cell identifies a counter of the store.
type cell struct {
	day     int64 // since 1970, UTC
	project string
	Counted
}

// Counted is the operation and the outcome of a counter.
type Counted struct{ Operation, Outcome string }

const secondsADay = 24 * 60 * 60

// maxCells bounds pending counters, so that many unknown project names cannot fill the memory. Beyond it,
// projects are merged into "".
const maxCells = 4096

// NewTally returns a Tally that measures durations by now, which should be monotonic.
func NewTally(now func() time.Time) *Tally {
	return &Tally{now: now, pending: map[cell]engram.Tally{}, Totals: map[Counted]engram.Tally{}, Times: map[string]*Times{}}
}

// Begin returns the start time of an operation; the zero time if nothing is counted.
func (t *Tally) Begin() time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.now()
}

// Read counts a read that started at begun: what it showed, or its failure.
func (t *Tally) Read(begun time.Time, project string, s Exposure, err error) {
	if t == nil {
		return
	}
	o := Counted{s.Operation, engram.OutcomeFound}
	n := engram.Tally{Events: 1, Memories: len(s.Items)}
	for _, item := range s.Items {
		n.Tokens += item.Tokens
	}
	switch code := engram.CodeOf(err); {
	case code == engram.CodeNotFound && s.Operation == OpGet, err == nil && len(s.Items) == 0 && !s.Found:
		o.Outcome, err = engram.OutcomeNothing, nil
	case err != nil:
		o.Outcome = string(code)
	}
	if s.Fallback {
		n.Fallbacks = 1
	}
	if project = screen.NormalProject(project); len(project) > engram.MaxName {
		project = "" // no project has such a long name, and pending counters must stay small
	}
	t.add(begun, o, n, project, err == nil)
}

// Saved counts the saves of one call in the totals; the store has counted them.
func (t *Tally) Saved(begun time.Time, actions []ledger.Action, err error) {
	if t == nil {
		return
	}
	if err != nil {
		t.add(begun, Counted{engram.OperationSave, string(engram.CodeOf(err))}, engram.Tally{Events: 1}, "", false)
		return
	}
	for i, a := range actions {
		at := begun
		if i > 0 {
			at = time.Time{} // count the duration of the call once
		}
		t.add(at, Counted{engram.OperationSave, string(a)}, engram.Tally{Events: 1}, "", false)
	}
}

func (t *Tally) add(begun time.Time, o Counted, n engram.Tally, project string, flush bool) {
	now := t.now()
	t.Mu.Lock()
	defer t.Mu.Unlock()
	t.Totals[o] = t.Totals[o].Plus(n)
	if !begun.IsZero() {
		times := Entry(t.Times, o.Operation)
		times.Operation = o.Operation
		times.add(now.Sub(begun))
	}
	if !flush {
		return
	}
	t.put(cell{now.Unix() / secondsADay, project, o}, n)
}

// put adds to a pending counter; t.mu is locked.
func (t *Tally) put(c cell, n engram.Tally) {
	if _, there := t.pending[c]; !there && len(t.pending) >= maxCells {
		c.project = ""
	}
	t.pending[c] = t.pending[c].Plus(n)
}

// Take removes and returns the pending counters, in no order.
func (t *Tally) Take() []engram.Counter {
	if t == nil {
		return nil
	}
	t.Mu.Lock()
	defer t.Mu.Unlock()
	cs := countersOf(t.pending)
	clear(t.pending)
	return cs
}

// Waiting returns the counters that are not stored yet.
func (t *Tally) Waiting() []engram.Counter {
	if t == nil {
		return nil
	}
	t.Mu.Lock()
	defer t.Mu.Unlock()
	return countersOf(t.pending)
}

func countersOf(pending map[cell]engram.Tally) (cs []engram.Counter) {
	for c, n := range pending {
		cs = append(cs, engram.Counter{Day: time.Unix(c.day*secondsADay, 0).UTC(), Project: c.project, Operation: c.Operation, Outcome: c.Outcome, Tally: n})
	}
	return cs
}

// Put returns counters to the pending ones: taken ones, or those of another process.
func (t *Tally) Put(cs []engram.Counter) {
	t.Mu.Lock()
	defer t.Mu.Unlock()
	for _, c := range cs {
		t.put(cell{c.Day.Unix() / secondsADay, c.Project, Counted{c.Operation, c.Outcome}}, c.Tally)
	}
}

// FlushTally stores the pending counters; without any it costs nothing. Counters that cannot be stored stay
// pending, and the error has the store's code.
func (x *Recorder) FlushTally(ctx context.Context) error {
	cs := x.Tally.Take()
	if len(cs) == 0 {
		return nil
	}
	err := x.ledger.Update(ctx, func(tx engram.Tx) error { return tx.RecordUse(ctx, engram.Use{Counters: cs}) })
	if err != nil {
		x.Tally.Put(cs)
	}
	return err
}

// Times are the response times of one operation in this process.
type Times struct {
	Operation string
	Buckets   [13]int // responses up to the edge in TimeEdges and above the previous one; the last has all longer ones
	Sum       time.Duration
	Count     int
}

// TimeEdges returns the upper edges of the buckets of Times, for responses from memory up to those of a
// language model.
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
