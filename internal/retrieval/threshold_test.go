package retrieval_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// marks are those of a model whose unrelated texts stand at 0.05.
var marks = retrieval.Marks{Noise: 0.05, Answer: 0.51}

func TestSpelt(t *testing.T) {
	for _, tt := range []struct {
		name     string
		likeness float64
		want     retrieval.Covered
	}{
		{"one letter wrong is nearly the word", 0.8, 0.8},
		{"the word itself", 1, 1},
		{"half alike is the least", 0.5, 0.5},
		{"less than half alike is another word", 0.49, 0},
		{"more than alike does not exist", 3, 1},
		{"no number", math.NaN(), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := retrieval.Spelt(tt.likeness); got != tt.want {
				t.Errorf("Spelt(%v) = %v, want %v", tt.likeness, got, tt.want)
			}
		})
	}
}

func TestCoverage(t *testing.T) {
	asked := func(having ...int) (words []retrieval.Asked) {
		for _, n := range having {
			words = append(words, retrieval.Asked{Having: n})
		}
		return words
	}
	type covered = []retrieval.Covered
	rare, common, unknown := math.Log(1+99.5/1.5), math.Log(2), math.Log(1+100.5/0.5)
	for _, tt := range []struct {
		name    string
		words   []retrieval.Asked
		covered covered
		rows    int
		want    float64
	}{
		{"every word is full coverage", asked(1, 50), covered{1, 1}, 100, 1},
		{"none is none", asked(1, 50), covered{0, 0}, 100, 0},
		{"no words", nil, nil, 100, 0},
		{"a rare word weighs more than a common one", asked(1, 50), covered{1, 0}, 100, rare / (rare + common)},
		{"a word that nothing has weighs most of all", asked(0, 1), covered{0, 1}, 100, rare / (rare + unknown)},
		{"a neighbour that has the word counts in part", asked(1), covered{retrieval.Beside}, 100, 0.6},
		{"words without a verdict are missing", asked(50, 50), covered{1}, 100, 0.5},
		{"verdicts without a word are ignored", asked(50), covered{1, 1, 1}, 100, 1},
		{"no word counts more than once or less than not at all", asked(50, 50), covered{7, -7}, 100, 0.5},
		{"a count that is older than the collection", asked(500), covered{1}, 100, 1},
		{"an empty collection", asked(0), covered{0}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := retrieval.Coverage(tt.words, tt.covered, tt.rows); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("Coverage(%v, %v, %d)\n got %v\nwant %v", tt.words, tt.covered, tt.rows, got, tt.want)
			}
		})
	}
}

func TestAbove(t *testing.T) {
	p := retrieval.DefaultThreshold(marks)
	sure := retrieval.Evidence{Coverage: 0.9, Cosine: 0.6, Known: true, Words: 5, Rows: 500}
	maybe := retrieval.Evidence{Coverage: 0.36, Cosine: 0.23, Known: true, Words: 5, Rows: 500}
	noise := retrieval.Evidence{Coverage: 0.1, Cosine: 0.05, Known: true, Words: 5, Rows: 500}
	words := func(e retrieval.Evidence) retrieval.Evidence { e.Known = false; return e }
	for _, tt := range []struct {
		name string
		p    retrieval.ThresholdPolicy
		hits []retrieval.Evidence
		want []bool // nil: nothing relevant
	}{
		{"no hits", p, nil, nil},
		{"noise alone is nothing relevant", p, []retrieval.Evidence{noise, noise}, nil},
		{"what would not answer alone may stand beside an answer", p, []retrieval.Evidence{sure, maybe, noise}, []bool{true, true, false}},
		{"what would not answer alone does not", p, []retrieval.Evidence{maybe, noise}, nil},
		{"the answer need not come first", p, []retrieval.Evidence{noise, sure}, []bool{false, true}},
		{"the tail of a list does not speak for it", p, []retrieval.Evidence{noise, noise, noise, noise, noise, sure}, nil},
		{"without vectors the words decide", p, []retrieval.Evidence{words(sure), words(noise)}, []bool{true, false}},
		{"without vectors noise is still noise", p, []retrieval.Evidence{words(noise)}, nil},
		{"a model without marks is no model", retrieval.DefaultThreshold(retrieval.Marks{}), []retrieval.Evidence{sure, noise}, []bool{true, false}},
		{"a cosine that is no number is not known", p, []retrieval.Evidence{{Coverage: 0.9, Cosine: math.NaN(), Known: true, Words: 5, Rows: 500}}, []bool{true}},
		{"two words in two hundred thousand memories, both there and meant", p, []retrieval.Evidence{{Coverage: 1, Cosine: 0.5, Known: true, Words: 2, Rows: 200_000}}, []bool{true}},
		{"one word in five memories, there", p, []retrieval.Evidence{{Coverage: 1, Cosine: 0.2, Known: true, Words: 1, Rows: 5}}, []bool{true}},
		{"another name for the same matter, no word in common", p, []retrieval.Evidence{{Coverage: 0, Cosine: 0.55, Known: true, Words: 2, Rows: 20}}, []bool{true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.p.Above(tt.hits)
			if len(got) != len(tt.want) || (got == nil) != (tt.want == nil) {
				t.Fatalf("Above(%+v)\n got %v\nwant %v", tt.hits, got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("Above(%+v)\n got %v\nwant %v", tt.hits, got, tt.want)
				}
			}
		})
	}
}

