package static

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// The program reads the one table that is built in, with its index. How both are made, and what a file of another origin
// would have to fulfil, is here.

// checkedOff is where the checked part of a file begins.
const checkedOff = 28

// Open returns the model in file, which must not change afterwards; CodeInvalid if it is damaged.
func Open(file []byte) (*Model, error) {
	t, err := openChecked(file)
	if err != nil {
		return nil, err
	}
	return &Model{manifest: manifest(t.header), table: func() (*table, error) { return t, nil }}, nil
}

// openChecked opens a file of unknown origin.
func openChecked(file []byte) (*table, error) {
	h, err := readHeader(file)
	if err != nil {
		return nil, err
	}
	if sum := crc32.ChecksumIEEE(file[checkedOff:]); sum != h.checksum {
		return nil, invalid("has the checksum %08x and should have %08x", sum, h.checksum)
	}
	return openTable(file)
}

// openTable opens a file without reading its rows, which are most of it.
func openTable(file []byte) (*table, error) {
	t, err := readTable(file)
	if err != nil {
		return nil, err
	}
	t.index, err = indexOf(t.words, t.entries)
	return t, err
}

// indexOf builds the hash table in about a millisecond; a map would take four.
func indexOf(words []byte, entries int) (x index, err error) {
	if n := bytes.Count(words, []byte{'\n'}) + 1; n != entries {
		return x, invalid("has %d words and should have %d", n, entries)
	}
	x = index{ends: make([]byte, 0, 4*entries), slots: make([]byte, 4*slotsFor(entries))}
	start := 0
	for id := range entries {
		end := len(words)
		if n := bytes.IndexByte(words[start:], '\n'); n >= 0 {
			end = start + n
		}
		if start == end {
			return x, invalid("has an entry %d without a word", id)
		}
		x.ends = binary.LittleEndian.AppendUint32(x.ends, uint32(end))
		x.length = max(x.length, end-start)
		x.enter(hashed(hashStart, words[start:end]), uint16(id))
		start = end + 1
	}
	return x, nil
}

// bytes encodes the index: the length of the longest entry, the ends, the slots.
func (x index) bytes() []byte {
	file := binary.LittleEndian.AppendUint32(nil, uint32(x.length))
	return append(append(file, x.ends...), x.slots...)
}

func hashed(h uint64, s []byte) uint64 {
	for _, b := range s {
		h = (h ^ uint64(b)) * hashPrime
	}
	return h
}

func (x index) enter(h uint64, id uint16) {
	slot, mark := x.place(h)
	for x.slot(slot) != 0 {
		slot = x.next(slot)
	}
	binary.LittleEndian.PutUint32(x.slots[4*slot:], mark|uint32(id+1))
}

// Similarity returns the similarity of two words.
func (m *Model) Similarity(a, b string) float64 {
	return m.Similarities([]int{m.Line(a)}, []int{m.Line(b)})[0][0]
}
