// Package postings holds the byte codecs of the lexical index: which slots of a segment contain a word
// and how often (list.go), blocks of words with their lists (here), writing and changing blocks
// (writer.go), and the table of a segment's documents (Docs).
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

// Entries iterates over the words of a block in ascending byte order. A block is a sequence of entries:
//
//	bytes shared with the previous word, length of the rest, the rest, length of the list, the list
//
// Call Next until it returns false, then Err.
type Entries struct {
	rest    []byte
	word    []byte
	list    []byte
	shared  int // bytes shared with the previous word
	damaged bool
}

// NewEntries returns an iterator before the first word of the block.
func NewEntries(block []byte) *Entries { return &Entries{rest: block} }

// Next advances to the next word and reports whether there is one.
func (e *Entries) Next() bool {
	if len(e.rest) == 0 || e.damaged {
		return false
	}
	shared, suffix, list, rest, ok := entry(e.rest)
	if !ok || shared > len(e.word) {
		e.damaged = true
		return false
	}
	e.word = append(e.word[:shared], suffix...)
	e.shared, e.list, e.rest = shared, list, rest
	return true
}

// Word returns the current word, valid until the next call of Next.
func (e *Entries) Word() []byte { return e.word }

// List returns the encoded list of the current word.
func (e *Entries) List() []byte { return e.list }

// Err returns ErrDamaged if the iteration ended at malformed bytes.
func (e *Entries) Err() error {
	if e.damaged {
		return ErrDamaged
	}
	return nil
}

// entry splits the first entry off a block.
func entry(b []byte) (shared int, suffix, list, rest []byte, ok bool) {
	var n int
	if shared, b, ok = uvarint(b); !ok {
		return
	}
	if n, b, ok = uvarint(b); !ok || n > len(b) {
		return 0, nil, nil, nil, false
	}
	suffix, b = b[:n], b[n:]
	if n, b, ok = uvarint(b); !ok || n > len(b) {
		return 0, nil, nil, nil, false
	}
	return shared, suffix, b[:n], b[n:], true
}

// Find returns the encoded list of a word; found is false if the block lacks it.
func Find(block []byte, word string) (list []byte, found bool, err error) {
	// same counts the bytes of word that the previous entry matches. An entry that shares more with its
	// predecessor differs from word at the same byte; one that shares less sorts after word. So no entry
	// has to be reassembled.
	same := 0
	for len(block) > 0 {
		shared, suffix, l, rest, ok := entry(block)
		if !ok {
			return nil, false, ErrDamaged
		}
		block = rest
		if shared > same {
			continue
		}
		if shared < same {
			return nil, false, nil
		}
		n := 0
		for n < len(suffix) && same+n < len(word) && suffix[n] == word[same+n] {
			n++
		}
		switch {
		case n == len(suffix) && same+n == len(word):
			return l, true, nil
		case n < len(suffix) && (same+n == len(word) || suffix[n] > word[same+n]):
			return nil, false, nil
		}
		same += n
	}
	return nil, false, nil
}
