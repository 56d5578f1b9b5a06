package static

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/alanbuscaglia/engram"
)

// The file is little endian: a header of 32 bytes (magic, and five numbers of 32 bits: entries,
// hashed rows, dimensions, bytes of the vocabulary, CRC-32 of everything after the checksum; a
// zero), the entries joined by newlines, a float32 scale for each, and for each a row of int8. A
// number of the table is scale × int8.
const (
	magic      = "ESTATIC1"
	headerSize = 32
	checkedOff = 28
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

// readTable is openTable without the index.
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

func (t *table) add(v []float32, id uint16) {
	scale, row := t.scale(int(id)), t.rows[int(id)*t.dimensions:][:t.dimensions]
	v = v[:len(row)]
	i := 0
	for ; i+4 <= len(row); i += 4 {
		r, w := row[i:i+4], v[i:i+4:i+4]
		w[0] += scale * float32(int8(r[0]))
		w[1] += scale * float32(int8(r[1]))
		w[2] += scale * float32(int8(r[2]))
		w[3] += scale * float32(int8(r[3]))
	}
	for ; i < len(row); i++ {
		v[i] += scale * float32(int8(row[i]))
	}
}
