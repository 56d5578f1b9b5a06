package eval

import (
	"math/rand/v2"
	"slices"
)

// Paired is one figure of two ways of asking the same questions: A[i] and B[i] are
// about the same question.
type Paired struct{ A, B []Share }

// Change is how much better, or worse, the second way is.
type Change struct {
	Difference float64 // of B over A
	Low, High  float64 // the 95 % interval around it
	P          float64 // how likely so great a difference is by chance alone, in (0, 1]
}

// Resamples is how often Compare draws the questions anew.
const Resamples = 10_000

// Compare says whether a difference is more than chance, by a paired bootstrap: the
// questions are drawn anew, with repetition, and the difference is taken again. The
// interval runs from the 2.5th to the 97.5th percentile; P is two-sided, twice the
// share of the draws on the other side of zero. Of several sets it compares the means
// over the sets, and draws from each by itself. It is the same at every call.
//
// Questions of one group are not independent of one another: the real interval is
// somewhat wider.
//
// Source: Efron, Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall 1993,
// chapters 13 and 16; for rankings Sakai, "Evaluating Evaluation Metrics based on the
// Bootstrap", SIGIR 2006.
func Compare(sets ...Paired) Change {
	c := Change{P: 1}
	same := true
	for _, s := range sets {
		c.Difference += (Ratio(s.B) - Ratio(s.A)) / float64(len(sets))
		for i := range s.A {
			same = same && s.A[i] == s.B[i]
		}
	}
	if same { // as between two options that do not touch what is asked
		return c
	}
	draws := make([]float64, Resamples)
	// A fixed seed: two runs over the same answers must say the same.
	chance := rand.New(rand.NewPCG(1, 2))
	for i := range draws {
		for _, s := range sets {
			draws[i] += s.draw(chance) / float64(len(sets))
		}
	}
	c.Low, c.High, c.P = spread(draws)
	return c
}

// draw takes as many questions as there are, with repetition, and returns their difference.
func (p Paired) draw(chance *rand.Rand) float64 {
	var a, b Share
	for range p.A {
		i := chance.IntN(len(p.A))
		a.Part += p.A[i].Part
		a.Whole += p.A[i].Whole
		b.Part += p.B[i].Part
		b.Whole += p.B[i].Whole
	}
	return b.value() - a.value()
}

// spread returns the percentiles of draws between which 95 % of them lie, and twice
// the smaller of the shares on either side of zero. It sorts draws.
func spread(draws []float64) (low, high, p float64) {
	slices.Sort(draws)
	at := func(share float64) float64 { return draws[int(share*float64(len(draws)-1)+0.5)] }
	var below, above int
	for _, d := range draws {
		if d <= 0 {
			below++
		}
		if d >= 0 {
			above++
		}
	}
	// One is added because no number of draws proves that a chance is zero.
	p = 2 * float64(min(below, above)+1) / float64(len(draws)+1)
	return at(0.025), at(0.975), min(1, p)
}
