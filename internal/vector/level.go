package vector

import (
	"encoding/binary"
	"math"
)

// A row's signs and sizes together place each number in one of four levels: below or above zero, near or
// far. Four levels distinguish near vectors far better than two: of the ten nearest among 100,000 texts
// the best 200 of 4,000 by signs contain all but 1 in 300, while the best 500 by signs alone miss 1 in
// 25.
//
// For normally distributed numbers the levels are equally full when far begins at sizeMark times their
// root mean square; nearLevel and farLevel are then the means inside and outside of it.
const (
	sizeMark  = 0.6745
	nearLevel = 0.325
	farLevel  = 1.271
)

// RowSigns appends the sign code (see Signs) of the vector in row, SignBytes of its dimensions,
// little-endian, and reports whether the vector is not zero: the code of a zero vector is meaningless.
// row must come from AppendRow; a number that it rounded to zero counts as not above zero.
func RowSigns(dst []byte, row []byte) (code []byte, points bool) {
	return rowBits(dst, row, func(n int8) bool {
		points = points || n != 0
		return n > 0
	}), points
}

// RowSizes appends, in the form of a code, a bit for each number of the vector in row that is far from
// zero relative to the others. row must come from AppendRow.
func RowSizes(dst []byte, row []byte) []byte {
	var squares float64
	for _, c := range row[min(scaleBytes, len(row)):] {
		squares += float64(int8(c)) * float64(int8(c))
	}
	mark := sizeMark * math.Sqrt(squares/float64(max(len(row)-scaleBytes, 1)))
	return rowBits(dst, row, func(n int8) bool { return math.Abs(float64(n)) > mark })
}

func rowBits(dst []byte, row []byte, set func(int8) bool) []byte {
	row = row[min(scaleBytes, len(row)):]
	for len(row) > 0 {
		var word uint64
		n := min(64, len(row))
		for i, c := range row[:n] {
			if set(int8(c)) {
				word |= 1 << i
			}
		}
		dst, row = binary.LittleEndian.AppendUint64(dst, word), row[n:]
	}
	return dst
}

// Estimator estimates from signs and sizes how near vectors are to one query.
type Estimator struct {
	groups [][256]float32 // per four numbers: the sum by their signs and sizes
}

// NewEstimator returns the estimator of a query. Building its table, 256 bytes per number of the query,
// takes tens of microseconds for 256 numbers.
func NewEstimator(query []float32) *Estimator {
	e := &Estimator{groups: make([][256]float32, SignBytes(len(query))*2)}
	for g := range e.groups {
		var q [4]float32
		copy(q[:], query[min(g*4, len(query)):])
		low, high := pairLevels(q[0], q[1]), pairLevels(q[2], q[3])
		for levels := range 256 {
			signs, sizes := levels&15, levels>>4
			e.groups[g][levels] = low[signs&3|sizes&3<<2] + high[signs>>2|sizes>>2<<2]
		}
	}
	return e
}

// pairLevels returns the sums of two numbers, indexed by their two signs (low bits) and two sizes.
func pairLevels(a, b float32) (sums [16]float32) {
	for i := range sums {
		for k, x := range [2]float32{a, b} {
			level := float32(nearLevel)
			if i>>(2+k)&1 == 1 {
				level = farLevel
			}
			if i>>k&1 == 0 {
				level = -level
			}
			sums[i] += x * level
		}
	}
	return sums
}

// Nearness orders vectors approximately as the cosine with the query would, by codes of RowSigns and
// RowSizes of vectors of the query's dimensions. Shorter codes count as far as they go.
func (e *Estimator) Nearness(signs, sizes []byte) float64 {
	n := min(len(e.groups)/2, len(signs), len(sizes))
	groups, signs, sizes := e.groups[:2*n], signs[:n], sizes[:n]
	var low, high float32
	for i, s := range signs {
		z := sizes[i]
		low += groups[2*i][s&15|z<<4]
		high += groups[2*i+1][s>>4|z&0xf0]
	}
	return float64(low) + float64(high)
}
