package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

func listCases() []testCase {
	return []testCase{
		{"newest first, equal times by number, in contiguous pages", func(k *kit) {
			want := nums(k.saveMany(23, func(i int, m *engram.Memory) { m.CreatedAt = at(i / 5) }))
			slices.Reverse(want)
			for _, project := range []string{"", "app"} {
				k.same("whole list of "+project, nums(k.list(engram.Filter{Project: project})), want)
				k.same("pages of "+project, nums(pages(k, 4, func(r engram.Reader, p engram.Page) ([]engram.Memory, error) {
					return r.List(k.Context(), engram.Filter{Project: project}, p)
				})), want)
			}
		}},
		{"the order is by creation time, not by time of writing", func(k *kit) {
			k.save(func(m *engram.Memory) { m.Title, m.CreatedAt = "noon", at(500) })
			k.save(func(m *engram.Memory) { m.Title, m.CreatedAt = "dawn", at(-500) })
			k.save(func(m *engram.Memory) { m.Title, m.CreatedAt = "nine", at(0) })
			k.same("order", titles(k.list(engram.Filter{})), "noon, nine, dawn")
		}},
		{"forgotten memories are listed alone, last forgotten first", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			live := k.save()
			k.forget(b, 100)
			k.forget(a, 300)
			k.forget(c, 200)
			k.same("forgotten", nums(k.list(engram.Filter{Forgotten: true})), []int64{a.Num, c.Num, b.Num})
			k.same("forgotten of the project", nums(k.list(engram.Filter{Forgotten: true, Project: "app"})), []int64{a.Num, c.Num, b.Num})
			k.same("live", nums(k.list(engram.Filter{})), []int64{live.Num})
		}},
		{"a list continues after a position despite writes in between", func(k *kit) {
			all := nums(k.saveMany(12, func(i int, m *engram.Memory) { m.CreatedAt = at(100 + i/5) }))
			slices.Reverse(all)
			after := func(p engram.Position, project string) []engram.Memory {
				return read2(k, engram.Reader.List, engram.Filter{Project: project}, engram.Page{Limit: 5, After: p})
			}
			var first []engram.Memory
			for _, project := range []string{"app", ""} {
				first = after(engram.Position{}, project)
				k.same("first page", nums(first), all[:5])
				k.same("next page", nums(after(engram.PositionOf(first[4]), project)), all[5:10])
			}
			k.save(func(m *engram.Memory) { m.CreatedAt = at(900) })
			k.forget(first[1], 950)
			k.forget(first[4], 951)
			k.same("next page after writes", nums(after(engram.PositionOf(first[4]), "")), all[5:10])
		}},
		{"every filter selects what it says and no more", func(k *kit) {
			k.furnish()
			for _, tt := range filters() {
				k.same("list "+tt.name, sortedTitles(k.list(tt.filter)), tt.want)
			}
		}},
		{"an empty store lists nothing", func(k *kit) {
			k.same("memories", len(k.list(engram.Filter{})), 0)
			k.same("of a project that does not exist", len(k.list(engram.Filter{Project: "nowhere"})), 0)
		}},
	}
}

// pages reads a list page by page until one is empty.
func pages[T any](k *kit, size int, page func(engram.Reader, engram.Page) ([]T, error)) (all []T) {
	k.Helper()
	k.view(func(r engram.Reader) error {
		for {
			part, err := page(r, engram.Page{Limit: size, Offset: len(all)})
			if err != nil || len(part) == 0 {
				return err
			}
			if len(part) > size {
				return fmt.Errorf("%d on a page of %d", len(part), size)
			}
			all = append(all, part...)
		}
	})
	return all
}

func sortedTitles(ms []engram.Memory) string {
	names := every(ms, func(m engram.Memory) string { return m.Title })
	slices.Sort(names)
	return strings.Join(names, " ")
}

