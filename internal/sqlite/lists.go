package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/text"
)

// blocksAtSQL reads blocks by number: one statement for all blocks of a query costs a fifth of one per
// block.
const blocksAtSQL = `SELECT postings.num, words FROM json_each(?) AS asked CROSS JOIN postings ON postings.num = asked.value`

// sought is a requested word and the segment to look in, both by index.
type sought struct{ word, segment int }

// lists returns the postings of words: for each word a list per segment.
func (t *tx) lists(ctx context.Context, segments []*segment, words []string) ([][]postings.List, error) {
	all := make([][]postings.List, len(words))
	for j := range words {
		all[j] = make([]postings.List, len(segments))
	}
	read := func(block []byte, s sought) error {
		raw, found, err := postings.Find(block, words[s.word])
		if err == nil && found {
			all[s.word][s.segment], err = postings.ReadList(bytes.Clone(raw))
		}
		return err
	}
	far := map[int64][]sought{} // by row number
	for i, g := range segments {
		if err := t.readWords(ctx, g); err != nil {
			return nil, err
		}
		for j, word := range words {
			n := g.blockOf(word)
			switch {
			case n < 0:
			case g.blocks == nil:
				far[part(g.num, n)] = append(far[part(g.num, n)], sought{j, i})
			case n >= len(g.blocks):
				return nil, fmt.Errorf("segment %d: %w", g.num, postings.ErrDamaged)
			default:
				if err := read(g.blocks[n], sought{j, i}); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, t.blocksAt(ctx, far, read)
}

// beginning calls fn for the words of the segments that start with begins, in order within a segment.
// Word and list are valid until fn returns.
func (t *tx) beginning(ctx context.Context, segments []*segment, begins string, fn func(segment int, word, list []byte) error) error {
	read := func(block []byte, s sought) error {
		e := postings.NewEntries(block)
		for e.Next() {
			switch {
			case bytes.HasPrefix(e.Word(), []byte(begins)):
				if err := fn(s.segment, e.Word(), e.List()); err != nil {
					return err
				}
			case string(e.Word()) > begins:
				return nil
			}
		}
		return e.Err()
	}
	far := map[int64][]sought{}
	for i, g := range segments {
		if err := t.readWords(ctx, g); err != nil {
			return err
		}
		end, _ := slices.BinarySearch(g.firsts, begins+"\xff")
		for n := max(g.blockOf(begins), 0); n < end; n++ {
			if g.blocks == nil {
				far[part(g.num, n)] = []sought{{segment: i}}
			} else if n < len(g.blocks) {
				if err := read(g.blocks[n], sought{segment: i}); err != nil {
					return err
				}
			}
		}
	}
	return t.blocksAt(ctx, far, read)
}

// blocksAt calls fn for each requested block and each word sought in it.
func (t *tx) blocksAt(ctx context.Context, where map[int64][]sought, fn func(block []byte, s sought) error) error {
	if len(where) == 0 {
		return nil
	}
	nums := make([]int64, 0, len(where))
	for num := range where {
		nums = append(nums, num)
	}
	slices.Sort(nums) // in storage order
	there := 0
	var num int64
	var block sql.RawBytes
	err := t.rows(ctx, blocksAtSQL, []any{jsonNums(nums)}, func(r scanner) error {
		if err := r.Scan(&num, &block); err != nil {
			return err
		}
		there++
		for _, s := range where[num] {
			if err := fn(block, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && there != len(nums) {
		err = postings.ErrDamaged
	}
	return doing(err, "words of segments")
}

// lexicon numbers the words of many memories that are indexed together, so that a known word is neither
// stemmed nor copied again, which is most of the cost of wordsOf. It produces the same words as wordsOf.
type lexicon struct {
	words []string          // indexed words by number
	nums  map[string]uint32 // numbers by indexed word
	forms map[string]uint32 // numbers by word as written
	count []uint32          // by number: frequency in the current memory; all 0 between memories
	arena []termCount
}

// termCount is a word of a memory, by number.
type termCount struct{ term, tf uint32 }

func newLexicon() *lexicon {
	return &lexicon{nums: map[string]uint32{}, forms: map[string]uint32{}}
}

// num returns the number of an indexed word.
func (l *lexicon) num(word string) uint32 {
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
func (l *lexicon) form(t text.Token) uint32 {
	if n, known := l.forms[t.Word]; known {
		return n
	}
	n := l.num(t.Text())
	l.forms[strings.Clone(t.Word)] = n
	return n
}

// of returns the distinct words of a memory, unordered, and its length in tokens.
func (l *lexicon) of(m engram.Memory) (words []termCount, length int) {
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
	text.Scan(text.Title(m), func(t text.Token) {
		length++
		add(l.form(t), text.TitleWeight)
	})
	text.Scan(m.Content, func(t text.Token) {
		if !t.Stop {
			length++
			add(l.form(t), 1)
		}
	})
	for _, tag := range m.Tags {
		if term := l.num(tagMark + tag); l.count[term] == 0 {
			add(term, 1)
		}
	}
	for i, w := range words {
		words[i].tf, l.count[w.term] = l.count[w.term], 0
	}
	if len(l.arena)+len(words) <= cap(l.arena) { // otherwise append has moved them out of the arena
		l.arena = l.arena[:len(l.arena)+len(words)]
	}
	return slices.Clip(words), length
}

// order returns the rank of each word, by number, in the order of the index.
func (l *lexicon) order() []uint32 {
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
