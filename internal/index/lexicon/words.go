package lexicon

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Version identifies the tokenisation of wordsOf. Increase it whenever the same text would give
// other words: stores with another version are reindexed when opened, in batches (renew.go). The tables keep their form; a
// migration changes it.
const Version = 3

// tagMark opens the words that encode tags. Tokens never contain it, so tags and texts cannot match each
// other.
const tagMark = "\x01"

// toolMark opens the words of tool names, which have lists of their own: one tool reports half of the memories, and its
// name must not make a word usual that few of their texts have.
const toolMark = "\x03"

// wordCount is a word of a memory.
type wordCount struct {
	word string
	tf   uint32
}

// wordsOf returns the indexed words of a memory in ascending order, each with its weighted frequency,
// and its length in tokens. Topic key and tags count like the title. Stop words are left out of the
// content, where they would take a third of the index without affecting the ranking. Words of other languages
// than English are indexed in two forms. Words of tags and of the tool's name have marks and add nothing to the length.
func wordsOf(m engram.Memory) (words []wordCount, length int) {
	tf := make(map[string]uint32, 64)
	add := func(times uint32, stops bool) func(text.Token) {
		return func(t text.Token) {
			if t.Stop && !stops {
				return
			}
			length++
			tf[t.Text()] += times
			if stem := t.Foreign(); stem != "" {
				tf[stem] += times
			}
		}
	}
	text.ScanMemory(text.Title(m), m.Content, add(text.TitleWeight, true), add(1, false))
	for _, tag := range m.Tags {
		tf[tagMark+tag] = 1
	}
	text.Scan(m.ToolName, func(t text.Token) { tf[toolMark+t.Text()] = 1 })
	words = make([]wordCount, 0, len(tf))
	for w, n := range tf {
		words = append(words, wordCount{w, n})
	}
	slices.SortFunc(words, func(a, b wordCount) int { return strings.Compare(a.word, b.word) })
	return words, length
}

// sameWords reports whether wordsOf returns the same for a and b.
func sameWords(a, b engram.Memory) bool {
	return a.Title == b.Title && a.Content == b.Content && a.TopicKey == b.TopicKey && a.ToolName == b.ToolName && slices.Equal(a.Tags, b.Tags)
}

// wordBlock encodes the words of one memory as a block of a segment with a single document.
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

// vocabulary numbers the words of many memories that are indexed together, so that a known word is neither
// stemmed nor copied again, which is most of the cost of wordsOf. It produces the same words as wordsOf.
type vocabulary struct {
	words []string           // indexed words by number
	nums  map[string]uint32  // numbers by indexed word
	forms map[string]uint32  // numbers by word as written
	stems map[written]uint32 // numbers of foreign stems
	count []uint32           // by number: frequency in the current memory; all 0 between memories
	arena []termCount
}

// written is a word of another language.
type written struct {
	in   text.Language
	word string
}

// termCount is a word of a memory, by number.
type termCount struct{ term, tf uint32 }

func newVocabulary() *vocabulary {
	return &vocabulary{nums: map[string]uint32{}, forms: map[string]uint32{}, stems: map[written]uint32{}}
}

// num returns the number of an indexed word.
func (l *vocabulary) num(word string) uint32 {
	if n, known := l.nums[word]; known {
		return n
	}
	word = strings.Clone(word) // a substring would keep the whole text in memory
	n := uint32(len(l.words))
	l.words, l.count = append(l.words, word), append(l.count, 0)
	l.nums[word] = n
	return n
}

// form returns the number of a token's indexed word.
func (l *vocabulary) form(t text.Token) uint32 {
	if n, known := l.forms[t.Word]; known {
		return n
	}
	n := l.num(t.Text())
	l.forms[strings.Clone(t.Word)] = n
	return n
}

// stem returns the number of a token's foreign stem, if it has one.
func (l *vocabulary) stem(t text.Token) (n uint32, ok bool) {
	if n, ok = l.stems[written{t.In, t.Written}]; ok {
		return n, true
	}
	stem := t.Foreign()
	if stem == "" {
		return 0, false
	}
	n = l.num(stem)
	l.stems[written{t.In, strings.Clone(t.Written)}] = n
	return n, true
}

// of returns the distinct words of a memory, unordered, and its length in tokens.
func (l *vocabulary) of(m engram.Memory) (words []termCount, length int) {
	if cap(l.arena)-len(l.arena) < 512 {
		l.arena = make([]termCount, 0, 1<<14)
	}
	words = l.arena[len(l.arena):]
	add := func(term, times uint32) {
		if l.count[term] == 0 {
			words = append(words, termCount{term: term})
		}
		l.count[term] += times
	}
	token := func(times uint32, stops bool) func(text.Token) {
		return func(t text.Token) {
			if t.Stop && !stops {
				return
			}
			length++
			add(l.form(t), times)
			if t.In != 0 {
				if stem, ok := l.stem(t); ok {
					add(stem, times)
				}
			}
		}
	}
	text.ScanMemory(text.Title(m), m.Content, token(text.TitleWeight, true), token(1, false))
	once := func(word string) {
		if term := l.num(word); l.count[term] == 0 {
			add(term, 1)
		}
	}
	for _, tag := range m.Tags {
		once(tagMark + tag)
	}
	text.Scan(m.ToolName, func(t text.Token) { once(toolMark + t.Text()) })
	for i, w := range words {
		words[i].tf, l.count[w.term] = l.count[w.term], 0
	}
	if len(l.arena)+len(words) <= cap(l.arena) { // otherwise append has moved them out of the arena
		l.arena = l.arena[:len(l.arena)+len(words)]
	}
	return slices.Clip(words), length
}

// order returns the rank of each word, by number, in the order of the index.
func (l *vocabulary) order() []uint32 {
	byWord := make([]uint32, len(l.words))
	for i := range byWord {
		byWord[i] = uint32(i)
	}
	slices.SortFunc(byWord, func(a, b uint32) int { return strings.Compare(l.words[a], l.words[b]) })
	place := make([]uint32, len(byWord))
	for i, n := range byWord {
		place[n] = uint32(i)
	}
	return place
}
