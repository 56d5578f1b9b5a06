package sqlite

import (
	"bytes"
	"slices"

	"github.com/alanbuscaglia/engram/internal/postings"
)

// source is a part of the index whose memories go to another: a segment, or one memory
// that is in none.
type source struct {
	segment int64 // 0: unsealed
	docs    postings.Docs
	blocks  [][]byte
}

// target is a segment that gets memories, with what it gets.
type target struct {
	segment *segment
	docs    postings.Docs
	tokens  int64
}

// place is where a sealed memory stands in the index.
type place struct {
	segment int64
	slot    int
}

// room is how many more memories a target can take.
func (g *target) room() int { return segmentSlots - g.segment.slots - g.docs.Len() }

// gather gives every live document of the sources a slot in the target that pick names,
// and returns the words that each target gets, in ascending order.
func gather(from []source, pick func(postings.Doc) *target) (map[*target][]postings.Addition, error) {
	type spot struct {
		target *target
		slot   uint32
	}
	words := map[*target]map[string]*postings.Addition{}
	var scratch []postings.Posting
	for _, s := range from {
		spots := make([]spot, s.docs.Len())
		for slot := range spots {
			if !s.docs.Live(slot) {
				continue
			}
			d := s.docs.Doc(slot)
			to := pick(d)
			spots[slot] = spot{to, uint32(to.segment.slots + to.docs.Len())}
			to.docs = postings.AppendDoc(to.docs, d)
			to.tokens += int64(d.Length)
			if words[to] == nil {
				words[to] = map[string]*postings.Addition{}
			}
		}
		for _, block := range s.blocks {
			e := postings.NewEntries(block)
			for e.Next() {
				l, err := postings.ReadList(e.List())
				if err == nil {
					scratch, err = l.Decode(scratch[:0])
				}
				if err != nil {
					return nil, err
				}
				for _, p := range scratch {
					if int(p.Slot) >= len(spots) || spots[p.Slot].target == nil {
						return nil, postings.ErrDamaged // a dead document has no words
					}
					at := spots[p.Slot]
					a := words[at.target][string(e.Word())]
					if a == nil {
						a = &postings.Addition{Word: bytes.Clone(e.Word())}
						words[at.target][string(a.Word)] = a
					}
					a.Postings = append(a.Postings, postings.Posting{Slot: at.slot, TF: p.TF})
				}
			}
			if err := e.Err(); err != nil {
				return nil, err
			}
		}
	}
	all := make(map[*target][]postings.Addition, len(words))
	for to, adds := range words {
		sorted := make([]postings.Addition, 0, len(adds))
		for _, a := range adds {
			sorted = append(sorted, *a)
		}
		slices.SortFunc(sorted, func(a, b postings.Addition) int { return bytes.Compare(a.Word, b.Word) })
		all[to] = sorted
	}
	return all, nil
}
