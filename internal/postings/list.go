package postings

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// Posting is one document that contains a word: its slot and the term frequency (at least 1).
type Posting struct {
	Slot uint32
	TF   uint32
}

// List is the encoded postings of one word, in ascending order of slots:
//
//	count, last slot, then for each posting: gap to the previous slot << 1 | more, and TF if more
//
// All numbers are unsigned varints. Most words occur once in a document and need one byte. The last slot
// comes first so that postings can be appended without decoding the others. The zero List is empty.
type List struct {
	count int
	last  int // -1: the list is empty
	body  []byte
}

// ReadList reads the header of an encoded list; Decode reads the postings.
func ReadList(b []byte) (List, error) {
	count, b, ok := uvarint(b)
	if !ok || count > MaxSlots {
		return List{}, ErrDamaged
	}
	last, b, ok := uvarint(b)
	if !ok || last >= MaxSlots || count > len(b) || count == 0 {
		return List{}, ErrDamaged // a posting takes at least a byte
	}
	return List{count: count, last: last, body: b}, nil
}

// Len returns the number of documents.
func (l List) Len() int { return l.count }

// Bytes returns the size of the encoded postings.
func (l List) Bytes() int { return len(l.body) }

// Clone returns a List with bytes of its own.
func (l List) Clone() List { l.body = bytes.Clone(l.body); return l }

// Decode appends the postings to into, which may be nil, and returns the result.
func (l List) Decode(into []Posting) ([]Posting, error) {
	from := len(into)
	into = slices.Grow(into, l.count)[:from+l.count]
	ps, b, slot := into[from:], l.body, -1
	at, mixed := 0, len(b) > l.count+l.count/6
	for i := range ps {
		if !mixed && at < len(b) && b[at]&0x81 == 0 { // a single byte, as of most words
			slot += int(b[at]>>1) + 1
			ps[i] = Posting{Slot: uint32(slot), TF: 1}
			at++
			continue
		}
		// One byte or two, as of nearly all: where both are frequent, a branch would be foreseen wrongly half of the time.
		if at+1 < len(b) {
			first, second := uint32(b[at]), uint32(b[at+1])
			two := -(first & 1) // all bits if there are two
			if (first|second&two)&0x80 == 0 {
				slot += int(first>>1) + 1
				ps[i] = Posting{Slot: uint32(slot), TF: second&two | 1&^two}
				at += 1 + int(first&1)
				continue
			}
		}
		rest := b[at:]
		var head int
		var ok bool
		tf := 1
		if head, rest, ok = uvarint(rest); !ok {
			return into[:from+i], ErrDamaged
		}
		if head&1 != 0 {
			if tf, rest, ok = uvarint(rest); !ok {
				return into[:from+i], ErrDamaged
			}
		}
		slot, at = slot+head>>1+1, len(b)-len(rest)
		ps[i] = Posting{Slot: uint32(slot), TF: uint32(tf)}
	}
	b = b[at:]
	// Slots ascend, so none is beyond the last one, which ReadList has checked.
	if len(b) != 0 || l.count > 0 && slot != l.last {
		return into, ErrDamaged
	}
	return into, nil
}

// AppendList appends the encoded list of ps to dst. The slots must be strictly ascending and below
// MaxSlots, and ps must not be empty.
func AppendList(dst []byte, ps []Posting) []byte {
	return List{last: -1}.AppendWith(dst, ps)
}

// AppendWith appends to dst the encoded list of l and ps, without decoding l. The slots of ps must be
// ascending and after the last slot of l.
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

// AppendWithout appends to dst the encoded list without one slot, nothing if the list becomes empty.
// found reports whether the slot was in the list.
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

// Union appends several lists, merged, to into: each slot once, with the sum of its TF. tf is scratch space with one
// zero per slot, and is zero again afterwards.
func Union(into []Posting, lists []List, tf []uint32) ([]Posting, error) {
	return union(into, lists, tf, func(a, b uint32) uint32 {
		if sum := uint64(a) + uint64(b); sum <= math.MaxUint32 {
			return uint32(sum)
		}
		return a
	})
}

// Either is Union with the greatest TF: of words that mean the same, a document often has two forms of one
// occurrence.
func Either(into []Posting, lists []List, tf []uint32) ([]Posting, error) {
	return union(into, lists, tf, func(a, b uint32) uint32 { return max(a, b) })
}

func union(into []Posting, lists []List, tf []uint32, both func(a, b uint32) uint32) (merged []Posting, err error) {
	from, most := len(into), 0
	for _, l := range lists {
		most += l.Len()
	}
	if most < len(tf)/sparse {
		return unionOfFew(into, lists, len(tf), both)
	}
	for _, l := range lists {
		if into, err = l.Decode(into[:from]); err != nil {
			clear(tf)
			return into[:from], err
		}
		for _, p := range into[from:] {
			if int(p.Slot) >= len(tf) {
				clear(tf)
				return into[:from], ErrDamaged
			}
			tf[p.Slot] = both(tf[p.Slot], p.TF)
		}
	}
	into = into[:from]
	for slot, n := range tf {
		if n > 0 {
			into = append(into, Posting{Slot: uint32(slot), TF: n})
			tf[slot] = 0
		}
	}
	return into, nil
}

