// Package safetensors reads the weights of a model in the format of that name: an eight-byte length, a JSON header that
// names tensors with type, shape and place, and their numbers, little-endian.
//
// A file is untrusted. Read checks all that it says before the first number is read: what a File gives out lies
// inside the file. Numbers are converted when they are read, so a file may be mapped and is never copied as a whole,
// and its alignment does not matter. Everything is pure and safe for concurrent use.
//
// Beside the floating-point types, a matrix may be of the type I8 with a tensor of the type F32 beside it, whose name ends
// in ".scale" and which has a number for each row: a number is the row's scale × int8.
//
// Source: https://github.com/huggingface/safetensors, section Format.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Limits of a header, far beyond any model: the largest that is meant to be read has 400 tensors.
const (
	maxHeader     = 100 << 20 // bytes, as in the reference implementation
	maxTensors    = 1 << 14
	maxDimensions = 8
	lengthSize    = 8
)

// A File is a checked file of tensors.
type File struct {
	tensors map[string]Tensor
}

// A Tensor is a named array of numbers.
type Tensor struct {
	Type  string // F32, F16, BF16, I64, or I8
	Shape []int  // sizes of its dimensions; empty for a single number
	data  []byte
	scale []byte // of the rows of an I8, as F32
}

// entry is a tensor in the header.
type entry struct {
	Type    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

func invalid(format string, args ...any) error {
	return engram.Errorf(engram.CodeInvalid, "the weights file "+format, args...).
		WithHint("copy or download the model again; its files are damaged or not of this format")
}

// Read returns the tensors of a file, which is kept and must not change; CodeInvalid where anything in its header
// contradicts the format or the file's length.
func Read(file []byte) (*File, error) {
	if len(file) < lengthSize {
		return nil, invalid("has %d bytes, less than its header", len(file))
	}
	length := binary.LittleEndian.Uint64(file)
	switch rest := uint64(len(file) - lengthSize); {
	case length > maxHeader:
		return nil, invalid("says that its header has %d bytes, the limit is %d", length, maxHeader)
	case length > rest:
		return nil, invalid("is cut off: its header has %d bytes, and only %d follow", length, rest)
	case length < 2:
		return nil, invalid("has no header")
	}
	header, data := file[lengthSize:lengthSize+length], file[lengthSize+length:]
	entries, err := readHeader(header)
	if err != nil {
		return nil, err
	}
	f := &File{tensors: make(map[string]Tensor, len(entries))}
	for name, e := range entries {
		if f.tensors[name], err = e.tensor(name, data); err != nil {
			return nil, err
		}
	}
	return f, checkPlaces(entries, int64(len(data)))
}

// readHeader reads names and entries. encoding/json would keep the last of two equal names, so names are read one by one.
func readHeader(header []byte) (map[string]entry, error) {
	if header[0] != '{' || !utf8.Valid(header) {
		return nil, invalid("has a header that is not a JSON object in UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(header))
	bad := func(err error) error { return invalid("has a header that is not what it should be (%v)", err) }
	if _, err := d.Token(); err != nil {
		return nil, bad(err)
	}
	entries, seen := map[string]entry{}, map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, bad(err)
		}
		name, _ := token.(string) // the decoder lets nothing else be a name
		if seen[name] {
			return nil, invalid("names %.80q twice", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			if err := d.Decode(&map[string]string{}); err != nil {
				return nil, bad(err)
			}
			continue
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return nil, bad(err)
		}
		if entries[name] = e; len(entries) > maxTensors {
			return nil, invalid("has more than %d tensors", maxTensors)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, bad(err)
	}
	if rest := strings.TrimRight(string(header[d.InputOffset():]), " \n\t\r"); rest != "" {
		return nil, invalid("has a header with more than one object")
	}
	return entries, nil
}

// size returns the bytes of a number, 0 for types that are not read. I64 is there for tensors that are ignored.
func size(kind string) int64 {
	return map[string]int64{"F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I8": 1}[kind]
}

func (e entry) tensor(name string, data []byte) (Tensor, error) {
	t := Tensor{Type: e.Type, Shape: make([]int, len(e.Shape))}
	bytes := size(e.Type)
	if bytes == 0 {
		return t, invalid("has numbers of the type %.20q in %.80q; F32, F16, BF16 and I8 are supported", e.Type, name)
	}
	if len(e.Shape) > maxDimensions {
		return t, invalid("gives %.80q %d dimensions", name, len(e.Shape))
	}
	for i, n := range e.Shape {
		if n < 0 || n > 0 && bytes > math.MaxInt64/n || int64(int(n)) != n {
			return t, invalid("gives %.80q the impossible shape %v", name, e.Shape)
		}
		t.Shape[i] = int(n)
		bytes *= n
	}
	from, to := e.Offsets[0], e.Offsets[1]
	switch {
	case from < 0 || to < from:
		return t, invalid("puts %.80q at %d to %d", name, from, to)
	case to > int64(len(data)):
		return t, invalid("is cut off: %.80q ends at %d, and %d bytes are there", name, to, len(data))
	case to-from != bytes:
		return t, invalid("has %d bytes for %.80q, whose shape %v needs %d", to-from, name, e.Shape, bytes)
	}
	t.data = data[from:to]
	return t, nil
}

// checkPlaces checks that tensors follow each other without overlap or hole, to the end of the file.
func checkPlaces(entries map[string]entry, end int64) error {
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		x, y := entries[a].Offsets, entries[b].Offsets
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(a, b))
	})
	var at int64
	for _, name := range names {
		switch from := entries[name].Offsets[0]; {
		case from < at:
			return invalid("has tensors that overlap: %.80q begins at %d, before the one before it ends", name, from)
		case from > at:
			return invalid("has a hole before %.80q, from %d to %d", name, at, from)
		}
		at = entries[name].Offsets[1]
	}
	if at != end {
		return invalid("has %d bytes after its last tensor", end-at)
	}
	return nil
}

