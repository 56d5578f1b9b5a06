// Package vector holds the math of vectors: length and angle (vector.go), the sign code by which all are
// compared first (sign.go), the four levels that order the best of these (level.go), the int8 row that
// compares the last few almost exactly (row.go), and the selection of the best few (top.go).
//
// Codes and rows are packed little-endian bytes that are compared in place, so a store may pass what it
// has read or mapped. The package knows no models and no memories; everything is pure and safe for
// concurrent use, except that a Top is used by one goroutine at a time.
package vector

import (
	"math"

	"github.com/alanbuscaglia/engram"
)

// MaxDimensions bounds the size of a vector: far beyond any embedding, and small enough that a wrong
// number cannot allocate gigabytes.
const MaxDimensions = 1 << 16

// Check returns CodeInvalid unless v has the given dimensions and all numbers are finite.
func Check(v []float32, dimensions int) error {
	if len(v) != dimensions {
		return engram.Errorf(engram.CodeInvalid, "the vector has %d numbers, but the model has %d", len(v), dimensions).
			WithHint("use a vector of the same model")
	}
	for i, x := range v {
		if x-x != 0 { // only NaN and the infinities differ from themselves this way
			return engram.Errorf(engram.CodeInvalid, "number %d of a vector is %v", i, x).
				WithHint("check the embedding model")
		}
	}
	return nil
}

// Normalise scales v in place to length 1 and reports whether it could: a zero vector stays unchanged.
// Numbers must be finite; their squares need not be.
func Normalise(v []float32) bool {
	var sum float64 // float64: squares of float32 neither overflow nor underflow
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}

// Dot returns the dot product of a and b, which must have equal length: their cosine if both are of
// length 1. It adds in four strands, so its last bits differ from those of a plain sum.
func Dot(a, b []float32) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return float64(s0+s1) + float64(s2+s3)
}

// Cosine returns the cosine of two vectors of equal length, 0 if one of them is zero.
func Cosine(a, b []float32) float64 {
	length := Dot(a, a) * Dot(b, b)
	if length == 0 {
		return 0
	}
	return Dot(a, b) / math.Sqrt(length)
}
