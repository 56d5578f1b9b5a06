package storetest

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

// anchorAt is an anchor to a place; first 0 is the whole file.
func anchorAt(path string, first, last int) engram.Anchor {
	a := engram.Anchor{Repository: "example.com/owner/name", Commit: strings.Repeat("c0", 20), Path: path, Blob: strings.Repeat("b1", 20), First: first, Last: last}
	if first > 0 {
		a.Lines = "01234567-0123456789abcdef"
	}
	return a
}

func anchorCases() []testCase {
	to := func(anchors ...engram.Anchor) func(*engram.Memory) {
		return func(m *engram.Memory) { m.Anchors = engram.CleanAnchors(anchors) }
	}
	in := func(project string) func(*engram.Memory) {
		return func(m *engram.Memory) { m.Project, m.SessionID = project, "s-"+project }
	}
	anchored := func(k *kit, project, path string, limit int) (ms []engram.Memory) {
		k.Helper()
		k.view(func(r engram.Reader) (err error) {
			ms, err = r.Anchored(k.Context(), project, path, limit)
			return err
		})
		return ms
	}
	stale := func(k *kit, project string, p engram.Page) []int64 {
		k.Helper()
		var ms []engram.Memory
		k.view(func(r engram.Reader) (err error) {
			ms, err = r.StaleAnchors(k.Context(), project, p)
			return err
		})
		return nums(ms)
	}
	note := func(k *kit, seen map[int64]engram.AnchorState) {
		k.Helper()
		k.update(func(tx engram.Tx) error { return tx.NoteAnchors(k.Context(), seen) })
	}
	return []testCase{
		{"anchors are kept with their memory and given back as they were", func(k *kit) {
			m := k.save(to(anchorAt("a/b.go", 3, 9), anchorAt("a/b.go", 0, 0), anchorAt("ä/ö ü.go", 0, 0)))
			k.sameMemory("saved", k.read(engram.ByNum(m.Num)), m)
			m = k.replace(m, to(anchorAt("c.go", 1, 1)))
			k.sameMemory("replaced", k.read(engram.ByNum(m.Num)), m)
			m = k.replace(m, func(m *engram.Memory) { m.Anchors = nil })
			k.sameMemory("without", k.read(engram.ByNum(m.Num)), m)
		}},
		{"what is anchored to a path, or below it, is found, newest first", func(k *kit) {
			first := k.save(to(anchorAt("a/b.go", 3, 9), anchorAt("a/b.go", 20, 21)))
			second := k.save(to(anchorAt("a/b.go", 0, 0), anchorAt("x.go", 0, 0)))
			other := k.save(in("other"), to(anchorAt("a/b.go", 0, 0)))
			k.save(to(anchorAt("a/b.go2", 0, 0), anchorAt("a/c.go", 0, 0), anchorAt("b.go", 0, 0)))
			k.save()
			for _, tt := range []struct {
				project, path string
				limit         int
				want          []int64
			}{
				{"app", "a/b.go", 9, []int64{second.Num, first.Num}},
				{"app", "a/b.go", 1, []int64{second.Num}},
				{"", "a/b.go", 9, []int64{other.Num, second.Num, first.Num}},
				{"other", "a/b.go", 9, []int64{other.Num}},
				{"other", "a", 9, []int64{other.Num}},
				{"app", "x.go", 9, []int64{second.Num}},
				{"app", "b", 9, nil},
				{"app", "%", 9, nil},
				{"nowhere", "a/b.go", 9, nil},
			} {
				k.same("anchored in "+tt.project+" to "+tt.path, nums(anchored(k, tt.project, tt.path, tt.limit)), append([]int64{}, tt.want...))
			}
			k.sameMemory("whole", anchored(k, "app", "x.go", 9)[0], second)
			k.replace(first, to(anchorAt("y.go", 0, 0)))
			k.forget(second, 500)
			k.same("after one was replaced and one forgotten", len(anchored(k, "app", "a/b.go", 9)), 0)
			k.same("the new place", nums(anchored(k, "app", "y.go", 9)), []int64{first.Num})
			k.update(func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), first.Num) })
			k.same("after it was erased", len(anchored(k, "app", "y.go", 9)), 0)
		}},
		{"what was seen of anchors is told until they are others, or as they were", func(k *kit) {
			a := k.save(to(anchorAt("a.go", 0, 0), anchorAt("b.go", 0, 0)))
			b := k.save(to(anchorAt("b.go", 0, 0)))
			c := k.save(in("other"), to(anchorAt("b.go", 0, 0)))
			none := k.save()
			note(k, map[int64]engram.AnchorState{a.Num: engram.AnchorChanged, b.Num: engram.AnchorGone, c.Num: engram.AnchorGone,
				none.Num: engram.AnchorGone, 999: engram.AnchorGone})
			k.same("of all", stale(k, "", engram.Page{Limit: 9}), []int64{c.Num, b.Num, a.Num})
			k.same("of one project", stale(k, "app", engram.Page{Limit: 9}), []int64{b.Num, a.Num})
			k.same("a page", stale(k, "app", engram.Page{Limit: 1, Offset: 1}), []int64{a.Num})
			k.same("of none", len(stale(k, "nowhere", engram.Page{Limit: 9})), 0)
			k.view(func(r engram.Reader) error {
				seen, err := r.SeenAnchors(k.Context(), []int64{a.Num, b.Num, none.Num, 999})
				k.same("seen", seen, map[int64]engram.AnchorState{a.Num: engram.AnchorChanged, b.Num: engram.AnchorGone})
				return err
			})
			note(k, map[int64]engram.AnchorState{a.Num: engram.AnchorVerified})
			k.same("after one is as it was", stale(k, "app", engram.Page{Limit: 9}), []int64{b.Num})
			b = k.replace(b, func(m *engram.Memory) { m.Content = "another text" })
			k.same("another text says nothing of it", stale(k, "app", engram.Page{Limit: 9}), []int64{b.Num})
			b = k.replace(b, to(anchorAt("b.go", 1, 1)))
			k.same("after the anchors are others", len(stale(k, "app", engram.Page{Limit: 9})), 0)
			k.forget(c, 500)
			k.same("forgotten", len(stale(k, "", engram.Page{Limit: 9})), 0)
		}},
	}
}
