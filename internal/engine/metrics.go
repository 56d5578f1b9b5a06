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
// is in.
type MetricsInput struct {
	Project string
	Session string
	Since   time.Time
}

// Activity is what was done: writes that saved, and reads.
type Activity struct {
	Saves     int
	Reads     int
	Found     int // reads that found something
	Fallbacks int // reads where a channel could not answer, or an empty question listed the newest
	Memories  int // shown
	Tokens    int // what showing them cost, about
}

// Events are all of it.
func (a Activity) Events() int { return a.Saves + a.Reads }

// HitRate is the share of reads that found something, 0 to 1; ok is false without reads.
func (a Activity) HitRate() (rate float64, ok bool) { return share(a.Found, a.Reads) }

// FallbackRate is the share of reads that fell back, 0 to 1; ok is false without reads.
func (a Activity) FallbackRate() (rate float64, ok bool) { return share(a.Fallbacks, a.Reads) }

func share(part, whole int) (float64, bool) {
	if whole == 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

func (a *Activity) add(verb, outcome string, n engram.Tally) {
	if verb == useSave {
		a.Saves += n.Events
		return
	}
	a.Reads += n.Events
	if outcome == OutcomeFound {
		a.Found += n.Events
	}
	a.Fallbacks += n.Fallbacks
	a.Memories += n.Memories
	a.Tokens += n.Tokens
}

// Named is the activity of a verb or of a project.
type Named struct {
	Name     string         // "" is reads of every project at once, and projects that are gone
	Outcomes map[string]int // how often a verb came to each; nil for projects
	Activity
}

// Daily is the activity of one day.
type Daily struct {
	Day time.Time // midnight UTC
	Activity
}

// Metrics is the activity of a store.
type Metrics struct {
	Since    time.Time // zero: from the beginning
	Sessions int       // that were started since
	Total    Activity
	Verbs    []Named // in the order of verbs
	Projects []Named // by name; nil for a session
	Days     []Daily // on which something was done, oldest first; nil for a session
}

// verbs are in the order in which they are told.
func verbs() []string { return []string{useSave, useSearch, useRecall, useContext, useGet} }

// Metrics tells what was asked and saved. Reads of other processes that still run may be
// missing for some seconds. A project or a session that does not exist is not_found, both
// together are CodeInvalid.
func (e *Engine) Metrics(ctx context.Context, in MetricsInput) (Metrics, error) {
	in.Project, in.Session = normalProject(in.Project), line(in.Session)
	if in.Session != "" {
		if in.Project != "" {
			return Metrics{}, engram.Errorf(engram.CodeInvalid, "a session has one project").WithHint("leave the project out")
		}
		return e.sessionMetrics(ctx, in)
	}
	if e.collect != nil {
		e.collect()
	}
	// What cannot be written now is told all the same: it is among those that wait.
	flush, cancel := context.WithTimeout(ctx, patience)
	_ = e.FlushTally(flush)
	cancel()
	m := Metrics{Since: in.Since}
	var cs []engram.Counter
	err := e.store.View(ctx, func(r engram.Reader) error {
		if in.Project != "" {
			p, known, err := r.Project(ctx, in.Project)
			if err != nil {
				return err
			}
			if !known {
				return engram.Errorf(engram.CodeNotFound, "project %q does not exist", in.Project).WithHint("projects list shows what there is")
			}
			in.Project = p.Name
		}
		var err error
		if cs, err = r.Counters(ctx, engram.CounterQuery{Project: in.Project, Since: in.Since, ByDay: true, ByProject: true}); err != nil {
			return err
		}
		m.Sessions, err = r.SessionsSince(ctx, in.Project, in.Since)
		return err
	})
	if err != nil {
		return Metrics{}, err
	}
	for _, c := range e.tally.waiting() {
		if (in.Project == "" || c.Project == in.Project) && !c.Day.Before(in.Since.Truncate(24*time.Hour)) {
			cs = append(cs, c)
		}
	}
	m.sum(cs)
	return m, nil
}

// sum fills in what cs come to.
func (m *Metrics) sum(cs []engram.Counter) {
	byVerb, byProject, byDay := map[string]*Named{}, map[string]*Named{}, map[int64]*Daily{}
	for _, c := range cs {
		m.Total.add(c.Verb, c.Outcome, c.Tally)
		v := entry(byVerb, c.Verb)
		v.Name = c.Verb
		if v.Outcomes == nil {
			v.Outcomes = map[string]int{}
		}
		v.Outcomes[c.Outcome] += c.Events
		v.add(c.Verb, c.Outcome, c.Tally)
		p := entry(byProject, c.Project)
		p.Name = c.Project
		p.add(c.Verb, c.Outcome, c.Tally)
		d := entry(byDay, c.Day.Unix())
		d.Day = c.Day
		d.add(c.Verb, c.Outcome, c.Tally)
	}
	for _, v := range byVerb {
		m.Verbs = append(m.Verbs, *v)
	}
	slices.SortFunc(m.Verbs, func(a, b Named) int {
		return cmp.Or(cmp.Compare(slices.Index(verbs(), a.Name), slices.Index(verbs(), b.Name)), cmp.Compare(a.Name, b.Name))
	})
	for _, p := range byProject {
		m.Projects = append(m.Projects, *p)
	}
	slices.SortFunc(m.Projects, func(a, b Named) int { return cmp.Compare(a.Name, b.Name) })
	for _, d := range byDay {
		m.Days = append(m.Days, *d)
	}
	slices.SortFunc(m.Days, func(a, b Daily) int { return a.Day.Compare(b.Day) })
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
func (e *Engine) sessionMetrics(ctx context.Context, in MetricsInput) (Metrics, error) {
	m := Metrics{Since: in.Since, Sessions: 1}
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
			cs = append(cs, engram.Counter{Verb: useSave, Outcome: string(ActionInserted), Tally: engram.Tally{Events: saved}})
		}
		return err
	})
	if err != nil {
		return Metrics{}, err
	}
	m.sum(cs)
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
		c := engram.Counter{Verb: u.Verb, Outcome: OutcomeNothing, Tally: engram.Tally{Events: 1}}
		if u.Memory != 0 || u.Tokens > 0 { // the latter was erased since
			c.Outcome, c.Memories, c.Tokens = OutcomeFound, 1, u.Tokens
		}
		if u.Fallback {
			c.Fallbacks = 1
		}
		cs = append(cs, c)
	}
	return cs
}
