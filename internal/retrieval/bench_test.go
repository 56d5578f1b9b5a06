package retrieval_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// BenchmarkContext raises the 400 hits of a question of ten words in one long session.
func BenchmarkContext(b *testing.B) {
	const hits, words = 400, 10
	var found []engram.Ranked
	sizes := make([]int, 2*hits)
	parts := map[int64][]float32{}
	for i := range sizes {
		sizes[i] = 300
		if i%2 == 0 {
			num := int64(i + 1)
			found = append(found, engram.Ranked{Num: num, Score: float64(2*hits - i)})
			parts[num] = make([]float32, words)
			parts[num][i/2%words] = 3
		}
	}
	beside := talk(time.Minute, sizes...)
	for b.Loop() {
		retrieval.Context(found, beside, parts, 1)
	}
}

// BenchmarkMatch matches a question of ten words with sixty texts of a hundred words.
func BenchmarkMatch(b *testing.B) {
	const question = "why does the nightly build of the gateway fail when the signing keys are rotated by hand"
	words, weights := wanted(question, 5)
	var passages []retrieval.Passage
	for i := range 60 {
		content := ""
		for j := range 20 {
			content += fmt.Sprintf("the gateway of build%d signs keys%d by rotating hand%d ", i*j%97, j, i)
		}
		passages = append(passages, retrieval.Passage{Num: int64(i), Title: "Signing keys", Content: content})
	}
	texts := retrieval.Read(passages)
	for b.Loop() {
		texts.Match(words, weights, question)
	}
}

// BenchmarkNewestFirst judges eight finds of which each is later than those before it.
func BenchmarkNewestFirst(b *testing.B) {
	lexicon := retrieval.NewLexicon()
	var finds []retrieval.Stated
	for i := range 8 {
		text := fmt.Sprintf("Service %c of the import queue runs %d workers on host %d, with a timeout of %d minutes", 'a'+i, i, 3*i, i*i)
		finds = append(finds, stated(lexicon, int64(i+1), 1-float64(i)/50, i+1, "x.x", text))
	}
	s := subject(retrieval.Unknown, "import", "queue", "worker")
	for b.Loop() {
		retrieval.NewestFirst(finds, s)
	}
}
