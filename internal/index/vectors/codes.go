package vectors

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// The codes of a segment's vectors are stored in pages of pageSlots slots, and compared in place.
// Changing a vector rewrites one page.
const (
	pageSlots  = 512
	pageBits   = pageSlots / 8
	pageHeader = 2 * pageBits
	maxPages   = lexicon.MaxSlots / pageSlots // of a segment
)

// codePage is one page. signs starts with a bit per slot that has a vector and a bit per slot whose
// vector is not zero, followed by the sign codes. sizes holds the codes of sizes (vector.RowSizes). Both
// end after the last used slot.
type codePage struct {
	signs []byte
	sizes []byte
}

func (p codePage) whole() bool { return len(p.signs) == pageHeader+len(p.sizes) }

// has reports whether a slot has a vector.
func (p codePage) has(slot int) bool { return p.signs[slot/8]>>(slot%8)&1 == 1 }

// pointing returns the bits of the slots whose vector is not zero.
func (p codePage) pointing() (words [pageSlots / 64]uint64) {
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(p.signs[pageBits+8*i:])
	}
	return words
}

// code returns the signs and sizes of a slot, of size bytes each.
func (p codePage) code(slot, size int) (signs, sizes []byte) {
	at := slot * size
	return p.signs[pageHeader+at : pageHeader+at+size], p.sizes[at : at+size]
}

// set writes the code of a row, of size bytes, to a slot; nil clears the slot.
func (p *codePage) set(slot, size int, row []byte) {
	if missing := (slot+1)*size - len(p.sizes); row != nil && missing > 0 {
		p.signs = append(p.signs, make([]byte, missing)...)
		p.sizes = append(p.sizes, make([]byte, missing)...)
	}
	has, points := &p.signs[slot/8], &p.signs[pageBits+slot/8]
	bit := byte(1) << (slot % 8)
	*has, *points = *has&^bit, *points&^bit
	if slot*size >= len(p.sizes) {
		return
	}
	signs, sizes := p.code(slot, size)
	if row == nil {
		clear(signs)
		clear(sizes)
		return
	}
	*has |= bit
	if _, some := vector.RowSigns(signs[:0], row); some {
		*points |= bit
	}
	vector.RowSizes(sizes[:0], row)
}

// codes are the codes of a segment's vectors in one snapshot. Loaded codes are immutable, so all
// connections of the process share them.
type codes struct {
	version int64

	loading sync.Mutex
	loaded  bool
	pages   []codePage
}

// codeBook holds the codes of one model. It is immutable.
type codeBook struct {
	model    index.Model
	segments map[int64]*codes
}

func (k *Cache) get(model int64) *codeBook {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.books[model]
}

func (k *Cache) put(b *codeBook) {
	k.mu.Lock()
	defer k.mu.Unlock()
	// A second model exists during re-embedding, a third hardly ever.
	if k.books == nil || len(k.books) > 2 {
		k.books = map[int64]*codeBook{}
	}
	k.books[b.model.Num] = b
}

// codesOf returns a model's codes as this transaction sees them.
func (x *Index) codesOf(ctx context.Context, m index.Model) (*codeBook, error) {
	var last *codeBook
	if !x.recoded { // uncommitted changes have no versions of their own
		last = x.Cache.get(m.Num)
	}
	if last != nil && last.model == m {
		return last, nil
	}
	coded, err := x.Codes.Coded(ctx, m.Num)
	if err != nil {
		return nil, err
	}
	b := &codeBook{model: m, segments: make(map[int64]*codes, len(coded))}
	for segment, version := range coded {
		c := &codes{version: version}
		if last != nil {
			if k := last.segments[segment]; k != nil && k.version == version {
				c = k
			}
		}
		b.segments[segment] = c
	}
	if !x.recoded && !x.Uncommitted {
		x.Cache.put(b)
	}
	return b, nil
}

// errDamagedCodes is the error of pages of codes that a segment cannot have.
func errDamagedCodes(segment int64) error {
	return engram.Errorf(engram.CodeInternal, "a page of codes of segment %d is damaged", segment).WithHint("rebuild it with {reembed --all}")
}

// loadCodes ensures that the codes of segments are in memory, and returns their pages.
func (x *Index) loadCodes(ctx context.Context, b *codeBook, parts []*lexicon.Part) ([][]codePage, error) {
	missing := map[int64]*codes{}
	// Parts are ordered by number, so that searches wait for each other in one order.
	for _, p := range parts {
		c := b.segments[p.Num()]
		if c == nil {
			continue
		}
		c.loading.Lock()
		if c.loaded {
			c.loading.Unlock()
			continue
		}
		defer c.loading.Unlock()
		missing[p.Num()] = c
	}
	if len(missing) > 0 {
		if err := x.readCodes(ctx, b.model.Num, missing); err != nil {
			return nil, err
		}
	}
	pages := make([][]codePage, len(parts))
	for i, p := range parts {
		if c := b.segments[p.Num()]; c != nil {
			pages[i] = c.pages
		}
	}
	return pages, nil
}

// readCodes reads the codes of segments.
func (x *Index) readCodes(ctx context.Context, model int64, segments map[int64]*codes) error {
	all := make(map[int64][]codePage, len(segments))
	err := x.Codes.Codes(ctx, model, slices.Sorted(maps.Keys(segments)), func(at index.Place, signs, sizes []byte) error {
		page, pages := codePage{signs, sizes}, all[at.Segment]
		if at.N < len(pages) || at.N >= maxPages || !page.whole() {
			return errDamagedCodes(at.Segment)
		}
		for len(pages) < at.N {
			pages = append(pages, codePage{signs: make([]byte, pageHeader)})
		}
		all[at.Segment] = append(pages, page)
		return nil
	})
	if err != nil {
		return err
	}
	for num, c := range segments {
		c.pages, c.loaded = all[num], true
	}
	return nil
}

// editCodes writes the codes of rows to slots of a segment; a nil row clears its slot.
func (x *Index) editCodes(ctx context.Context, m index.Model, segment int64, rows map[int][]byte) error {
	byPage := map[int][]int{}
	for slot := range rows {
		byPage[slot/pageSlots] = append(byPage[slot/pageSlots], slot)
	}
	if len(byPage) == 0 {
		return nil
	}
	numbers := slices.Sorted(maps.Keys(byPage))
	pages := make(map[int]codePage, len(numbers))
	err := x.Codes.CodesAt(ctx, m.Num, segment, numbers, func(n int, signs, sizes []byte) error {
		pages[n] = codePage{signs, sizes}
		if !pages[n].whole() {
			return errDamagedCodes(segment)
		}
		return nil
	})
	if err != nil {
		return err
	}
	written := false
	for _, n := range numbers {
		page, stored := pages[n]
		if !stored {
			page.signs = make([]byte, pageHeader)
		}
		for _, slot := range byPage[n] {
			page.set(slot%pageSlots, vector.SignBytes(m.Dimensions), vector.First(rows[slot], m.Dimensions)) // the whole text's
		}
		if len(page.sizes) == 0 {
			continue // no page, so nothing to clear
		}
		x.recoded, written = true, true
		if err := x.Codes.PutCodes(ctx, m.Num, index.Place{Segment: segment, N: n}, page.signs, page.sizes); err != nil {
			return fmt.Errorf("write codes of segment %d: %w", segment, err)
		}
	}
	if !written {
		return nil
	}
	return x.Codes.Recoded(ctx, m.Num, segment)
}
