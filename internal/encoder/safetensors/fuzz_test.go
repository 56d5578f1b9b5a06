package safetensors

import (
	"encoding/binary"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// Whatever a header says, it is an error or its tensors can be read whole.
func FuzzRead(f *testing.F) {
	f.Add(`{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"b":{"dtype":"F16","shape":[3],"data_offsets":[16,22]}}`, uint8(22))
	f.Add(`{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[0],"data_offsets":[0,0]}}`, uint8(0))
	f.Add(`{"a":{"dtype":"I64","shape":[],"data_offsets":[0,8]}} `, uint8(8))
	f.Add(`{"a":{"dtype":"F32","shape":[0,9223372036854775807,9],"data_offsets":[0,0]}}`, uint8(0))
	f.Fuzz(func(t *testing.T, header string, data uint8) {
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		file, err := Read(append(b, make([]byte, data)...))
		if err != nil {
			if engram.CodeOf(err) != engram.CodeInvalid {
				t.Fatalf("code %s for %v", engram.CodeOf(err), err)
			}
			return
		}
		for name, x := range file.tensors {
			n := 1
			for _, d := range x.Shape {
				n *= d
			}
			if want := n * int(size(x.Type)); len(x.data) != want {
				t.Fatalf("%q has %d bytes, want %d", name, len(x.data), want)
			}
			x.Floats(make([]float32, n), 0)
		}
	})
}
