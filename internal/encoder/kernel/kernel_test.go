package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
)

// random returns n numbers of a normal distribution.
func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func each(t *testing.T, f func(t *testing.T, s *kernel.Set, r *rand.Rand)) {
	for _, s := range kernel.Sets() {
		t.Run(s.Name(), func(t *testing.T) { f(t, s, rand.New(rand.NewPCG(1, 2))) })
	}
}

// near fails where got and want differ by more than most, absolutely or of the size of want.
func near(t *testing.T, what string, got []float32, want []float64, most float64) {
	t.Helper()
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= most*max(1, math.Abs(w))) {
			t.Fatalf("%s: number %d is %v, want %v: a difference of %.3g, at most %.3g", what, i, got[i], w, d, most)
		}
	}
}

// A layer is a random linear layer and inputs for it.
type layer struct {
	m, in, out, lda, ldc int
	a, weights, bias     []float32
}

func randomLayer(r *rand.Rand, m, in, out int) layer {
	l := layer{m: m, in: in, out: out, lda: kernel.Stride(in), ldc: kernel.Stride(out)}
	l.a, l.weights, l.bias = random(r, m*l.lda), random(r, in*out), random(r, out)
	return l
}

func (l layer) pack(narrow bool) *kernel.Matrix {
	return kernel.Pack(l.in, l.out, func(i int, row []float32) { copy(row, l.weights[i*l.in:]) }, l.bias, narrow)
}

func (l layer) multiply(s *kernel.Set, w *kernel.Matrix) []float32 {
	c := slices.Repeat([]float32{float32(math.NaN())}, l.m*l.ldc) // what is not written must not be read
	s.Multiply(l.m, l.a, l.lda, w, c, l.ldc, make([]float32, kernel.Scratch))
	return c
}

// want is the product in float64 of what is stored: weights in steps of 1/127 of their row's largest for narrow.
func (l layer) want(row int, narrow bool) []float64 {
	out := make([]float64, l.out)
	for j := range out {
		w := l.weights[j*l.in : (j+1)*l.in]
		var step float32
		for _, v := range w {
			step = max(step, v/127, -v/127)
		}
		sum := float64(l.bias[j])
		for k, v := range w {
			x := float64(v)
			if narrow {
				x = math.RoundToEven(float64(v*(1/step))) * float64(step)
			}
			sum += float64(l.a[row*l.lda+k]) * x
		}
		out[j] = sum
	}
	return out
}

func TestMultiplyIsTheProduct(t *testing.T) {
	each(t, func(t *testing.T, s *kernel.Set, r *rand.Rand) {
		for _, m := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 25} {
			for _, d := range [][2]int{{1, 1}, {3, 32}, {37, 40}, {391, 33}} {
				l := randomLayer(r, m, d[0], d[1])
				for _, narrow := range []bool{false, true} {
					c := l.multiply(s, l.pack(narrow))
					for row := range m {
						near(t, fmt.Sprintf("row %d of %d × %d × %d, narrow %v", row, m, d[0], d[1], narrow), c[row*l.ldc:], l.want(row, narrow), 4e-5)
					}
				}
			}
		}
	})
}

// A row's result is the same to the last bit alone and among others: texts do not change with their batch.
func TestRowsDoNotDependOnEachOther(t *testing.T) {
	each(t, func(t *testing.T, s *kernel.Set, r *rand.Rand) {
		l := randomLayer(r, 30, 400, 70)
		w := l.pack(false)
		all := l.multiply(s, w)
		for from := range l.m {
			for _, n := range []int{1, 2, 5, 13} {
				part := l
				part.m, part.a = min(n, l.m-from), l.a[from*l.lda:]
				c := part.multiply(s, w)
				for i := range part.m {
					if !slices.Equal(c[i*l.ldc:][:l.out], all[(from+i)*l.ldc:][:l.out]) {
						t.Fatalf("row %d among rows %d to %d is not what it is among all", from+i, from, from+part.m)
					}
				}
			}
		}
	})
}

