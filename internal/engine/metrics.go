package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
)

// MetricsInput selects activity: of a project, "" is every one; or of a session, as far as its exposures are
// kept (Why). Since is rounded down to its day in UTC, the unit of counters; the zero time is the beginning.
type MetricsInput struct {
	Project string
	Session string
	Since   time.Time
}

func operations() []string {
	return []string{engram.OperationSave, opSearch, opRecall, opContext, opGet, opRemind}
}

// Metrics returns what was asked and saved. Reads by other running processes may be missing for some seconds.
// An unknown project or session is not_found, both together are CodeInvalid.
func (e *Engine) Metrics(ctx context.Context, in MetricsInput) (engram.Metrics, error) {
	in.Project, in.Session = normalProject(in.Project), line(in.Session)
	if !in.Since.IsZero() {
		in.Since = in.Since.UTC().Truncate(24 * time.Hour)
	}
	if in.Session != "" {
		if in.Project != "" {
			return engram.Metrics{}, engram.Errorf(engram.CodeInvalid, "a session has one project").WithHint("leave the project out")
		}
		return e.sessionMetrics(ctx, in)
	}
	e.collectCounters(ctx)
	m := engram.Metrics{Since: in.Since}
	var cs []engram.Counter
	err := e.store.View(ctx, func(r engram.Reader) error {
		var err error
		if in.Project, err = projectIfNamed(ctx, r, in.Project); err != nil {
			return err
		}
		if cs, err = r.Counters(ctx, engram.CounterQuery{Project: in.Project, Since: in.Since, ByDay: true, ByProject: true}); err != nil {
			return err
		}
		m.Sessions, err = r.CountSessions(ctx, engram.SessionFilter{Project: in.Project, Since: in.Since})
		return err
	})
	if err != nil {
		return engram.Metrics{}, err
	}
	for _, c := range e.tally.waiting() {
		if (in.Project == "" || c.Project == in.Project) && !c.Day.Before(in.Since) {
			cs = append(cs, c)
		}
	}
	sumInto(&m, cs)
	return m, nil
}

// collectCounters stores the counters of this process and those that others left behind. What cannot be stored now
// stays pending; Metrics includes it.
func (e *Engine) collectCounters(ctx context.Context) {
	if e.options.Collect != nil {
		e.options.Collect()
	}
	ctx, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	_ = e.FlushTally(ctx)
}

// sumInto adds up cs by operation, project and day.
func sumInto(m *engram.Metrics, cs []engram.Counter) {
	byOperation, byProject, byDay := map[string]*engram.NamedActivity{}, map[string]*engram.NamedActivity{}, map[int64]*engram.DailyActivity{}
	for _, c := range cs {
		m.Total.Add(c.Operation, c.Outcome, c.Tally)
		v := entry(byOperation, c.Operation)
		v.Name = c.Operation
		if v.Outcomes == nil {
			v.Outcomes = map[string]int{}
		}
		v.Outcomes[c.Outcome] += c.Events
		v.Add(c.Operation, c.Outcome, c.Tally)
		p := entry(byProject, c.Project)
		p.Name = c.Project
		p.Add(c.Operation, c.Outcome, c.Tally)
		d := entry(byDay, c.Day.Unix())
		d.Day = c.Day
		d.Add(c.Operation, c.Outcome, c.Tally)
	}
	m.Operations = inOrder(byOperation, func(a, b engram.NamedActivity) int {
		return cmp.Or(cmp.Compare(slices.Index(operations(), a.Name), slices.Index(operations(), b.Name)), cmp.Compare(a.Name, b.Name))
	})
	m.Projects = inOrder(byProject, func(a, b engram.NamedActivity) int { return cmp.Compare(a.Name, b.Name) })
	m.Days = inOrder(byDay, func(a, b engram.DailyActivity) int { return a.Day.Compare(b.Day) })
}

