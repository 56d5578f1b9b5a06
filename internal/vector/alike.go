package vector

import (
	"math"
	"math/bits"
)

// Alike finds among many vectors those that are nearly alike: all their codes of signs
// are compared, and of those that are near the rows. It takes 292 bytes a vector of 256
// dimensions. Looking is for many goroutines, adding for one.
type Alike struct {
	dimensions int
	codes      []uint64
	rows       []byte
}

// NewAlike returns an Alike for vectors of so many dimensions.
func NewAlike(dimensions int) *Alike { return &Alike{dimensions: dimensions} }

// Add appends a vector of length 1, whose place is the number of those added before.
func (a *Alike) Add(v []float32) {
	a.codes = append(a.codes, Signs(v)...)
	a.rows = AppendRow(a.rows, v)
}

// Len is how many vectors there are.
func (a *Alike) Len() int { return len(a.rows) / RowBytes(a.dimensions) }

// To calls each with the places from first on of the vectors whose cosine to that at place
// is at least mark, to within a thousandth, until it returns false; place itself is left
// out.
func (a *Alike) To(place, first int, mark float64, each func(other int, cosine float64) bool) {
	query, ok := Row(a.row(place), a.dimensions)
	if !ok || !Normalise(query) {
		return
	}
	words, most := SignWords(a.dimensions), alikeBits(mark, a.dimensions)
	code := a.codes[place*words : (place+1)*words]
	for other, n := first, a.Len(); other < n; other++ {
		d := 0
		if words == 4 { // 256 dimensions, those of the built-in model
			x, y := (*[4]uint64)(code), (*[4]uint64)(a.codes[other*4:])
			d = bits.OnesCount64(x[0]^y[0]) + bits.OnesCount64(x[1]^y[1]) + bits.OnesCount64(x[2]^y[2]) + bits.OnesCount64(x[3]^y[3])
		} else {
			for i, word := range a.codes[other*words : (other+1)*words] {
				d += bits.OnesCount64(code[i] ^ word)
			}
		}
		if d > most || other == place {
			continue
		}
		if cosine, ok := RowCosine(query, a.row(other)); ok && cosine >= mark-rowError && !each(other, cosine) {
			return
		}
	}
}

// rowError is what a cosine loses when its vectors are packed in rows.
const rowError = 0.001

func (a *Alike) row(place int) []byte {
	size := RowBytes(a.dimensions)
	return a.rows[place*size : (place+1)*size]
}

// alikeSpread is how many standard deviations beyond the mean the codes of two vectors
// may differ that are taken for alike. Measured with the built-in model on 72 million
// pairs of passages: all 77 duplicates differ in 36 bits or fewer, 4 deviations are 52,
// and 5 pairs in a million are compared by their rows.
const alikeSpread = 4

// alikeBits is in how many bits the codes of two vectors of a cosine of at least mark
// differ at most, but for what has a chance of next to nothing: each number changes its
// sign with the probability angle/π, and they are taken to do so independently.
//
// Source: Goemans, Williamson, "Improved Approximation Algorithms for Maximum Cut and
// Satisfiability Problems Using Semidefinite Programming", J. ACM 42(6), 1995, lemma 3.2.
func alikeBits(mark float64, dimensions int) int {
	p := math.Acos(min(max(mark, -1), 1)) / math.Pi
	n := float64(dimensions)
	return min(int(math.Ceil(n*p+alikeSpread*math.Sqrt(n*p*(1-p)))), dimensions)
}
