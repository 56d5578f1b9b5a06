package project

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Similar returns the names in among that name may stand for, best first: equal except for case;
// then those that contain name or are contained in it (at least three characters); then those
// within a few typing mistakes (at most 3 and half the length of name, at least 1). A name of one
// letter only matches itself in another case. Equal ones are sorted by name; name itself is left
// out; nil for none. among is not changed.
func Similar(name string, among []string) []string {
	type find struct {
		name string
		kind kind
		far  int
	}
	var finds []find
	for _, other := range among {
		if other == name {
			continue
		}
		if k, far := compare(name, other); k != unlike {
			finds = append(finds, find{other, k, far})
		}
	}
	slices.SortStableFunc(finds, func(a, b find) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range finds {
		names = append(names, f.name)
	}
	return names
}

// Groups returns groups of names that look like one project: names are connected if each is similar
// to the other, and a group is a connected component. Groups have at least two names; names and
// groups are sorted; nil for none.
func Groups(names []string) [][]string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	// leader points from each name to another of its group; the first points to itself.
	leader := make([]int, len(names))
	find := func(i int) int {
		for leader[i] != i {
			leader[i] = leader[leader[i]]
			i = leader[i]
		}
		return i
	}
	for i, name := range names {
		leader[i] = i
		for j, other := range names[:i] {
			if mutual(name, other) {
				a, b := find(i), find(j)
				leader[max(a, b)] = min(a, b)
			}
		}
	}
	members := make([][]string, len(names))
	for i, name := range names {
		at := find(i)
		members[at] = append(members[at], name)
	}
	return slices.DeleteFunc(members, func(g []string) bool { return len(g) < 2 })
}

// mutual checks both directions, because the rules depend on the length of one side: a project
// named "a" must not connect all names with an a.
func mutual(a, b string) bool {
	there, _ := compare(a, b)
	if there == unlike {
		return false
	}
	back, _ := compare(b, a)
	return back != unlike
}

// kind is how two names are similar; lower is closer.
type kind int

const (
	sameButCase kind = iota
	within           // one contains the other
	mistyped
	unlike
)

// minWithin is the least number of characters of a name to be found within another.
const minWithin = 3

// compare returns how other is similar to name, and how far from it.
func compare(name, other string) (k kind, far int) {
	if max(len(name), len(other)) > engram.MaxName {
		return unlike, 0 // no project's name; and Distance is quadratic in the length
	}
	name, other = strings.ToLower(name), strings.ToLower(other)
	n, m := utf8.RuneCountInString(name), utf8.RuneCountInString(other)
	switch {
	case n == 0 || m == 0:
		return unlike, 0
	case name == other:
		return sameButCase, 0
	case n == 1 || m == 1: // any letter is one mistake from any other
		return unlike, 0
	case n >= minWithin && (strings.Contains(name, other) || strings.Contains(other, name)):
		return within, max(n-m, m-n)
	}
	limit := min(3, max(1, n/2))
	if max(n-m, m-n) > limit {
		return unlike, 0
	}
	if far = text.Distance(name, other); far > limit {
		return unlike, 0
	}
	return mistyped, far
}
