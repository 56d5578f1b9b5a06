package read

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// MetricsInput selects activity: of a project, "" is every one; or of a session, as far as its exposures are
// kept (Why). Since is rounded down to its day in UTC, the unit of counters; the zero time is the beginning.
type MetricsInput struct {
	Project string
	Session string
	Since   time.Time
}

// Metrics returns what was asked and saved. Reads by other running processes may be missing for some seconds.
// An unknown project or session is not_found, both together are CodeInvalid.
func (d *Reader) Metrics(ctx context.Context, in MetricsInput) (engram.Metrics, error) {
	in.Project, in.Session = screen.NormalProject(in.Project), screen.Line(in.Session)
	if !in.Since.IsZero() {
		in.Since = in.Since.UTC().Truncate(24 * time.Hour)
	}
	if in.Session != "" {
		if in.Project != "" {
			return engram.Metrics{}, engram.Errorf(engram.CodeInvalid, "a session has one project").WithHint("leave the project out")
		}
		return d.sessionMetrics(ctx, in)
	}
	patient, cancel := context.WithTimeout(ctx, d.ledger.Patience)
	_ = d.exposure.CollectCounters(patient) // what cannot be stored now is added below
	cancel()
	m := engram.Metrics{Since: in.Since}
	var cs []engram.Counter
	err := d.ledger.View(ctx, func(r engram.Reader) error {
		var err error
		if in.Project, err = projects.ProjectIfNamed(ctx, r, in.Project); err != nil {
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
	for _, c := range d.exposure.Tally.Waiting() {
		if (in.Project == "" || c.Project == in.Project) && !c.Day.Before(in.Since) {
			cs = append(cs, c)
		}
	}
	sumInto(&m, cs)
	return m, nil
}

// sumInto adds up cs by operation, project and day.
func sumInto(m *engram.Metrics, cs []engram.Counter) {
	byOperation, byProject, byDay := map[string]*engram.NamedActivity{}, map[string]*engram.NamedActivity{}, map[int64]*engram.DailyActivity{}
	for _, c := range cs {
		m.Total.Add(c.Operation, c.Outcome, c.Tally)
		v := exposure.Entry(byOperation, c.Operation)
		v.Name = c.Operation
		if v.Outcomes == nil {
			v.Outcomes = map[string]int{}
		}
		v.Outcomes[c.Outcome] += c.Events
		v.Add(c.Operation, c.Outcome, c.Tally)
		p := exposure.Entry(byProject, c.Project)
		p.Name = c.Project
		p.Add(c.Operation, c.Outcome, c.Tally)
		d := exposure.Entry(byDay, c.Day.Unix())
		d.Day = c.Day
		d.Add(c.Operation, c.Outcome, c.Tally)
	}
	m.Operations = inOrder(byOperation, func(a, b engram.NamedActivity) int {
		return cmp.Or(cmp.Compare(slices.Index(exposure.Operations(), a.Name), slices.Index(exposure.Operations(), b.Name)), cmp.Compare(a.Name, b.Name))
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

// sessionMetrics computes activity from what the session was shown and the memories saved in it.
func (d *Reader) sessionMetrics(ctx context.Context, in MetricsInput) (engram.Metrics, error) {
	m := engram.Metrics{Since: in.Since, Sessions: 1}
	var cs []engram.Counter
	err := d.ledger.View(ctx, func(r engram.Reader) error {
		s, err := r.Session(ctx, in.Session)
		if err != nil {
			return err
		}
		exposures, err := ExposuresOf(ctx, r, s.ID)
		if err != nil {
			return err
		}
		cs = answersOf(exposures, in.Since)
		saved, err := r.Count(ctx, engram.Filter{SessionID: s.ID, WithForgotten: true})
		if saved > 0 && in.Since.IsZero() {
			cs = append(cs, engram.Counter{Operation: engram.OperationSave, Outcome: string(ledger.ActionInserted), Tally: engram.Tally{Events: saved}})
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

// Total counts one outcome of an operation in this process.
type Total struct {
	Operation, Outcome string
	engram.Tally
}

// Totals returns the counts of this process by operation and outcome, and response times by operation; nothing
// without a Tally.
func (d *Reader) Totals() (totals []Total, times []exposure.Times) {
	t := d.exposure.Tally
	if t == nil {
		return nil, nil
	}
	t.Mu.Lock()
	defer t.Mu.Unlock()
	for o, n := range t.Totals {
		totals = append(totals, Total{o.Operation, o.Outcome, n})
	}
	slices.SortFunc(totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Outcome, b.Outcome))
	})
	return totals, inOrder(t.Times, func(a, b exposure.Times) int { return cmp.Compare(a.Operation, b.Operation) })
}
