package postings

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// Block is a sequence of words with their lists.
type Block struct {
	First string // the first word
	Data  []byte // read by NewEntries and Find
}

// Writer writes blocks of words that are added in ascending order.
type Writer struct {
	size   int
	blocks []Block
	data   []byte
	first  string
	last   []byte
}

// NewWriter returns a writer of blocks of up to size bytes. A word whose list alone is larger gets its
// own block.
func NewWriter(size int) *Writer { return &Writer{size: size} }

// Add adds a word with its encoded list. Words must be added in ascending order.
func (w *Writer) Add(word, list []byte) {
	shared := 0
	for shared < len(word) && shared < len(w.last) && word[shared] == w.last[shared] {
		shared++
	}
	const lengths = 3 + 2 // usual size of the three varints in bytes
	if len(w.data) > 0 && len(w.data)+len(word)-shared+len(list)+lengths > w.size {
		w.cut()
		shared = 0
	}
	if len(w.data) == 0 {
		w.first = string(word)
		w.data = make([]byte, 0, min(w.size, 4096))
		shared = 0
	}
	w.data = appendEntry(w.data, shared, word, list)
	w.last = append(w.last[:0], word...)
}

// appendEntry appends a word that shares so many bytes with the previous one, and its list.
func appendEntry(data []byte, shared int, word, list []byte) []byte {
	data = binary.AppendUvarint(data, uint64(shared))
	data = binary.AppendUvarint(data, uint64(len(word)-shared))
	data = append(data, word[shared:]...)
	data = binary.AppendUvarint(data, uint64(len(list)))
	return append(data, list...)
}

func (w *Writer) cut() {
	if len(w.data) > 0 {
		w.blocks = append(w.blocks, Block{First: w.first, Data: w.data})
		w.data = nil
	}
}

// Blocks returns the blocks and ends the writing.
func (w *Writer) Blocks() []Block {
	w.cut()
	return w.blocks
}

// Without returns the block with one slot removed from the lists of words, which must be ascending. A
// word without slots is dropped, a word that the block lacks is ignored, and the block may become empty.
// removed counts the removed postings.
func Without(block []byte, words []string, slot int) (out []byte, removed int, err error) {
	out = make([]byte, 0, len(block)+8)
	e := NewEntries(block)
	// A word shares with the last kept word the minimum of what the entries since shared with their
	// predecessors. Most entries are copied unchanged.
	shared := noneLeftOut
	var scratch []byte
	for {
		from := len(block) - len(e.rest)
		if !e.Next() {
			break
		}
		for len(words) > 0 && words[0] < string(e.word) {
			words = words[1:]
		}
		list, changed := e.list, false
		if len(words) > 0 && words[0] == string(e.word) {
			words = words[1:]
			l, err := ReadList(e.list)
			if err != nil {
				return nil, 0, err
			}
			if scratch, changed, err = l.AppendWithout(scratch[:0], slot); err != nil {
				return nil, 0, err
			}
			if changed {
				removed++
				list = scratch
			}
		}
		switch {
		case len(list) == 0:
			shared = min(shared, e.shared)
			continue
		case !changed && e.shared <= shared:
			out = append(out, block[from:len(block)-len(e.rest)]...)
		default:
			out = appendEntry(out, min(shared, e.shared), e.word, list)
		}
		shared = noneLeftOut
	}
	return out, removed, e.Err()
}

// Keep filters the blocks of a segment, which must be in order, by the slots for which keep is true, and
// returns blocks of up to size bytes. Words without postings are dropped.
func Keep(blocks [][]byte, keep func(slot uint32) bool, size int) ([]Block, error) {
	w := NewWriter(size)
	var ps []Posting
	var scratch []byte
	for _, block := range blocks {
		e := NewEntries(block)
		for e.Next() {
			l, err := ReadList(e.List())
			if err == nil {
				ps, err = l.Decode(ps[:0])
			}
			if err != nil {
				return nil, err
			}
			all := len(ps)
			ps = slices.DeleteFunc(ps, func(p Posting) bool { return !keep(p.Slot) })
			switch len(ps) {
			case 0:
			case all:
				w.Add(e.Word(), e.List())
			default:
				scratch = AppendList(scratch[:0], ps)
				w.Add(e.Word(), scratch)
			}
		}
		if err := e.Err(); err != nil {
			return nil, err
		}
	}
	return w.Blocks(), nil
}

// noneLeftOut exceeds the number of bytes that two words can share.
const noneLeftOut = math.MaxInt

// Addition is a word with the postings to add to a segment.
type Addition struct {
	Word     []byte
	Postings []Posting
}

// Merge adds words and postings to the blocks of a segment, which must be in order, and returns blocks
// of up to size bytes. Additions must be in ascending order of their words, with slots after those of
// the segment.
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

// AppendWords appends words to dst, each preceded by its length.
func AppendWords(dst []byte, words []string) []byte {
	for _, w := range words {
		dst = binary.AppendUvarint(dst, uint64(len(w)))
		dst = append(dst, w...)
	}
	return dst
}

// ReadWords reads the words that AppendWords wrote. They share one text.
func ReadWords(b []byte) ([]string, error) {
	count := 0
	for rest := b; len(rest) > 0; count++ {
		n, after, ok := uvarint(rest)
		if !ok || n > len(after) {
			return nil, ErrDamaged
		}
		rest = after[n:]
	}
	words, text := make([]string, 0, count), string(b)
	for len(b) > 0 {
		n, after, _ := uvarint(b)
		words = append(words, text[len(text)-len(after):][:n])
		b = after[n:]
	}
	return words, nil
}
