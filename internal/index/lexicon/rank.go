package lexicon

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// repairedWorth is the weight of a corrected word relative to an exact one.
const repairedWorth = 0.7

// toolWorth is the weight of a word in the name of the tool that reported a memory, relative to one of its text. It is
// set by hand: enough to find what a tool reported, too little to put it before a text that has the word.
const toolWorth = 0.3

// rank scores the memories in scope that contain at least least of the words (0: any) and returns the
// best.
func (s *search) rank(ctx context.Context, ws []*word, least, limit int) ([]vector.Placed, error) {
	if len(ws) == 0 {
		return nil, nil
	}
	worth := make([]scores, len(ws))
	for i, w := range ws {
		worth[i].Word = s.worth(w)
	}
	best := vector.NewTop(limit)
	if s.scope.Check != nil {
		best = vector.NewTop(math.MaxInt) // any number of the best may fail the check
	}
	sum := &s.sums
	sum.counts = least > 1 || s.collection().Length <= 0 // then a word may add nothing
	for i, g := range s.scope.segments {
		held := false
		for _, w := range ws {
			held = held || !w.spread[i].empty()
		}
		if !held {
			continue
		}
		sum.reset(g.slots)
		lengths, err := s.scope.index.lengthsOf(ctx, g)
		if err != nil {
			return nil, err
		}
		for j, w := range ws {
			ps, err := s.postings(&w.spread[i])
			if err != nil {
				return nil, err
			}
			if err := sum.add(ps, &worth[j], lengths); err != nil {
				return nil, err
			}
		}
		in, err := s.scope.in(ctx, g)
		if err != nil {
			return nil, err
		}
		if in.Docs != nil {
			sum.collect(best, in, i, uint16(least))
		} else if err := sum.choose(ctx, best, in, i, uint16(least)); err != nil {
			return nil, err
		}
	}
	if s.scope.Check != nil {
		return s.checked(ctx, best.Placed(), limit)
	}
	return best.Placed(), nil
}

// checkAtOnce is how many memories are checked per statement.
const checkAtOnce = 250

// checked returns the first hits that pass the conditions that need the memory itself.
func (s *search) checked(ctx context.Context, found []vector.Placed, limit int) ([]vector.Placed, error) {
	var kept []vector.Placed
	for some := range slices.Chunk(found, checkAtOnce) {
		nums := make([]int64, len(some))
		for i, f := range some {
			nums[i] = f.Num
		}
		pass, err := s.scope.Check(ctx, nums)
		if err != nil {
			return nil, err
		}
		for _, f := range some {
			if pass[f.Num] {
				if kept = append(kept, f); len(kept) == limit {
					return kept, nil
				}
			}
		}
	}
	return kept, nil
}

// sums adds up the scores of one segment's documents.
type sums struct {
	score  []float32
	words  []uint16 // number of the query's words per document, if counts
	counts bool
	slots  []uint16 // of choose
}

// scores are those of a word. Of a common one the same few come again and again: for each frequency up to mostTimes and
// each length below mostShort it is computed once.
type scores struct {
	retrieval.Word
	known *[mostTimes][mostShort]float32
}

const (
	mostTimes = 4
	mostShort = 192
)

func (w *scores) table() *[mostTimes][mostShort]float32 {
	if w.known == nil {
		w.known = new([mostTimes][mostShort]float32)
		for tf := range w.known {
			for length := range w.known[tf] {
				w.known[tf][length] = float32(w.Score(float64(tf+1), float64(length)))
			}
		}
	}
	return w.known
}

func (s *sums) reset(slots int) {
	if slots > len(s.score) {
		s.score, s.words = make([]float32, max(slots, MaxSlots)), make([]uint16, max(slots, MaxSlots))
		return
	}
	clear(s.score)
	if s.counts {
		clear(s.words)
	}
}

// has reports whether a document has at least least of the words, one at least.
func (s *sums) has(slot int, least uint16) bool {
	if s.counts {
		return s.words[slot] >= max(least, 1)
	}
	return s.score[slot] > 0
}

