package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// exposure is an exposure of memory m in session s-app, n seconds into the day.
func exposure(n int, m engram.Memory, change ...func(*engram.Exposure)) engram.Exposure {
	u := engram.Exposure{At: at(n), SessionID: "s-app", Project: "app", Operation: "search", Query: "why", Memory: m.Num, Rank: 1, Tokens: 10 + n}
	for _, c := range change {
		c(&u)
	}
	return u
}

// operation changes the operation of an exposure.
func operation(v string) func(*engram.Exposure) { return func(u *engram.Exposure) { u.Operation = v } }

func (k *kit) expose(us ...engram.Exposure) {
	k.Helper()
	each(k, engram.Tx.RecordUse, engram.Use{Exposures: us})
}

func (k *kit) exposures(session string, p engram.Page) []engram.Exposure {
	k.Helper()
	return read2(k, engram.Reader.Exposures, session, p)
}

func exposureCases() []testCase {
	all := engram.Page{Limit: 1000}
	return []testCase{
		{"exposures are read back unchanged, of a session or of all, oldest first", func(k *kit) {
			m := k.save()
			other := k.save(func(m *engram.Memory) { m.Project, m.SessionID = "", "" })
			us := []engram.Exposure{exposure(1, m), exposure(2, other, func(u *engram.Exposure) { u.SessionID, u.Project, u.Query, u.Fallback = "", "", "", true }),
				exposure(3, engram.Memory{}, func(u *engram.Exposure) { u.Rank, u.Tokens = 0, 0 }), exposure(4, m, operation("get"))}
			k.expose(us[:2]...)
			k.expose(us[2:]...)
			k.expose()
			k.same("all", k.exposures("", all), us)
			k.same("of a session", k.exposures("s-app", all), []engram.Exposure{us[0], us[2], us[3]})
			k.same("a page", k.exposures("s-app", engram.Page{Limit: 1, Offset: 1}), []engram.Exposure{us[2]})
		}},
		{"an exposure of an erased memory is not stored", func(k *kit) {
			m, other := k.save(), k.save()
			k.erase(m)
			k.expose(exposure(1, m), exposure(2, other))
			k.same("exposures", k.exposures("s-app", all), []engram.Exposure{exposure(2, other)})
		}},
		{"an unknown session has no exposures", func(k *kit) {
			failing(k, engram.CodeNotFound, func(r engram.Reader, ctx context.Context, session string) ([]int64, error) {
				return r.Shown(ctx, session, nil, nil)
			}, "nope")
			failing(k, engram.CodeNotFound, func(r engram.Reader, ctx context.Context, session string) ([]engram.Exposure, error) {
				return r.Exposures(ctx, session, all)
			}, "nope")
			m := k.save()
			k.refused("a use in it", engram.CodeNotFound, func(tx engram.Tx) error {
				return tx.RecordUse(k.Context(), engram.Use{Exposures: []engram.Exposure{exposure(1, m), exposure(2, m, func(u *engram.Exposure) { u.SessionID = "nope" })}})
			})
			k.same("nothing was written", len(k.exposures("", all)), 0)
		}},
		{"Shown returns each memory once", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			k.session("app", "s-other")
			k.expose(exposure(1, b), exposure(2, a, operation("context")), exposure(3, b, operation("recall")), exposure(4, engram.Memory{}),
				exposure(5, c, func(u *engram.Exposure) { u.SessionID = "s-other" }))
			k.same("shown", read3(k, engram.Reader.Shown, "s-app", nil, nil), []int64{a.Num, b.Num})
		}},
		{"requested exposures are counted, injected ones are not", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			k.expose(exposure(1, a), exposure(5, a, operation("get")), exposure(3, a, operation("recall")), exposure(9, a, operation("context")), exposure(4, b, operation("context")), exposure(7, b, operation("remind")), exposure(2, c))
			counts := read1(k, engram.Reader.ExposureCounts, []int64{a.Num, b.Num, c.Num, 99})
			k.same("counts", counts, map[int64]engram.ExposureCount{a.Num: {Count: 3, Last: at(5)}, c.Num: {Count: 1, Last: at(2)}})
		}},
		{"LatelyUsed returns recently requested memories, latest first", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			other := k.save(in("other"))
			k.expose(exposure(1, a), exposure(2, b), exposure(3, a), exposure(4, c, operation("context")), exposure(7, c, operation("remind")), exposure(5, engram.Memory{}),
				exposure(6, other, func(u *engram.Exposure) { u.Project, u.SessionID = "other", "s-other" }))
			for _, tt := range []struct {
				project string
				limit   int
				want    []int64
			}{{"app", 10, []int64{a.Num, b.Num}}, {"app", 1, []int64{a.Num}}, {"", 10, []int64{other.Num, a.Num, b.Num}}, {"nope", 10, nil}} {
				got := read2(k, engram.Reader.LatelyUsed, tt.project, tt.limit)
				k.same(fmt.Sprintf("lately used in %q, at most %d", tt.project, tt.limit), got, tt.want)
			}
		}},
		{"Lasting returns permanent memories, then important ones, then preferences", func(k *kit) {
			rate := func(f float64) func(*engram.Memory) { return func(m *engram.Memory) { m.Importance = f } }
			important, plain := k.save(rate(0.7)), k.save(rate(0.69))
			permanent := k.save(func(m *engram.Memory) { m.Permanent, m.Importance = true, 0.1 })
			newer, most := k.save(rate(0.7)), k.save(rate(1))
			gone := k.save(rate(1))
			k.forget(gone, 50)
			personal := k.save(rate(0.9), func(m *engram.Memory) { m.Scope = engram.ScopePersonal })
			other := k.save(func(m *engram.Memory) { m.Project, m.SessionID, m.Permanent = "other", "s-other", true })
			preferred := k.save(func(m *engram.Memory) { m.Type = engram.TypePreference })
			policy := k.save(func(m *engram.Memory) { m.Type, m.Scope = engram.TypePolicy, engram.ScopePersonal })
			for _, tt := range []struct {
				name, project string
				scope         engram.Scope
				limit         int
				want          []int64
			}{
				{"a project", "app", "", 10, []int64{permanent.Num, most.Num, personal.Num, newer.Num, important.Num, policy.Num, preferred.Num}},
				{"the first of them", "app", "", 2, []int64{permanent.Num, most.Num}},
				{"of a scope", "app", engram.ScopePersonal, 10, []int64{personal.Num, policy.Num}},
				{"of a scope in all projects", "", engram.ScopePersonal, 10, []int64{personal.Num, policy.Num}},
				{"everything", "", "", 10, []int64{other.Num, permanent.Num, most.Num, personal.Num, newer.Num, important.Num, policy.Num, preferred.Num}},
				{"a project that does not exist", "nope", "", 10, nil},
			} {
				k.same(tt.name, nums(k.lasting(tt.project, tt.scope, tt.limit)), tt.want)
			}
			for _, f := range []engram.Filter{{Project: "app", Lasting: true, Forgotten: true}, {Project: "app", Lasting: true, WithForgotten: true}} {
				got := nums(read2(k, engram.Reader.List, f, engram.Page{Limit: 20}))
				k.same("the forgotten one is listed", slices.Contains(got, gone.Num), true)
			}
			flagged := engram.Filter{Lasting: true, Mark: engram.TrustFlagged}
			k.same("of them flagged", len(read2(k, engram.Reader.List, flagged, engram.Page{Limit: 20})), 0)
			k.replace(plain, func(m *engram.Memory) { m.Importance = 0.95 })
			got := k.lasting("app", "", 3)
			k.same("once it was rated higher", nums(got), []int64{permanent.Num, most.Num, plain.Num})
		}},
		{"an erase removes the queries that found the memory", func(k *kit) {
			m, other := k.save(), k.save()
			k.expose(exposure(1, m), exposure(2, other))
			k.erase(m)
			us := k.exposures("", all)
			k.same("how many there are", len(us), 2)
			k.same("queries and memories", fmt.Sprint(us[0].Query, us[0].Memory, us[1].Query, us[1].Memory), fmt.Sprint("", 0, "why", other.Num))
		}},
		{"a deleted session loses its exposures", func(k *kit) {
			m := k.save()
			k.session("app", "s-empty")
			k.expose(exposure(1, m), exposure(2, m, func(u *engram.Exposure) { u.SessionID = "s-empty" }))
			k.deleteSession("s-empty", false)
			k.same("left", len(k.exposures("", all)), 1)
		}},
		{"an exposure adds no journal entry", func(k *kit) {
			m := k.save()
			before := len(k.entries("", ""))
			k.expose(exposure(1, m))
			k.same("entries", len(k.entries("", "")), before)
		}},
		{"the latest exposures are kept, however many there are", func(k *kit) {
			m := k.save()
			us := make([]engram.Exposure, 600)
			for i := range us { // one per day
				us[i] = exposure(i*24*3600, m)
			}
			k.expose(us...)
			got := k.exposures("", all)
			k.same("those of the last 90 days", got[max(len(got)-90, 0):], us[len(us)-90:])
		}},
	}
}