// Names returns the names of all tensors, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.tensors)) }

// Has reports whether there is a tensor of that name.
func (f *File) Has(name string) bool { _, ok := f.tensors[name]; return ok }

// Tensor returns the named tensor of floating-point numbers; CodeInvalid if it is missing or has another type or
// shape.
func (f *File) Tensor(name string, shape ...int) (Tensor, error) {
	t, ok := f.tensors[name]
	switch {
	case !ok:
		return t, invalid("has no tensor %s", name)
	case t.Type == "I64":
		return t, invalid("has whole numbers in %s", name)
	case !slices.Equal(t.Shape, shape):
		return t, invalid("gives %s the shape %v, and the model's configuration says %v", name, t.Shape, shape)
	case t.Type == "I8":
		scale := f.tensors[ScaleOf(name)]
		if len(shape) != 2 || scale.Type != "F32" || !slices.Equal(scale.Shape, shape[:1]) {
			return t, invalid("has no scale for each row of %s", name)
		}
		t.scale = scale.data
	}
	return t, nil
}

// ScaleOf is the name of the tensor with the scales of another's rows.
func ScaleOf(name string) string { return name + ".scale" }

// Floats fills dst with the numbers from place from on. They must be there.
func (t Tensor) Floats(dst []float32, from int) {
	switch t.Type {
	case "F32":
		data := t.data[4*from:][:4*len(dst)]
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case "F16":
		data := t.data[2*from:][:2*len(dst)]
		for i := range dst {
			dst[i] = half(binary.LittleEndian.Uint16(data[2*i:]))
		}
	case "I8":
		for columns := t.Shape[1]; len(dst) > 0; {
			row, n := from/columns, min(columns-from%columns, len(dst))
			scale := math.Float32frombits(binary.LittleEndian.Uint32(t.scale[4*row:]))
			for i, b := range t.data[from:][:n] {
				dst[i] = scale * float32(int8(b))
			}
			dst, from = dst[n:], from+n
		}
	case "BF16":
		data := t.data[2*from:][:2*len(dst)]
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:])) << 16)
		}
	}
}

// half converts a number of IEEE 754 binary16.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0: // zero or subnormal: a multiple of 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)/(1<<24)))
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
