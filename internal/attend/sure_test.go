package attend_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/attend"
)

func TestSure(t *testing.T) {
	// In 300 memories a word that one of them has is worth 5.3.
	sure := attend.Find{Words: 15, Near: 1, Matched: 4}
	noise := func(words float64) attend.Find { return attend.Find{Words: words, Near: 7, Matched: 2} }
	seen := sure
	seen.Seen = true
	oneWord := sure
	oneWord.Matched = 1
	for _, tt := range []struct {
		name  string
		finds []attend.Find
		want  []int
	}{
		{"nothing was found", nil, nil},
		{"what stands out", []attend.Find{sure, noise(5), noise(4)}, []int{0}},
		{"wherever it stands", []attend.Find{noise(5), sure, noise(4)}, []int{1}},
		{"what does not stand out of its like", []attend.Find{noise(7), noise(6.9), noise(6.8), noise(6.7)}, nil},
		{"what has little in common", []attend.Find{noise(5), noise(2)}, nil},
		{"two that stand out of all else", []attend.Find{{Words: 20, Near: 1, Matched: 5}, {Words: 19, Near: 2, Matched: 5}, noise(5)}, []int{0, 1}},
		{"what was seen is not told, and nothing in its place", []attend.Find{seen, noise(5)}, nil},
		{"one word in common is chance", []attend.Find{oneWord, noise(5)}, nil},
		{"what no word found", []attend.Find{{Near: 1, Matched: 3}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for _, v := range attend.DefaultCertainty().Sure(tt.finds, 300) {
				got = append(got, v.Find)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Sure(%+v, 300)\n got %v\nwant %v", tt.finds, got, tt.want)
			}
		})
	}
}

func TestWhatIsToldIsFewAndCertain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := attend.DefaultCertainty()
		finds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) attend.Find {
			return attend.Find{Words: rapid.Float64Range(0, 60).Draw(t, "words"), Near: rapid.IntRange(0, 10).Draw(t, "near"),
				Matched: rapid.IntRange(0, 9).Draw(t, "matched"), Seen: rapid.Bool().Draw(t, "seen")}
		}), 0, 12).Draw(t, "finds")
		rows := rapid.IntRange(0, 1_000_000).Draw(t, "rows")
		last := 1.0
		told := c.Sure(finds, rows)
		if len(told) > c.Most {
			t.Fatalf("Sure(%+v, %d) tells %d", finds, rows, len(told))
		}
		for _, v := range told {
			f := finds[v.Find]
			if f.Seen || f.Matched < c.Least || v.Chance < c.Enough || v.Chance > last {
				t.Fatalf("Sure(%+v, %d) tells %+v, %+v", finds, rows, v, f)
			}
			last = v.Chance
		}
	})
}