func TestPanelsWithoutBiasStartAtZero(t *testing.T) {
	each(t, func(t *testing.T, s *kernel.Set, r *rand.Rand) {
		values := random(r, 5*kernel.Width)
		w := kernel.Panels(5, kernel.Width, values)
		a, c := random(r, 5), make([]float32, kernel.Width)
		s.Multiply(1, a, 5, &w, c, kernel.Width, make([]float32, kernel.Scratch))
		want := make([]float64, kernel.Width)
		for k, x := range a {
			for j := range want {
				want[j] += float64(x) * float64(values[k*kernel.Width+j])
			}
		}
		near(t, "product", c, want, 1e-5)
	})
}

func TestGELUIsExact(t *testing.T) {
	each(t, func(t *testing.T, s *kernel.Set, r *rand.Rand) {
		x := []float32{0, float32(math.Copysign(0, -1)), 1e-30, -1e-30, 1e30, -1e30, 3e38, -3e38, 0.5, -0.5, 3.99, -4, 5.6, -5.7, 100, -100}
		for i := range 4096 {
			x = append(x, -12+24*float32(i)/4096)
		}
		want := make([]float64, len(x))
		for i, v := range x {
			want[i] = 0.5 * float64(v) * (1 + math.Erf(float64(v)/math.Sqrt2))
		}
		s.GELU(x)
		near(t, "gelu", x, want, 1e-6)
	})
}

func TestExpSum(t *testing.T) {
	each(t, func(t *testing.T, s *kernel.Set, r *rand.Rand) {
		for _, n := range []int{16, 32, 48, 1024} {
			for _, scale := range []float32{0.125, 0.3, 2} {
				x := random(r, n)
				x[n-1], x[n/2] = -1e30, 20
				want, sum := make([]float64, n), 0.0
				for i, v := range x {
					want[i] = math.Exp(max(-87, float64(scale)*(float64(v)-20)))
					sum += want[i]
				}
				got := s.ExpSum(x, scale)
				near(t, "exp", x, want, 1e-6)
				near(t, "sum", []float32{got}, []float64{sum}, 1e-6)
			}
		}
	})
}

func TestAddNorm(t *testing.T) {
	each(t, func(t *testing.T, s *kernel.Set, r *rand.Rand) {
		for _, n := range []int{1, 16, 40, 48, 384, 1024} {
			for _, eps := range []float32{1e-12, 1e-5} {
				x, y, gain, bias := random(r, n), random(r, n), random(r, n), random(r, n)
				for i := range x {
					x[i] += 3
				}
				var mean, variance float64
				for i := range x {
					mean += (float64(x[i]) + float64(y[i])) / float64(n)
				}
				for i := range x {
					d := float64(x[i]) + float64(y[i]) - mean
					variance += d * d / float64(n)
				}
				if n == 1 {
					x[0], y[0], mean = 1, 2, 3 // a sum without a rounding error
				}
				want := make([]float64, n)
				for i := range x {
					want[i] = (float64(x[i])+float64(y[i])-mean)/math.Sqrt(variance+float64(eps))*float64(gain[i]) + float64(bias[i])
				}
				if n == 1 {
					want[0] = float64(bias[0])
				}
				s.AddNorm(x, y, gain, bias, eps)
				near(t, fmt.Sprintf("%d numbers", n), x, want, 3e-6)
			}
		}
	})
}

func BenchmarkMultiply(b *testing.B) {
	for _, s := range kernel.Sets() {
		for _, d := range [][3]int{{16, 384, 384}, {64, 384, 1536}, {64, 1536, 384}, {96, 1024, 4096}} {
			for _, narrow := range []bool{false, true} {
				l := randomLayer(rand.New(rand.NewPCG(1, 2)), d[0], d[1], d[2])
				w, c, buffer := l.pack(narrow), make([]float32, l.m*l.ldc), make([]float32, kernel.Scratch)
				b.Run(fmt.Sprintf("%s/%dx%dx%d/narrow=%v", s.Name(), l.m, l.in, l.out, narrow), func(b *testing.B) {
					for b.Loop() {
						s.Multiply(l.m, l.a, l.lda, w, c, l.ldc, buffer)
					}
					b.ReportMetric(2*float64(l.m*l.in*l.out)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}
