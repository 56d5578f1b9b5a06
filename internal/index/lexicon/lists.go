package lexicon

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// blocksAtSQL reads blocks by number: one statement for all blocks of a query costs a fifth of one per
// block.
const blocksAtSQL = `SELECT postings.num, words FROM json_each(?) AS asked CROSS JOIN postings ON postings.num = asked.value`

// sought is a requested word and the segment to look in, both by index.
type sought struct{ word, segment int }

// mostLists bounds the bytes of lists in memory, in a store of a hundred thousand: questions share words.
const mostLists = 3 << 20

// most returns a bound for what is kept of the segments, more of many: of a million memories four times as much.
func (x *Index) most(bytes int) int {
	if x.cat == nil {
		return bytes
	}
	return bytes * min(1+len(x.cat.segments)/64, 4)
}

// listOf identifies the list of a word in a segment.
type listOf struct {
	segment, version int64
	word             string
}

// lists returns the postings of words: for each word a list per segment.
func (x *Index) lists(ctx context.Context, segments []*segment, words []string) ([][]postings.List, error) {
	all := make([][]postings.List, len(words))
	for j := range words {
		all[j] = make([]postings.List, len(segments))
	}
	find := func(block []byte, s sought) (l postings.List, err error) {
		raw, found, err := postings.Find(block, words[s.word])
		if err == nil && found {
			l, err = postings.ReadList(raw)
		}
		all[s.word][s.segment] = l
		return l, err
	}
	far := map[int64][]sought{} // by row number
	for i, g := range segments {
		if err := x.readWords(ctx, g); err != nil {
			return nil, err
		}
		for j, word := range words {
			n := g.blockOf(word)
			switch {
			case n < 0:
			case g.blocks == nil:
				if x.lasting(g) {
					if l, known := x.Cache.lists.Get(listOf{g.num, g.version, word}, x.most(mostLists)); known {
						all[j][i] = l
						continue
					}
				}
				far[part(g.num, n)] = append(far[part(g.num, n)], sought{j, i})
			case n >= len(g.blocks):
				return nil, fmt.Errorf("segment %d: %w", g.num, postings.ErrDamaged)
			default:
				if _, err := find(g.blocks[n], sought{j, i}); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, x.blocksAt(ctx, far, func(block []byte, s sought) error {
		l, err := find(block, s)
		if err != nil {
			return err
		}
		l = l.Clone()
		all[s.word][s.segment] = l
		if g := segments[s.segment]; x.lasting(g) {
			word := words[s.word]
			x.Cache.lists.Put(listOf{g.num, g.version, strings.Clone(word)}, l, l.Bytes()+len(word)+150, x.most(mostLists))
		}
		return nil
	})
}

// beginning calls fn for the words of the segments that start with begins, in order within a segment.
// Word and list are valid until fn returns.
func (x *Index) beginning(ctx context.Context, segments []*segment, begins string, fn func(segment int, word, list []byte) error) error {
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
		if err := x.readWords(ctx, g); err != nil {
			return err
		}
		if x.lacks(g, begins) {
			continue
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
	return x.blocksAt(ctx, far, read)
}

// blocksAt calls fn for each requested block and each word sought in it.
func (x *Index) blocksAt(ctx context.Context, where map[int64][]sought, fn func(block []byte, s sought) error) error {
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
	err := x.DB.Rows(ctx, blocksAtSQL, []any{conn.JSONNums(nums)}, func(r conn.Scanner) error {
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
	return conn.Doing(err, "words of segments")
}
