// Package kernel holds the arithmetic of transformer models: the product of activations with packed weights
// (matrix.go), GELU, the exponentials of a softmax, and layer normalisation, each in sets of functions for one kind of
// processor. The assembly is written by kernelgen; portable.go says in Go what every function computes.
//
// The package knows numbers only, no models. Everything is pure. A Set and a Matrix are safe for concurrent use.
//
// Every element of a product is summed in the order of k, one multiply-add after another, whatever the number of
// rows. So a row's result does not depend on the rows beside it, on their number, or on how rows are split over
// threads: it is equal to the last bit within one set. Between sets the last bits differ.
package kernel

//go:generate go run ./kernelgen

// A multiplication computes rows of c = a × b, or adds to them: the sum begins with bias, or with c where bias is empty.
// a has k columns and rows lda apart, b is k rows of Width, c has rows ldc apart. Assembly does not check bounds.
type multiplication = func(k int, a []float32, lda int, b, c []float32, ldc int, bias []float32)

// A Set is the functions for one kind of processor.
type Set struct {
	name     string
	multiply []multiplication // by number of rows, from 1
	columns  int              // of one multiplication: Width or a part of it
	gelu     func(x []float32)
	expSum   func(x []float32, scale float32) float32
	addNorm  func(x, r, gain, bias []float32, eps float32)
	widen    func(dst []float32, src []byte, scale []float32)
}

// Name is avx512, avx2, neon or portable.
func (s *Set) Name() string { return s.name }

// Best returns the fastest set of this processor.
func Best() *Set { return Sets()[0] }

// Sets returns the sets that this processor can run, the fastest first; portable is the last.
func Sets() []*Set { return append(native(), portable()) }

// Lanes is the granularity of GELU, ExpSum and AddNorm: their slices have multiples of Lanes numbers.
const Lanes = 16

// GELU replaces each number x by x·Φ(x), exactly (by the error function, not by tanh), with an absolute error below
// 1e-6. len(x) is a multiple of Lanes.
//
// Source: Hendrycks, Gimpel, "Gaussian Error Linear Units", 2016.
func (s *Set) GELU(x []float32) { s.gelu(x[:len(x)/Lanes*Lanes]) }

// ExpSum replaces each number x by exp(scale·(x - m)), where m is the largest, and returns the sum of the results:
// a softmax lacks only the division. Exponents below -87 count as -87. scale is positive, len(x) a positive multiple
// of Lanes.
func (s *Set) ExpSum(x []float32, scale float32) float32 {
	return s.expSum(x[:len(x)/Lanes*Lanes], scale)
}

// AddNorm sets x to the layer normalisation of x + r: to mean 0 and variance 1, then times gain plus bias. The variance is
// that of the population, eps is added to it. All slices have equal length, any length but 0.
//
// Source: Ba, Kiros, Hinton, "Layer Normalization", 2016.
func (s *Set) AddNorm(x, r, gain, bias []float32, eps float32) {
	n := len(gain)
	x, r, bias = x[:n], r[:n], bias[:n]
	if n%Lanes != 0 {
		addNorm(x, r, gain, bias, eps)
		return
	}
	s.addNorm(x, r, gain, bias, eps)
}