// anyEvidence draws evidence with nothing held back.
func anyEvidence(t *rapid.T) retrieval.Evidence {
	return retrieval.Evidence{
		Coverage: rapid.Float64Range(0, 1).Draw(t, "coverage"),
		Cosine:   rapid.Float64Range(-1, 1).Draw(t, "cosine"),
		Known:    rapid.Bool().Draw(t, "known"),
		Words:    rapid.IntRange(0, 100).Draw(t, "words"),
		Rows:     rapid.IntRange(0, 2_000_000).Draw(t, "rows"),
	}
}

func TestRelevanceIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, e := retrieval.DefaultThreshold(marks), anyEvidence(t)
		more := rapid.Float64Range(0, 1).Draw(t, "more")
		base := p.Relevance(e)
		if base < 0 || base > 1 || math.IsNaN(base) {
			t.Fatalf("Relevance(%+v) = %v, want it in [0, 1]", e, base)
		}
		covered, near, larger := e, e, e
		covered.Coverage += more
		near.Cosine += more
		larger.Rows += rapid.IntRange(0, 1_000_000).Draw(t, "memories")
		switch {
		case p.Relevance(covered) < base:
			t.Fatalf("Relevance(%+v) = %v, with coverage %v %v: more coverage lowers it", e, base, covered.Coverage, p.Relevance(covered))
		case p.Relevance(near) < base:
			t.Fatalf("Relevance(%+v) = %v, with cosine %v %v: a greater cosine lowers it", e, base, near.Cosine, p.Relevance(near))
		case p.Relevance(larger) > base:
			t.Fatalf("Relevance(%+v) = %v, of %d memories %v: more memories raise it", e, base, larger.Rows, p.Relevance(larger))
		}
	})
}

func TestRelevanceDoesNotDependOnTheModelsScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvidence(t)
		e.Cosine = rapid.Float64Range(0, 1).Draw(t, "cosine of one model")
		// Another model has the same angles, squeezed and moved: by half, up by 0.4.
		other := e
		other.Cosine = e.Cosine/2 + 0.4
		moved := retrieval.Marks{Noise: marks.Noise/2 + 0.4, Answer: marks.Answer/2 + 0.4}
		a, b := retrieval.DefaultThreshold(marks).Relevance(e), retrieval.DefaultThreshold(moved).Relevance(other)
		if math.Abs(a-b) > 1e-9 {
			t.Fatalf("Relevance(%+v) = %v, of the other model's %+v %v", e, a, other, b)
		}
	})
}

func TestCoverageIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(0, 1_000_000).Draw(t, "rows")
		words := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) retrieval.Asked {
			return retrieval.Asked{Having: rapid.IntRange(0, 1_000_000).Draw(t, "having")}
		}), 1, 12).Draw(t, "words")
		covered := make([]retrieval.Covered, len(words))
		for i := range covered {
			covered[i] = retrieval.Covered(rapid.Float64Range(0, 1).Draw(t, "covered"))
		}
		before := retrieval.Coverage(words, covered, rows)
		if before < 0 || before > 1+1e-12 || math.IsNaN(before) {
			t.Fatalf("Coverage(%v, %v, %d) = %v, want it in [0, 1]", words, covered, rows, before)
		}
		i := rapid.IntRange(0, len(words)-1).Draw(t, "word")
		covered[i] = 1
		if after := retrieval.Coverage(words, covered, rows); after < before {
			t.Fatalf("Coverage(%v, .., %d): %v before word %d was found, %v after", words, rows, before, i, after)
		}
	})
}

func TestHitsAboveDoNotChangeWithWeakerOnesBehindThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := retrieval.DefaultThreshold(marks)
		hits := rapid.SliceOfN(rapid.Custom(anyEvidence), 0, 20).Draw(t, "hits")
		above := p.Above(hits)
		if above != nil && len(above) != len(hits) {
			t.Fatalf("Above(%+v): %d verdicts for %d hits", hits, len(above), len(hits))
		}
		noise := retrieval.Evidence{Known: true, Cosine: marks.Noise, Words: 3, Rows: 1000}
		longer := p.Above(append(hits[:len(hits):len(hits)], noise))
		if (above == nil) != (longer == nil) {
			t.Fatalf("Above(%+v) = %v, with noise behind it %v", hits, above, longer)
		}
		for i := range above {
			if above[i] != longer[i] {
				t.Fatalf("Above(%+v) = %v, with noise behind it %v", hits, above, longer)
			}
		}
	})
}
