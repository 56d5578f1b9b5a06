package postings

import (
	"encoding/binary"
	"math"
)

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
