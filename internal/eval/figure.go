package eval

import (
	"slices"
	"time"
)

// Answer is how one question was answered.
type Answer struct {
	Ranking []string      // documents, best first, those that were called weak among them
	Strong  []string      // those of Ranking that were not called weak
	Took    time.Duration // of asking
	Tokens  int           // what showing the answer costs, about
}

// Figure is one number about the answers to a set's questions. Greater is better but
// for Lost, Empty and Tokens.
type Figure string

// The figures. Recall@k, MRR and nDCG are of the whole ranking; those about the floor
// look at what was not called weak.
const (
	Recall1   Figure = "recall@1"
	Recall5   Figure = "recall@5"
	Recall10  Figure = "recall@10"
	Recall20  Figure = "recall@20"
	MRR10     Figure = "mrr@10"
	NDCG10    Figure = "ndcg@10"
	Precision Figure = "precision" // share of what was given as an answer that is one, over all questions together
	Kept      Figure = "kept"      // recall of what was given as an answer
	Lost      Figure = "lost"      // share of the questions that were told that nothing is relevant, wrongly
	Abstained Figure = "abstained" // share of the questions without an answer that were told so
	Empty     Figure = "empty"     // share of the questions that got nothing at all, weak or not
	Tokens    Figure = "tokens"    // mean cost of an answer
)

// Figures lists the figures in the order of tables.
func Figures() []Figure {
	return []Figure{Recall1, Recall5, Recall10, Recall20, MRR10, NDCG10, Precision, Kept, Lost, Abstained, Empty, Tokens}
}

// OfUnanswerable reports whether the figure is about questions that nothing answers:
// all others are about those that something does.
func (f Figure) OfUnanswerable() bool { return f == Abstained }

// Share is what one question has in a figure: Part of a sum, over Whole of another.
// For a mean over questions Whole is 1.
type Share struct{ Part, Whole float64 }

// Share returns what the answer to a question has in the figure.
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

// Ratio returns the figure that shares make: Σ Part / Σ Whole, 0 when there is nothing
// to divide by.
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

// Percentile returns the time that the given share of the answers took at most, by
// the nearest rank; 0 without answers. share lies in [0, 1].
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
