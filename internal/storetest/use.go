package storetest

import (
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

// use is a showing of memory m in session s-app, n seconds into the day.
func use(n int, m engram.Memory, change ...func(*engram.Use)) engram.Use {
	u := engram.Use{At: at(n), SessionID: "s-app", Project: "app", Verb: "search", Query: "why", Memory: m.Num, Rank: 1, Tokens: 10 + n}
	for _, c := range change {
		c(&u)
	}
	return u
}

func (k *kit) use(us ...engram.Use) {
	k.Helper()
	k.update(func(tx engram.Tx) error { return tx.AppendUses(k.Context(), us) })
}

func (k *kit) uses(session string, p engram.Page) (us []engram.Use) {
	k.Helper()
	k.view(func(r engram.Reader) (err error) {
		us, err = r.Uses(k.Context(), session, p)
		return err
	})
	return us
}

func useCases() []testCase {
	all := engram.Page{Limit: 1000}
	verb := func(v string) func(*engram.Use) { return func(u *engram.Use) { u.Verb = v } }
	return []testCase{
		{"uses come back as they were, of a session or of all, oldest first", func(k *kit) {
			m := k.save()
			other := k.save(func(m *engram.Memory) { m.Project, m.SessionID = "", "" })
			us := []engram.Use{use(1, m), use(2, other, func(u *engram.Use) { u.SessionID, u.Project, u.Query, u.Fallback = "", "", "", true }),
				use(3, engram.Memory{}, func(u *engram.Use) { u.Rank, u.Tokens = 0, 0 }), use(4, m, verb("get"))}
			k.use(us[:2]...)
			k.use(us[2:]...)
			k.use()
			k.same("all", k.uses("", all), us)
			k.same("of a session", k.uses("s-app", all), []engram.Use{us[0], us[2], us[3]})
			k.same("a page", k.uses("s-app", engram.Page{Limit: 1, Offset: 1}), []engram.Use{us[2]})
		}},
		{"what was erased after it was shown leaves no question behind", func(k *kit) {
			m, other := k.save(), k.save()
			k.update(func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), m.Num) })
			k.use(use(1, m), use(2, other))
			k.same("uses", k.uses("s-app", all), []engram.Use{use(2, other)})
		}},
		{"a session that does not exist was shown nothing", func(k *kit) {
			k.view(func(r engram.Reader) error {
				_, err := r.Uses(k.Context(), "nope", all)
				k.same("code of Uses", engram.CodeOf(err), engram.CodeNotFound)
				_, err = r.Shown(k.Context(), "nope")
				k.same("code of Shown", engram.CodeOf(err), engram.CodeNotFound)
				return nil
			})
			m := k.save()
			k.refused("a use in it", engram.CodeNotFound, func(tx engram.Tx) error {
				return tx.AppendUses(k.Context(), []engram.Use{use(1, m), use(2, m, func(u *engram.Use) { u.SessionID = "nope" })})
			})
			k.same("nothing was written", len(k.uses("", all)), 0)
		}},
		{"what a session was shown is told once", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			k.save(func(m *engram.Memory) { m.SessionID = "s-other" })
			k.use(use(1, b), use(2, a, verb("context")), use(3, b, verb("recall")), use(4, engram.Memory{}),
				use(5, c, func(u *engram.Use) { u.SessionID = "s-other" }))
			k.view(func(r engram.Reader) error {
				shown, err := r.Shown(k.Context(), "s-app")
				k.same("shown", shown, []int64{a.Num, b.Num})
				return err
			})
		}},
		{"what was asked for is counted, what was told unasked is not", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			k.use(use(1, a), use(5, a, verb("get")), use(3, a, verb("recall")), use(9, a, verb("context")), use(4, b, verb("context")), use(7, b, verb("remind")), use(2, c))
			k.view(func(r engram.Reader) error {
				counts, err := r.UseCounts(k.Context(), []int64{a.Num, b.Num, c.Num, 99})
				k.same("counts", counts, map[int64]engram.UseCount{a.Num: {Count: 3, Last: at(5)}, c.Num: {Count: 1, Last: at(2)}})
				return err
			})
		}},
		{"what was asked for of late, the latest first", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			other := k.save(func(m *engram.Memory) { m.Project, m.SessionID = "other", "s-other" })
			k.use(use(1, a), use(2, b), use(3, a), use(4, c, verb("context")), use(7, c, verb("remind")), use(5, engram.Memory{}),
				use(6, other, func(u *engram.Use) { u.Project, u.SessionID = "other", "s-other" }))
			k.view(func(r engram.Reader) error {
				for _, tt := range []struct {
					project string
					limit   int
					want    []int64
				}{{"app", 10, []int64{a.Num, b.Num}}, {"app", 1, []int64{a.Num}}, {"", 10, []int64{other.Num, a.Num, b.Num}}, {"nope", 10, nil}} {
					got, err := r.LatelyUsed(k.Context(), tt.project, tt.limit)
					if err != nil {
						return err
					}
					k.same(fmt.Sprintf("lately used in %q, at most %d", tt.project, tt.limit), got, tt.want)
				}
				return nil
			})
		}},
		{"what every session should know: the permanent, then the important, then what is preferred", func(k *kit) {
			rate := func(f float64) func(*engram.Memory) { return func(m *engram.Memory) { m.Importance = f } }
			important, plain := k.save(rate(0.7)), k.save(rate(0.69))
			permanent := k.save(func(m *engram.Memory) { m.Permanent, m.Importance = true, 0.1 })
			newer, most := k.save(rate(0.7)), k.save(rate(1))
			k.forget(k.save(rate(1)), 50)
			personal := k.save(rate(0.9), func(m *engram.Memory) { m.Scope = engram.ScopePersonal })
			other := k.save(func(m *engram.Memory) { m.Project, m.SessionID, m.Permanent = "other", "s-other", true })
			preferred := k.save(func(m *engram.Memory) { m.Type = engram.TypePreference })
			policy := k.save(func(m *engram.Memory) { m.Type, m.Scope = engram.TypePolicy, engram.ScopePersonal })
			k.view(func(r engram.Reader) error {
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
					got, err := r.Lasting(k.Context(), tt.project, tt.scope, tt.limit)
					if err != nil {
						return err
					}
					k.same(tt.name, nums(got), tt.want)
				}
				return nil
			})
			k.replace(plain, func(m *engram.Memory) { m.Importance = 0.95 })
			k.view(func(r engram.Reader) error {
				got, err := r.Lasting(k.Context(), "app", "", 3)
				k.same("once it was rated higher", nums(got), []int64{permanent.Num, most.Num, plain.Num})
				return err
			})
		}},
		{"an erased memory takes the questions that found it along", func(k *kit) {
			m, other := k.save(), k.save()
			k.use(use(1, m), use(2, other))
			k.update(func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), m.Num) })
			us := k.uses("", all)
			k.same("how many there are", len(us), 2)
			k.same("what was asked, and what was found", fmt.Sprint(us[0].Query, us[0].Memory, us[1].Query, us[1].Memory), fmt.Sprint("", 0, "why", other.Num))
		}},
		{"a deleted session takes its uses along", func(k *kit) {
			m := k.save()
			k.save(func(m *engram.Memory) { m.SessionID = "s-other" })
			k.update(func(tx engram.Tx) error { return k.ensure(tx, "app", "s-empty") })
			k.use(use(1, m), use(2, m, func(u *engram.Use) { u.SessionID = "s-empty" }))
			k.update(func(tx engram.Tx) error { return tx.DeleteSession(k.Context(), "s-empty") })
			k.same("left", len(k.uses("", all)), 1)
		}},
		{"a use is no change: the journal says nothing of it", func(k *kit) {
			m := k.save()
			before := len(k.entries("", ""))
			k.use(use(1, m))
			k.same("entries", len(k.entries("", "")), before)
		}},
		{"the latest uses are kept, however many there are", func(k *kit) {
			m := k.save()
			us := make([]engram.Use, 600)
			for i := range us {
				us[i] = use(0, m, func(u *engram.Use) { u.At = at(0).Add(time.Duration(i) * 24 * time.Hour) })
			}
			k.use(us...)
			got := k.uses("", all)
			k.same("the latest", got[len(got)-1], us[len(us)-1])
			young := 0
			for _, u := range got {
				if us[len(us)-1].At.Sub(u.At) < 90*24*time.Hour {
					young++
				}
			}
			k.same("those of the last 90 days", young, 90)
		}},
	}
}