// furnish saves memories that differ in everything that filters select by. All contain "kettle".
func (k *kit) furnish() {
	k.Helper()
	n := 0
	put := func(title string, change func(*engram.Memory)) engram.Memory {
		n++
		return k.save(func(m *engram.Memory) {
			m.Title, m.Content, m.CreatedAt = title, "about the kettle", at(100*n)
			change(m)
		})
	}
	put("alpha", func(m *engram.Memory) { // created at 100
		m.TopicKey = "auth"
		m.Type, m.Tags = engram.TypeDecision, []string{"db", "Hot Path"}
		m.Metadata = map[string]any{"n": 1.0, "yes": true, "s": "1", "none": nil, `quo"te`: "q", "a.b": 2.5, `back\slash`: "b",
			"": "empty", "$": "dollar", "ключ": "значение", "<a&b>": "<&>", "new\nline": "l", "[0]": "i"}
	})
	put("beta", func(m *engram.Memory) { // 200
		m.TopicKey = "auth/tokens"
		m.Type, m.Tags, m.Scope = engram.TypeBugfix, []string{"db"}, engram.ScopePersonal
		m.Metadata = map[string]any{"n": "1", "yes": 1.0, "s": 1.0, "a": map[string]any{"b": 2.5}, "list": []any{1.0, "x"}, "deep": map[string]any{"k": "v"}}
	})
	put("gamma", func(m *engram.Memory) { // 300
		m.TopicKey = "auth-model"
		m.Project, m.SessionID = "other", "s-other"
		m.Tags = []string{"DB", "db-2"}
		m.Metadata = map[string]any{"n": 1.5, "yes": false, "list": `[1,"x"]`, "deep": `{"k":"v"}`, "big": 1e300, "neg": -7.0, "zero": 0.0}
	})
	put("delta", func(m *engram.Memory) { // 400
		m.Project, m.SessionID, m.Scope, m.Type = "", "", engram.ScopeGlobal, "my type/ünï"
	})
	put("epsilon", func(m *engram.Memory) { m.SessionID = "s-second" }) // 500
	m := put("omega", func(m *engram.Memory) { m.Tags = []string{"db"} })
	k.forget(m, 1000)
}

type filterCase struct {
	name   string
	filter engram.Filter
	want   string // titles, sorted
}

// filters are the cases for the memories of furnish.
func filters() []filterCase {
	meta := func(key string, value any) engram.Filter {
		return engram.Filter{Metadata: map[string]any{key: value}}
	}
	return []filterCase{
		{"everything", engram.Filter{}, "alpha beta delta epsilon gamma"},
		{"forgotten ones", engram.Filter{Forgotten: true}, "omega"},
		{"forgotten ones with a tag", engram.Filter{Forgotten: true, Tags: []string{"db"}}, "omega"},
		{"a project", engram.Filter{Project: "app"}, "alpha beta epsilon"},
		{"a project that does not exist", engram.Filter{Project: "nowhere"}, ""},
		{"a type", engram.Filter{Types: []engram.Type{engram.TypeBugfix}}, "beta"},
		{"one of two types", engram.Filter{Types: []engram.Type{engram.TypeBugfix, engram.TypeDecision}}, "alpha beta"},
		{"a type of one's own", engram.Filter{Types: []engram.Type{"my type/ünï"}}, "delta"},
		{"a type in other case", engram.Filter{Types: []engram.Type{"BugFix"}}, ""},
		{"a scope", engram.Filter{Scope: engram.ScopePersonal}, "beta"},
		{"what is of no single project", engram.Filter{Beyond: true}, "beta delta"},
		{"that, of one project", engram.Filter{Beyond: true, Project: "app"}, "beta"},
		{"that, with a tag", engram.Filter{Beyond: true, Tags: []string{"db"}}, "beta"},
		{"the global scope", engram.Filter{Scope: engram.ScopeGlobal}, "delta"},
		{"a tag", engram.Filter{Tags: []string{"db"}}, "alpha beta"},
		{"a tag in capitals is another tag", engram.Filter{Tags: []string{"DB"}}, "gamma"},
		{"a tag with a space", engram.Filter{Tags: []string{"Hot Path"}}, "alpha"},
		{"part of a tag", engram.Filter{Tags: []string{"Hot"}}, ""},
		{"two tags, both of them", engram.Filter{Tags: []string{"db", "Hot Path"}}, "alpha"},
		{"a session", engram.Filter{SessionID: "s-second"}, "epsilon"},
		{"a session that does not exist", engram.Filter{SessionID: "never"}, ""},
		{"since, inclusive", engram.Filter{Since: at(400)}, "delta epsilon"},
		{"until, exclusive", engram.Filter{Until: at(200)}, "alpha"},
		{"a stretch of time", engram.Filter{Since: at(200), Until: at(400)}, "beta gamma"},
		{"a topic, and what lies below it", engram.Filter{Topic: "auth"}, "alpha beta"},
		{"a topic with nothing below it", engram.Filter{Topic: "auth/tokens"}, "beta"},
		{"the beginning of a topic", engram.Filter{Topic: "aut"}, ""},
		{"a topic that is in another project", engram.Filter{Topic: "auth-model", Project: "app"}, ""},
		{"several filters at once", engram.Filter{Project: "app", Tags: []string{"db"}, Scope: engram.ScopeProject, Since: at(1)}, "alpha"},

		{"metadata: a number", meta("n", 1.0), "alpha"},
		{"metadata: the same number as an integer", meta("n", 1), "alpha"},
		{"metadata: a text of digits is not the number", meta("n", "1"), "beta"},
		{"metadata: a fraction", meta("n", 1.5), "gamma"},
		{"metadata: true is not 1", meta("yes", true), "alpha"},
		{"metadata: 1 is not true", meta("yes", 1.0), "beta"},
		{"metadata: false", meta("yes", false), "gamma"},
		{"metadata: null is there, not missing", meta("none", nil), "alpha"},
		{"metadata: a key with a quote", meta(`quo"te`, "q"), "alpha"},
		{"metadata: a key with a backslash", meta(`back\slash`, "b"), "alpha"},
		{"metadata: a key with a dot is not a path", meta("a.b", 2.5), "alpha"},
		{"metadata: an empty key", meta("", "empty"), "alpha"},
		{"metadata: a dollar", meta("$", "dollar"), "alpha"},
		{"metadata: a key in another script", meta("ключ", "значение"), "alpha"},
		{"metadata: what JSON may escape", meta("<a&b>", "<&>"), "alpha"},
		{"metadata: a key with a line break", meta("new\nline", "l"), "alpha"},
		{"metadata: a key that looks like an index", meta("[0]", "i"), "alpha"},
		{"metadata: a list", meta("list", []any{1.0, "x"}), "beta"},
		{"metadata: a text that spells a list", meta("list", `[1,"x"]`), "gamma"},
		{"metadata: an object", meta("deep", map[string]any{"k": "v"}), "beta"},
		{"metadata: a text that spells an object", meta("deep", `{"k":"v"}`), "gamma"},
		{"metadata: a great number", meta("big", 1e300), "gamma"},
		{"metadata: a negative number", meta("neg", -7), "gamma"},
		{"metadata: zero is not false", meta("zero", false), ""},
		{"metadata: a value that cannot be JSON", meta("n", func() {}), ""},
		{"metadata: a key that is nowhere", meta("nokey", "x"), ""},
		{"metadata: two keys, both of them", engram.Filter{Metadata: map[string]any{"n": 1.0, "s": "1"}}, "alpha"},
		{"metadata: two keys, one of them wrong", engram.Filter{Metadata: map[string]any{"n": 1.0, "s": "2"}}, ""},
	}
}