func reportedCases() []testCase {
	return []testCase{
		{"a session is reported depending on its contents", func(k *kit) {
			k.save(within("s-open"))
			k.save(within("s-mine"), scoped(engram.ScopePersonal))
			k.forget(k.save(within("s-over")), 2)
			shared := k.forget(k.save(within("s-shared")), 3)
			hidden := k.forget(k.save(within("s-hidden")), 3)
			elsewhere := k.forget(k.save(within("s-erased")), 3)
			k.replicated(engram.EntityMemory, key(shared.Num), 1, "b1")
			k.replicated(engram.EntityMemory, key(elsewhere.Num), 1, "b1")
			k.ask("app", "s-asked", "why?", 1)
			k.ask("app", "s-mine", "why me?", 1)
			k.putCausal(engram.EntityMemory, key(hidden.Num),
				engram.CausalMetadata{Shadowed: map[engram.Part]json.RawMessage{engram.PartDeleted: json.RawMessage(`"0001-01-01T00:00:00Z"`)}})
			k.session("app", "s-empty")
			each(k, engram.ReplicaTx.PutErased, engram.Erased{Entity: engram.EntityMemory, ID: string(elsewhere.ID), SyncID: elsewhere.SyncID, At: 1})
			k.save(in("web"))
			ids := []string{"s-open", "s-mine", "s-over", "s-shared", "s-hidden", "s-erased", "s-asked", "s-empty", "s-web", "s-none"}
			k.same("owned", read1(k, engram.ReplicaReader.Owned, ids), map[string]bool{"s-mine": true})
			for project, want := range map[string][]string{
				"":     {"s-asked", "s-hidden", "s-open", "s-shared", "s-web"},
				"app":  {"s-asked", "s-hidden", "s-open", "s-shared"},
				"nope": nil,
			} {
				reported := read2(k, engram.ReplicaReader.Reported, ids, project)
				k.same("reported of "+project, slices.Sorted(maps.Keys(reported)), want)
			}
		}},
		{"tombstones are found by name", func(k *kit) {
			for _, s := range []string{"s-1", "s-2"} {
				k.session("app", s)
				k.putCausal(engram.EntitySession, s, foreign())
			}
			erased := engram.Erased{Entity: engram.EntityPrompt, ID: "p-1", SyncID: "p-1", Project: "app", At: 7}
			each(k, engram.ReplicaTx.PutErased, erased)
			k.deleteSession("s-1", false)
			gone := read1(k, engram.ReplicaReader.TombstonesOf, []string{"s-0", "s-1", "s-2"})
			k.same("gone", gone, []engram.Session{{ID: "s-1", Project: "app"}})
			for kind, want := range map[engram.Entity][]engram.Erased{engram.EntityPrompt: {erased}, engram.EntityMemory: nil} {
				k.same("erased of "+string(kind), read2(k, engram.ReplicaReader.ErasedOf, kind, []string{"p-0", "p-1"}), want)
			}
		}},
	}
}