func inOrder[K comparable, V any](all map[K]*V, compare func(a, b V) int) (sorted []V) {
	for _, v := range all {
		sorted = append(sorted, *v)
	}
	slices.SortFunc(sorted, compare)
	return sorted
}

func entry[K comparable, V any](all map[K]*V, key K) *V {
	v := all[key]
	if v == nil {
		v = new(V)
		all[key] = v
	}
	return v
}

// sessionMetrics computes activity from what the session was shown and the memories saved in it.
func (e *Engine) sessionMetrics(ctx context.Context, in MetricsInput) (engram.Metrics, error) {
	m := engram.Metrics{Since: in.Since, Sessions: 1}
	var cs []engram.Counter
	err := e.store.View(ctx, func(r engram.Reader) error {
		s, err := r.Session(ctx, in.Session)
		if err != nil {
			return err
		}
		exposures, err := exposuresOf(ctx, r, s.ID)
		if err != nil {
			return err
		}
		cs = answersOf(exposures, in.Since)
		saved, err := r.Count(ctx, engram.Filter{SessionID: s.ID, WithForgotten: true})
		if saved > 0 && in.Since.IsZero() {
			cs = append(cs, engram.Counter{Operation: engram.OperationSave, Outcome: string(ActionInserted), Tally: engram.Tally{Events: saved}})
		}
		return err
	})
	if err != nil {
		return engram.Metrics{}, err
	}
	sumInto(&m, cs)
	m.Projects, m.Days = nil, nil
	return m, nil
}

// answersOf groups exposures into reads: those of one read are adjacent, with equal time and operation, and
// rising ranks.
func answersOf(exposures []engram.Exposure, since time.Time) (cs []engram.Counter) {
	for i, u := range exposures {
		if u.At.Before(since) {
			continue
		}
		if i > 0 && len(cs) > 0 && exposures[i-1].At.Equal(u.At) && exposures[i-1].Operation == u.Operation && u.Rank > exposures[i-1].Rank {
			last := &cs[len(cs)-1]
			last.Memories++
			last.Tokens += u.Tokens
			continue
		}
		c := engram.Counter{Operation: u.Operation, Outcome: engram.OutcomeNothing, Tally: engram.Tally{Events: 1}}
		switch {
		case u.Memory != 0 || u.Tokens > 0: // erased since
			c.Outcome, c.Memories, c.Tokens = engram.OutcomeFound, 1, u.Tokens
		case u.Rank > 0:
			c.Outcome = engram.OutcomeFound // found, but shown before
		}
		if u.Fallback {
			c.Fallbacks = 1
		}
		cs = append(cs, c)
	}
	return cs
}

// Tally counts the operations of a process in memory, so that counting never waits for the disk. FlushTally
// stores the counts for Metrics; a killed process loses unflushed ones. Saves are counted in their own
// transaction, with the journal. Totals are per process, with the error code as the outcome of a failed call.
//
// A nil Tally counts nothing. It is safe for concurrent use, and never blocks while it holds its lock.
type Tally struct {
	now func() time.Time

	mu      sync.Mutex
	pending map[cell]engram.Tally // not yet flushed
	totals  map[counted]engram.Tally
	times   map[string]*Times
}

// cell identifies a counter of the store.
type cell struct {
	day     int64 // since 1970, UTC
	project string
	counted
}

type counted struct{ operation, outcome string }

const secondsADay = 24 * 60 * 60

// maxCells bounds pending counters, so that many unknown project names cannot fill the memory. Beyond it,
// projects are merged into "".
const maxCells = 4096

// NewTally returns a Tally that measures durations by now, which should be monotonic.
func NewTally(now func() time.Time) *Tally {
	return &Tally{now: now, pending: map[cell]engram.Tally{}, totals: map[counted]engram.Tally{}, times: map[string]*Times{}}
}

// begin returns the start time of an operation; the zero time if nothing is counted.
func (t *Tally) begin() time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.now()
}

