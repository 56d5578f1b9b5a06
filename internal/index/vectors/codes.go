package vectors

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// The codes of a segment's vectors are stored in pages of pageSlots slots, and compared in place.
// Changing a vector rewrites one page.
const (
	pageSlots  = 512
	pageBits   = pageSlots / 8
	pageHeader = 2 * pageBits
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
	model    model
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
	k.books[b.model.num] = b
}

// lastSegment is the greatest segment number that fits into codeRow.
const lastSegment = 1<<40 - 1

// codeRow is the number of a page's row.
func codeRow(model, segment int64, page int) int64 { return model<<48 | segment<<8 | int64(page) }

const (
	codedSegmentsSQL = `SELECT segment, version FROM coded WHERE model = ?`
	codePagesSQL     = `SELECT num, signs, sizes FROM vector_codes WHERE num BETWEEN ? AND ? ORDER BY num`
)

// codesOf returns a model's codes as this transaction sees them.
func (x *Index) codesOf(ctx context.Context, m model) (*codeBook, error) {
	var last *codeBook
	if !x.recoded { // uncommitted changes have no versions of their own
		last = x.Cache.get(m.num)
	}
	if last != nil && last.model == m {
		return last, nil
	}
	b := &codeBook{model: m, segments: map[int64]*codes{}}
	err := x.DB.Rows(ctx, codedSegmentsSQL, []any{m.num}, func(s conn.Scanner) error {
		var segment int64
		c := &codes{}
		err := s.Scan(&segment, &c.version)
		if last != nil {
			if k := last.segments[segment]; k != nil && k.version == c.version {
				c = k
			}
		}
		b.segments[segment] = c
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read codes: %w", err)
	}
	if !x.recoded {
		x.Cache.put(b)
	}
	return b, nil
}

func errDamagedCodes() error {
	return engram.Errorf(engram.CodeInternal, "a page of codes is damaged").WithHint("rebuild it with {reembed --all}")
}

// loadCodes ensures that a segment's codes are in memory.
func (x *Index) loadCodes(ctx context.Context, b *codeBook, segment int64) ([]codePage, error) {
	c := b.segments[segment]
	if c == nil {
		return nil, nil
	}
	c.loading.Lock()
	defer c.loading.Unlock()
	if c.loaded {
		return c.pages, nil
	}
	var pages []codePage
	err := x.DB.Rows(ctx, codePagesSQL, []any{codeRow(b.model.num, segment, 0), codeRow(b.model.num, segment, 255)}, func(s conn.Scanner) error {
		var num int64
		var page codePage
		if err := s.Scan(&num, &page.signs, &page.sizes); err != nil {
			return err
		}
		if !page.whole() {
			return errDamagedCodes()
		}
		for len(pages) < int(num&255) {
			pages = append(pages, codePage{signs: make([]byte, pageHeader)})
		}
		pages = append(pages, page)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read codes of segment %d: %w", segment, err)
	}
	c.pages, c.loaded = pages, true
	return pages, nil
}

// editCodes writes the codes of rows to slots of a segment; a nil row clears its slot.
func (x *Index) editCodes(ctx context.Context, m model, segment int64, rows map[int][]byte) error {
	const (
		read    = `SELECT signs, sizes FROM vector_codes WHERE num = ?`
		write   = `INSERT INTO vector_codes (num, signs, sizes) VALUES (?,?,?) ON CONFLICT (num) DO UPDATE SET signs = excluded.signs, sizes = excluded.sizes`
		changed = changeSQL + ` WHERE num = ? RETURNING changes`
		version = `INSERT INTO coded (model, segment, version) VALUES (?,?,?) ON CONFLICT (model, segment) DO UPDATE SET version = excluded.version`
	)
	byPage := map[int][]int{}
	for slot := range rows {
		byPage[slot/pageSlots] = append(byPage[slot/pageSlots], slot)
	}
	if len(byPage) == 0 {
		return nil
	}
	x.recoded = true
	for n, slots := range byPage {
		page := codePage{signs: make([]byte, pageHeader)}
		err := x.DB.Rows(ctx, read, []any{codeRow(m.num, segment, n)}, func(s conn.Scanner) error { return s.Scan(&page.signs, &page.sizes) })
		if err != nil || !page.whole() {
			return fmt.Errorf("read codes of segment %d: %w", segment, cmp.Or(err, errDamagedCodes()))
		}
		for _, slot := range slots {
			page.set(slot%pageSlots, vector.SignBytes(m.dimensions), rows[slot])
		}
		if len(page.sizes) == 0 {
			continue // no page, so nothing to clear
		}
		if err := x.DB.Run(ctx, write, codeRow(m.num, segment, n), page.signs, page.sizes); err != nil {
			return fmt.Errorf("write codes of segment %d: %w", segment, err)
		}
	}
	var now int64
	if err := x.DB.Row(ctx, changed, []any{m.num}, &now); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return conn.Doing(x.DB.Run(ctx, version, m.num, segment, now), "write codes of segment %d", segment)
}
