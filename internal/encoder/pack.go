package encoder

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
)

// A Pack is the narrow matrices of a model's layers as a process packed them: making them of the weights costs more than
// embedding a question. It says what it was made of, and ends in a checksum.
//
//	head      a line: kind, layout, width of panels, configuration, source
//	layers    each: attention, output, up, down; each: panels (int8), scales, biases (float32, little-endian)
//	checksum  CRC-32C of all before, little-endian
type Pack struct {
	config Config
	layers []byte
}

// packLayout changes with what kernel.Pack makes of weights, and with the order above.
const packLayout = 1

// castagnoli is made on demand: its tables would be a thirtieth of the start of each process.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func packHead(c Config, source string) []byte {
	return fmt.Appendf(nil, "engram w8 %d %d %+v %q\n", packLayout, kernel.Width, c, source)
}

// packed is the bytes of a matrix in a pack.
func packed(in, out int) int { return kernel.Padded(out) * (in + 8) }

// layerPacked is the bytes of a layer.
func (c Config) layerPacked() int {
	return packed(c.Hidden, 3*c.Hidden) + packed(c.Hidden, c.Hidden) + packed(c.Hidden, c.Inner) + packed(c.Inner, c.Hidden)
}

// ReadPack returns the pack in file, which is kept; ok is false for one that is damaged, or of other weights than source
// names, of another configuration or of another version of the program.
func ReadPack(file []byte, c Config, source string) (p *Pack, ok bool) {
	head := packHead(c, source)
	end := len(head) + c.Layers*c.layerPacked()
	if len(file) != end+4 || !bytes.HasPrefix(file, head) || crc32.Checksum(file[:end], castagnoli()) != binary.LittleEndian.Uint32(file[end:]) {
		return nil, false
	}
	return &Pack{c, file[len(head):end]}, true
}

// layer returns the matrices of layer i.
func (p *Pack) layer(i int) (attention, output, up, down *kernel.Matrix) {
	c, from := p.config, p.layers[i*p.config.layerPacked():]
	next := func(in, out int) *kernel.Matrix {
		n := kernel.Padded(out)
		panels, scale, bias := from[:n*in], from[n*in:n*(in+4)], from[n*(in+4):n*(in+8)]
		from = from[packed(in, out):]
		return kernel.Narrow(in, out, panels, floats(scale), floats(bias))
	}
	attention, output = next(c.Hidden, 3*c.Hidden), next(c.Hidden, c.Hidden)
	return attention, output, next(c.Hidden, c.Inner), next(c.Inner, c.Hidden)
}

func floats(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// WritePack writes the pack of a narrow model, for ReadPack. source names the weights. CodeInvalid for a wide model.
func (e *Encoder) WritePack(w io.Writer, source string) error {
	if !e.narrow {
		return engram.Errorf(engram.CodeInvalid, "only narrow weights are packed into a file")
	}
	sum := crc32.New(castagnoli())
	buffer := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	_, err := buffer.Write(packHead(e.config, source))
	for _, l := range e.layers {
		for _, m := range []*kernel.Matrix{l.attention, l.output, l.up, l.down} {
			panels, scale, bias := m.Packed()
			for _, b := range [][]byte{panels, bytesOf(scale), bytesOf(bias)} {
				if err == nil {
					_, err = buffer.Write(b)
				}
			}
		}
	}
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = binary.Write(w, binary.LittleEndian, sum.Sum32())
	}
	return err
}

func bytesOf(v []float32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
