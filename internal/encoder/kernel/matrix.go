package kernel

import "math"

// Width is the number of columns of a panel: of outputs whose weights lie side by side, so that one pass over the
// inputs fills a register file with sums. AVX-512 takes a panel at once, AVX2 and NEON take halves; a packed matrix
// serves all.
const Width = 32

// depth is how many inputs of a panel are multiplied at a time: 192 × 32 numbers are half of a first-level cache,
// where they stay for all rows.
const depth = 192

// Padded returns n rounded up to whole panels.
func Padded(n int) int { return (n + Width - 1) / Width * Width }

// Stride returns a distance between rows of n numbers that is no multiple of a large power of two: the rows that are
// read together would share few places of a cache.
func Stride(n int) int { return Padded(n) + Lanes }

// A Matrix is the weights of a linear layer, y = x·Wᵀ + bias, packed for multiplication: panel by panel of Width
// outputs, in each input by input. Outputs beyond the last are zero.
type Matrix struct {
	in, out int
	wide    []float32 // panels × in × Width; nil when narrow
	narrow  []byte    // the same as int8, in steps of scale
	scale   []float32 // per output
	bias    []float32 // per output; nil for zeros
}

// Pack packs a matrix with in inputs and out outputs. weights fills row with the weights of output i; bias has a number per
// output and is copied. A narrow matrix keeps int8 weights, with a scale per output: it needs a quarter of the memory, and
// weights lose up to 1/254 of the largest of their output.
func Pack(in, out int, weights func(i int, row []float32), bias []float32, narrow bool) *Matrix {
	w := &Matrix{in: in, out: out, bias: make([]float32, Padded(out))}
	copy(w.bias, bias)
	if narrow {
		w.narrow, w.scale = make([]byte, Padded(out)*in), make([]float32, Padded(out))
	} else {
		w.wide = make([]float32, Padded(out)*in)
	}
	rows := make([]float32, Width*in)
	for first := 0; first < out; first += Width {
		n := min(Width, out-first)
		clear(rows[n*in:])
		for i := range n {
			weights(first+i, rows[i*in:(i+1)*in])
		}
		if narrow {
			quantise(w.narrow[first*in:(first+Width)*in], w.scale[first:first+Width], rows, in)
			continue
		}
		panel := w.wide[first*in : (first+Width)*in]
		for k := range in {
			to := panel[k*Width : (k+1)*Width]
			for i := range to {
				to[i] = rows[i*in+k]
			}
		}
	}
	return w
}

// quantise writes rows into a panel, in steps of the scales that it sets, to the nearest and of two the even one.
func quantise(panel []byte, scale, rows []float32, in int) {
	var inverse [Width]float32
	for i := range inverse {
		var top float32
		for _, v := range rows[i*in : (i+1)*in] {
			top = max(top, v, -v)
		}
		if scale[i] = top / 127; scale[i] > 0 {
			inverse[i] = 1 / scale[i]
		}
	}
	// A number below 2^22 added to this one is rounded to a whole number, which is in the low bits of the sum.
	const magic = 3 << 22
	for k := range in {
		to := panel[k*Width : (k+1)*Width]
		for i := range to {
			x := float32(rows[i*in+k] * inverse[i]) // rounded here, so that no processor fuses it with the sum
			to[i] = byte(math.Float32bits(x + magic))
		}
	}
}

// Narrow returns a narrow matrix of what Packed returned, which is kept.
func Narrow(in, out int, panels []byte, scale, bias []float32) *Matrix {
	return &Matrix{in: in, out: out, narrow: panels[:Padded(out)*in], scale: scale[:Padded(out)], bias: bias[:Padded(out)]}
}

// Packed returns the weights of a narrow matrix, in × Width int8 numbers for each panel of outputs, their scales and the
// biases, each for whole panels of outputs. The caller must not change them.
func (w *Matrix) Packed() (panels []byte, scale, bias []float32) { return w.narrow, w.scale, w.bias }

// Panels returns a matrix of values that are packed already, without a bias: in × Width numbers for each panel of
// outputs. values are kept.
func Panels(in, out int, values []float32) Matrix { return Matrix{in: in, out: out, wide: values} }

// Outputs is the number of outputs.
func (w *Matrix) Outputs() int { return w.out }

// Scratch is the length of the buffer that Multiply needs.
const Scratch = depth * Width

// Multiply computes c = a × w: m rows of a, lda apart, give m rows of c, ldc apart, in whole panels. c must not overlap a;
// buffer has Scratch numbers and is overwritten for narrow matrices.
func (s *Set) Multiply(m int, a []float32, lda int, w *Matrix, c []float32, ldc int, buffer []float32) {
	if m == 0 {
		return
	}
	// The assembly checks no bounds.
	a, c, buffer = a[:(m-1)*lda+w.in], c[:(m-1)*ldc+Padded(w.out)], buffer[:Scratch]
	var zeros [Width]float32
	// Panel by panel, so that the weights are read in the order in which they lie.
	for first := 0; first < w.out; first += Width {
		for k := 0; k < w.in; k += depth {
			n := min(depth, w.in-k)
			var bias []float32
			switch {
			case k > 0:
			case w.bias == nil:
				bias = zeros[:]
			default:
				bias = w.bias[first : first+Width]
			}
			from, to := first*w.in+k*Width, first*w.in+(k+n)*Width
			panel := buffer[:n*Width]
			if w.narrow != nil {
				s.widen(panel, w.narrow[from:to], w.scale[first:first+Width])
			} else {
				panel = w.wide[from:to]
			}
			s.panel(m, n, a[k:], lda, panel, c[first:], ldc, bias)
		}
	}
}

// panel multiplies m rows with a panel, in groups of about equal size.
func (s *Set) panel(m, k int, a []float32, lda int, b, c []float32, ldc int, bias []float32) {
	most := len(s.multiply) - 1
	groups := (m + most - 1) / most
	for column := 0; column < Width; column += s.columns {
		start := bias
		if len(bias) > 0 {
			start = bias[column:]
		}
		for i := range groups {
			from, to := i*m/groups, (i+1)*m/groups
			s.multiply[to-from](k, a[from*lda:], lda, b[column:], c[from*ldc+column:], ldc, start)
		}
	}
}
