package project_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/project"
	"pgregory.net/rapid"
)

func TestSimilar(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		among    []string
		want     []string
	}{
		{"nobody is similar to nobody", "demo", nil, nil},
		{"the name itself is left out", "demo", []string{"demo"}, nil},
		{"another case is the best", "demo", []string{"demos", "Demo"}, []string{"Demo", "demos"}},
		{"a longer name that contains it", "demo", []string{"my-demo-app"}, []string{"my-demo-app"}},
		{"a shorter name within it", "demo-app", []string{"demo"}, []string{"demo"}},
		{"containing goes before mistyping", "demo", []string{"dema", "demo-application"}, []string{"demo-application", "dema"}},
		{"two characters are too few to be found within", "ab", []string{"xabx"}, nil},
		{"one mistake in a short name", "ab", []string{"ac", "xyz"}, []string{"ac"}},
		{"a single character is like none", "b", []string{"a", "ab", "B"}, []string{"B"}},
		{"none is like a single character", "ab", []string{"a", "b"}, nil},
		{"half the length is the limit", "abcd", []string{"abxy", "axyz"}, []string{"abxy"}},
		{"three mistakes at most", "abcdefghijkl", []string{"abcdefghi123", "abcdefgh1234"}, []string{"abcdefghi123"}},
		{"fewer mistakes go first, then the alphabet", "engram", []string{"engrxx", "engrab", "engraa"}, []string{"engraa", "engrab", "engrxx"}},
		{"mistakes are counted in characters", "über", []string{"uber"}, []string{"uber"}},
		{"an empty name is like none", "demo", []string{""}, nil},
		{"nothing is like an empty name", "", []string{"a", "abc"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := project.Similar(tt.in, tt.among); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Similar(%q, %q)\n got %q\nwant %q", tt.in, tt.among, got, tt.want)
			}
		})
	}
}

func TestGroups(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		want [][]string
	}{
		{"no names, no groups", nil, nil},
		{"names apart make no group", []string{"engram", "website"}, nil},
		{"a name twice is one name", []string{"engram", "engram"}, nil},
		{"similar names make one, sorted", []string{"engrams", "website", "engram"}, [][]string{{"engram", "engrams"}}},
		{"ties carry on", []string{"shop-api", "shop", "shop-web"}, [][]string{{"shop", "shop-api", "shop-web"}}},
		{"groups are sorted", []string{"website", "the-website", "engram", "engrams"}, [][]string{{"engram", "engrams"}, {"the-website", "website"}}},
		{"one letter ties nothing together", []string{"a", "alpha", "banana"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := project.Groups(tt.in); len(got) != len(tt.want) || len(got) > 0 && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Groups(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestSimilarHoldsForAnyNames(t *testing.T) {
	name := rapid.StringMatching(`[a-cA-C]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		there := len(project.Similar(a, []string{b})) > 0
		back := len(project.Similar(b, []string{a})) > 0
		// Between names of one length no rule depends on one side alone.
		if len(a) == len(b) && there != back {
			t.Errorf("%q is similar to %q: %v, the other way round: %v", a, b, there, back)
		}
		if grouped := len(project.Groups([]string{a, b})) > 0; grouped != (there && back && a != b) {
			t.Errorf("%q and %q in one group: %v, similar %v and %v", a, b, grouped, there, back)
		}
		among := rapid.SliceOf(name).Draw(t, "among")
		for _, s := range project.Similar(a, among) {
			if s == a || !slices.Contains(among, s) {
				t.Errorf("Similar(%q, %q) has %q", a, among, s)
			}
		}
	})
}

func TestGroupsPartTheNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.StringMatching(`[a-d]{1,6}`)).Draw(t, "names")
		seen := map[string]bool{}
		for _, group := range project.Groups(names) {
			if len(group) < 2 || !slices.IsSorted(group) {
				t.Errorf("Groups(%q) has the group %q", names, group)
			}
			for _, n := range group {
				if seen[n] {
					t.Errorf("Groups(%q) has %q twice", names, n)
				}
				seen[n] = true
			}
		}
	})
}

func BenchmarkGroups500(b *testing.B) {
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("%s-%d", strings.Repeat(string(rune('a'+i%26)), 6), i))
	}
	for b.Loop() {
		project.Groups(names)
	}
}
