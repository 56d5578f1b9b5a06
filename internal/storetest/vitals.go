package storetest

import (
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

// vitals are the outlines of what passes f, the first most of them; 0 is all.
func (k *kit) vitals(f engram.Filter, most int) (ms []engram.Memory) {
	k.Helper()
	k.view(func(r engram.Reader) error {
		return r.Vitals(k.Context(), f, func(m engram.Memory) bool {
			ms = append(ms, m)
			return most == 0 || len(ms) < most
		})
	})
	return ms
}

func (k *kit) due(project string, before time.Time, p engram.Page) []int64 {
	k.Helper()
	var ms []engram.Memory
	k.view(func(r engram.Reader) (err error) {
		ms, err = r.Due(k.Context(), project, before, p)
		return err
	})
	return nums(ms)
}

func vitalCases() []testCase {
	return []testCase{
		{"an outline has what strength and reviews are reckoned from, and no text", func(k *kit) {
			m := k.save(func(m *engram.Memory) {
				m.Type, m.Importance, m.Strength, m.Permanent, m.AccessCount = "decision", 0.875, 0.25, true, 7
				m.TouchedAt, m.LastAccessedAt, m.UpdatedAt, m.ReviewAfter = at(50), at(51), at(52), at(53)
				m.ValidFrom, m.ValidTo, m.LastSeenAt = at(54), at(55), at(56)
				m.Tags, m.Metadata, m.Summary = []string{"a"}, map[string]any{"k": "v"}, "short"
				m.Anchors = []engram.Anchor{anchorAt("a.go", 0, 0)}
			})
			want := engram.Memory{Num: m.Num, Project: "app", Scope: m.Scope, Type: "decision", Importance: 0.875, Strength: 0.25, Permanent: true, AccessCount: 7,
				TouchedAt: at(50), LastAccessedAt: at(51), CreatedAt: m.CreatedAt, UpdatedAt: at(52), ReviewAfter: at(53),
				ValidFrom: at(54), ValidTo: at(55), LastSeenAt: at(56)}
			k.same("outline", k.vitals(engram.Filter{}, 0), []engram.Memory{want})
		}},
		{"a sample is all when there are few, else some from everywhere", func(k *kit) {
			for i := range 40 {
				k.save(func(m *engram.Memory) {
					if i%2 == 0 {
						m.Project, m.SessionID = "other", "s-other"
					}
				})
			}
			k.forget(k.save(), 99)
			sample := func(project string, most int) (ms []engram.Memory) {
				k.view(func(r engram.Reader) error {
					return r.Sample(k.Context(), project, most, func(m engram.Memory) { ms = append(ms, m) })
				})
				return ms
			}
			k.same("all of them", nums(sample("", 40)), nums(k.vitals(engram.Filter{}, 0)))
			k.same("all of a project", nums(sample("app", 20)), nums(k.vitals(engram.Filter{Project: "app"}, 0)))
			k.same("of a project that does not exist", len(sample("nowhere", 9)), 0)
			some := sample("", 10)
			k.same("some of them", len(some) >= 5 && len(some) <= 15, true)
			k.same("from both halves", some[0].Num > 20 && some[len(some)-1].Num <= 20, true)
		}},
		{"outlines pass the same filters in the same order as a list", func(k *kit) {
			for i := range 12 {
				k.save(func(m *engram.Memory) {
					m.Type, m.Tags = []engram.Type{"fact", "bugfix"}[i%2], [][]string{{"x"}, {"y"}, {"x", "y"}}[i%3]
					if i%4 == 0 {
						m.Project, m.SessionID = "other", "s-other"
					}
				})
			}
			gone := k.save(func(m *engram.Memory) { m.DeletedAt = at(99) })
			for _, f := range []engram.Filter{{}, {Project: "app"}, {Types: []engram.Type{"fact"}}, {Tags: []string{"x"}}, {Project: "nowhere"},
				{Since: at(3), Until: at(9)}, {Forgotten: true}, {SessionID: "s-other"}} {
				k.same("outlines", nums(k.vitals(f, 0)), nums(k.list(f)))
			}
			k.same("forgotten", nums(k.vitals(engram.Filter{Forgotten: true}, 0)), []int64{gone.Num})
		}},
		{"whoever has enough is told no more", func(k *kit) {
			for range 5 {
				k.save()
			}
			k.same("outlines", len(k.vitals(engram.Filter{}, 2)), 2)
			k.same("the next reading", len(k.vitals(engram.Filter{}, 0)), 5)
		}},
		{"reviews that are due come longest overdue first, live ones alone", func(k *kit) {
			review := func(n int, change ...func(*engram.Memory)) engram.Memory {
				return k.save(append(change, func(m *engram.Memory) { m.ReviewAfter = at(n) })...)
			}
			second, first := review(20), review(10)
			other := review(15, func(m *engram.Memory) { m.Project, m.SessionID = "other", "" })
			review(30) // at the time asked: not before it
			review(40)
			review(5, func(m *engram.Memory) { m.DeletedAt = at(6) })
			k.save() // never
			same := review(20)
			all := engram.Page{Limit: 10}
			k.same("all", k.due("", at(30), all), []int64{first.Num, other.Num, second.Num, same.Num})
			k.same("of a project", k.due("app", at(30), all), []int64{first.Num, second.Num, same.Num})
			k.same("a page", k.due("", at(30), engram.Page{Limit: 2, Offset: 1}), []int64{other.Num, second.Num})
			relate := func(verb engram.Verb, source, target engram.Memory) {
				k.update(func(tx engram.Tx) error {
					return tx.InsertRelation(k.Context(), &engram.Relation{ID: fmt.Sprintf("rel-%d-%d", source.Num, target.Num), Source: source.Num, Target: target.Num,
						Verb: verb, Status: engram.RelationJudged, CreatedAt: at(60), UpdatedAt: at(60)})
				})
			}
			relate(engram.VerbSupersedes, other, second)
			relate(engram.VerbContradicts, first, same)
			k.same("what was replaced needs none", k.due("app", at(30), all), []int64{first.Num, same.Num})
			k.same("before any", k.due("", at(0), all), []int64(nil))
			k.same("of a project that does not exist", k.due("nowhere", at(30), all), []int64(nil))
		}},
		{"what a session was shown is asked by verb", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			verb := func(v string) func(*engram.Use) { return func(u *engram.Use) { u.Verb = v } }
			k.use(use(1, a, verb("get")), use(2, b, verb("search")), use(3, b, verb("recall")), use(4, c, verb("context")), use(5, a, verb("get")),
				use(6, c, verb("get"), func(u *engram.Use) { u.SessionID = "" }))
			asked := func(verbs []string, ms ...engram.Memory) (shown []int64) {
				k.view(func(r engram.Reader) (err error) {
					shown, err = r.ShownBy(k.Context(), "s-app", verbs, nums(ms))
					return err
				})
				return shown
			}
			k.same("read", asked([]string{"get", "recall"}, c, b, a), []int64{a.Num, b.Num})
			k.same("of some", asked([]string{"get", "recall"}, b, c), []int64{b.Num})
			k.same("by another verb", asked([]string{"context"}, a, b, c), []int64{c.Num})
			k.same("by none", asked(nil, a, b, c), []int64(nil))
			k.view(func(r engram.Reader) error {
				_, err := r.ShownBy(k.Context(), "nope", []string{"get"}, []int64{a.Num})
				k.same("code of a session that does not exist", engram.CodeOf(err), engram.CodeNotFound)
				return nil
			})
		}},
		{"an access is counted, and no clock that was set back takes it back", func(k *kit) {
			m, other := k.save(), k.save()
			count := func(n int, ms ...engram.Memory) {
				k.update(func(tx engram.Tx) error { return tx.CountAccess(k.Context(), append(nums(ms), 999), at(n)) })
			}
			count(20, m, other)
			count(10, m)
			got := k.read(engram.ByNum(m.Num))
			k.same("accesses", got.AccessCount, 2)
			k.same("the last", got.LastAccessedAt, at(20))
			got.AccessCount, got.LastAccessedAt = 0, time.Time{}
			k.sameMemory("the rest", got, m)
			k.same("of the other", k.read(engram.ByNum(other.Num)).AccessCount, 1)
		}},
		{"a project keeps how its memories fade", func(k *kit) {
			decays := func() (own map[string]engram.ProjectDecay) {
				k.view(func(r engram.Reader) (err error) {
					own, err = r.Decays(k.Context())
					return err
				})
				return own
			}
			k.putProject(engram.Project{Name: "app", CreatedAt: at(0)})
			k.putProject(engram.Project{Name: "other", CreatedAt: at(0)})
			k.same("none", len(decays()), 0)
			d := engram.ProjectDecay{Decay: engram.Decay{Curve: engram.CurveGeometric, Rate: 0.97, MaxBoost: 3},
				Types: map[engram.Type]engram.Decay{"fact": {Curve: engram.CurveEbbinghaus, Rate: 60}}}
			k.putProject(engram.Project{Name: "app", Decay: &d, CreatedAt: at(0)})
			k.same("its own", decays(), map[string]engram.ProjectDecay{"app": d})
			k.same("read back", *k.project("app").Decay, d)
			var listed []string
			k.view(func(r engram.Reader) error {
				all, err := r.Projects(k.Context())
				for _, p := range all {
					if p.Decay != nil {
						listed = append(listed, p.Name)
					}
				}
				return err
			})
			k.same("listed", listed, []string{"app"})
			k.putProject(engram.Project{Name: "app", CreatedAt: at(0)})
			k.same("none again", len(decays()), 0)
		}},
	}
}
