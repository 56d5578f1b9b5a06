package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

func listCases() []testCase {
	return []testCase{
		{"newest first, equal times by number, in pages that join", func(k *kit) {
			var want []int64
			for i := range 23 {
				m := k.save(func(m *engram.Memory) { m.CreatedAt = at(i / 5) })
				want = append(want, m.Num)
			}
			slices.Reverse(want)
			for _, project := range []string{"", "app"} {
				k.same("whole list of "+project, nums(k.list(engram.Filter{Project: project})), want)
				k.same("pages of "+project, k.pages(4, func(r engram.Reader, p engram.Page) ([]int64, error) {
					ms, err := r.List(k.Context(), engram.Filter{Project: project}, p)
					return nums(ms), err
				}), want)
			}
		}},
		{"an older time is listed later, whenever it was written", func(k *kit) {
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
		{"a list goes on after a position, whatever was saved and forgotten meanwhile", func(k *kit) {
			var all []int64
			for i := range 12 {
				m := k.save(func(m *engram.Memory) { m.CreatedAt = at(100 + i/5) })
				all = append(all, m.Num)
			}
			slices.Reverse(all)
			after := func(p engram.Position, project string) (ms []engram.Memory) {
				k.view(func(r engram.Reader) (err error) {
					ms, err = r.List(k.Context(), engram.Filter{Project: project}, engram.Page{Limit: 5, After: p})
					return err
				})
				return ms
			}
			for _, project := range []string{"", "app"} {
				first := after(engram.Position{}, project)
				k.same("first page", nums(first), all[:5])
				last := first[4]
				k.same("next page", nums(after(engram.PositionOf(last), project)), all[5:10])
			}
			first := after(engram.Position{}, "")
			last := first[4]
			k.save(func(m *engram.Memory) { m.CreatedAt = at(900) })
			k.forget(first[1], 950)
			k.forget(last, 951)
			k.same("next page after writes", nums(after(engram.PositionOf(last), "")), all[5:10])
		}},
		{"every filter lets pass what it says and no more", func(k *kit) {
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
func (k *kit) pages(size int, page func(engram.Reader, engram.Page) ([]int64, error)) (all []int64) {
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
	return strings.Join(slices.Sorted(slices.Values(strings.Fields(strings.ReplaceAll(titles(ms), ",", "")))), " ")
}

// furnish writes memories that differ in everything a filter looks at. All of them
// speak of a kettle.
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

// filters go with furnish.
func filters() []filterCase {
	meta := func(key string, value any) engram.Filter {
		return engram.Filter{Metadata: map[string]any{key: value}}
	}
	cases := []filterCase{
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
	return cases
}
