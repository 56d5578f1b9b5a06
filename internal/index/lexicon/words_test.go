package lexicon

import (
	"maps"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/storetest"
)

// A vocabulary finds in all memories the words that wordsOf finds in each.
func TestAVocabularyGivesTheWordsOfEachMemory(t *testing.T) {
	c := storetest.NewCorpus(3)
	v := newVocabulary()
	for range 500 {
		m := c.Memory(time.Unix(0, 0))
		m.Content += " getUserName it's C++ 東京都 don't e-mail pre-commit running ran RUNNING a/b_c.d"
		m.Tags = []string{"running", "東京"}
		m.ToolName = "mcp__github__running-Running"
		counts, length := v.of(m)
		got, want := map[string]uint32{}, map[string]uint32{}
		for _, w := range counts {
			got[v.words[w.term]] = w.tf
		}
		words, wantLength := wordsOf(m)
		for _, w := range words {
			want[w.word] = w.tf
		}
		if len(counts) != len(got) || !maps.Equal(got, want) || length != wantLength {
			t.Errorf("%s\n got %v of length %d\nwant %v of length %d", m.Content, got, length, want, wantLength)
		}
	}
}
