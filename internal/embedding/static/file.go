package static

import (
	"bytes"
	_ "embed" // the index of the table
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/alanbuscaglia/engram"
)

// The file is little endian: a header of 32 bytes (magic, and five numbers of 32 bits: entries,
// hashed rows, dimensions, bytes of the vocabulary, CRC-32 of everything after the checksum; a
// zero), the entries joined by newlines, a float32 scale for each, and for each a row of int8. A
// number of the table is scale × int8.
const (
	magic      = "ESTATIC1"
	headerSize = 32
)

// Limits: an entry's number fits into 16 bits with one to spare, and no sum of mostTokens rows
// exceeds the range of a float32.
const (
	mostEntries    = 1<<16 - 1
	mostDimensions = 4096
	mostScale      = 1e30
)

type header struct {
	entries    int
	dimensions int
	vocabulary int // bytes
	checksum   uint32
}

// table is an open model file with an index of its vocabulary.
type table struct {
	header
	words  []byte
	scales []byte
	rows   []byte
	index
}

func invalid(format string, args ...any) error {
	return engram.Errorf(engram.CodeInvalid, "the model file "+format, args...).
		WithHint("it was cut short, altered, or is of another kind: get it again")
}

// readHeader reads the header and checks the length of the file.
func readHeader(file []byte) (h header, err error) {
	if len(file) < headerSize || string(file[:len(magic)]) != magic {
		return h, invalid("does not begin as one")
	}
	u32 := binary.LittleEndian.Uint32
	entries, hashed, dimensions, vocabulary := u32(file[8:]), u32(file[12:]), u32(file[16:]), u32(file[20:])
	switch {
	case hashed != 0:
		return h, invalid("has %d hashed rows, which this program does not read", hashed)
	case entries == 0 || entries > mostEntries:
		return h, invalid("has %d entries", entries)
	case dimensions == 0 || dimensions > mostDimensions:
		return h, invalid("has %d dimensions", dimensions)
	}
	h = header{entries: int(entries), dimensions: int(dimensions), vocabulary: int(vocabulary), checksum: u32(file[24:])}
	if want := headerSize + uint64(vocabulary) + uint64(entries)*(4+uint64(dimensions)); uint64(len(file)) != want {
		return header{}, invalid("has %d bytes and should have %d", len(file), want)
	}
	return h, nil
}

// readTable opens a file without its index, and without reading its rows, which are most of it.
func readTable(file []byte) (*table, error) {
	h, err := readHeader(file)
	if err != nil {
		return nil, err
	}
	t := &table{header: h}
	t.words, file = file[headerSize:headerSize+h.vocabulary], file[headerSize+h.vocabulary:]
	t.scales, t.rows = file[:4*h.entries], file[4*h.entries:]
	for i := range h.entries {
		if s := t.scale(i); !(s >= 0 && s < mostScale) {
			return nil, invalid("has the scale %v", s)
		}
	}
	return t, nil
}

func (t *table) scale(id int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(t.scales[4*id:]))
}

// add4 is add for four entries, one after the other in each number: most of what an addition takes is reading and writing v.
func (t *table) add4(v []float32, ids [4]uint16) {
	s0, r0 := t.scale(int(ids[0])), t.row(ids[0])
	s1, r1 := t.scale(int(ids[1])), t.row(ids[1])
	s2, r2 := t.scale(int(ids[2])), t.row(ids[2])
	s3, r3 := t.scale(int(ids[3])), t.row(ids[3])
	v, r1, r2, r3 = v[:len(r0)], r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
	for i, c := range r0 {
		v[i] = v[i] + s0*signed[c] + s1*signed[r1[i]] + s2*signed[r2[i]] + s3*signed[r3[i]]
	}
}

func (t *table) add(v []float32, id uint16) {
	scale, row := t.scale(int(id)), t.row(id)
	v = v[:len(row)]
	for i, c := range row {
		v[i] += scale * signed[c]
	}
}

func (t *table) row(id uint16) []byte { return t.rows[int(id)*t.dimensions:][:t.dimensions] }

// signed has the numbers of codes: looking one up is quicker than converting it.
var signed = func() (numbers [1 << 8]float32) {
	for c := range numbers {
		numbers[c] = float32(int8(c))
	}
	return numbers
}()

// builtInIndex is the index of builtIn as index.bytes encodes it. Building it takes a millisecond,
// much of the time of a command that embeds one text.
//
//go:embed index.bin
var builtInIndex []byte

// index finds words. Its numbers are 32 bits, little endian, so that it is used without decoding.
type index struct {
	ends   []byte // end of each entry in the words
	slots  []byte // open addressing: 16 bits of the hash, then the entry's number plus one; 0 is free
	length int    // bytes of the longest entry
}

// slotsFor returns how many slots so many entries need, a power of two.
func slotsFor(entries int) int { return 1 << bits.Len(uint(2*entries-1)) }

func readIndex(file []byte, entries int) (x index, err error) {
	if want := 4 * (1 + entries + slotsFor(entries)); len(file) != want {
		return x, invalid("has an index of %d bytes and should have %d", len(file), want)
	}
	x.length = int(binary.LittleEndian.Uint32(file))
	x.ends, x.slots = file[4:4*(1+entries)], file[4*(1+entries):]
	return x, nil
}

func (x index) end(id uint16) uint32    { return binary.LittleEndian.Uint32(x.ends[4*int(id):]) }
func (x index) slot(at uint32) uint32   { return binary.LittleEndian.Uint32(x.slots[4*at:]) }
func (x index) next(slot uint32) uint32 { return (slot + 1) & uint32(len(x.slots)/4-1) }

func (t *table) entry(id uint16) []byte {
	start := uint32(0)
	if id > 0 {
		start = t.end(id-1) + 1
	}
	return t.words[start:t.end(id)]
}

// FNV-1a extends the hash of a prefix by one byte per step: hashing all prefixes of a word costs no
// more than hashing the word.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

// hashContinuation is the hash of continuation, "##".
const hashContinuation = 560993955329717731

// place returns the first slot for a hash, and the mark to compare.
func (x index) place(h uint64) (slot, mark uint32) {
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return uint32(h>>40) & uint32(len(x.slots)/4-1), uint32(h) &^ 0xffff
}

// find returns the number of the entry that equals prefix plus word; h is its hash.
func (t *table) find(h uint64, prefix string, word []byte) (id uint16, found bool) {
	at, mark := t.place(h)
	for {
		s := t.slot(at)
		if s == 0 {
			return 0, false
		}
		if s&^0xffff == mark {
			id = uint16(s - 1)
			e := t.entry(id)
			if len(e) == len(prefix)+len(word) && string(e[:len(prefix)]) == prefix && bytes.Equal(e[len(prefix):], word) {
				return id, true
			}
		}
		at = t.next(at)
	}
}
