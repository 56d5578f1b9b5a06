package wrapped

import "github.com/alanbuscaglia/engram/internal/eval"

// Tally counts the answers to the questions of a kind in one scope.
type Tally struct {
	Questions int // questions with an answer there
	First     int // an answer is the first hit
	Ten       int // an answer is among the first ten hits, above or below the relevance threshold
	Lost      int // nothing is above the threshold though an answer is among the ten

	Unanswerable int // questions without an answer there
	Abstained    int // of these, nothing is above the threshold
}

// Known counts the answer to a question that has answers.
func (t *Tally) Known(a eval.Answer, answers eval.Relevant) {
	t.Questions++
	if eval.ReciprocalRank(a.Ranking, answers, 1) > 0 {
		t.First++
	}
	if eval.ReciprocalRank(a.Ranking, answers, 10) > 0 {
		t.Ten++
		if len(a.Strong) == 0 {
			t.Lost++
		}
	}
}

// Unknown counts the answer to a question that has no answers.
func (t *Tally) Unknown(a eval.Answer) {
	t.Unanswerable++
	if len(a.Strong) == 0 {
		t.Abstained++
	}
}

// Shares are a Tally as shares of the questions. Mean is the mean over kinds.
type Shares struct {
	First, Ten, Lost float64
	Abstained        float64
	Asked, Foreign   bool // whether there were answerable and unanswerable questions; else the shares are 0
}

// Shares returns the shares of a tally.
func (t Tally) Shares() Shares {
	part := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	return Shares{First: part(t.First, t.Questions), Ten: part(t.Ten, t.Questions), Lost: part(t.Lost, t.Questions),
		Abstained: part(t.Abstained, t.Unanswerable), Asked: t.Questions > 0, Foreign: t.Unanswerable > 0}
}

// Mean returns the means of the shares over the kinds that were asked; each kind has the same weight.
func Mean(kinds []Tally) (mean Shares) {
	var asked, foreign float64
	for _, k := range kinds {
		s := k.Shares()
		if s.Asked {
			asked++
			mean.First, mean.Ten, mean.Lost, mean.Asked = mean.First+s.First, mean.Ten+s.Ten, mean.Lost+s.Lost, true
		}
		if s.Foreign {
			foreign++
			mean.Abstained, mean.Foreign = mean.Abstained+s.Abstained, true
		}
	}
	asked, foreign = max(1, asked), max(1, foreign)
	mean.First, mean.Ten, mean.Lost, mean.Abstained = mean.First/asked, mean.Ten/asked, mean.Lost/asked, mean.Abstained/foreign
	return mean
}
