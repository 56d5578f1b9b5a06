package storetest

import (
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

// counted is a counter of a day of June 2026, which showed two memories an event.
func counted(day int, project, verb, outcome string, events int) engram.Counter {
	return engram.Counter{Day: time.Date(2026, 6, day, 0, 0, 0, 0, time.UTC), Project: project, Verb: verb, Outcome: outcome,
		Tally: engram.Tally{Events: events, Fallbacks: events - 1, Memories: 2 * events, Tokens: 30 * events}}
}

func (k *kit) count(cs ...engram.Counter) {
	k.Helper()
	k.update(func(tx engram.Tx) error { return tx.AddCounters(k.Context(), cs) })
}

func (k *kit) counters(q engram.CounterQuery) (cs []engram.Counter) {
	k.Helper()
	k.view(func(r engram.Reader) (err error) {
		cs, err = r.Counters(k.Context(), q)
		return err
	})
	return cs
}

func (k *kit) projects(names ...string) {
	k.Helper()
	k.update(func(tx engram.Tx) error {
		for _, name := range names {
			if err := tx.PutProject(k.Context(), engram.Project{Name: name, CreatedAt: at(0)}); err != nil {
				return err
			}
		}
		return nil
	})
}

func counterCases() []testCase {
	apart := engram.CounterQuery{ByDay: true, ByProject: true}
	summed := func(c engram.Counter) engram.Counter {
		c.Day, c.Project = time.Time{}, ""
		return c
	}
	return []testCase{
		{"counters add up, by day, project, verb and outcome", func(k *kit) {
			k.projects("app", "other")
			k.count(counted(12, "app", "search", "found", 2), counted(12, "app", "search", "nothing", 1), counted(13, "app", "search", "found", 4))
			k.count(counted(12, "app", "search", "found", 3), counted(12, "other", "get", "found", 1), counted(12, "", "search", "found", 1))
			five := counted(12, "app", "search", "found", 2)
			five.Tally = five.Plus(counted(12, "app", "search", "found", 3).Tally)
			k.same("all, apart", k.counters(apart), []engram.Counter{counted(12, "", "search", "found", 1), five,
				counted(12, "app", "search", "nothing", 1), counted(12, "other", "get", "found", 1), counted(13, "app", "search", "found", 4)})
			nine := summed(five)
			nine.Tally = nine.Plus(counted(13, "app", "search", "found", 4).Tally)
			k.same("of a project, summed up", k.counters(engram.CounterQuery{Project: "app"}), []engram.Counter{nine, summed(counted(12, "app", "search", "nothing", 1))})
			k.same("since a time within a day", k.counters(engram.CounterQuery{Since: time.Date(2026, 6, 13, 20, 0, 0, 0, time.UTC)}),
				[]engram.Counter{summed(counted(13, "app", "search", "found", 4))})
			k.same("of a project that does not exist", k.counters(engram.CounterQuery{Project: "nope"}), []engram.Counter(nil))
		}},
		{"a project that does not exist counts as none, an alias as its project", func(k *kit) {
			k.update(func(tx engram.Tx) error {
				return tx.PutProject(k.Context(), engram.Project{Name: "app", Aliases: []string{"old"}, CreatedAt: at(0)})
			})
			k.count(counted(12, "nope", "search", "found", 1), counted(12, "old", "search", "found", 1))
			k.same("counters", k.counters(apart), []engram.Counter{counted(12, "", "search", "found", 1), counted(12, "app", "search", "found", 1)})
		}},
		{"what was counted goes along with its project, and stays when that goes", func(k *kit) {
			k.projects("app", "other")
			k.count(counted(12, "app", "search", "found", 1), counted(12, "other", "search", "found", 1), counted(13, "other", "get", "found", 1))
			k.update(func(tx engram.Tx) error {
				_, err := tx.MoveProject(k.Context(), "other", "app")
				return err
			})
			both := counted(12, "app", "search", "found", 1)
			both.Tally = both.Plus(both.Tally)
			k.same("after the move", k.counters(apart), []engram.Counter{both, counted(13, "app", "get", "found", 1)})
			k.projects("brief")
			k.count(counted(12, "brief", "get", "found", 1))
			k.update(func(tx engram.Tx) error { return tx.DeleteProject(k.Context(), "brief") })
			k.same("after it was deleted", k.counters(apart), []engram.Counter{counted(12, "", "get", "found", 1), both, counted(13, "app", "get", "found", 1)})
		}},
		{"counting is no change: the journal says nothing of it", func(k *kit) {
			before := len(k.entries("", ""))
			k.count(counted(12, "", "search", "found", 1))
			k.same("entries", len(k.entries("", "")), before)
		}},
		{"live memories are counted by when they were made", func(k *kit) {
			for range 5 { // at 1, 2, 3, 4 and 5
				k.save()
			}
			k.save(func(m *engram.Memory) { m.Project, m.SessionID = "other", "s-other" })
			k.forget(k.save(), 50)
			edges := []time.Time{at(0), at(2), at(3), at(3).Add(time.Millisecond), at(100), at(200)}
			k.view(func(r engram.Reader) error {
				for project, want := range map[string][]int{"": {1, 1, 1, 3, 0}, "app": {1, 1, 1, 2, 0}, "nope": {0, 0, 0, 0, 0}} {
					got, err := r.MadeBetween(k.Context(), project, edges)
					if err != nil {
						return err
					}
					k.same(fmt.Sprintf("in %q", project), got, want)
				}
				none, err := r.MadeBetween(k.Context(), "", nil)
				k.same("between no edges", len(none), 0)
				return err
			})
		}},
		{"sessions are counted by when they were started", func(k *kit) {
			k.save()
			k.save(func(m *engram.Memory) { m.Project, m.SessionID = "other", "s-other" })
			k.view(func(r engram.Reader) error {
				for _, tt := range []struct {
					project string
					since   time.Time
					want    int
				}{{"", time.Time{}, 2}, {"app", time.Time{}, 1}, {"nope", time.Time{}, 0}, {"", at(100_000), 0}} {
					got, err := r.SessionsSince(k.Context(), tt.project, tt.since)
					if err != nil {
						return err
					}
					k.same(fmt.Sprintf("in %q since %v", tt.project, tt.since), got, tt.want)
				}
				return nil
			})
		}},
	}
}
