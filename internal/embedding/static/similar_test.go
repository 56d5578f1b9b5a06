package static_test

import (
	"math"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/static"
)

func TestSimilarWordsAreNearerThanOthers(t *testing.T) {
	m := static.New()
	for _, tt := range []struct{ word, near, far string }{
		{"database", "sqlite", "sabbath"},
		{"doctor", "physician", "mutex"},
		{"refactor", "simplify", "breakfast"},
		{"deadlock", "mutex", "hospital"},
		{"DATABASE", "Sqlite", "Breakfast"},
	} {
		near, far := m.Similarity(tt.word, tt.near), m.Similarity(tt.word, tt.far)
		if near < 0.3 || far > near/2 {
			t.Errorf("%s: %v to %s, %v to %s", tt.word, near, tt.near, far, tt.far)
		}
	}
}

func TestSimilaritiesAreThoseOfEachPair(t *testing.T) {
	m := static.New()
	words := []string{"database", "日本", "C++", ""}
	others := []string{"sqlite", "database", "", "qzxqzx", "c#"}
	rows := m.Similarities(linesOf(m, words), linesOf(m, others))
	if len(rows) != len(words) {
		t.Fatalf("got %d rows, want %d", len(rows), len(words))
	}
	for i, w := range words {
		for j, o := range others {
			got, want, back := rows[i][j], m.Similarity(w, o), m.Similarity(o, w)
			if got != want || math.Abs(got-back) > 1e-6 {
				t.Errorf("%q and %q: got %v, want %v, and from the other side %v", w, o, got, want, back)
			}
		}
	}
	if got := rows[0][1]; math.Abs(got-1) > 1e-6 {
		t.Errorf("a word and itself: got %v, want 1", got)
	}
	if rows[1][0] != 0 || rows[0][2] != 0 {
		t.Errorf("what is not known: got %v and %v, want 0", rows[1][0], rows[0][2])
	}
	if rows := m.Similarities(nil, linesOf(m, others)); len(rows) != 0 {
		t.Errorf("no words: got %v", rows)
	}
}

func BenchmarkSimilarities(b *testing.B) {
	m := static.New()
	words := []string{"where", "does", "the", "importer", "keep", "its", "checkpoint", "after", "a", "crash"}
	asked, others := linesOf(m, words), linesOf(m, readPlain(b, builtIn(b)).words[:3000])
	for b.Loop() {
		m.Similarities(asked, others)
	}
}

// linesOf returns the lines of words.
func linesOf(e engram.WordEmbedder, words []string) []int {
	lines := make([]int, len(words))
	for i, w := range words {
		lines[i] = e.Line(w)
	}
	return lines
}
