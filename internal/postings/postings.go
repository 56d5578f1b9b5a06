// Package postings holds the byte codecs of the lexical index: which slots of a segment
// have a word and how often (list.go), a run of words with their lists (block.go), how
// blocks are written and changed (writer.go), and the table of a segment's documents
// (docs.go).
//
// A segment is a few thousand documents, each in a slot, numbered from 0. Where the
// bytes are kept is the store's business; nothing here does input or output. Whatever
// the bytes are, a reader answers with ErrDamaged rather than with a panic, and it never
// changes them, so they may be shared.
package postings

import (
	"encoding/binary"
	"errors"
)

// ErrDamaged says that bytes are not what a writer of this package wrote.
var ErrDamaged = errors.New("the index is damaged")

// MaxSlots bounds the slots of a segment; a greater slot is damage.
const MaxSlots = 1 << 16

// uvarint reads a number of at most 32 bits and returns what follows it.
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
