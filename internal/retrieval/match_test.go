package retrieval_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// wanted are the words of a question, each of which so many memories have.
func wanted(question string, having int) (words []retrieval.Wanted, weights []float64) {
	for _, t := range text.Query(question) {
		words = append(words, retrieval.Wanted{Written: t.Written, Stems: []string{t.Word}, Having: having, Line: 100})
		weights = append(weights, 1)
	}
	return words, weights
}

func match(question, content string) retrieval.Matched {
	words, weights := wanted(question, 5)
	return retrieval.Read([]retrieval.Passage{{Num: 1, Content: content}}).Match(words, weights, question)[1]
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		name, question, content string
		covered                 []retrieval.Covered
		pairs                   float64
		run                     bool
	}{
		{"every word, in a row", "rotate signing keys", "We rotate the signing keys each month.", []retrieval.Covered{1, 1, 1}, 1, true},
		{"other forms of the words", "rotating key", "keys are rotated", []retrieval.Covered{1, 1}, 1, false},
		{"words far from each other", "rotate keys", "Rotate the logs daily, for disks are small and slow; keys stay.", []retrieval.Covered{1, 1}, 0, false},
		{"one of two pairs", "rotate signing keys", "keys for signing; logs of the nightly jobs we rotate", []retrieval.Covered{1, 1, 1}, .5, false},
		{"a word it lacks", "rotate tokens", "rotate the keys", []retrieval.Covered{1, 0}, 0, false},
		{"a word that begins so", "authentication", "auth", []retrieval.Covered{0}, 0, false},
		{"a word that it begins", "postgresql", "postgres", []retrieval.Covered{.8}, 0, false},
		{"nothing", "rotate", "", []retrieval.Covered{0}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := match(tt.question, tt.content)
			if !slices.Equal(got.Covered, tt.covered) || got.Pairs != tt.pairs || got.Run != tt.run {
				t.Errorf("%q in %q: got %+v, want %v, %v, %v", tt.question, tt.content, got, tt.covered, tt.pairs, tt.run)
			}
		})
	}
}

func TestARareWord(t *testing.T) {
	for _, tt := range []struct {
		name string
		word retrieval.Wanted
		want bool
	}{
		{"a name that the model does not know", retrieval.Wanted{Having: 1, Line: -1}, true},
		{"a word that is rare everywhere", retrieval.Wanted{Having: 3, Line: 9_000}, true},
		{"a usual word that the store lacks", retrieval.Wanted{Having: 1, Line: 566}, false},
		{"a name that many memories have", retrieval.Wanted{Having: 4, Line: -1}, false},
		{"a word that no memory has", retrieval.Wanted{Line: -1}, false},
		{"a correction", retrieval.Wanted{Having: 1, Line: -1, Repaired: true}, false},
	} {
		if tt.word.Rare(9) {
			t.Errorf("%s: rare among nine memories", tt.name)
		}
		if got := tt.word.Rare(100); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestName(t *testing.T) {
	for _, tt := range []struct {
		question, title string
		whole, begins   bool
	}{
		{"Rotate signing keys", "rotate signing keys!", true, true},
		{"rotate signing", "Rotate signing keys", false, true},
		{"rotate sign", "Rotate signing keys", false, false},
		{"rotate", "Rotate signing keys", false, false},
		{"Rotate", "rotate", true, false},
		{"signing keys", "Rotate signing keys", false, false},
		{"", "", false, false},
		{"…", "…", false, false},
		{"🔥", "🔥", false, false},
	} {
		whole, begins := retrieval.NameOf(tt.question).Of(tt.title)
		if whole != tt.whole || !whole && begins != tt.begins {
			t.Errorf("NameOf(%q).Of(%q) = %v, %v; want %v, %v", tt.question, tt.title, whole, begins, tt.whole, tt.begins)
		}
	}
}

// A text always matches itself, and a part of it in a row is quoted.
func TestATextMatchesItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.StringMatching(`[a-z]{3,8}( [a-z]{3,8}){3,30}`).Draw(t, "content")
		got := match(content, content)
		for i, c := range got.Covered {
			if c != 1 {
				t.Fatalf("%q: word %d of itself counts %v", content, i, c)
			}
		}
		if !(got.Pairs >= 0 && got.Pairs <= 1+1e-9) || math.IsNaN(got.Pairs) {
			t.Fatalf("%q: pairs %v", content, got.Pairs)
		}
	})
}