// add adds the scores of one word.
func (s *sums) add(ps []postings.Posting, w *scores, lengths postings.Lengths) error {
	if len(ps) > 0 && int(ps[len(ps)-1].Slot) >= lengths.Len() { // slots ascend
		return postings.ErrDamaged
	}
	if s.counts {
		for _, p := range ps {
			s.words[p.Slot]++
		}
	}
	if len(ps) < mostShort*mostTimes {
		for _, p := range ps {
			s.score[p.Slot] += float32(w.Score(float64(p.TF), float64(lengths.Of(int(p.Slot)))))
		}
		return nil
	}
	known := w.table()
	for _, p := range ps {
		tf, length := p.TF-1, lengths.Of(int(p.Slot))
		if tf < mostTimes && length < mostShort {
			s.score[p.Slot] += known[tf][length]
		} else {
			s.score[p.Slot] += float32(w.Score(float64(p.TF), float64(length)))
		}
	}
	return nil
}

// placeOf is the place of a hit: the index of its segment in scope, and its slot.
func placeOf(segment, slot int) int { return segment<<16 | slot }

// collect offers the documents of a segment in scope that contain a word, and at least least.
func (s *sums) collect(best *vector.Top, in *Part, segment int, least uint16) {
	bar, _ := best.Least() // of a float32, too
	for slot, score := range s.score[:in.Docs.Len()] {
		if score < float32(bar) || !s.has(slot, least) || !in.Pass(slot) {
			continue
		}
		best.OfferAt(in.Docs.Num(slot), float64(score), placeOf(segment, slot))
		bar, _ = best.Least()
	}
}

// choose is collect for documents that are not loaded: it checks the best scores first, so that it reads
// few pages.
func (s *sums) choose(ctx context.Context, best *vector.Top, in *Part, segment int, least uint16) error {
	s.slots = s.slots[:0]
	bar, _ := best.Least()
	for slot, score := range s.score[:in.of.slots] {
		if float64(score) >= bar && s.has(slot, least) {
			s.slots = append(s.slots, uint16(slot))
		}
	}
	slices.SortFunc(s.slots, func(a, b uint16) int { return cmp.Compare(s.score[b], s.score[a]) })
	for _, at := range s.slots {
		slot, score := int(at), float64(s.score[at])
		if bar, _ := best.Least(); score < bar {
			return nil
		}
		docs, i, err := in.at(ctx, slot)
		if err != nil {
			return err
		}
		if in.passes(docs, i, slot) {
			best.OfferAt(docs.Num(i), score, placeOf(segment, slot))
		}
	}
	return nil
}

// parts sets parted to what each word adds to the score of each hit, in all, which is zero.
func (s *search) parts(hits []standing, all []float32) error {
	byPlace := s.byPlace[:0] // indexes of hits, by segment and slot
	for i, f := range hits {
		byPlace = append(byPlace, i)
		s.parted[f.num] = all[i*len(s.terms):][:len(s.terms):len(s.terms)]
	}
	s.byPlace = byPlace
	slices.SortFunc(byPlace, func(a, b int) int {
		return placeOf(hits[a].segment, hits[a].slot) - placeOf(hits[b].segment, hits[b].slot)
	})
	for j, w := range s.terms {
		for _, w := range []*word{w, w.tool} {
			if w == nil {
				continue
			}
			if err := s.add(w, hits, byPlace, func(i int, part float32) { all[i*len(s.terms)+j] += part }); err != nil {
				return err
			}
		}
	}
	return nil
}

// add calls fn with what a word adds to the score of each hit that has it; byPlace are the hits by segment and
// slot.
func (s *search) add(w *word, hits []standing, byPlace []int, fn func(hit int, part float32)) (err error) {
	worth, segment := s.worth(w), -1
	var ps []postings.Posting
	for _, i := range byPlace {
		f := hits[i]
		if f.segment != segment {
			segment = f.segment
			if ps, err = s.postings(&w.spread[segment]); err != nil {
				return err
			}
		}
		at, has := slices.BinarySearchFunc(ps, uint32(f.slot), func(p postings.Posting, slot uint32) int { return cmp.Compare(p.Slot, slot) })
		if ps = ps[at:]; has {
			fn(i, float32(worth.Score(float64(ps[0].TF), float64(f.words))))
		}
	}
	return nil
}

// worth returns the weight of a word, less if it is a correction or a tool's name.
func (s *search) worth(w *word) retrieval.Word {
	worth := s.collection().Word(w.rows)
	if w.repaired {
		worth = worth.Times(repairedWorth)
	}
	if w.isTool {
		worth = worth.Times(toolWorth)
	}
	return worth
}
