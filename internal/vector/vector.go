// Package vector holds the rules of vectors: length and angle (vector.go), the code of
// signs by which all are compared at once (sign.go), the four levels by which the best
// of these are put in order (level.go), the int8 row from which the last few are
// compared nearly exactly (row.go), and the best few of many (top.go).
//
// What it writes is read in place: codes and rows are packed bytes, little endian, and
// no function decodes them into anything first, so a store may hand over what it has
// read or mapped. It knows no model and no memory; everything is pure and may be used
// by many goroutines, a Top by one at a time.
package vector

import (
	"math"

	"github.com/alanbuscaglia/engram"
)

// MaxDimensions is the most numbers a vector may have: far beyond any embedding, and
// small enough that nobody can ask for gigabytes by a wrong number.
const MaxDimensions = 1 << 16

// Check returns CodeInvalid unless v is of dimensions numbers, none of them NaN or infinite.
func Check(v []float32, dimensions int) error {
	if len(v) != dimensions {
		return engram.Errorf(engram.CodeInvalid, "a vector of %d numbers where the model has %d", len(v), dimensions).
			WithHint("the vector is of another model")
	}
	for i, x := range v {
		if x-x != 0 { // NaN and the infinities alone differ from themselves so
			return engram.Errorf(engram.CodeInvalid, "number %d of a vector is %v", i, x).
				WithHint("the embedding model does not work as it should")
		}
	}
	return nil
}

// Normalise scales v to length 1 where it stands and reports whether it could: a zero
// vector stays as it is. Numbers must be finite; that their squares are not is no matter.
func Normalise(v []float32) bool {
	var sum float64 // squares of float32 neither overflow nor vanish in it
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

// Dot returns the sum of the products of a and b, which must be equally long: their
// cosine where both are of length 1. It adds in four strands, so its last bits differ
// from those of a plain sum.
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

// Cosine returns that of two vectors, which must be equally long; 0 where one of them is zero.
func Cosine(a, b []float32) float64 {
	length := Dot(a, a) * Dot(b, b)
	if length == 0 {
		return 0
	}
	return Dot(a, b) / math.Sqrt(length)
}