// counted is a counter of a day in June 2026, with two memories per event.
func counted(day int, project, verb, outcome string, events int) engram.Counter {
	return engram.Counter{Day: time.Date(2026, 6, day, 0, 0, 0, 0, time.UTC), Project: project, Operation: verb, Outcome: outcome,
		Tally: engram.Tally{Events: events, Fallbacks: events - 1, Memories: 2 * events, Tokens: 30 * events}}
}

func (k *kit) count(cs ...engram.Counter) {
	k.Helper()
	each(k, engram.Tx.RecordUse, engram.Use{Counters: cs})
}

func (k *kit) counters(q engram.CounterQuery) []engram.Counter {
	k.Helper()
	return read1(k, engram.Reader.Counters, q)
}

func (k *kit) projects(names ...string) {
	k.Helper()
	for _, name := range names {
		k.putProject(engram.Project{Name: name, CreatedAt: at(0)})
	}
}

func counterCases() []testCase {
	byDay := engram.CounterQuery{ByDay: true, ByProject: true}
	summed := func(c engram.Counter) engram.Counter {
		c.Day, c.Project = time.Time{}, ""
		return c
	}
	return []testCase{
		{"counters add up by day, project, operation and outcome", func(k *kit) {
			k.projects("app", "other")
			k.count(counted(12, "app", "search", "found", 2), counted(12, "app", "search", "nothing", 1), counted(13, "app", "search", "found", 4))
			k.count(counted(12, "app", "search", "found", 3), counted(12, "other", "get", "found", 1), counted(12, "", "search", "found", 1))
			five := counted(12, "app", "search", "found", 2)
			five.Tally = five.Plus(counted(12, "app", "search", "found", 3).Tally)
			k.same("all, by day and project", k.counters(byDay), []engram.Counter{counted(12, "", "search", "found", 1), five,
				counted(12, "app", "search", "nothing", 1), counted(12, "other", "get", "found", 1), counted(13, "app", "search", "found", 4)})
			nine := summed(five)
			nine.Tally = nine.Plus(counted(13, "app", "search", "found", 4).Tally)
			k.same("of a project, summed up", k.counters(engram.CounterQuery{Project: "app"}), []engram.Counter{nine, summed(counted(12, "app", "search", "nothing", 1))})
			k.same("since a time within a day", k.counters(engram.CounterQuery{Since: time.Date(2026, 6, 13, 20, 0, 0, 0, time.UTC)}),
				[]engram.Counter{summed(counted(13, "app", "search", "found", 4))})
			k.same("of a project that does not exist", k.counters(engram.CounterQuery{Project: "nope"}), []engram.Counter(nil))
		}},
		{"an unknown project counts as no project, an alias as its project", func(k *kit) {
			k.putProject(engram.Project{Name: "app", Aliases: []string{"old"}, CreatedAt: at(0)})
			k.count(counted(12, "nope", "search", "found", 1), counted(12, "old", "search", "found", 1))
			k.same("counters", k.counters(byDay), []engram.Counter{counted(12, "", "search", "found", 1), counted(12, "app", "search", "found", 1)})
		}},
		{"counters move with their project, and stay when it is deleted", func(k *kit) {
			k.projects("app", "other")
			k.count(counted(12, "app", "search", "found", 1), counted(12, "other", "search", "found", 1), counted(13, "other", "get", "found", 1))
			k.move("other", "app")
			both := counted(12, "app", "search", "found", 1)
			both.Tally = both.Plus(both.Tally)
			k.same("after the move", k.counters(byDay), []engram.Counter{both, counted(13, "app", "get", "found", 1)})
			k.projects("brief")
			k.count(counted(12, "brief", "get", "found", 1))
			each(k, engram.Tx.DeleteProject, "brief")
			k.same("after it was deleted", k.counters(byDay), []engram.Counter{counted(12, "", "get", "found", 1), both, counted(13, "app", "get", "found", 1)})
		}},
		{"counting adds no journal entry", func(k *kit) {
			before := len(k.entries("", ""))
			k.count(counted(12, "", "search", "found", 1))
			k.same("entries", len(k.entries("", "")), before)
		}},
		{"live memories are counted by creation time", func(k *kit) {
			k.saveMany(5, func(int, *engram.Memory) {}) // at 1, 2, 3, 4 and 5
			k.save(in("other"))
			k.forget(k.save(), 50)
			edges := []time.Time{at(0), at(2), at(3), at(3).Add(time.Millisecond), at(100), at(200)}
			for project, want := range map[string][]int{"": {1, 1, 1, 3, 0}, "app": {1, 1, 1, 2, 0}, "nope": {0, 0, 0, 0, 0}} {
				k.same(fmt.Sprintf("in %q", project), read2(k, engram.Reader.MadeBetween, project, edges), want)
			}
			k.same("between no edges", len(read2(k, engram.Reader.MadeBetween, "", nil)), 0)
		}},
		{"sessions are counted by start time", func(k *kit) {
			k.save()
			k.save(in("other"))
			for _, tt := range []struct {
				project string
				since   time.Time
				want    int
			}{{"", time.Time{}, 2}, {"app", time.Time{}, 1}, {"nope", time.Time{}, 0}, {"", at(100_000), 0}} {
				got := read1(k, engram.Reader.CountSessions, engram.SessionFilter{Project: tt.project, Since: tt.since})
				k.same(fmt.Sprintf("in %q since %v", tt.project, tt.since), got, tt.want)
			}
		}},
	}
}

