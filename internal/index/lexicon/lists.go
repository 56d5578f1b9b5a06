package lexicon

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

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
	far := map[index.Place][]sought{}
	tools := slices.ContainsFunc(words, isTool)
	for i, g := range segments {
		if err := x.readWords(ctx, g); err != nil {
			return nil, err
		}
		toolless := tools && x.toolless(g)
		for j, word := range words {
			n := g.blockOf(word)
			switch {
			case n < 0 || toolless && isTool(word):
			case g.blocks == nil:
				if x.lasting(g) {
					if l, known := x.Cache.lists.Get(listOf{g.num, g.version, word}, x.most(mostLists)); known {
						all[j][i] = l
						continue
					}
				}
				at := index.Place{Segment: g.num, N: n}
				far[at] = append(far[at], sought{j, i})
			case n >= len(g.blocks):
				return nil, fmt.Errorf("segment %d: %w", g.num, postings.ErrDamaged)
			default:
				if _, err := find(g.blocks[n], sought{j, i}); err != nil {
					return nil, err
				}
			}
		}
	}
	cloned := make([]string, len(words)) // for keys
	return all, x.blocksAt(ctx, far, func(block []byte, s sought) error {
		l, err := find(block, s)
		if err != nil {
			return err
		}
		l = l.Clone()
		all[s.word][s.segment] = l
		g, word := segments[s.segment], words[s.word]
		if !x.lasting(g) || l.Len() == 0 && x.findsNoTools(g, block, word) {
			return nil
		}
		if cloned[s.word] == "" {
			cloned[s.word] = strings.Clone(word)
		}
		x.Cache.lists.Put(listOf{g.num, g.version, cloned[s.word]}, l, l.Bytes()+len(word)+150, x.most(mostLists))
		return nil
	})
}

// Most segments have no names of tools at all, which is kept in place of each that they lack.

func isTool(word string) bool { return strings.HasPrefix(word, toolMark) }

// toolless reports whether a segment is known to have no names of tools.
func (x *Index) toolless(g *segment) bool {
	_, known := x.missing(g, g.starts(toolMark))
	return known
}

// findsNoTools reports whether a word is the name of a tool and its block, the only one that may have such names, has
// none, and keeps that.
func (x *Index) findsNoTools(g *segment, block []byte, word string) bool {
	if !isTool(word) || g.blockOf(toolMark) != g.blockOf(toolMark+"\xff") {
		return false
	}
	for e := postings.NewEntries(block); e.Next(); {
		if bytes.HasPrefix(e.Word(), []byte(toolMark)) {
			return false
		}
	}
	x.keepMissing(g, g.starts(toolMark), nil)
	return true
}

// beginning calls fn for the words of the segments that start with begins, in order within a segment.
// Word and list are valid until fn returns.
func (x *Index) beginning(ctx context.Context, segments []*segment, begins string, fn func(segment int, word, list []byte) error) error {
	has := map[int]bool{} // segments
	read := func(block []byte, s sought) error {
		e := postings.NewEntries(block)
		for e.Next() {
			switch {
			case bytes.HasPrefix(e.Word(), []byte(begins)):
				has[s.segment] = true
				if err := fn(s.segment, e.Word(), e.List()); err != nil {
					return err
				}
			case string(e.Word()) > begins:
				return nil
			}
		}
		return e.Err()
	}
	far := map[index.Place][]sought{}
	for i, g := range segments {
		if err := x.readWords(ctx, g); err != nil {
			return err
		}
		if _, none := x.missing(g, g.starts(begins)); none || x.lacks(g, begins) {
			continue
		}
		end, _ := slices.BinarySearch(g.firsts, begins+"\xff")
		for n := max(g.blockOf(begins), 0); n < end; n++ {
			if g.blocks == nil {
				far[index.Place{Segment: g.num, N: n}] = []sought{{segment: i}}
			} else if n < len(g.blocks) {
				if err := read(g.blocks[n], sought{segment: i}); err != nil {
					return err
				}
			}
		}
	}
	if err := x.blocksAt(ctx, far, read); err != nil {
		return err
	}
	for _, of := range far {
		if g := segments[of[0].segment]; !has[of[0].segment] {
			x.keepMissing(g, g.starts(begins), nil)
		}
	}
	return nil
}

// blocksAt calls fn for each requested block and each word sought in it.
func (x *Index) blocksAt(ctx context.Context, where map[index.Place][]sought, fn func(block []byte, s sought) error) error {
	if len(where) == 0 {
		return nil
	}
	places := slices.SortedFunc(maps.Keys(where), index.Place.Compare) // in storage order
	there := 0
	err := x.Store.PartsAt(ctx, index.Blocks, places, func(at index.Place, block []byte) error {
		there++
		for _, s := range where[at] {
			if err := fn(block, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && there != len(places) {
		err = postings.ErrDamaged
	}
	return doing(err, "words of segments")
}
