package retrieval_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// pairsTold is a Similar that knows what it is told: "dog puppies" 0.6.
type pairsTold struct {
	pairs map[string]float64
	words []string // by line
}

func alike(pairs map[string]float64) *pairsTold { return &pairsTold{pairs: pairs} }

func (a *pairsTold) Line(word string) int {
	at := slices.Index(a.words, word)
	if at < 0 {
		at, a.words = len(a.words), append(a.words, word)
	}
	return at
}

func (a *pairsTold) Similarities(words, others []int) [][]float64 {
	rows := make([][]float64, len(words))
	for i, w := range words {
		for _, o := range others {
			s := max(a.pairs[a.words[w]+" "+a.words[o]], a.pairs[a.words[o]+" "+a.words[w]])
			if w == o {
				s = 1
			}
			rows[i] = append(rows[i], s)
		}
	}
	return rows
}

func TestFill(t *testing.T) {
	similar := alike(map[string]float64{"dog puppies": 0.6, "dog animals": 0.4, "dog table": 0.2, "breed puppies": 0.5})
	dog := retrieval.Sought{Written: "dog", Terms: []string{"dog"}, Having: 10}
	breed := retrieval.Sought{Written: "breed", Terms: []string{"breed"}, Having: 3}
	const rows = 1000
	worth := func(w retrieval.Sought, similarity, length, mean float64) float64 {
		return retrieval.FillWeight * retrieval.BM25{Rows: rows, Length: mean}.Score(similarity, length, w.Having)
	}
	for _, tt := range []struct {
		name     string
		words    []retrieval.Sought
		passages []retrieval.Passage
		want     map[int64]float64
	}{
		{"no words", nil, []retrieval.Passage{{Num: 1, Content: "puppies"}}, nil},
		{"no memories", []retrieval.Sought{dog}, nil, nil},
		{"a memory that has the word gains nothing", []retrieval.Sought{dog}, []retrieval.Passage{{Num: 1, Content: "dogs and puppies"}}, nil},
		{"one that has a near word does", []retrieval.Sought{dog}, []retrieval.Passage{{Num: 1, Content: "puppies play"}}, map[int64]float64{1: worth(dog, 0.6, 2, 2)}},
		{"the nearest word counts, once", []retrieval.Sought{dog}, []retrieval.Passage{{Num: 1, Content: "puppies puppies animals"}}, map[int64]float64{1: worth(dog, 0.6, 3, 3)}},
		{"what is hardly near is not", []retrieval.Sought{dog}, []retrieval.Passage{{Num: 1, Content: "a table"}}, nil},
		{"the title counts, and doubles its length", []retrieval.Sought{dog}, []retrieval.Passage{{Num: 1, Title: "Puppies"}, {Num: 2, Content: "table chair"}},
			map[int64]float64{1: worth(dog, 0.6, 2, 2)}},
		{"words add up; a long text gains less", []retrieval.Sought{dog, breed}, []retrieval.Passage{{Num: 1, Content: "puppies"}, {Num: 2, Content: "puppies table chair"}},
			map[int64]float64{1: worth(dog, 0.6, 1, 2) + worth(breed, 0.5, 1, 2), 2: worth(dog, 0.6, 3, 2) + worth(breed, 0.5, 3, 2)}},
		{"a word that means the same counts most", []retrieval.Sought{{Written: "dog", Terms: []string{"dog"}, Having: 10, Same: []string{"table"}}},
			[]retrieval.Passage{{Num: 1, Content: "a table"}}, map[int64]float64{1: worth(dog, 1, 1, 1)}},
		{"what stands for a repaired word is the word", []retrieval.Sought{{Written: "dog", Terms: []string{"puppi"}, Having: 1}}, []retrieval.Passage{{Num: 1, Content: "puppies"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := retrieval.Fill(tt.words, retrieval.Read(tt.passages), rows, similar)
			if !maps.EqualFunc(got, tt.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
				t.Errorf("Fill(%v, %v) = %v, want %v", tt.words, tt.passages, got, tt.want)
			}
		})
	}
}

// TestFillNeverBeatsTheWord says that a near word is worth less than the word itself.
func TestFillNeverBeatsTheWord(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"dog", "puppies", "breed", "table", "animal", "x1"}), 1, 30)
	rapid.Check(t, func(t *rapid.T) {
		similarity := rapid.Float64Range(-1, 1.5).Draw(t, "similarity")
		having, rows := rapid.IntRange(0, 500).Draw(t, "having"), rapid.IntRange(500, 100_000).Draw(t, "rows")
		p := retrieval.Passage{Num: 1, Content: strings.Join(words.Draw(t, "content"), " ")}
		sought := retrieval.Sought{Written: "hound", Terms: []string{"hound"}, Having: having}
		got := retrieval.Fill([]retrieval.Sought{sought}, retrieval.Read([]retrieval.Passage{p}), rows, alike(map[string]float64{"hound dog": similarity}))
		n := float64(len(strings.Fields(p.Content)))
		itself := retrieval.BM25{Rows: rows, Length: n}.Score(1, n, having)
		if gain, ok := got[1]; ok && (gain <= 0 || gain > itself) {
			t.Fatalf("Fill for %q by a similarity of %v: %v, the word itself is worth %v", p.Content, similarity, gain, itself)
		}
		if _, ok := got[1]; ok != (similarity >= 0.3 && strings.Contains(p.Content, "dog")) {
			t.Fatalf("Fill for %q by a similarity of %v: %v", p.Content, similarity, got)
		}
	})
}