func groupCases() []testCase {
	return []testCase{
		{"memories are counted by type and by project, most first", func(k *kit) {
			k.save(typed("fact"))
			k.save(typed("bugfix"), in("other"))
			k.save(typed("bugfix"))
			k.forget(k.save(typed("bugfix")), 50)
			k.forget(k.save(typed("insight")), 51)
			for _, tt := range []struct {
				by      engram.Grouping
				project string
				since   time.Time
				want    string
			}{
				{engram.ByType, "", time.Time{}, "[{bugfix 2 1} {fact 1 0} {insight 0 1}]"},
				{engram.ByType, "app", time.Time{}, "[{bugfix 1 1} {fact 1 0} {insight 0 1}]"},
				{engram.ByType, "", at(2), "[{bugfix 2 1} {insight 0 1}]"},
				{engram.ByType, "app", at(3), "[{bugfix 1 1} {insight 0 1}]"},
				{engram.ByType, "nope", time.Time{}, "[]"},
				{engram.ByProject, "", time.Time{}, "[{app 2 2} {other 1 0}]"},
				{engram.ByProject, "other", time.Time{}, "[{other 1 0}]"},
				{engram.ByProject, "", at(3), "[{app 1 2}]"},
				{engram.ByProject, "", at(6), "[]"},
			} {
				got := read3(k, engram.Reader.MemoriesBy, tt.by, tt.project, tt.since)
				k.same(fmt.Sprintf("by %s in %q since %v", tt.by, tt.project, tt.since), fmt.Sprint(got), tt.want)
			}
		}},
		{"revisions and due memories are counted", func(k *kit) {
			due := func(n int) func(*engram.Memory) { return func(m *engram.Memory) { m.ReviewAfter = at(n) } }
			m := k.save(due(10))
			k.save(due(20), in("other"))
			k.forget(k.save(due(10)), 50)
			batch(k, engram.Tx.InsertRevision, revision(m, 1), revision(m, 2), revision(m, 3))
			dueBefore := func(project string, before int) int {
				return read1(k, engram.Reader.Count, engram.Filter{Project: project, DueBefore: at(before)})
			}
			for project, want := range map[string]engram.Upkeep{"": {Revisions: 3, Due: 2}, "app": {Revisions: 3, Due: 1}, "other": {Due: 1}, "nope": {}} {
				k.same(fmt.Sprintf("in %q", project), engram.Upkeep{Revisions: read1(k, engram.Reader.CountRevisions, project), Due: dueBefore(project, 30)}, want)
			}
			k.same("due exactly now is not overdue", dueBefore("", 10), 0)
		}},
	}
}

func (k *kit) lasting(project string, scope engram.Scope, limit int) []engram.Memory {
	k.Helper()
	return read2(k, engram.Reader.List, engram.Filter{Project: project, Scope: scope, Lasting: true}, engram.Page{Order: engram.OrderLasting, Limit: limit})
}
