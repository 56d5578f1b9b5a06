// Package vector holds the math of vectors: length and angle (vector.go), the sign code by which all are
// compared first (sign.go), the four levels that order the best of these and the int8 row that
// compares the last few almost exactly (row.go), and the selection of the best few (Top).
//
// Codes and rows are packed little-endian bytes that are compared in place, so a store may pass what it
// has read or mapped. The package knows no models and no memories; everything is pure and safe for
// concurrent use, except that a Top is used by one goroutine at a time.
package vector

import (
	"cmp"
	"math"
	"slices"

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

// MostPassages bounds the passages of a text that have vectors beside that of the whole.
const MostPassages = 32

// CheckPassages is Check for the vector of a text, which those of its passages may follow.
func CheckPassages(v []float32, dimensions int) error {
	if n := len(v) / max(dimensions, 1); n > 1 && n <= 1+MostPassages {
		dimensions *= n
	}
	return Check(v, dimensions)
}

// Mean returns the direction of the sum of vectors, of length 1; the first vector itself where it is the only one or they
// cancel each other.
func Mean(vectors [][]float32) []float32 {
	if len(vectors) == 1 {
		return vectors[0]
	}
	sum, squares := make([]float64, len(vectors[0])), 0.0
	for _, v := range vectors {
		for i, x := range v {
			sum[i] += float64(x)
		}
	}
	for _, x := range sum {
		squares += x * x
	}
	if squares == 0 {
		return vectors[0]
	}
	out := make([]float32, len(sum))
	for i, x := range sum {
		out[i] = float32(x / math.Sqrt(squares))
	}
	return out
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

// Top keeps the best few of the offered numbers: those with the greatest scores, on equal scores the
// greater number first. Offering n costs little more than n comparisons.
type Top struct {
	most int
	heap []Placed // min-heap: no entry is worse than its parent, at (i-1)/2
}

// Placed is a kept number with the place that it was offered with.
type Placed struct {
	engram.Ranked
	Place int
}

// usualTop is for how many entries a Top has room at once; growing to that would allocate twice as much.
const usualTop = 400

// NewTop returns a Top that keeps up to most, possibly 0.
func NewTop(most int) *Top { return &Top{most: max(most, 0)} }

// Offer adds num if its score is among the best; NaN is not. A number offered twice is kept twice.
func (t *Top) Offer(num int64, score float64) { t.OfferAt(num, score, 0) }

// OfferAt is Offer with a place, of which nothing else depends.
func (t *Top) OfferAt(num int64, score float64, place int) {
	r := Placed{engram.Ranked{Num: num, Score: score}, place}
	switch {
	case score != score || t.most == 0:
	case len(t.heap) < t.most:
		if t.heap == nil {
			t.heap = make([]Placed, 0, min(t.most, usualTop))
		}
		t.heap = append(t.heap, r)
		t.rise(len(t.heap) - 1)
	case worse(t.heap[0], r):
		t.heap[0] = r
		t.sink(0)
	}
}

// Least returns the worst kept score; full is false, and the score 0, while there is room for more.
func (t *Top) Least() (score float64, full bool) {
	if len(t.heap) < t.most || t.most == 0 {
		return 0, false
	}
	return t.heap[0].Score, true
}

// Len returns the number of kept entries.
func (t *Top) Len() int { return len(t.heap) }

// Placed returns the kept entries, best first, and empties the Top.
func (t *Top) Placed() []Placed {
	best := t.heap
	t.heap = nil
	slices.SortFunc(best, func(a, b Placed) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return cmp.Compare(b.Num, a.Num)
	})
	return best
}

// Ranked is Placed without the places.
func (t *Top) Ranked() []engram.Ranked { return Ranked(t.Placed()) }

// Ranked returns entries without their places; nil for none.
func Ranked(all []Placed) []engram.Ranked {
	if len(all) == 0 {
		return nil
	}
	ranked := make([]engram.Ranked, len(all))
	for i, p := range all {
		ranked[i] = p.Ranked
	}
	return ranked
}

func worse(a, b Placed) bool {
	return a.Score < b.Score || a.Score == b.Score && a.Num < b.Num
}

func (t *Top) rise(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !worse(t.heap[i], t.heap[parent]) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *Top) sink(i int) {
	for {
		worst := 2*i + 1
		if worst >= len(t.heap) {
			return
		}
		if right := worst + 1; right < len(t.heap) && worse(t.heap[right], t.heap[worst]) {
			worst = right
		}
		if !worse(t.heap[worst], t.heap[i]) {
			return
		}
		t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
		i = worst
	}
}