// sparse is from how many slots per posting on sorting the postings takes less than a look at all slots.
const sparse = 32

// unionOfFew is union without a look at all slots.
func unionOfFew(into []Posting, lists []List, slots int, both func(a, b uint32) uint32) (merged []Posting, err error) {
	from := len(into)
	for _, l := range lists {
		if into, err = l.Decode(into); err != nil {
			return into[:from], err
		}
	}
	all := into[from:]
	slices.SortFunc(all, func(a, b Posting) int { return cmp.Compare(a.Slot, b.Slot) })
	if len(all) > 0 && int(all[len(all)-1].Slot) >= slots {
		return into[:from], ErrDamaged
	}
	merged = into[:from]
	for i, p := range all {
		switch last := len(merged) - 1; {
		case p.TF == 0: // only of a damaged list
		case i > 0 && last >= from && merged[last].Slot == p.Slot:
			merged[last].TF = both(merged[last].TF, p.TF)
		default:
			merged = append(merged, p)
		}
	}
	return merged, nil
}

// DocSize is the size of one row of Docs in bytes.
const DocSize = 32

// Doc holds the properties of a document by which searches filter and rank, without reading the memory.
type Doc struct {
	Num     int64  // number of the memory
	Created int64  // milliseconds since 1970
	Project uint32 // row numbers in the store's tables
	Session uint32
	Kind    uint32 // number of the type and scope
	Length  int    // tokens, at most 65,535
	Dead    bool   // the slot is empty: its document was removed
}

// Docs holds the documents of a segment, one row of DocSize bytes per slot, all numbers little-endian:
// num, created, project, session, kind, length, state. It is read in place; slots must be below Len.
type Docs []byte

// AppendDoc appends a row.
func AppendDoc(dst []byte, d Doc) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(d.Num))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(d.Created))
	dst = binary.LittleEndian.AppendUint32(dst, d.Project)
	dst = binary.LittleEndian.AppendUint32(dst, d.Session)
	dst = binary.LittleEndian.AppendUint32(dst, d.Kind)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(min(d.Length, math.MaxUint16)))
	state := uint16(0)
	if d.Dead {
		state = 1
	}
	return binary.LittleEndian.AppendUint16(dst, state)
}

// Len returns the number of slots.
func (d Docs) Len() int { return len(d) / DocSize }

// Doc decodes the row of a slot.
func (d Docs) Doc(slot int) Doc {
	return Doc{Num: d.Num(slot), Created: d.Created(slot), Project: d.Project(slot), Session: d.Session(slot), Kind: d.Kind(slot),
		Length: d.Length(slot), Dead: !d.Live(slot)}
}

// Num returns the number of the memory in a slot.
func (d Docs) Num(slot int) int64 { return int64(binary.LittleEndian.Uint64(d[slot*DocSize:])) }

// Created returns when the memory was created, in milliseconds since 1970.
func (d Docs) Created(slot int) int64 { return int64(binary.LittleEndian.Uint64(d[slot*DocSize+8:])) }

// Project returns the row of its project.
func (d Docs) Project(slot int) uint32 { return binary.LittleEndian.Uint32(d[slot*DocSize+16:]) }

// Session returns the row of its session.
func (d Docs) Session(slot int) uint32 { return binary.LittleEndian.Uint32(d[slot*DocSize+20:]) }

// Kind returns the number of its type and scope.
func (d Docs) Kind(slot int) uint32 { return binary.LittleEndian.Uint32(d[slot*DocSize+24:]) }

// Length returns its length in tokens.
func (d Docs) Length(slot int) int { return int(binary.LittleEndian.Uint16(d[slot*DocSize+28:])) }

// Live reports whether the slot still has a document.
func (d Docs) Live(slot int) bool { return d[slot*DocSize+30] == 0 }

// Lengths holds the lengths of a segment's documents, one per slot: a view of Docs, or of a separate
// array that ReadLengths reads. The zero Lengths has no slots.
type Lengths struct {
	rows       []byte
	size, from int // of a row, and the offset of the length in it
}

// LengthSize is the size of one length in a separate array, in bytes.
const LengthSize = 2

// Lengths returns a view of the lengths of the documents.
func (d Docs) Lengths() Lengths { return Lengths{rows: d, size: DocSize, from: 28} }

// AppendLengths appends the lengths of documents to a separate array.
func AppendLengths(dst []byte, d Docs) []byte {
	for slot := range d.Len() {
		dst = append(dst, d[slot*DocSize+28:slot*DocSize+28+LengthSize]...)
	}
	return dst
}

// ReadLengths returns a view of an array written by AppendLengths.
func ReadLengths(b []byte) Lengths { return Lengths{rows: b, size: LengthSize} }

// Len returns the number of slots.
func (l Lengths) Len() int {
	if l.size == 0 {
		return 0
	}
	return len(l.rows) / l.size
}

// Of returns the length of a slot's document in tokens.
func (l Lengths) Of(slot int) int {
	return int(binary.LittleEndian.Uint16(l.rows[slot*l.size+l.from:]))
}
