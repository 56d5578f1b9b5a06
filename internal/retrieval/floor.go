package retrieval

import "math"

// Asked is one word of a question, as the collection in scope knows it.
type Asked struct {
	Having int // memories in scope that have the word; 0 when nothing has it, which speaks against every hit
}

// Covered is how far a memory has one word of a question, from 0 to 1. 1 is the
// word itself, anywhere in the memory's indexed text.
type Covered float64

// What a memory is credited with that lacks the word itself. The greatest one counts.
const (
	Beside  Covered = 0.6 // the memory before or after it in its session has the word
	Missing Covered = 0   // nothing of it
)

// Spelt is the credit for having a word that the asked one was perhaps meant to be;
// likeness, from 0 to 1, is how like the two are (Dice of their 3-grams, or the
// shorter's share of the longer one when it begins with it). A word that is
// half like another is mostly another word, hence 0 below a half.
func Spelt(likeness float64) Covered {
	if !(likeness >= 0.5) { // NaN too
		return Missing
	}
	return Covered(min(likeness, 1))
}

// Evidence is what speaks for a hit being relevant to its question.
type Evidence struct {
	Coverage float64 // what Coverage says of it, 0 to 1
	Cosine   float64 // question and memory, by the model of Marks; ignored unless Known
	Known    bool    // both texts have a vector that is not zero
	Words    int     // content words asked
	Rows     int     // memories in scope
}

// Coverage returns the share of a question's words that a memory has, each word
// weighing its rarity among rows memories: Σ idf·covered / Σ idf, in [0, 1].
//
// covered[i] belongs to words[i]; one that is not there counts as Missing. The words
// are the question's content words, each once, without joined forms (they would count
// a word twice). A word that nothing has weighs most of all, so asking for somebody
// whom the project does not know leaves little coverage for its other words.
// It is 0 for no words.
func Coverage(words []Asked, covered []Covered, rows int) float64 {
	rows = max(rows, 1)
	var sum, all float64
	for i, w := range words {
		having := float64(min(max(w.Having, 0), rows))
		idf := math.Log(1 + (float64(rows)-having+0.5)/(having+0.5))
		all += idf
		if i < len(covered) && covered[i] > 0 {
			sum += idf * min(float64(covered[i]), 1)
		}
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// Marks say what a model's cosines mean between a question and a memory. Every model
// has its own scale, so they stand in its manifest.
//
// Noise is the median cosine to memories of a collection that does not have the
// answer, Answer the median cosine to the memories that answer. Marks without
// Answer > Noise make every cosine unknown.
type Marks struct {
	Noise, Answer float64
}

// ThresholdPolicy says which hits are worth showing.
type ThresholdPolicy struct {
	Marks  Marks
	Hybrid Belief // of evidence with a cosine
	Words  Belief // of evidence without one
}

// Belief holds the log odds that each piece of evidence adds, and what they must
// come to. None but Start is negative.
type Belief struct {
	Start     float64 // before any evidence
	Cosine    float64 // for the way from Noise to Answer; beyond and below in proportion
	Coverage  float64 // for having every word
	Size      float64 // taken away for each e-fold of memories in scope: the best of many is good by chance
	Asked     float64 // for each e-fold of content words: few memories have every word of a long question
	Enough    float64 // relevance that the best hit needs, else nothing is relevant; 0 to 1
	Threshold float64 // relevance that each hit needs beside such a best one; at most Enough
}

// DefaultThreshold returns the policy for a model with these marks; the zero Marks are
// those of no model.
//
// The weights are a logistic regression on about 20,000 questions, each asked of one
// scope: answerable ones of seven label sets, and ones that the scope does not answer
// (asked of another group of the same set, or of another set), with keyword cuts and
// misspelt forms, over scopes of 5 to 19,000 memories. Every set weighs the same; of
// each question the hit that looks best stands for it.
//
// Measured on the prototype with Enough at .28, mean of the sets: 2.8 % of the
// answerable questions are lost, 84 % of the others recognised; a set left out of the
// fitting keeps these figures within a point. At .25 the program loses 2.1 % of the whole
// questions and 4 to 6 % of those cut to two to four words. Of short lists of short facts
// 55 % of what is above is relevant, at a recall of .98. Without vectors 3.7 % are lost
// and 70 % recognised. Some twenty further measures (rarity in general language,
// proximity, gaps in the list, soft word matches, z-scores, BM25 over its maximum) added
// a point at most, and are left out.
func DefaultThreshold(m Marks) ThresholdPolicy {
	return ThresholdPolicy{
		Marks:  m,
		Hybrid: Belief{Start: -2.9, Cosine: 5.2, Coverage: 6.8, Size: 0.52, Enough: 0.25, Threshold: 0.10},
		Words:  Belief{Start: -3.6, Coverage: 10, Size: 0.41, Asked: 1.1, Enough: 0.22, Threshold: 0.17},
	}
}

// belief returns the weights for e, and how far its cosine is on the way from Noise
// to Answer.
func (p ThresholdPolicy) belief(e Evidence) (b Belief, cosine float64) {
	if !e.Known || p.Marks.Answer <= p.Marks.Noise || math.IsNaN(e.Cosine) {
		return p.Words, 0
	}
	return p.Hybrid, (min(max(e.Cosine, -1), 1) - p.Marks.Noise) / (p.Marks.Answer - p.Marks.Noise)
}

// Relevance returns how likely it is that a hit answers its question, in [0, 1]:
// the logistic function of what the policy's Belief adds up to. More coverage or a
// greater cosine never lowers it, more memories in scope never raise it. It orders
// nothing: the floor divides a list, the score orders it.
func (p ThresholdPolicy) Relevance(e Evidence) float64 {
	b, cosine := p.belief(e)
	coverage := 0.0
	if e.Coverage > 0 { // false for NaN
		coverage = min(e.Coverage, 1)
	}
	odds := b.Start + b.Cosine*cosine + b.Coverage*coverage -
		b.Size*math.Log(float64(max(e.Rows, 1))) + b.Asked*math.Log(float64(max(e.Words, 1)))
	return 1 / (1 + math.Exp(-odds))
}

// brevity is the part of Enough that a question of so many content words needs: two words
// typed for a search leave little to cover, and who types them would rather choose from
// a list than be told that there is nothing. From six words on it is 1. It halves what
// questions of two and three words lose (.11 to .06 on chats).
func brevity(words int) float64 {
	const full = 7
	return min(1, float64(max(words, 0)+1)/full)
}

// Above returns which hits of a list, best first, are relevant enough: verdict i
// belongs to hits[i]. It is nil when nothing is relevant, that is when none of the
// first five hits reaches Enough. What is not above is weaker and listed apart.
//
// Only the first five decide: a list of hundreds has one that looks good by chance,
// and a hit that the ranking put there cannot speak for the list.
func (p ThresholdPolicy) Above(hits []Evidence) []bool {
	const head = 5
	answered := false
	above := make([]bool, len(hits))
	for i, e := range hits {
		relevance := p.Relevance(e)
		b, _ := p.belief(e)
		answered = answered || i < head && relevance >= b.Enough*brevity(e.Words)
		above[i] = relevance >= b.Threshold
	}
	if !answered {
		return nil
	}
	return above
}
