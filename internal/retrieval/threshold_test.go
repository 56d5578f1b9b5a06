package retrieval_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
			words = append(words, retrieval.Asked{Having: n, General: 8})
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
		{"a usual word that nothing has weighs as in general language", []retrieval.Asked{{Having: 1, General: 8}, {General: 2}}, covered{1, 0}, 100, rare / (rare + 2)},
		{"a word of unknown rarity is a name", []retrieval.Asked{{Having: 1}, {Having: 50}}, covered{1, 0}, 100, rare / (rare + common)},
		{"a number that nothing has weighs little", []retrieval.Asked{{Having: 1, General: 8}, {General: 8, Digit: true}}, covered{1, 0}, 100, rare / (rare + 0.3*unknown)},
		{"a number that something has weighs as any word", []retrieval.Asked{{Having: 1, General: 8, Digit: true}, {General: 8}}, covered{1, 0}, 100, rare / (rare + unknown)},
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

func TestGeneral(t *testing.T) {
	for _, tt := range []struct {
		line int
		want float64
	}{{0, 0}, {10, math.Log(2)}, {1576, math.Log(158.6)}, {-1, 8}} {
		if got := retrieval.General(tt.line); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("General(%d) = %v, want %v", tt.line, got, tt.want)
		}
	}
}

func TestSpecific(t *testing.T) {
	type covered = []retrieval.Covered
	name, usual := retrieval.Asked{Having: 1, General: 8}, retrieval.Asked{Having: 1, General: 4}
	for _, tt := range []struct {
		name  string
		words []retrieval.Asked
		own   covered
		want  float64
	}{
		{"a name that only it has", []retrieval.Asked{name}, covered{1}, 1},
		{"a word outside the vocabulary is a name", []retrieval.Asked{{Having: 1}}, covered{1}, 1},
		{"no word is more specific than a name", []retrieval.Asked{{Having: 1, General: 11}}, covered{1}, 1},
		{"a usual word that only it has", []retrieval.Asked{usual}, covered{1}, 0.5},
		{"the most specific counts", []retrieval.Asked{usual, name}, covered{1, 1}, 1},
		{"which it must have", []retrieval.Asked{usual, name}, covered{1, 0}, 0.5},
		{"a similar word counts in part", []retrieval.Asked{name}, covered{0.7}, 0.7},
		{"a name that twenty have", []retrieval.Asked{{Having: 20, General: 8}}, covered{1}, 1 - math.Log(20)/8},
		{"a word that all of a million have", []retrieval.Asked{{Having: 1_000_000, General: 8}}, covered{1}, 0},
		{"a word that nothing has", []retrieval.Asked{{General: 8}}, covered{1}, 0},
		{"words without a verdict are missing", []retrieval.Asked{usual, name}, covered{1}, 0.5},
		{"no number", []retrieval.Asked{name}, covered{retrieval.Covered(math.NaN())}, 0},
		{"no words", nil, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := retrieval.Specific(tt.words, tt.own); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("Specific(%v, %v) = %v, want %v", tt.words, tt.own, got, tt.want)
			}
		})
	}
}

func TestRun(t *testing.T) {
	words := func(s string) []string { return strings.Fields(s) }
	for _, tt := range []struct {
		name, question, text string
		want                 int
	}{
		{"nothing", "", "", 0},
		{"nothing in common", "a b", "c d", 0},
		{"the whole question", "a b c", "x a b c y", 3},
		{"a part of it", "1 2 a b c 3", "x a b c y", 3},
		{"the longest part counts", "a b x c d e", "a b y c d e", 3},
		{"other words between end it", "a b c d", "a b x c d", 2},
		{"another order is no run", "a b c", "c b a", 1},
		{"repeated words", "a a a b", "a a b", 3},
		{"a run that begins again", "a b a b c", "a b a b a b c", 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := retrieval.Run(words(tt.question), words(tt.text)); got != tt.want {
				t.Errorf("Run(%q, %q) = %d, want %d", tt.question, tt.text, got, tt.want)
			}
		})
	}
}

func TestRunIsThatOfEveryPairOfPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 12)
		question, text := words.Draw(t, "question"), words.Draw(t, "text")
		want := 0
		for i := range question {
			for j := range text {
				n := 0
				for i+n < len(question) && j+n < len(text) && question[i+n] == text[j+n] {
					n++
				}
				want = max(want, n)
			}
		}
		if got := retrieval.Run(question, text); got != want {
			t.Fatalf("Run(%v, %v) = %d, want %d", question, text, got, want)
		}
	})
}

