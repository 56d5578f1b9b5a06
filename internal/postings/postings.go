// Package postings holds the byte codecs of the lexical index: which slots of a segment contain a word
// and how often (list.go), blocks of words with their lists (block.go), writing and changing blocks
// (writer.go), and the table of a segment's documents (docs.go).
//
// A segment is a few thousand documents, each in a slot, numbered from 0. The package does no I/O: the
// store keeps the bytes. Readers return ErrDamaged for malformed bytes instead of panicking, and never
// change what they read, so bytes may be shared.
package postings

import (
	"encoding/binary"
	"errors"
)

// ErrDamaged reports bytes that no writer of this package wrote.
var ErrDamaged = errors.New("the index is damaged")

// MaxSlots bounds the slots of a segment; a greater slot is damage.
const MaxSlots = 1 << 16

// uvarint reads a number of at most 32 bits and returns the bytes after it.
func uvarint(b []byte) (n int, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 {
		return int(b[0]), b[1:], true
	}
	v, size := binary.Uvarint(b)
	if size <= 0 || v > 1<<32-1 {
		return 0, nil, false
	}
	return int(v), b[size:], true
}