// read counts a read that started at begun: what it showed, or its failure.
func (t *Tally) read(begun time.Time, project string, s exposure, err error) {
	if t == nil {
		return
	}
	o := counted{s.operation, engram.OutcomeFound}
	n := engram.Tally{Events: 1, Memories: len(s.items)}
	for _, item := range s.items {
		n.Tokens += item.tokens
	}
	switch code := engram.CodeOf(err); {
	case code == engram.CodeNotFound && s.operation == opGet, err == nil && len(s.items) == 0 && !s.found:
		o.outcome, err = engram.OutcomeNothing, nil
	case err != nil:
		o.outcome = string(code)
	}
	if s.fallback {
		n.Fallbacks = 1
	}
	if project = normalProject(project); len(project) > engram.MaxName {
		project = "" // no project has such a long name, and pending counters must stay small
	}
	t.add(begun, o, n, project, err == nil)
}

// saved counts the saves of one call in the totals; the store has counted them.
func (t *Tally) saved(begun time.Time, actions []Action, err error) {
	if t == nil {
		return
	}
	if err != nil {
		t.add(begun, counted{engram.OperationSave, string(engram.CodeOf(err))}, engram.Tally{Events: 1}, "", false)
		return
	}
	for i, a := range actions {
		at := begun
		if i > 0 {
			at = time.Time{} // count the duration of the call once
		}
		t.add(at, counted{engram.OperationSave, string(a)}, engram.Tally{Events: 1}, "", false)
	}
}

func (t *Tally) add(begun time.Time, o counted, n engram.Tally, project string, flush bool) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.totals[o] = t.totals[o].Plus(n)
	if !begun.IsZero() {
		times := entry(t.times, o.operation)
		times.Operation = o.operation
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
	t.mu.Lock()
	defer t.mu.Unlock()
	cs := countersOf(t.pending)
	clear(t.pending)
	return cs
}

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
		cs = append(cs, engram.Counter{Day: time.Unix(c.day*secondsADay, 0).UTC(), Project: c.project, Operation: c.operation, Outcome: c.outcome, Tally: n})
	}
	return cs
}

// Put returns counters to the pending ones: taken ones, or those of another process.
func (t *Tally) Put(cs []engram.Counter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range cs {
		t.put(cell{c.Day.Unix() / secondsADay, c.Project, counted{c.Operation, c.Outcome}}, c.Tally)
	}
}

// FlushTally stores the pending counters; without any it costs nothing. Counters that cannot be stored stay
// pending, and the error has the store's code.
func (e *Engine) FlushTally(ctx context.Context) error {
	cs := e.tally.Take()
	if len(cs) == 0 {
		return nil
	}
	err := e.store.Update(ctx, func(tx engram.Tx) error { return tx.RecordUse(ctx, engram.Use{Counters: cs}) })
	if err != nil {
		e.tally.Put(cs)
	}
	return err
}

// Total counts one outcome of an operation in this process.
type Total struct {
	Operation, Outcome string
	engram.Tally
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

// Totals returns the counts of this process by operation and outcome, and response times by operation; nothing
// without a Tally.
func (e *Engine) Totals() (totals []Total, times []Times) {
	t := e.tally
	if t == nil {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for o, n := range t.totals {
		totals = append(totals, Total{o.operation, o.outcome, n})
	}
	slices.SortFunc(totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Outcome, b.Outcome))
	})
	return totals, inOrder(t.times, func(a, b Times) int { return cmp.Compare(a.Operation, b.Operation) })
}

// countSaves counts saves in their transaction, so that counters agree with the journal.
func (o *op) countSaves(ctx context.Context, saves []SaveResult) error {
	return o.tx.RecordUse(ctx, engram.Use{Counters: mapped(saves, func(s SaveResult) engram.Counter {
		return engram.Counter{Day: o.at, Project: s.Memory.Project, Operation: engram.OperationSave, Outcome: string(s.Action), Tally: engram.Tally{Events: 1}}
	})})

}

func actionsOf(saves []SaveResult) []Action {
	return mapped(saves, func(s SaveResult) Action { return s.Action })
}
