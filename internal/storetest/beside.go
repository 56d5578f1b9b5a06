package storetest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// beside returns what a search for kettle, which every memory of these cases has, knows of their sessions.
func (k *kit) beside() map[int64]engram.Beside {
	k.Helper()
	all := map[int64]engram.Beside{}
	for num, b := range k.lexical("kettle").Beside {
		all[num] = *b
	}
	return all
}

// kettle saves a memory of a session that a search for kettle finds.
func (k *kit) kettle(session string) engram.Memory {
	k.Helper()
	return k.save(within(session), func(m *engram.Memory) { m.Title, m.Content = "kettle", "a kettle of the kitchen" })
}

func besideCases() []testCase {
	return []testCase{
		{"each memory of a session knows who was saved before and after it", func(k *kit) {
			a := k.kettle("s-one")
			k.kettle("s-two") // between them, but of another session
			b, c := k.kettle("s-one"), k.kettle("s-one")
			got := k.beside()
			for _, tt := range []struct {
				name          string
				m             engram.Memory
				before, after engram.Memory
			}{
				{"the first", a, engram.Memory{}, b},
				{"one in the middle", b, a, c},
				{"the last", c, b, engram.Memory{}},
			} {
				x, found := got[tt.m.Num]
				k.same(tt.name+" is there", found, true)
				k.same(tt.name+": before and after", []int64{x.Before.Num, x.After.Num}, []int64{tt.before.Num, tt.after.Num})
				k.same(tt.name+": before at", x.Before.At, tt.before.CreatedAt)
				k.same(tt.name+": after at", x.After.At, tt.after.CreatedAt)
				k.same(tt.name+": at", x.At, tt.m.CreatedAt)
				if x.Size <= 0 || (x.Before.Size > 0) != (x.Before.Num > 0) || (x.After.Size > 0) != (x.After.Num > 0) {
					k.Errorf("%s: got sizes of %+v", tt.name, x)
				}
			}
		}},
		{"memories of one session share its number", func(k *kit) {
			a, b, c := k.kettle("s-one"), k.kettle("s-one"), k.kettle("s-two")
			got := k.beside()
			k.same("one session", got[a.Num].Session, got[b.Num].Session)
			k.same("two sessions", got[a.Num].Session == got[c.Num].Session, false)
		}},
		{"a memory without a session has no neighbours", func(k *kit) {
			k.kettle("")
			k.kettle("")
			k.same("beside", len(k.beside()), 0)
		}},
		{"a forgotten memory is no neighbour until it is restored", func(k *kit) {
			a, b, c := k.kettle("s-one"), k.kettle("s-one"), k.kettle("s-one")
			k.forget(b, 50)
			k.same("after the first", k.beside()[a.Num].After.Num, c.Num)
			k.same("before the last", k.beside()[c.Num].Before.Num, a.Num)
			k.replace(b, func(*engram.Memory) {})
			k.same("restored", k.beside()[a.Num].After.Num, b.Num)
		}},
	}
}

func partCases() []testCase {
	return []testCase{
		{"the mean length counts the live memories of the project", func(k *kit) {
			k.save(func(m *engram.Memory) { m.Title, m.Content = "kettle", "kettle boils water" })
			long := k.save(func(m *engram.Memory) { m.Title, m.Content = "kettle", strings.Repeat("kettle boils water ", 20) })
			k.save(func(m *engram.Memory) { m.Project, m.SessionID, m.Title = "other", "s-other", "kettle" })
			app := func(q *engram.LexicalQuery) { q.Filter.Project = "app" }
			both := k.lexical("kettle", app).Length
			k.forget(long, 50)
			short := k.lexical("kettle", app).Length
			if short <= 0 || both < 4*short || math.IsNaN(both) {
				k.Errorf("mean length: got %v with a long memory and %v without it, want the first far above the second", both, short)
			}
		}},
		{"the parts of a hit are those of its words, and add up to its score", func(k *kit) {
			both := k.save(within("s-one"), func(m *engram.Memory) { m.Title, m.Content = "kettle", "a kettle and roses" })
			loose := k.save(within(""), func(m *engram.Memory) { m.Title, m.Content = "roses", "red" })
			k.save(titled("neither"))
			answer := k.lexical("kettle, roses, tulips")
			for _, tt := range []struct {
				m    engram.Memory
				want []bool
			}{{both, []bool{true, true, false}}, {loose, []bool{false, true, false}}} {
				parts, sum, has := answer.Parts[tt.m.Num], 0.0, []bool{}
				for _, part := range parts {
					sum += float64(part)
					has = append(has, part > 0)
				}
				k.same("which words it has", has, tt.want)
				i := slices.IndexFunc(answer.Hits, func(h engram.Ranked) bool { return h.Num == tt.m.Num })
				if i < 0 || math.Abs(answer.Hits[i].Score-sum) > 1e-5 {
					k.Errorf("memory %d: the parts %v add up to %v; hits %v", tt.m.Num, parts, sum, answer.Hits)
				}
			}
			k.same("parts of hits", len(answer.Parts), len(answer.Hits))
			alone := k.lexical("kettle", func(q *engram.LexicalQuery) { q.Alone = true })
			k.same("parts of a search alone", len(alone.Parts), 0)
		}},
	}
}

