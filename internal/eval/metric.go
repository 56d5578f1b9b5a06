// Package eval measures the quality of rankings with the usual figures of information retrieval (metric.go),
// and reads sets of questions with known answers (eval.go).
//
// Relevance is binary: a document answers the question or it does not. A document that occurs twice in a
// ranking counts at its first place only. Files are read through the fs.FS passed in.
package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Relevant is the set of documents that answer one question.
type Relevant map[string]bool

// Recall returns the share of the relevant documents among the first k:
// |top k ∩ relevant| / |relevant|. It is 0 when nothing is relevant.
//
// Source: Manning, Raghavan, Schütze, "Introduction to Information Retrieval",
// Cambridge 2008, section 8.3.
func Recall(ranking []string, relevant Relevant, k int) float64 {
	if len(relevant) == 0 {
		return 0
	}
	found := 0
	for _, id := range top(ranking, k) {
		if relevant[id] {
			found++
		}
	}
	return float64(found) / float64(len(relevant))
}

// ReciprocalRank returns 1/rank of the first relevant document among the first k, ranks from 1, and 0 without
// one. Its mean over questions is MRR@k.
//
// Source: Voorhees, "The TREC-8 Question Answering Track Report", TREC 1999.
func ReciprocalRank(ranking []string, relevant Relevant, k int) float64 {
	for i, id := range top(ranking, k) {
		if relevant[id] {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// NDCG returns the discounted cumulative gain of the first k over that of the best
// ranking possible: Σ rel(i)/log2(i+1), ranks from 1, divided by the same sum with
// the relevant documents in front. It lies in [0, 1]; 0 when nothing is relevant.
//
// Source: Järvelin, Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques",
// ACM TOIS 20(4), 2002; with the discount of Burges et al., ICML 2005.
func NDCG(ranking []string, relevant Relevant, k int) float64 {
	var gain, best float64
	for i, id := range top(ranking, k) {
		if relevant[id] {
			gain += discount(i)
		}
	}
	for i := range min(k, len(relevant)) {
		best += discount(i)
	}
	if best == 0 {
		return 0
	}
	return gain / best
}

// discount returns the value of a document at place i, from 0.
func discount(i int) float64 { return 1 / math.Log2(float64(i)+2) }

// top returns the first k different documents of a ranking.
func top(ranking []string, k int) []string {
	seen := make(map[string]bool, k)
	out := make([]string, 0, max(0, min(k, len(ranking))))
	for _, id := range ranking {
		if len(out) >= k {
			break
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// Answer is the answer to one question.
type Answer struct {
	Ranking []string      // documents, best first, including those below the relevance threshold
	Strong  []string      // those of Ranking above the relevance threshold
	Took    time.Duration // time to answer
	Tokens  int           // estimated tokens of the answer
}

// Figure is one figure about the answers to a set. Higher is better, except for Lost, Empty and Tokens.
type Figure string

// The figures. Recall@k, MRR and nDCG measure the whole ranking; Precision, Kept, Lost and Abstained only the
// hits above the relevance threshold.
const (
	Recall1   Figure = "recall@1"
	Recall5   Figure = "recall@5"
	Recall10  Figure = "recall@10"
	Recall20  Figure = "recall@20"
	MRR10     Figure = "mrr@10"
	NDCG10    Figure = "ndcg@10"
	Precision Figure = "precision" // relevant share of the hits above the threshold, over all questions together
	Kept      Figure = "kept"      // recall of the hits above the threshold
	Lost      Figure = "lost"      // answerable questions answered "nothing relevant" (false abstention)
	Abstained Figure = "abstained" // unanswerable questions answered "nothing relevant"
	Empty     Figure = "empty"     // questions without any hit, above or below the threshold
	Tokens    Figure = "tokens"    // mean cost of an answer
)

// Figures lists the figures in the order of tables.
func Figures() []Figure {
	return []Figure{Recall1, Recall5, Recall10, Recall20, MRR10, NDCG10, Precision, Kept, Lost, Abstained, Empty, Tokens}
}

// OfUnanswerable reports whether the figure is about unanswerable questions; all others are about answerable
// ones.
func (f Figure) OfUnanswerable() bool { return f == Abstained }

// Share is the contribution of one question to a figure: Part to a sum, Whole to its divisor. For a mean over
// questions Whole is 1.
type Share struct{ Part, Whole float64 }

// Share returns the contribution of an answer to the figure.
func (f Figure) Share(a Answer, relevant Relevant) Share {
	strong := a.Strong
	switch f {
	case Recall1:
		return one(Recall(a.Ranking, relevant, 1))
	case Recall5:
		return one(Recall(a.Ranking, relevant, 5))
	case Recall10:
		return one(Recall(a.Ranking, relevant, 10))
	case Recall20:
		return one(Recall(a.Ranking, relevant, 20))
	case MRR10:
		return one(ReciprocalRank(a.Ranking, relevant, 10))
	case NDCG10:
		return one(NDCG(a.Ranking, relevant, 10))
	case Precision:
		right := 0
		for _, id := range strong {
			if relevant[id] {
				right++
			}
		}
		return Share{float64(right), float64(len(strong))}
	case Kept:
		return one(Recall(strong, relevant, len(strong)))
	case Lost, Abstained:
		return one(yes(len(strong) == 0))
	case Empty:
		return one(yes(len(a.Ranking) == 0))
	case Tokens:
		return one(float64(a.Tokens))
	}
	return Share{}
}

func one(part float64) Share { return Share{part, 1} }

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Ratio returns the figure of all shares: Σ Part / Σ Whole, 0 if Σ Whole is 0.
func Ratio(shares []Share) float64 {
	var sum Share
	for _, s := range shares {
		sum.Part += s.Part
		sum.Whole += s.Whole
	}
	return sum.value()
}

func (s Share) value() float64 {
	if s.Whole == 0 {
		return 0
	}
	return s.Part / s.Whole
}

// Percentile returns the nearest-rank percentile of the answers' times; 0 without answers. share lies in [0,
// 1].
func Percentile(answers []Answer, share float64) time.Duration {
	if len(answers) == 0 {
		return 0
	}
	took := make([]time.Duration, len(answers))
	for i, a := range answers {
		took[i] = a.Took
	}
	slices.Sort(took)
	return took[int(share*float64(len(took)-1)+0.5)]
}

// Paired is one figure of two configurations: A[i] and B[i] are about the same question.
type Paired struct{ A, B []Share }

// Change compares the second configuration with the first.
type Change struct {
	Difference float64 // of B over A
	Low, High  float64 // the 95 % interval around it
	P          float64 // probability of so large a difference by chance, in (0, 1]
}

// Resamples is the number of bootstrap samples of Compare.
const Resamples = 10_000

// Compare tests a difference by a paired bootstrap: questions are resampled with replacement, and the
// difference is computed again. The interval runs from the 2.5th to the 97.5th percentile; P is two-sided,
// twice the share of samples on the other side of zero. Of several sets it compares the means over the sets,
// resampling each separately. The result is deterministic.
//
// Questions of one group are not independent, so the real interval is somewhat wider.
//
// Source: Efron, Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall 1993, chapters 13 and 16; for
// rankings Sakai, "Evaluating Evaluation Metrics based on the Bootstrap", SIGIR 2006.
func Compare(sets ...Paired) Change {
	c := Change{P: 1}
	same := true
	for _, s := range sets {
		c.Difference += (Ratio(s.B) - Ratio(s.A)) / float64(len(sets))
		for i := range s.A {
			same = same && s.A[i] == s.B[i]
		}
	}
	if same { // options that do not affect these questions
		return c
	}
	draws := make([]float64, Resamples)
	// A fixed seed, so that runs over the same answers agree.
	chance := rand.New(rand.NewPCG(1, 2))
	for i := range draws {
		for _, s := range sets {
			draws[i] += s.draw(chance) / float64(len(sets))
		}
	}
	c.Low, c.High, c.P = spread(draws)
	return c
}

// draw resamples the questions and returns their difference.
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

// spread returns the percentiles that enclose 95 % of the draws, and twice the smaller share on either side
// of zero. It sorts draws.
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
	// One is added because no number of draws proves a probability of zero.
	p = 2 * float64(min(below, above)+1) / float64(len(draws)+1)
	return at(0.025), at(0.975), min(1, p)
}