func TestLacking(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words []retrieval.Asked
		want  float64
	}{
		{"no words", nil, 0},
		{"nothing lacks", []retrieval.Asked{{Having: 3, General: 8}, {Having: 1, General: 2}}, 0},
		{"a name that nothing has", []retrieval.Asked{{Having: 3, General: 3}, {General: 8}}, 1},
		{"the rarest counts", []retrieval.Asked{{General: 2}, {General: 4}}, 0.5},
		{"a number hardly counts", []retrieval.Asked{{General: 8, Digit: true}}, 0.3},
	} {
		if got := retrieval.Lacking(tt.words, 1_000_000); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestRelevanceOfTypicalQuestions(t *testing.T) {
	for _, tt := range []struct {
		name    string
		e       retrieval.Evidence
		certain bool
	}{
		{"every word is there and meant", retrieval.Evidence{Coverage: 1, Specific: 0.4, Cosine: 0.5, Known: true}, true},
		{"a wrapped question whose name one memory has", retrieval.Evidence{Coverage: 0.45, Specific: 0.95, Cosine: 0.15, Known: true}, true},
		{"a wrapped question whose name nothing has", retrieval.Evidence{Coverage: 0.35, Specific: 0.2, Cosine: 0.15, Known: true}, false},
		{"a log line that holds eight words of the memory", retrieval.Evidence{Coverage: 0.25, Specific: 0.3, Run: 8, Cosine: 0.2, Known: true}, true},
		{"a log line that shares its level and no more", retrieval.Evidence{Coverage: 0.2, Specific: 0.1, Run: 2, Cosine: 0.2, Known: true}, false},
		{"some usual words in common", retrieval.Evidence{Coverage: 0.4, Specific: 0.1, Cosine: 0.1, Known: true}, false},
		{"another name for the same matter", retrieval.Evidence{Coverage: 0.2, Specific: 0.3, Cosine: 0.65, Known: true}, true},
		{"noise", retrieval.Evidence{Cosine: 0.05, Known: true}, false},
		{"a sentence that has half of its words", retrieval.Evidence{Asked: 12, Coverage: 0.5, Specific: 0.5, Cosine: 0.35, Known: true}, true},
		{"keywords of which some are there", retrieval.Evidence{Asked: 3, Coverage: 0.4, Specific: 0.2, Cosine: 0.2, Known: true}, false},
		{"a pasted page that is not stored", retrieval.Evidence{Asked: 150, Coverage: 0.4, Specific: 0.3, Run: 3, Cosine: 0.2, Known: true}, false},
		{"a pasted page that is", retrieval.Evidence{Asked: 150, Coverage: 1, Specific: 0.5, Run: 60, Cosine: 0.6, Known: true}, true},
	} {
		for _, rows := range []int{3, 30, 1_000, 1_000_000} {
			t.Run(fmt.Sprint(tt.name, " in ", rows), func(t *testing.T) {
				tt.e.Rows = rows
				p := retrieval.DefaultThreshold(marks)
				if got := p.Above([]retrieval.Evidence{tt.e}) != nil; got != tt.certain {
					t.Errorf("Above(%+v) != nil = %v at relevance %.3f, want %v", tt.e, got, p.Relevance(tt.e), tt.certain)
				}
			})
		}
	}
}

func TestSizeIsBounded(t *testing.T) {
	p, e := retrieval.DefaultThreshold(marks), retrieval.Evidence{Coverage: 0.5, Specific: 0.5, Cosine: 0.2, Known: true}
	relevance := func(rows int) float64 { e.Rows = rows; return p.Relevance(e) }
	if three, thirty := relevance(3), relevance(30); three != thirty {
		t.Errorf("relevance among 3 memories %v, among 30 %v; want the same", three, thirty)
	}
	if many, million := relevance(2_000), relevance(1_000_000); many != million {
		t.Errorf("relevance among 2,000 memories %v, among 1,000,000 %v; want the same", many, million)
	}
	if thirty, thousand := relevance(30), relevance(1_000); thirty <= thousand {
		t.Errorf("relevance among 30 memories %v, among 1,000 %v; want less", thirty, thousand)
	}
}

func TestRelevanceOfNoNumbersIsThatOfNone(t *testing.T) {
	nan := math.NaN()
	for name, p := range map[string]retrieval.ThresholdPolicy{"vectors": retrieval.DefaultThreshold(marks), "words": retrieval.DefaultThreshold(retrieval.Marks{})} {
		e := retrieval.Evidence{Cosine: 0.1, Known: true, Rows: 500}
		want := p.Relevance(e)
		e.Coverage, e.Specific = nan, nan
		if got := p.Relevance(e); got != want {
			t.Errorf("%s: Relevance(%+v) = %v, want %v", name, e, got, want)
		}
	}
}

func TestAbove(t *testing.T) {
	p := retrieval.DefaultThreshold(marks)
	sure := retrieval.Evidence{Coverage: 0.9, Specific: 0.6, Cosine: 0.6, Known: true, Rows: 500}
	maybe := retrieval.Evidence{Coverage: 0.45, Specific: 0.3, Cosine: 0.25, Known: true, Rows: 500}
	noise := retrieval.Evidence{Coverage: 0.1, Cosine: 0.05, Known: true, Rows: 500}
	words := func(e retrieval.Evidence) retrieval.Evidence { e.Known = false; return e }
	tail := append(slices.Repeat([]retrieval.Evidence{noise}, 10), sure)
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
		{"the tail of a list does not speak for it", p, tail, nil},
		{"without vectors the words decide", p, []retrieval.Evidence{words(sure), words(noise)}, []bool{true, false}},
		{"without vectors noise is still noise", p, []retrieval.Evidence{words(noise)}, nil},
		{"a model without marks is no model", retrieval.DefaultThreshold(retrieval.Marks{}), []retrieval.Evidence{sure, noise}, []bool{true, false}},
		{"a cosine that is no number is not known", p, []retrieval.Evidence{{Coverage: 0.9, Specific: 0.6, Cosine: math.NaN(), Known: true, Rows: 500}}, []bool{true}},
		{"two words in two hundred thousand memories, both there and meant", p, []retrieval.Evidence{{Coverage: 1, Specific: 0.3, Cosine: 0.5, Known: true, Rows: 200_000}}, []bool{true}},
		{"one word in five memories, there", p, []retrieval.Evidence{{Coverage: 1, Specific: 0.5, Cosine: 0.2, Known: true, Rows: 5}}, []bool{true}},
		{"a synonym among few, whose word nothing has", p, []retrieval.Evidence{{Cosine: 0.39, Known: true, Unspoken: true, Rows: 3}}, []bool{true}},
		{"a synonym among others that have the word", p, []retrieval.Evidence{{Cosine: 0.39, Known: true, Rows: 3}}, nil},
		{"a chance likeness among many, whose word nothing has", p, []retrieval.Evidence{{Cosine: 0.39, Known: true, Unspoken: true, Rows: 2_000}}, nil},
		{"another name for the same matter, no word in common", p, []retrieval.Evidence{{Cosine: 0.75, Known: true, Rows: 20}}, []bool{true}},
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
		Specific: rapid.Float64Range(0, 1).Draw(t, "specific"),
		Run:      rapid.IntRange(0, 100).Draw(t, "run"),
		Asked:    rapid.IntRange(0, 500).Draw(t, "asked"),
		Lacking:  rapid.Float64Range(0, 1).Draw(t, "lacking"),
		Cosine:   rapid.Float64Range(-1, 1).Draw(t, "cosine"),
		Known:    rapid.Bool().Draw(t, "known"),
		Unspoken: rapid.Bool().Draw(t, "unspoken"),
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
		covered, near, larger, specific, longer, lacking := e, e, e, e, e, e
		lacking.Lacking += more
		specific.Specific += more
		longer.Run += rapid.IntRange(0, 10).Draw(t, "words in a row")
		covered.Coverage += more
		near.Cosine += more
		larger.Rows += rapid.IntRange(0, 1_000_000).Draw(t, "memories")
		switch {
		case p.Relevance(covered) < base:
			t.Fatalf("Relevance(%+v) = %v, with coverage %v %v: more coverage lowers it", e, base, covered.Coverage, p.Relevance(covered))
		case p.Relevance(specific) < base:
			t.Fatalf("Relevance(%+v) = %v, with a word as specific as %v %v: it lowers it", e, base, specific.Specific, p.Relevance(specific))
		case p.Relevance(longer) < base:
			t.Fatalf("Relevance(%+v) = %v, with a run of %d %v: a longer run lowers it", e, base, longer.Run, p.Relevance(longer))
		case p.Relevance(lacking) > base:
			t.Fatalf("Relevance(%+v) = %v, lacking %v %v: a word that nothing has raises it", e, base, lacking.Lacking, p.Relevance(lacking))
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
			return retrieval.Asked{Having: rapid.IntRange(0, 1_000_000).Draw(t, "having"), General: rapid.Float64Range(0, 9).Draw(t, "general"), Digit: rapid.Bool().Draw(t, "digit")}
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
		noise := retrieval.Evidence{Known: true, Cosine: marks.Noise, Rows: 1000}
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
