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
	length := CodesLength(codes)
	if length == 0 {
		return 0, false
	}
	return DotCodes(query, codes) / length, true
}

// DotCodes is the sum of the products of v and the int8 numbers in codes, which must be
// as many.
func DotCodes(v []float32, codes []byte) float64 {
	codes = codes[:len(v)]
	var dot0, dot1, dot2, dot3 float32
	i := 0
	for ; i+4 <= len(v); i += 4 {
		q, c := v[i:i+4:i+4], codes[i:i+4:i+4]
		dot0 += q[0] * float32(int8(c[0]))
		dot1 += q[1] * float32(int8(c[1]))
		dot2 += q[2] * float32(int8(c[2]))
		dot3 += q[3] * float32(int8(c[3]))
	}
	for ; i < len(v); i++ {
		dot0 += v[i] * float32(int8(codes[i]))
	}
	return float64(dot0+dot1) + float64(dot2+dot3)
}

// CodesLength is the length of the vector whose int8 numbers are codes, at most
// MaxDimensions of them.
func CodesLength(codes []byte) float64 {
	var squares int32 // 127² × MaxDimensions is below 2³¹
	for _, c := range codes {
		squares += int32(int8(c)) * int32(int8(c))
	}
	return math.Sqrt(float64(squares))
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
