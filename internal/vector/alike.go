package vector

import (
	"math"
	"math/bits"

	"github.com/alanbuscaglia/engram"
)

// Alike finds near-duplicates among many vectors: it compares all sign codes, and the rows of those
// whose codes are near. It takes 296 bytes per vector of 256 dimensions. Searches may run concurrently,
// but not with Add.
type Alike struct {
	dimensions int
	codes      []uint64
	rows       []byte
	lengths    []float32 // norm of the int8 numbers of each row
}

// NewAlike returns an empty Alike for vectors of the given dimensions.
func NewAlike(dimensions int) *Alike { return &Alike{dimensions: dimensions} }

// Add appends a vector of length 1; its place is the number of vectors added before.
func (a *Alike) Add(v []float32) {
	a.codes = append(a.codes, Signs(v)...)
	a.rows = AppendRow(a.rows, v)
	a.lengths = append(a.lengths, float32(CodesLength(a.row(a.Len() - 1)[scaleBytes:])))
}

// Len returns the number of vectors.
func (a *Alike) Len() int { return len(a.rows) / RowBytes(a.dimensions) }

// To calls each with the places, from first on, of the vectors whose cosine with the one at place is at
// least mark, to within 0.001, until it returns false. It skips place itself.
func (a *Alike) To(place, first int, mark float64, each func(other int, cosine float64) bool) {
	query, ok := Row(a.row(place), a.dimensions)
	if !ok || !Normalise(query) {
		return
	}
	code, most := a.code(place), alikeBits(mark, a.dimensions)
	for other, _ := a.next(code, first, most); other < a.Len(); other, _ = a.next(code, other+1, most) {
		if other == place {
			continue
		}
		if cosine, ok := a.cosine(query, other); ok && cosine >= mark-rowError && !each(other, cosine) {
			return
		}
	}
}

// nearestBySigns is how many vectors per wanted one are compared by their rows: those whose signs differ
// least. Measured with the built-in model on 10,000 passages of documents: 99 % of the ten nearest above
// its related mark are found, with half as many 97 %.
const nearestBySigns = 100

// Nearest returns up to most vectors whose cosine with the one at place is at least mark, nearest first,
// without place itself. It may miss a few whose signs differ more than their numbers do.
func (a *Alike) Nearest(place, most int, mark float64) []engram.Ranked {
	query, ok := Row(a.row(place), a.dimensions)
	if !ok || !Normalise(query) || most < 1 {
		return nil
	}
	code := a.code(place)
	nearest := NewNearestCodes(code, nearestBySigns*most)
	nearest.limit = min(nearest.limit, alikeBits(mark, a.dimensions))
	nearest.found = make([]near, 0, min(2*nearest.most, a.Len()))
	for other, apart := a.next(code, 0, nearest.limit); other < a.Len(); other, apart = a.next(code, other+1, nearest.limit) {
		if other != place {
			nearest.keep(near{int64(other), apart})
		}
	}
	nearest.shrink()
	best, limit := NewTop(most), nearest.limit
	for _, n := range nearest.found {
		if n.distance > limit {
			continue
		}
		cosine, ok := a.cosine(query, int(n.num))
		if !ok || cosine < mark {
			continue
		}
		best.Offer(n.num, cosine)
		if least, full := best.Least(); full && least > mark { // the bar for all that follow
			mark, limit = least, alikeBits(least, a.dimensions)
		}
	}
	return best.Ranked()
}

// next returns the first place, from first on, whose code differs from code in at most most bits, and
// the number of differing bits. other is Len if there is no such place.
func (a *Alike) next(code []uint64, first, most int) (other, apart int) {
	n := a.Len()
	if len(code) == 4 { // 256 dimensions, the size of the built-in model
		x := (*[4]uint64)(code)
		for other := first; other < n; other++ {
			y := (*[4]uint64)(a.codes[other*4:])
			d := bits.OnesCount64(x[0]^y[0]) + bits.OnesCount64(x[1]^y[1]) + bits.OnesCount64(x[2]^y[2]) + bits.OnesCount64(x[3]^y[3])
			if d <= most {
				return other, d
			}
		}
		return n, 0
	}
	for other := first; other < n; other++ {
		d := 0
		for i, word := range a.code(other) {
			d += bits.OnesCount64(code[i] ^ word)
		}
		if d <= most {
			return other, d
		}
	}
	return n, 0
}

// cosine is RowCosine with the vector at place.
func (a *Alike) cosine(query []float32, place int) (cosine float64, ok bool) {
	length := a.lengths[place]
	if length == 0 {
		return 0, false
	}
	return DotCodes(query, a.row(place)[scaleBytes:]) / float64(length), true
}

func (a *Alike) code(place int) []uint64 {
	words := SignWords(a.dimensions)
	return a.codes[place*words : (place+1)*words]
}

// rowError bounds the error of a cosine due to the rounding of rows.
const rowError = 0.001

func (a *Alike) row(place int) []byte {
	size := RowBytes(a.dimensions)
	return a.rows[place*size : (place+1)*size]
}

// alikeSpread is by how many standard deviations above the mean the codes of near-duplicates may differ.
// Measured with the built-in model on 72 million pairs of passages: all 77 duplicates differ in at most
// 36 bits, 4 deviations are 52 bits, and 5 pairs in a million are compared by their rows.
const alikeSpread = 4

// alikeBits returns in how many bits the codes of two vectors with a cosine of at least mark differ at
// most, with a negligible chance of more: each number changes its sign with probability angle/π, taken
// as independent.
//
// Source: Goemans, Williamson, "Improved Approximation Algorithms for Maximum Cut and Satisfiability
// Problems Using Semidefinite Programming", J. ACM 42(6), 1995, lemma 3.2.
func alikeBits(mark float64, dimensions int) int {
	p := math.Acos(min(max(mark, -1), 1)) / math.Pi
	n := float64(dimensions)
	return min(int(math.Ceil(n*p+alikeSpread*math.Sqrt(n*p*(1-p)))), dimensions)
}
