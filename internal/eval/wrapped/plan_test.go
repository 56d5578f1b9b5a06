package wrapped_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/wrapped"
)

// shops are two sets about the same shop: its log in five groups, and one note of each of three groups.
func shops() []eval.Set {
	log, notes := workshop(), workshop()
	log.Name, notes.Name = "log", "notes"
	for _, g := range []string{"white", "black"} {
		log.Groups = append(log.Groups, g)
		for i := range 20 {
			log.Documents = append(log.Documents, eval.Document{ID: fmt.Sprint(g, i), Group: g, Text: fmt.Sprintf("Day %d went by without anything to write down.", i)})
		}
	}
	notes.Documents = slices.DeleteFunc(notes.Documents, func(d eval.Document) bool { return d.Seq > 0 })
	return []eval.Set{log, notes}
}

func groupsOf(s eval.Set) map[string]int {
	groups := map[string]int{}
	for _, d := range s.Documents {
		groups[d.Group]++
	}
	return groups
}

func TestAStoreHasTheSizeThatIsWanted(t *testing.T) {
	for _, tt := range []struct {
		name           string
		size           int
		generated, out int
		want           map[string]int // documents by group
	}{
		{"all of it", 0, 0, 21, map[string]int{"log/red": 20, "log/green": 20, "log/white": 20, "log/black": 20, "notes/red": 1, "notes/green": 1}},
		{"cut, and the small set is whole", 22, 0, 4, map[string]int{"log/red": 5, "log/green": 5, "log/white": 5, "log/black": 5, "notes/red": 1, "notes/green": 1}},
		{"filled", 600, 518, 21, map[string]int{"log/red": 20, "log/green": 20, "log/white": 20, "log/black": 20, "notes/red": 1, "notes/green": 1, "filler/1": 500, "filler/2": 18}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := wrapped.NewPlan(shops(), tt.size, wrapped.Options{Seed: 1, Each: 5})
			if got := groupsOf(p.Store); !reflect.DeepEqual(got, tt.want) || p.Generated != tt.generated || p.LeftOut != tt.out {
				t.Errorf("got %v, %d generated, %d left out\nwant %v, %d, %d", got, p.Generated, p.LeftOut, tt.want, tt.generated, tt.out)
			}
			for g := range tt.want {
				if !slices.Contains(p.Store.Groups, g) {
					t.Errorf("the groups of the store %v lack %s", p.Store.Groups, g)
				}
			}
		})
	}
}

func TestAStoreAnswersWhatItKnowsAlone(t *testing.T) {
	p := wrapped.NewPlan(shops(), 0, wrapped.Options{Seed: 1, Each: 30})
	groupOf := map[string]string{}
	for _, d := range p.Store.Documents {
		groupOf[d.ID] = d.Group
	}
	for _, q := range p.Known {
		there := false
		for id := range q.Answers {
			if groupOf[id] == "" {
				t.Errorf("%s: the answer %s is not stored", q.ID, id)
			}
			there = there || groupOf[id] == q.Group
			if q.Elsewhere == "" || groupOf[id] == q.Elsewhere {
				t.Errorf("%s: answered by %s in %s, and asked elsewhere in %q", q.ID, id, groupOf[id], q.Elsewhere)
			}
		}
		if !there {
			t.Errorf("%s: no answer in its group %s", q.ID, q.Group)
		}
	}
	if len(p.Unknown) == 0 {
		t.Fatal("nothing is asked about the groups left out")
	}
	for _, q := range p.Unknown {
		if !strings.HasSuffix(q.Group, "/blue") {
			t.Errorf("%s is asked of %s, want a group that was left out", q.ID, q.Group)
		}
		for id := range q.Answers {
			if groupOf[id] != "" {
				t.Errorf("%s: %s answers it and is stored", q.ID, id)
			}
		}
	}
}

