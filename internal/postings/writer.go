package postings

import (
	"bytes"
	"encoding/binary"
)

// Block is a run of words with their lists.
type Block struct {
	First string // the first word
	Data  []byte // for NewEntries and Find
}

// Writer makes blocks of words that are added in ascending order.
type Writer struct {
	size   int
	blocks []Block
	data   []byte
	first  string
	last   []byte
}

// NewWriter returns a writer of blocks of up to size bytes. A word whose list alone is
// larger gets a block of its own.
func NewWriter(size int) *Writer { return &Writer{size: size} }

// Add adds a word with its encoded list. The word must come after all that were added.
func (w *Writer) Add(word, list []byte) {
	shared := 0
	for shared < len(word) && shared < len(w.last) && word[shared] == w.last[shared] {
		shared++
	}
	const lengths = 3 + 2 // bytes that three varints mostly take
	if len(w.data) > 0 && len(w.data)+len(word)-shared+len(list)+lengths > w.size {
		w.cut()
		shared = 0
	}
	if len(w.data) == 0 {
		w.first = string(word)
		w.data = make([]byte, 0, min(w.size, 4096))
		shared = 0
	}
	w.data = binary.AppendUvarint(w.data, uint64(shared))
	w.data = binary.AppendUvarint(w.data, uint64(len(word)-shared))
	w.data = append(w.data, word[shared:]...)
	w.data = binary.AppendUvarint(w.data, uint64(len(list)))
	w.data = append(w.data, list...)
	w.last = append(w.last[:0], word...)
}

func (w *Writer) cut() {
	if len(w.data) > 0 {
		w.blocks = append(w.blocks, Block{First: w.first, Data: w.data})
		w.data = nil
	}
}

// Blocks returns what was added and ends the writing.
func (w *Writer) Blocks() []Block {
	w.cut()
	return w.blocks
}

// Without returns the block without one slot in the lists of words, which must be in
// ascending order; a word that no slot has any more is left out, and a word that the
// block lacks is passed over. The block may come out empty. removed is the number of
// postings that went.
func Without(block []byte, words []string, slot int) (out []byte, removed int, err error) {
	w := NewWriter(len(block) + 64)
	w.size = 1 << 30 // one block stays one block
	e := NewEntries(block)
	var scratch []byte
	for e.Next() {
		for len(words) > 0 && words[0] < string(e.Word()) {
			words = words[1:]
		}
		if len(words) == 0 || words[0] != string(e.Word()) {
			w.Add(e.Word(), e.List())
			continue
		}
		words = words[1:]
		l, err := ReadList(e.List())
		if err != nil {
			return nil, 0, err
		}
		found := false
		if scratch, found, err = l.AppendWithout(scratch[:0], slot); err != nil {
			return nil, 0, err
		}
		if found {
			removed++
		}
		if len(scratch) > 0 {
			w.Add(e.Word(), scratch)
		}
	}
	if blocks := w.Blocks(); len(blocks) > 0 {
		out = blocks[0].Data
	}
	return out, removed, e.Err()
}

// Addition is a word with postings that a segment is to get.
type Addition struct {
	Word     []byte
	Postings []Posting
}

// Merge adds words and postings to the blocks of a segment, which must be in order, and
// returns all of it in blocks of up to size bytes. Additions must be in ascending order
// of their words, and their slots behind those that the segment has.
func Merge(blocks [][]byte, adds []Addition, size int) ([]Block, error) {
	w := NewWriter(size)
	var scratch []byte
	for _, block := range blocks {
		e := NewEntries(block)
		for e.Next() {
			for len(adds) > 0 && bytes.Compare(adds[0].Word, e.Word()) < 0 {
				scratch = AppendList(scratch[:0], adds[0].Postings)
				w.Add(adds[0].Word, scratch)
				adds = adds[1:]
			}
			if len(adds) == 0 || !bytes.Equal(adds[0].Word, e.Word()) {
				w.Add(e.Word(), e.List())
				continue
			}
			l, err := ReadList(e.List())
			if err != nil {
				return nil, err
			}
			scratch = l.AppendWith(scratch[:0], adds[0].Postings)
			w.Add(e.Word(), scratch)
			adds = adds[1:]
		}
		if err := e.Err(); err != nil {
			return nil, err
		}
	}
	for _, a := range adds {
		scratch = AppendList(scratch[:0], a.Postings)
		w.Add(a.Word, scratch)
	}
	return w.Blocks(), nil
}

// AppendWords appends words to dst, each with its length before it.
func AppendWords(dst []byte, words []string) []byte {
	for _, w := range words {
		dst = binary.AppendUvarint(dst, uint64(len(w)))
		dst = append(dst, w...)
	}
	return dst
}

// ReadWords reads what AppendWords wrote.
func ReadWords(b []byte) ([]string, error) {
	var words []string
	for len(b) > 0 {
		n, rest, ok := uvarint(b)
		if !ok || n > len(rest) {
			return nil, ErrDamaged
		}
		words = append(words, string(rest[:n]))
		b = rest[n:]
	}
	return words, nil
}
