package vector

import (
	"encoding/binary"
	"math"
)

// scaleBytes is the size of the number that opens a row.
const scaleBytes = 4

// RowBytes is the size of a row as AppendRow writes it.
func RowBytes(dimensions int) int { return scaleBytes + dimensions }

// AppendRow appends v to dst in RowBytes(len(v)) bytes: a float32 scale, little endian,
// and an int8 for each number. A number is restored to within half the scale, which is
// the greatest of them over 127. Numbers must be finite.
func AppendRow(dst []byte, v []float32) []byte {
	var most float32
	for _, x := range v {
		most = max(most, x, -x)
	}
	scale := most / 127
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(scale))
	for _, x := range v {
		var n float64
		if scale > 0 {
			// A scale so small that it lost bits would lead past the end of an int8.
			n = min(max(math.RoundToEven(float64(x)/float64(scale)), -127), 127)
		}
		dst = append(dst, byte(int8(n)))
	}
	return dst
}

// Row returns the vector in row, and whether row is one of that many dimensions: of the
// right size, its scale a number and not below zero.
func Row(row []byte, dimensions int) (v []float32, ok bool) {
	scale, codes, ok := parts(row, dimensions)
	if !ok {
		return nil, false
	}
	v = make([]float32, dimensions)
	for i, c := range codes {
		v[i] = scale * float32(int8(c))
	}
	return v, true
}

// RowCosine is the cosine of query and the vector in row; query must be of length 1. ok
// is false where there is none: row is not of query's dimensions, or is a zero vector.
func RowCosine(query []float32, row []byte) (cosine float64, ok bool) {
	_, codes, ok := parts(row, len(query))
	if !ok {
		return 0, false
	}
	// The scale falls out: the length of what was restored is reckoned with it.
	var dot0, dot1, dot2, dot3 float32
	var squares int32 // 127² × MaxDimensions is below 2³¹
	i := 0
	for ; i+4 <= len(query); i += 4 {
		q, c := query[i:i+4:i+4], codes[i:i+4:i+4]
		c0, c1, c2, c3 := int32(int8(c[0])), int32(int8(c[1])), int32(int8(c[2])), int32(int8(c[3]))
		dot0 += q[0] * float32(c0)
		dot1 += q[1] * float32(c1)
		dot2 += q[2] * float32(c2)
		dot3 += q[3] * float32(c3)
		squares += c0*c0 + c1*c1 + c2*c2 + c3*c3
	}
	for ; i < len(query); i++ {
		c := int32(int8(codes[i]))
		dot0 += query[i] * float32(c)
		squares += c * c
	}
	if squares == 0 {
		return 0, false
	}
	return (float64(dot0+dot1) + float64(dot2+dot3)) / math.Sqrt(float64(squares)), true
}

func parts(row []byte, dimensions int) (scale float32, codes []byte, ok bool) {
	if dimensions > MaxDimensions || len(row) != RowBytes(dimensions) {
		return 0, nil, false
	}
	scale = math.Float32frombits(binary.LittleEndian.Uint32(row))
	if !(scale >= 0) || math.IsInf(float64(scale), 1) {
		return 0, nil, false
	}
	return scale, row[scaleBytes:], true
}