func TestTheSameQuestionOfTwoSetsHasTheAnswersOfBoth(t *testing.T) {
	p := wrapped.NewPlan(shops(), 0, wrapped.Options{Kinds: []string{"natural"}, Each: 100})
	both := 0
	for _, q := range p.Known {
		for _, id := range []string{"red0", "green0"} {
			if q.Answers["log/"+id] != q.Answers["notes/"+id] {
				t.Errorf("%q: got %v, want the log and the note", q.Text, q.Answers)
			} else if q.Answers["log/"+id] {
				both++
			}
		}
	}
	if both != 2 {
		t.Errorf("got %d questions about the first documents, want 2", both)
	}
}

func TestFillerAnswersNothing(t *testing.T) {
	count := func(s eval.Set) map[string]int {
		in := map[string]int{}
		for _, d := range s.Documents {
			letters := func(r rune) bool { return !unicode.IsLetter(r) } // the parts of names, too
			for _, w := range different(strings.FieldsFunc(d.Title+" "+d.Text, letters)) {
				in[w]++
			}
		}
		return in
	}
	sets := shops()
	small, large := wrapped.NewPlan(sets, 0, wrapped.Options{Seed: 4, Each: 5}), wrapped.NewPlan(sets, 400, wrapped.Options{Seed: 4, Each: 5})
	if !reflect.DeepEqual(small.Known, large.Known) {
		t.Error("the questions are others because the store was filled")
	}
	before, after := count(small.Store), count(large.Store)
	grown := 0
	for w, n := range before {
		switch {
		case n <= 3 && after[w] != n:
			t.Errorf("%q was in %d documents and is in %d", w, n, after[w])
		case n > 3 && after[w] > n:
			grown++
		}
	}
	if grown < 50 {
		t.Errorf("%d usual words are more frequent in the larger store, want nearly all of 180", grown)
	}
}

func TestAnEmptyStoreStaysEmpty(t *testing.T) {
	for name, sets := range map[string][]eval.Set{"no sets": nil, "an empty set": {{Name: "empty"}}} {
		if p := wrapped.NewPlan(sets, 100, wrapped.Options{}); len(p.Store.Documents)+len(p.Known)+len(p.Unknown)+p.Generated != 0 {
			t.Errorf("%s: got %+v, want nothing", name, p)
		}
	}
}

func TestTally(t *testing.T) {
	answers := eval.Relevant{"a": true, "b": true}
	ten := func(last string) []string { return append(strings.Fields("1 2 3 4 5 6 7 8 9"), last) }
	var tally wrapped.Tally
	for _, a := range []eval.Answer{
		{Ranking: []string{"a", "x"}, Strong: []string{"a"}},
		{Ranking: []string{"b"}},                   // lost
		{Ranking: ten("b"), Strong: []string{"1"}}, // the tenth
		{Ranking: append(ten("x"), "a")},           // the eleventh is no loss
		{},                                         // neither is what was not found
		{Ranking: []string{"x"}, Strong: []string{"x"}},
	} {
		tally.Known(a, answers)
	}
	tally.Unknown(eval.Answer{Ranking: []string{"x"}})
	tally.Unknown(eval.Answer{Ranking: []string{"x"}, Strong: []string{"x"}})
	if want := (wrapped.Tally{Questions: 6, First: 2, Ten: 3, Lost: 1, Unanswerable: 2, Abstained: 1}); tally != want {
		t.Errorf("got %+v, want %+v", tally, want)
	}
	mean := wrapped.Mean([]wrapped.Tally{{Questions: 10, First: 10, Ten: 10}, {Questions: 2, Ten: 1, Lost: 1, Unanswerable: 4, Abstained: 1}, {}})
	if want := (wrapped.Shares{First: 0.5, Ten: 0.75, Lost: 0.25, Abstained: 0.25, Asked: true, Foreign: true}); mean != want {
		t.Errorf("mean: got %+v, want %+v", mean, want)
	}
	if got := wrapped.Mean(nil); got != (wrapped.Shares{}) {
		t.Errorf("mean of nothing: got %+v", got)
	}
}
