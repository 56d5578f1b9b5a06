package sqlite

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/text"
)

// wordsVersion says which words wordsOf gives for a text. It rises whenever the same
// text would give others; a store that was indexed by another version is indexed anew
// when it is opened, for a word can only be taken out by finding it again.
const wordsVersion = 1

// tagMark opens the word of a tag, by which memories are filtered. No token of a text
// holds it, so a filter never matches a text, nor a text a filter.
const tagMark = "\x01"

// wordCount is a word of a memory.
type wordCount struct {
	word string
	tf   uint32
}

// wordsOf is what the index has of a memory: its words in ascending order, each once
// with its weighted frequency, and its length in tokens. Topic key and tags are found
// like the title. Words without meaning are left out of the content alone: there they
// would cost a third of the index and order nothing.
func wordsOf(m engram.Memory) (words []wordCount, length int) {
	tf := make(map[string]uint32, 64)
	text.Scan(text.Title(m), func(t text.Token) {
		length++
		tf[t.Text()] += text.TitleWeight
	})
	text.Scan(m.Content, func(t text.Token) {
		if !t.Stop {
			length++
			tf[t.Text()]++
		}
	})
	for _, tag := range m.Tags {
		tf[tagMark+tag] = 1
	}
	words = make([]wordCount, 0, len(tf))
	for w, n := range tf {
		words = append(words, wordCount{w, n})
	}
	slices.SortFunc(words, func(a, b wordCount) int { return strings.Compare(a.word, b.word) })
	return words, length
}

// sameWords reports whether wordsOf gives the same for a and b.
func sameWords(a, b engram.Memory) bool {
	return a.Title == b.Title && a.Content == b.Content && a.TopicKey == b.TopicKey && slices.Equal(a.Tags, b.Tags)
}

// wordBlock writes the words of one memory as a block of a segment whose only document
// it is.
func wordBlock(words []wordCount) []byte {
	w := postings.NewWriter(1 << 30)
	var list []byte
	for _, c := range words {
		list = postings.AppendList(list[:0], []postings.Posting{{Slot: 0, TF: c.tf}})
		w.Add([]byte(c.word), list)
	}
	if blocks := w.Blocks(); len(blocks) > 0 {
		return blocks[0].Data
	}
	return []byte{}
}
