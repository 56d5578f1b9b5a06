package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// MetricsInput says whose activity is wanted: of a project, "" is every one; of a session,
// which is known as far as its uses are kept (Why); and since when, the zero time being
// from the beginning. Counters have whole days in UTC: Since stands for the day that it
// is in, for sessions too.
type MetricsInput struct {
	Project string
	Session string
	Since   time.Time
}

// verbs are in the order in which they are told.
func verbs() []string {
	return []string{engram.VerbSave, useSearch, useRecall, useContext, useGet, useRemind}
}

// Metrics tells what was asked and saved. Reads of other processes that still run may be
// missing for some seconds. A project or a session that does not exist is not_found, both
// together are CodeInvalid.
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
	e.bringIn(ctx)
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
		m.Sessions, err = r.SessionsSince(ctx, in.Project, in.Since)
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

// bringIn writes down what was counted here, and what other processes have left. What cannot
// be written now waits, and Metrics tells it all the same.
func (e *Engine) bringIn(ctx context.Context) {
	if e.collect != nil {
		e.collect()
	}
	ctx, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	_ = e.FlushTally(ctx)
}

// sumInto fills in what cs come to.
func sumInto(m *engram.Metrics, cs []engram.Counter) {
	byVerb, byProject, byDay := map[string]*engram.NamedActivity{}, map[string]*engram.NamedActivity{}, map[int64]*engram.DailyActivity{}
	for _, c := range cs {
		m.Total.Add(c.Verb, c.Outcome, c.Tally)
		v := entry(byVerb, c.Verb)
		v.Name = c.Verb
		if v.Outcomes == nil {
			v.Outcomes = map[string]int{}
		}
		v.Outcomes[c.Outcome] += c.Events
		v.Add(c.Verb, c.Outcome, c.Tally)
		p := entry(byProject, c.Project)
		p.Name = c.Project
		p.Add(c.Verb, c.Outcome, c.Tally)
		d := entry(byDay, c.Day.Unix())
		d.Day = c.Day
		d.Add(c.Verb, c.Outcome, c.Tally)
	}
	for _, v := range byVerb {
		m.Verbs = append(m.Verbs, *v)
	}
	slices.SortFunc(m.Verbs, func(a, b engram.NamedActivity) int {
		return cmp.Or(cmp.Compare(slices.Index(verbs(), a.Name), slices.Index(verbs(), b.Name)), cmp.Compare(a.Name, b.Name))
	})
	for _, p := range byProject {
		m.Projects = append(m.Projects, *p)
	}
	slices.SortFunc(m.Projects, func(a, b engram.NamedActivity) int { return cmp.Compare(a.Name, b.Name) })
	for _, d := range byDay {
		m.Days = append(m.Days, *d)
	}
	slices.SortFunc(m.Days, func(a, b engram.DailyActivity) int { return a.Day.Compare(b.Day) })
}

func entry[K comparable, V any](all map[K]*V, key K) *V {
	v := all[key]
	if v == nil {
		v = new(V)
		all[key] = v
	}
	return v
}

// sessionMetrics reckons from what the session was shown. What it saved are the memories
// that came to be in it.
func (e *Engine) sessionMetrics(ctx context.Context, in MetricsInput) (engram.Metrics, error) {
	m := engram.Metrics{Since: in.Since, Sessions: 1}
	var cs []engram.Counter
	err := e.store.View(ctx, func(r engram.Reader) error {
		s, err := r.Session(ctx, in.Session)
		if err != nil {
			return err
		}
		uses, err := usesOf(ctx, r, s.ID)
		if err != nil {
			return err
		}
		cs = answersOf(uses, in.Since)
		saved, err := r.CountInSession(ctx, s.ID, true)
		if saved > 0 && in.Since.IsZero() {
			cs = append(cs, engram.Counter{Verb: engram.VerbSave, Outcome: string(ActionInserted), Tally: engram.Tally{Events: saved}})
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

// answersOf are the reads that uses tell of, from a time on: the uses of one answer follow
// one another, at the same time, by the same verb, in the order of their ranks.
func answersOf(uses []engram.Use, since time.Time) (cs []engram.Counter) {
	for i, u := range uses {
		if u.At.Before(since) {
			continue
		}
		if i > 0 && len(cs) > 0 && uses[i-1].At.Equal(u.At) && uses[i-1].Verb == u.Verb && u.Rank > uses[i-1].Rank {
			last := &cs[len(cs)-1]
			last.Memories++
			last.Tokens += u.Tokens
			continue
		}
		c := engram.Counter{Verb: u.Verb, Outcome: engram.OutcomeNothing, Tally: engram.Tally{Events: 1}}
		switch {
		case u.Memory != 0 || u.Tokens > 0: // the latter was erased since
			c.Outcome, c.Memories, c.Tokens = engram.OutcomeFound, 1, u.Tokens
		case u.Rank > 0:
			c.Outcome = engram.OutcomeFound // and not shown again
		}
		if u.Fallback {
			c.Fallbacks = 1
		}
		cs = append(cs, c)
	}
	return cs
}