// repeats are those among texts, the best first.
func repeats(best []retrieval.Passage) map[int64]int64 {
	nums := make([]int64, len(best))
	for i, p := range best {
		nums[i] = p.Num
	}
	return retrieval.Repeats(retrieval.Read(best), nums)
}

func TestRepeats(t *testing.T) {
	const fact = "The billing service retries failed card payments three times with exponential backoff before it alerts the on-call engineer in Slack"
	for _, tt := range []struct {
		name  string
		texts []string
		want  map[int64]int64
	}{
		{"nothing", nil, map[int64]int64{}},
		{"texts without words say nothing", []string{"", "...", "the"}, map[int64]int64{}},
		{"a copy", []string{fact, fact}, map[int64]int64{2: 1}},
		{"another order and case", []string{"Deploy needs the VPN", "the vpn: deploy needs"}, map[int64]int64{2: 1}},
		{"every copy repeats the best", []string{fact, fact, "the login page is blue", fact}, map[int64]int64{2: 1, 4: 1}},
		{"one word of many differs", []string{fact, strings.Replace(fact, "alerts", "warns", 1)}, map[int64]int64{2: 1}},
		{"a number differs", []string{fact + " after 30 seconds", fact + " after 60 seconds"}, map[int64]int64{}},
		{"a negation differs", []string{fact, strings.Replace(fact, "retries", "never retries", 1)}, map[int64]int64{}},
		{"the same topic is no repeat", []string{"retries use exponential backoff", "retries use a fixed delay"}, map[int64]int64{}},
		{"a part is no repeat of the whole", []string{fact, "The billing service retries failed card payments"}, map[int64]int64{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var best []retrieval.Passage
			for i, s := range tt.texts {
				best = append(best, retrieval.Passage{Num: int64(i + 1), Content: s})
			}
			if got := repeats(best); !maps.Equal(got, tt.want) {
				t.Errorf("Repeats(%q) = %v, want %v", tt.texts, got, tt.want)
			}
		})
	}
}

func TestRepeatsPointUp(t *testing.T) {
	word := rapid.SampledFrom([]string{"cache", "queue", "redis", "ttl", "never", "30", "60", "login", "deploy"})
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.SliceOfN(word, 0, 6), 0, 12).Draw(t, "texts")
		best := make([]retrieval.Passage, len(texts))
		for i, ws := range texts {
			best[i] = retrieval.Passage{Num: int64(i + 1), Content: strings.Join(ws, " ")}
		}
		got := repeats(best)
		for repeat, of := range got {
			if _, chained := got[of]; of >= repeat || chained {
				t.Fatalf("Repeats(%q) = %v: %d repeats %d", texts, got, repeat, of)
			}
			if !slices.Equal(numbers(texts[repeat-1]), numbers(texts[of-1])) {
				t.Fatalf("Repeats(%q) = %v: the numbers of %d and %d differ", texts, got, repeat, of)
			}
		}
		for i, ws := range texts {
			at := slices.IndexFunc(texts, func(o []string) bool { return slices.Equal(o, ws) })
			if _, is := got[int64(i+1)]; at < i && len(ws) > 0 && !is {
				t.Fatalf("Repeats(%q) = %v: %d is a copy of %d", texts, got, i+1, at+1)
			}
		}
	})
}

// numbers are the distinct numbers among words, in order.
func numbers(words []string) []string {
	var ns []string
	for _, w := range words {
		if w == "30" || w == "60" {
			ns = append(ns, w)
		}
	}
	slices.Sort(ns)
	return slices.Compact(ns)
}

func benchPassages() []retrieval.Passage {
	var ps []retrieval.Passage
	for i := range 100 {
		var b strings.Builder
		for j := range 60 {
			fmt.Fprintf(&b, "word%c%c ", 'a'+(i*7+j*j)%26, 'a'+(j*3+i)%26)
		}
		ps = append(ps, retrieval.Passage{Num: int64(i), Title: "a title of it", Content: b.String()})
	}
	return ps
}

func BenchmarkFill(b *testing.B) {
	passages := benchPassages()
	var words []retrieval.Sought
	for i := range 8 {
		words = append(words, retrieval.Sought{Written: fmt.Sprint("w", i), Terms: []string{fmt.Sprint("w", i)}, Having: 3 * i})
	}
	b.ReportAllocs()
	for b.Loop() {
		retrieval.Fill(words, retrieval.Read(passages), 5000, numbered{})
	}
}

// numbered is a Similar that makes up similarities.
type numbered struct{}

func (numbered) Line(string) int { return 0 }

func (numbered) Similarities(words, others []int) [][]float64 {
	rows := make([][]float64, len(words))
	for i := range rows {
		rows[i] = make([]float64, len(others))
		for j := range others {
			rows[i][j] = float64((i*31+j*17)%100) / 150
		}
	}
	return rows
}

func BenchmarkRepeats(b *testing.B) {
	passages := benchPassages()[:50]
	b.ReportAllocs()
	for b.Loop() {
		repeats(passages)
	}
}
