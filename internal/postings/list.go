package postings

import (
	"encoding/binary"
	"math"
)

// Posting is one document of a word: its slot, and how often it has the word (at least 1).
type Posting struct {
	Slot uint32
	TF   uint32
}

// List is the encoded postings of one word, in ascending order of slots:
//
//	count, last slot, then of each posting: gap to the slot before << 1 | more, and TF if more
//
// all of them unsigned varints. Most words stand once in a document and need one byte.
// With the last slot in front, postings are appended without reading the others.
// The zero List is empty.
type List struct {
	count int
	last  int // -1: none
	body  []byte
}

// ReadList reads the head of an encoded list; the postings are read by Decode.
func ReadList(b []byte) (List, error) {
	count, b, ok := uvarint(b)
	if !ok || count > MaxSlots {
		return List{}, ErrDamaged
	}
	last, b, ok := uvarint(b)
	if !ok || last >= MaxSlots || count > len(b) || count == 0 {
		return List{}, ErrDamaged // a posting takes a byte at least
	}
	return List{count: count, last: last, body: b}, nil
}

// Len is the number of documents.
func (l List) Len() int { return l.count }

// Decode appends the postings to into, which may be nil, and returns it.
func (l List) Decode(into []Posting) ([]Posting, error) {
	b, slot := l.body, -1
	for range l.count {
		var head, tf int
		var ok bool
		if head, b, ok = uvarint(b); !ok {
			return into, ErrDamaged
		}
		tf = 1
		if head&1 != 0 {
			if tf, b, ok = uvarint(b); !ok {
				return into, ErrDamaged
			}
		}
		if slot += head>>1 + 1; slot >= MaxSlots {
			return into, ErrDamaged
		}
		into = append(into, Posting{Slot: uint32(slot), TF: uint32(tf)})
	}
	if len(b) != 0 || l.count > 0 && slot != l.last {
		return into, ErrDamaged
	}
	return into, nil
}

// AppendList appends the encoded list of ps to dst. They must be in ascending order,
// each slot once, below MaxSlots; there must be at least one.
func AppendList(dst []byte, ps []Posting) []byte {
	return List{last: -1}.AppendWith(dst, ps)
}

// AppendWith appends to dst the encoded list of l and ps, all of which must come after
// the last posting of l, in ascending order. l itself is not decoded.
func (l List) AppendWith(dst []byte, ps []Posting) []byte {
	last := l.last
	if l.count == 0 {
		last = -1
	}
	end := last
	if len(ps) > 0 {
		end = int(ps[len(ps)-1].Slot)
	}
	dst = binary.AppendUvarint(dst, uint64(l.count+len(ps)))
	dst = binary.AppendUvarint(dst, uint64(max(end, 0)))
	dst = append(dst, l.body...)
	for _, p := range ps {
		head := uint64(int(p.Slot)-last-1) << 1
		last = int(p.Slot)
		if p.TF == 1 {
			dst = binary.AppendUvarint(dst, head)
			continue
		}
		dst = binary.AppendUvarint(dst, head|1)
		dst = binary.AppendUvarint(dst, uint64(p.TF))
	}
	return dst
}

// AppendWithout appends to dst the encoded list without one slot. Nothing is appended
// when no posting is left; found says whether the slot was there.
func (l List) AppendWithout(dst []byte, slot int) (out []byte, found bool, err error) {
	ps, err := l.Decode(make([]Posting, 0, l.count))
	if err != nil {
		return dst, false, err
	}
	kept := ps[:0]
	for _, p := range ps {
		if int(p.Slot) == slot {
			found = true
			continue
		}
		kept = append(kept, p)
	}
	if len(kept) == 0 {
		return dst, found, nil
	}
	return AppendList(dst, kept), found, nil
}

// Union returns the postings of several lists as one: each slot once, with the sum of
// its TF. tf is room for a number a slot, all zero, and is so again afterwards.
func Union(lists []List, tf []uint32) ([]Posting, error) {
	var scratch []Posting
	for _, l := range lists {
		var err error
		if scratch, err = l.Decode(scratch[:0]); err != nil {
			clear(tf)
			return nil, err
		}
		for _, p := range scratch {
			if int(p.Slot) >= len(tf) {
				clear(tf)
				return nil, ErrDamaged
			}
			if sum := uint64(tf[p.Slot]) + uint64(p.TF); sum <= math.MaxUint32 {
				tf[p.Slot] = uint32(sum)
			}
		}
	}
	var all []Posting
	for slot, n := range tf {
		if n > 0 {
			all = append(all, Posting{Slot: uint32(slot), TF: n})
			tf[slot] = 0
		}
	}
	return all, nil
}
