package lexicon

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/alanbuscaglia/engram/internal/postings"
)

// source is a part of the index whose memories move to other segments: a segment, or memories in no
// segment.
type source struct {
	segment int64 // 0 for memories in no segment
	docs    postings.Docs
	blocks  [][]byte

	// The words of each slot, in place of blocks, for memories that are not in any table of the index
	// yet.
	words      [][]termCount
	vocabulary *vocabulary
}

// target is a segment with the documents to append to it.
type target struct {
	segment *segment
	docs    postings.Docs
	tokens  int64
}

// place is the location of a sealed memory in the index.
type place struct {
	segment int64
	slot    int
}

// capacity returns how many more memories a target can take.
func (g *target) capacity() int { return MaxSlots - g.segment.slots - g.docs.Len() }

// take appends a document to the target and returns its location.
func (g *target) take(d postings.Doc) location {
	at := location{g, uint32(g.segment.slots + g.docs.Len())}
	g.docs = postings.AppendDoc(g.docs, d)
	g.tokens += int64(d.Length)
	return at
}

// location is where a memory moves to; the zero location means nowhere.
type location struct {
	target *target
	slot   uint32
}

// gathering collects what moves to each target.
type gathering struct {
	order []*target // by first document
	words map[*target]map[string]*postings.Addition
	fresh []freshWords
}

// freshWords are memories that share a vocabulary, with their locations.
type freshWords struct {
	locations  []location
	words      [][]termCount
	vocabulary *vocabulary
	place      []uint32 // vocabulary.order
}

// gather assigns every live document of the sources a slot in the target that pick returns.
func gather(from []source, pick func(postings.Doc) *target) (*gathering, error) {
	all := &gathering{words: map[*target]map[string]*postings.Addition{}}
	for _, s := range from {
		locations := make([]location, s.docs.Len())
		for slot := range locations {
			if !s.docs.Live(slot) {
				continue
			}
			d := s.docs.Doc(slot)
			to := pick(d)
			if to.docs.Len() == 0 {
				all.order = append(all.order, to)
			}
			locations[slot] = to.take(d)
		}
		if s.vocabulary != nil {
			all.fresh = append(all.fresh, freshWords{locations: locations, words: s.words, vocabulary: s.vocabulary, place: s.vocabulary.order()})
			continue
		}
		if err := all.read(s.blocks, locations); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// read collects the words in the blocks of a segment; locations are those of its slots.
func (a *gathering) read(blocks [][]byte, locations []location) error {
	var scratch []postings.Posting
	for _, block := range blocks {
		e := postings.NewEntries(block)
		for e.Next() {
			l, err := postings.ReadList(e.List())
			if err == nil {
				scratch, err = l.Decode(scratch[:0])
			}
			if err != nil {
				return err
			}
			for _, p := range scratch {
				if int(p.Slot) >= len(locations) || locations[p.Slot].target == nil {
					return postings.ErrDamaged // dead documents have no words
				}
				a.add(locations[p.Slot], e.Word(), p.TF)
			}
		}
		if err := e.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (a *gathering) add(at location, word []byte, tf uint32) {
	words := a.words[at.target]
	if words == nil {
		words = map[string]*postings.Addition{}
		a.words[at.target] = words
	}
	w := words[string(word)]
	if w == nil {
		w = &postings.Addition{Word: bytes.Clone(word)}
		words[string(w.Word)] = w
	}
	w.Postings = append(w.Postings, postings.Posting{Slot: at.slot, TF: tf})
}

// additions returns the words of a target, in ascending order. They are built per target because those
// of all targets at once would be large.
func (a *gathering) additions(to *target) []postings.Addition {
	all := make([]postings.Addition, 0, len(a.words[to]))
	for _, w := range a.words[to] {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b postings.Addition) int { return bytes.Compare(a.Word, b.Word) })
	for _, f := range a.fresh {
		all = joined(all, f.additions(to))
	}
	return all
}

// additions returns the words of the memories that move to a target, in ascending order.
func (f freshWords) additions(to *target) []postings.Addition {
	// Counting first allows one allocation for all postings.
	count, total := map[uint32]int{}, 0
	for i, at := range f.locations {
		if at.target == to {
			total += len(f.words[i])
			for _, w := range f.words[i] {
				count[w.term]++
			}
		}
	}
	terms := make([]uint32, 0, len(count))
	for term := range count {
		terms = append(terms, term)
	}
	slices.SortFunc(terms, func(a, b uint32) int { return cmp.Compare(f.place[a], f.place[b]) })
	all := make([]postings.Addition, len(terms))
	room, nth := make([]postings.Posting, total), make(map[uint32]int, len(terms))
	for i, term := range terms {
		n := count[term]
		all[i] = postings.Addition{Word: []byte(f.vocabulary.words[term]), Postings: room[:0:n]}
		room, nth[term] = room[n:], i
	}
	for i, at := range f.locations {
		if at.target == to {
			for _, w := range f.words[i] {
				a := &all[nth[w.term]]
				a.Postings = append(a.Postings, postings.Posting{Slot: at.slot, TF: w.tf})
			}
		}
	}
	return all
}

// joined merges additions in order; for a word in both, the slots of b follow those of a.
func joined(a, b []postings.Addition) []postings.Addition {
	if len(a) == 0 {
		return b
	}
	all := make([]postings.Addition, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := bytes.Compare(a[0].Word, b[0].Word); {
		case c < 0:
			all, a = append(all, a[0]), a[1:]
		case c > 0:
			all, b = append(all, b[0]), b[1:]
		default:
			both := postings.Addition{Word: a[0].Word, Postings: slices.Concat(a[0].Postings, b[0].Postings)}
			all, a, b = append(all, both), a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}