// vitals returns at most most outlines of the memories that pass f; 0 means all.
func (k *kit) vitals(f engram.Filter, most int) (ms []engram.Memory) {
	k.Helper()
	k.view(func(r engram.Reader) error {
		return r.Outlines(k.Context(), f, 0, func(m engram.Memory) bool {
			ms = append(ms, m)
			return most == 0 || len(ms) < most
		})

	})
	return ms
}

func (k *kit) due(project string, before time.Time, p engram.Page) []int64 {
	k.Helper()
	p.Order = engram.OrderDue
	return nums(read2(k, engram.Reader.List, engram.Filter{Project: project, DueBefore: before}, p))
}

func vitalCases() []testCase {
	return []testCase{
		{"an outline has the inputs of strength and reviews, and no text", func(k *kit) {
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
		{"a sample returns everything if there is little, else a spread selection", func(k *kit) {
			for range 20 {
				k.save(in("other"))
				k.save()
			}
			k.forget(k.save(), 99)
			sample := func(project string, most int) (ms []engram.Memory) {
				k.view(func(r engram.Reader) error {
					return r.Outlines(k.Context(), engram.Filter{Project: project}, most, func(m engram.Memory) bool {
						ms = append(ms, m)
						return true
					})
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
			k.saveMany(12, func(i int, m *engram.Memory) {
				in([]string{"other", "app", "app", "app"}[i%4])(m)
				m.Type, m.Tags = []engram.Type{"fact", "bugfix"}[i%2], [][]string{{"x"}, {"y"}, {"x", "y"}}[i%3]
			})
			gone := k.save(func(m *engram.Memory) { m.DeletedAt = at(99) })
			for _, f := range []engram.Filter{{}, {Project: "app"}, {Types: []engram.Type{"fact"}}, {Tags: []string{"x"}}, {Project: "nowhere"},
				{Since: at(3), Until: at(9)}, {Forgotten: true}, {SessionID: "s-other"}} {
				k.same("outlines", nums(k.vitals(f, 0)), nums(k.list(f)))
			}
			k.same("forgotten", nums(k.vitals(engram.Filter{Forgotten: true}, 0)), []int64{gone.Num})
		}},
		{"an outline scan stops when the caller has enough", func(k *kit) {
			k.saveMany(5, func(int, *engram.Memory) {})
			k.same("outlines", len(k.vitals(engram.Filter{}, 2)), 2)
			k.same("the next reading", len(k.vitals(engram.Filter{}, 0)), 5)
		}},
		{"due reviews of live memories are listed, longest overdue first", func(k *kit) {
			review := func(n int, change ...func(*engram.Memory)) engram.Memory {
				return k.save(append(change, func(m *engram.Memory) { m.ReviewAfter = at(n) })...)
			}
			second, first := review(20), review(10)
			other := review(15, func(m *engram.Memory) { m.Project, m.SessionID = "other", "" })
			review(30) // the boundary is exclusive
			review(40)
			review(5, func(m *engram.Memory) { m.DeletedAt = at(6) })
			k.save() // never
			same := review(20)
			all := engram.Page{Limit: 10}
			k.same("all", k.due("", at(30), all), []int64{first.Num, other.Num, second.Num, same.Num})
			k.same("of a project", k.due("app", at(30), all), []int64{first.Num, second.Num, same.Num})
			k.same("a page", k.due("", at(30), engram.Page{Limit: 2, Offset: 1}), []int64{other.Num, second.Num})
			k.relation(60, other.Num, engram.VerbSupersedes, second.Num)
			k.relation(61, first.Num, engram.VerbContradicts, same.Num)
			k.same("superseded memories are not due", k.due("app", at(30), all), []int64{first.Num, same.Num})
			k.same("before any", k.due("", at(0), all), []int64(nil))
			k.same("of a project that does not exist", k.due("nowhere", at(30), all), []int64(nil))
		}},
		{"exposures of a session are filtered by operation", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			k.expose(exposure(1, a, operation("get")), exposure(2, b, operation("search")), exposure(3, b, operation("recall")), exposure(4, c, operation("context")), exposure(5, a, operation("get")),
				exposure(6, c, operation("get"), func(u *engram.Exposure) { u.SessionID = "" }))
			asked := func(verbs []string, ms ...engram.Memory) []int64 {
				return read3(k, engram.Reader.Shown, "s-app", verbs, nums(ms))
			}
			k.same("read", asked([]string{"get", "recall"}, c, b, a), []int64{a.Num, b.Num})
			k.same("of some", asked([]string{"get", "recall"}, b, c), []int64{b.Num})
			k.same("by another verb", asked([]string{"context"}, a, b, c), []int64{c.Num})
			k.same("by none", asked([]string{}, a, b, c), []int64(nil))
			failing(k, engram.CodeNotFound, func(r engram.Reader, ctx context.Context, session string) ([]int64, error) {
				return r.Shown(ctx, session, []string{"get"}, []int64{a.Num})
			}, "nope")
		}},
		{"an access is counted, and a clock set back does not lower its time", func(k *kit) {
			m, other := k.save(), k.save()
			count := func(n int, ms ...engram.Memory) {
				k.update(func(tx engram.Tx) error {
					return tx.RecordUse(k.Context(), engram.Use{Accessed: append(nums(ms), 999), At: at(n)})
				})
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
		{"a project keeps its decay settings", func(k *kit) {
			decays := func() map[string]engram.ProjectDecay { return read0(k, engram.Reader.Decays) }
			k.projects("app", "other")
			k.same("none", len(decays()), 0)
			d := engram.ProjectDecay{Decay: engram.Decay{Curve: engram.CurveGeometric, Rate: 0.97, MaxBoost: 3},
				Types: map[engram.Type]engram.Decay{"fact": {Curve: engram.CurveEbbinghaus, Rate: 60}}}
			k.putProject(engram.Project{Name: "app", Decay: &d, CreatedAt: at(0)})
			k.same("its own", decays(), map[string]engram.ProjectDecay{"app": d})
			k.same("read back", *k.project("app").Decay, d)
			var listed []string
			for _, p := range read1(k, engram.Reader.Projects, true) {
				if p.Decay != nil {
					listed = append(listed, p.Name)
				}
			}
			k.same("listed", listed, []string{"app"})
			k.projects("app")
			k.same("none again", len(decays()), 0)
		}},
	}
}
