package safetensors_test

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/encoder/safetensors"
)

// file builds a file of a header and n bytes of data.
func file(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for i := range n {
		b = append(b, byte(i))
	}
	return b
}

func TestReadRefusesWhatContradictsItself(t *testing.T) {
	const a = `{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}`
	for _, tt := range []struct {
		name string
		file []byte
		want string // in the error; "" for a sound file
	}{
		{"sound", file(a+`,"b":{"dtype":"F16","shape":[3],"data_offsets":[16,22]}}`, 22), ""},
		{"sound with metadata and spaces", file(`{"__metadata__":{"format":"pt"},`+a[1:]+"}  ", 16), ""},
		{"a single number", file(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, 4), ""},
		{"an empty tensor", file(`{"a":{"dtype":"F32","shape":[0,5],"data_offsets":[0,0]}}`, 0), ""},
		{"no tensor", file(`{}`, 0), ""},
		{"empty", nil, "less than its header"},
		{"cut in the length", []byte{1, 2, 3}, "less than its header"},
		{"header of a length beyond the file", binary.LittleEndian.AppendUint64(nil, 500), "cut off"},
		{"header of an enormous length", binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "the limit is"},
		{"no header", file("", 0), "no header"},
		{"a list", file("[]", 0), "not a JSON object"},
		{"not JSON", file("{]", 0), "not what it should be"},
		{"not closed", file(a, 16), "not what it should be"},
		{"two objects", file(a+"}{}", 16), "more than one object"},
		{"not UTF-8", file("{\"\xff\":1}", 0), "not a JSON object in UTF-8"},
		{"a name twice", file(a+`,"a":{"dtype":"F32","shape":[],"data_offsets":[16,20]}}`, 20), "twice"},
		{"metadata that is no text", file(`{"__metadata__":{"x":1}}`, 0), "not what it should be"},
		{"an unknown type", file(`{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}`, 1), "F8_E4M3"},
		{"no type", file(`{"a":{"shape":[1],"data_offsets":[0,1]}}`, 1), "of the type"},
		{"a negative size", file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4), "impossible shape"},
		{"a size that overflows", file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0), "impossible shape"},
		{"a broken size", file(`{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}`, 4), "not what it should be"},
		{"a size beyond all", file(`{"a":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,4]}}`, 4), "not what it should be"},
		{"many dimensions", file(`{"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}}`, 4), "9 dimensions"},
		{"cut in the data", file(a+"}", 15), "cut off"},
		{"offsets in the wrong order", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, 4), "at 4 to 0"},
		{"a negative offset", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`, 4), "at -4 to 0"},
		{"too few bytes for the shape", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4), "needs 8"},
		{"overlapping", file(a+`,"b":{"dtype":"F32","shape":[4],"data_offsets":[12,28]}}`, 28), "overlap"},
		{"the same place twice", file(a+`,"b":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}`, 16), "overlap"},
		{"a hole", file(a+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[20,24]}}`, 24), "hole"},
		{"a hole at the beginning", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "hole"},
		{"oversized", file(a+"}", 20), "4 bytes after"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := safetensors.Read(tt.file)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("got %v, want no error", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || engram.CodeOf(err) != engram.CodeInvalid):
				t.Errorf("got %v (%s), want an invalid one that says %q", err, engram.CodeOf(err), tt.want)
			}
		})
	}
}

func TestTensorsHaveTheShapeThatIsAskedFor(t *testing.T) {
	f, err := safetensors.Read(file(`{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"i":{"dtype":"I64","shape":[1],"data_offsets":[8,16]}}`, 16))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, tensor string
		shape        []int
		want         string
	}{
		{"as it is", "a", []int{1, 2}, ""},
		{"another shape", "a", []int{2, 1}, "the shape [1 2]"},
		{"more dimensions", "a", []int{1, 2, 1}, "the shape [1 2]"},
		{"not there", "b", []int{1}, "no tensor b"},
		{"whole numbers", "i", []int{1}, "whole numbers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := f.Tensor(tt.tensor, tt.shape...)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if got := f.Names(); !slices.Equal(got, []string{"a", "i"}) || !f.Has("i") || f.Has("b") {
		t.Errorf("names: %v", got)
	}
}

func TestNumbersOfAllTypes(t *testing.T) {
	header := `{"f":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"h":{"dtype":"F16","shape":[7],"data_offsets":[8,22]},"b":{"dtype":"BF16","shape":[2],"data_offsets":[22,26]}}`
	b := file(header, 0)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(1.5))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(-3e38))
	for _, h := range []uint16{0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x7c00, 0x03ff} {
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	b = binary.LittleEndian.AppendUint16(b, 0x3fc0)
	b = binary.LittleEndian.AppendUint16(b, 0xff80)
	f, err := safetensors.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	infinity := float32(math.Inf(1))
	for name, want := range map[string][]float32{
		"f": {1.5, -3e38},
		"h": {1, -2, 65504, 1.0 / (1 << 24), float32(math.Copysign(0, -1)), infinity, 1023.0 / (1 << 24)},
		"b": {1.5, -infinity},
	} {
		x, err := f.Tensor(name, len(want))
		if err != nil {
			t.Fatal(err)
		}
		for from := range want {
			got := make([]float32, len(want)-from)
			if x.Floats(got, from); !slices.Equal(got, want[from:]) {
				t.Errorf("%s from %d: got %v, want %v", name, from, got, want[from:])
			}
		}
	}
}

func TestSmallNumbersHaveAScaleForEachRow(t *testing.T) {
	const matrix, scale = `{"a":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]}`, `,"a.scale":{"dtype":"F32","shape":[2],"data_offsets":[6,14]}`
	data := file(matrix+scale+"}", 0)
	data = append(data, 1, 0xff, 127, 2, 0, 0x81)
	for _, x := range []float32{0.5, 2} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	f, err := safetensors.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	a, err := f.Tensor("a", 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{0.5, -0.5, 63.5, 4, 0, -254}
	for from := range want {
		for n := range len(want) - from + 1 {
			got := make([]float32, n)
			if a.Floats(got, from); !slices.Equal(got, want[from:from+n]) {
				t.Errorf("%d numbers from %d: %v, want %v", n, from, got, want[from:from+n])
			}
		}
	}
	for name, header := range map[string]string{
		"no scale":             matrix + "}",
		"a scale too few":      matrix + `,"a.scale":{"dtype":"F32","shape":[1],"data_offsets":[6,10]}}`,
		"scales of small type": matrix + `,"a.scale":{"dtype":"F16","shape":[2],"data_offsets":[6,10]}}`,
	} {
		f, err := safetensors.Read(file(header, map[bool]int{true: 6, false: 10}[name == "no scale"]))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := f.Tensor("a", 2, 3); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f, err := safetensors.Read(file(`{"a":{"dtype":"I8","shape":[3],"data_offsets":[0,3]}}`, 3)); err != nil {
		t.Fatal(err)
	} else if _, err := f.Tensor("a", 3); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a row without rows: %v", err)
	}
}
