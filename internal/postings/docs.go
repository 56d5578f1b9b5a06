package postings

import (
	"encoding/binary"
	"math"
)

// DocSize is the number of bytes of one row of Docs.
const DocSize = 32

// Doc is what a search must know of a document without reading it.
type Doc struct {
	Num     int64  // of the memory
	Created int64  // ms since 1970
	Project uint32 // rows of the store's tables
	Session uint32
	Kind    uint32 // type and scope
	Length  int    // tokens; more than 65,535 count as so many
	Dead    bool   // the slot's document is gone
}

// Docs are the documents of a segment, a row of DocSize bytes a slot, all numbers
// little-endian: num, created, project, session, kind, length, state. They are read in
// place. Slots from Len on do not exist.
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

// Len is the number of slots.
func (d Docs) Len() int { return len(d) / DocSize }

// Doc is the whole row of a slot.
func (d Docs) Doc(slot int) Doc {
	return Doc{Num: d.Num(slot), Created: d.Created(slot), Project: d.Project(slot), Session: d.Session(slot), Kind: d.Kind(slot),
		Length: d.Length(slot), Dead: !d.Live(slot)}
}

// Num is the number of the memory in a slot.
func (d Docs) Num(slot int) int64 { return int64(binary.LittleEndian.Uint64(d[slot*DocSize:])) }

// Created is when the memory was made, in ms since 1970.
func (d Docs) Created(slot int) int64 { return int64(binary.LittleEndian.Uint64(d[slot*DocSize+8:])) }

// Project is the row of its project.
func (d Docs) Project(slot int) uint32 { return binary.LittleEndian.Uint32(d[slot*DocSize+16:]) }

// Session is the row of its session.
func (d Docs) Session(slot int) uint32 { return binary.LittleEndian.Uint32(d[slot*DocSize+20:]) }

// Kind is the number of its type and scope.
func (d Docs) Kind(slot int) uint32 { return binary.LittleEndian.Uint32(d[slot*DocSize+24:]) }

// Length is its number of tokens.
func (d Docs) Length(slot int) int { return int(binary.LittleEndian.Uint16(d[slot*DocSize+28:])) }

// Live reports whether the slot has a document still.
func (d Docs) Live(slot int) bool { return d[slot*DocSize+30] == 0 }