// newestVectors returns the newest vectors in space 1.
func (k *kit) newestVectors(project string, most int) [][]float32 {
	k.Helper()
	of := read3(k, engram.Reader.NewestVectors, space(1).Fingerprint, project, most)
	all := make([][]float32, of.Count)
	for i := range all {
		all[i] = make([]float32, of.Dimensions)
		of.Read(i, all[i])
	}
	return all
}

// newest returns the first numbers of the newest vectors in space 1.
func (k *kit) newest(project string, most int) (firsts []string) {
	k.Helper()
	for _, v := range k.newestVectors(project, most) {
		firsts = append(firsts, fmt.Sprintf("%.2f", v[0]))
	}
	return firsts
}

func newestVectorCases() []testCase {
	return []testCase{
		{"the newest vectors come first, of one project or of all", func(k *kit) {
			k.placed(0.1)
			k.placed(0.2, in("other"))
			k.placed(0.3)
			k.same("of all", k.newest("", 10), []string{"0.30", "0.20", "0.10"})
			k.same("of app", k.newest("app", 10), []string{"0.30", "0.10"})
			k.same("no more than asked for", k.newest("", 2), []string{"0.30", "0.20"})
			k.same("of a project that is not", len(k.newest("nowhere", 10)), 0)
		}},
		{"vectors are ordered by the creation of their memories", func(k *kit) {
			old, young := k.save(), k.save()
			k.put(young, toward(0.9))
			k.put(old, toward(0.4))
			k.same("newest", k.newest("app", 10), []string{"0.90", "0.40"})
		}},
		{"forgotten memories and those without a vector are skipped", func(k *kit) {
			k.forget(k.placed(0.1), 50)
			k.save()
			k.placed(0.3)
			k.same("newest", k.newest("", 10), []string{"0.30"})
		}},
		{"an unknown model has no vectors", func(k *kit) {
			k.placed(0.5)
			k.same("vectors", read3(k, engram.Reader.NewestVectors, "nobody's", "", 10).Count, 0)
		}},
	}
}

// anchorAt is an anchor to lines of a file; first 0 means the whole file.
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
	anchored := func(k *kit, project, path string, limit int) []engram.Memory {
		k.Helper()
		return read2(k, engram.Reader.List, engram.Filter{Project: project, Anchor: path}, engram.Page{Limit: limit})
	}
	stale := func(k *kit, project string, p engram.Page) []int64 {
		k.Helper()
		return nums(read2(k, engram.Reader.List, engram.Filter{Project: project, Stale: true}, p))
	}
	return []testCase{
		{"anchors are stored with their memory and read back unchanged", func(k *kit) {
			m := k.save(to(anchorAt("a/b.go", 3, 9), anchorAt("a/b.go", 0, 0), anchorAt("ä/ö ü.go", 0, 0)))
			k.sameMemory("saved", k.read(engram.ByNum(m.Num)), m)
			m = k.replace(m, to(anchorAt("c.go", 1, 1)))
			k.sameMemory("replaced", k.read(engram.ByNum(m.Num)), m)
			m = k.replace(m, func(m *engram.Memory) { m.Anchors = nil })
			k.sameMemory("without", k.read(engram.ByNum(m.Num)), m)
		}},
		{"memories anchored to a path or below it are found, newest first", func(k *kit) {
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
			k.erase(first)
			k.same("after it was erased", len(anchored(k, "app", "y.go", 9)), 0)
		}},
		{"noted anchor states are reported until the anchors change or are verified", func(k *kit) {
			a := k.save(to(anchorAt("a.go", 0, 0), anchorAt("b.go", 0, 0)))
			b := k.save(to(anchorAt("b.go", 0, 0)))
			c := k.save(in("other"), to(anchorAt("b.go", 0, 0)))
			none := k.save()
			each(k, engram.Tx.NoteAnchors, map[int64]engram.AnchorState{a.Num: engram.AnchorChanged, b.Num: engram.AnchorGone, c.Num: engram.AnchorGone,
				none.Num: engram.AnchorGone, 999: engram.AnchorGone})
			k.same("of all", stale(k, "", engram.Page{Limit: 9}), []int64{c.Num, b.Num, a.Num})
			k.same("of one project", stale(k, "app", engram.Page{Limit: 9}), []int64{b.Num, a.Num})
			k.same("a page", stale(k, "app", engram.Page{Limit: 1, Offset: 1}), []int64{a.Num})
			k.same("of none", len(stale(k, "nowhere", engram.Page{Limit: 9})), 0)
			seen := read1(k, engram.Reader.SeenAnchors, []int64{a.Num, b.Num, none.Num, 999})
			k.same("seen", seen, map[int64]engram.AnchorState{a.Num: engram.AnchorChanged, b.Num: engram.AnchorGone})
			each(k, engram.Tx.NoteAnchors, map[int64]engram.AnchorState{a.Num: engram.AnchorVerified})
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
