package encoder

import (
	"math"

	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
)

// queryRows is how many queries are compared with all keys at a time, so that the scores of a text of 8,192 tokens take
// 2 MB and not 268.
const queryRows = 64

// attend computes one head's attention within a text: for each query, the mean of all values, weighted by the softmax of
// the query times their keys. rows are the text's queries, keys and values; the result replaces the head's queries.
func (e *Encoder) attend(rows matrix, head int, s *scratch) {
	width := e.config.Hidden
	size := width / e.config.Heads
	first := head * size
	keys := kernel.Panels(size, rows.n, packKeys(rows, width+first, size, s))
	values := kernel.Panels(rows.n, size, packValues(rows, 2*width+first, size, s))
	scale := float32(1 / math.Sqrt(float64(size)))
	padded := kernel.Padded(rows.n)
	scoreStride, outStride := kernel.Stride(rows.n), kernel.Stride(size)
	var sums [queryRows]float32
	for from := 0; from < rows.n; from += queryRows {
		n := min(queryRows, rows.n-from)
		queries := rows.from(from, n)
		scores, out := grown(&s.scores, n*scoreStride), grown(&s.out, n*outStride)
		e.set.Multiply(n, queries.values[first:], rows.stride, &keys, scores, scoreStride, s.buffer)
		for i := range n {
			row := scores[i*scoreStride:][:padded]
			for j := rows.n; j < padded; j++ {
				row[j] = -math.MaxFloat32 / 4 // counts for nothing
			}
			sums[i] = e.set.ExpSum(row, scale)
		}
		e.set.Multiply(n, scores, scoreStride, &values, out, outStride, s.buffer)
		for i := range n {
			to, inverse := queries.row(i)[first:first+size], 1/sums[i]
			for j, v := range out[i*outStride:][:size] {
				to[j] = v * inverse
			}
		}
	}
}

// packKeys packs keys as the weights of a matrix with an output per key.
func packKeys(rows matrix, first, size int, s *scratch) []float32 {
	packed := grown(&s.keys, kernel.Padded(rows.n)*size)
	for i := range kernel.Padded(rows.n) {
		to := packed[i/kernel.Width*kernel.Width*size+i%kernel.Width:]
		if i >= rows.n {
			for k := range size {
				to[k*kernel.Width] = 0
			}
			continue
		}
		for k, v := range rows.row(i)[first : first+size] {
			to[k*kernel.Width] = v
		}
	}
	return packed
}

// packValues packs values as the weights of a matrix with an input per value. Outputs beyond size stay as they are: their
// results are not read.
func packValues(rows matrix, first, size int, s *scratch) []float32 {
	packed := grown(&s.values, rows.n*kernel.Padded(size))
	for i := range rows.n {
		from := rows.row(i)[first : first+size]
		for j := 0; j < size; j += kernel.Width {
			copy(packed[(j/kernel.Width*rows.n*kernel.Width)+i*kernel.Width:][:kernel.Width], from[j:])
		}
	}
	return packed
}
