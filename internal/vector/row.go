package vector

import (
	"encoding/binary"
	"math"
)

// scaleBytes is the size of the scale that opens a row.
const scaleBytes = 4

// RowBytes returns the size of a row written by AppendRow.
func RowBytes(dimensions int) int { return scaleBytes + dimensions }

// AppendRow appends v to dst in RowBytes(len(v)) bytes: a little-endian float32 scale, the largest
// magnitude over 127, and an int8 per number. A number is restored to within half the scale. Numbers
// must be finite.
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
			// A subnormal scale has lost bits, so the quotient may exceed an int8.
			n = min(max(math.RoundToEven(float64(x)/float64(scale)), -127), 127)
		}
		dst = append(dst, byte(int8(n)))
	}
	return dst
}

// Row decodes the vector in row. ok is false unless row has the size for the dimensions and a finite,
// non-negative scale.
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

// RowCosine returns the cosine of query, which must be of length 1, and the vector in row. ok is false
// if row has other dimensions or is a zero vector.
func RowCosine(query []float32, row []byte) (cosine float64, ok bool) {
	_, codes, ok := parts(row, len(query))
	if !ok {
		return 0, false
	}
	// The scale cancels out.
	length := CodesLength(codes)
	if length == 0 {
		return 0, false
	}
	return DotCodes(query, codes) / length, true
}

// DotCodes returns the dot product of v and the int8 numbers in codes, which must be as many.
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

// CodesLength returns the norm of the vector whose int8 numbers are codes, at most MaxDimensions of
// them.
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
