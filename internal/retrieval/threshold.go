package retrieval

import "math"

// Asked is one word of a question, with its frequency in the searched scope.
type Asked struct {
	Having int // memories in scope that have the word; 0 counts against every hit
}

// Weight returns the rarity of the word among rows memories: ln(1 + (rows - having + .5) / (having + .5)).
func (a Asked) Weight(rows int) float64 {
	rows = max(rows, 1)
	having := float64(min(max(a.Having, 0), rows))
	return math.Log(1 + (float64(rows)-having+0.5)/(having+0.5))
}

// Covered is how far a memory covers a word, 0 to 1; 1 means that its indexed text has the word.
type Covered float64

// Credit for a memory without the word itself. The greatest one counts.
const (
	Beside  Covered = 0.6 // the previous or next memory in its session has the word
	Missing Covered = 0   // no credit
)

// Spelt is the credit for a word that the question may have misspelt; likeness, from 0 to 1, is
// their similarity (Dice of their 3-grams, or the length of the shorter as a share of the longer if
// it is its prefix). Below a half it is 0, because such words are mostly different words.
func Spelt(likeness float64) Covered {
	if !(likeness >= 0.5) { // NaN too
		return Missing
	}
	return Covered(min(likeness, 1))
}

// Evidence describes how well a hit matches its question.
type Evidence struct {
	Coverage float64 // result of Coverage, 0 to 1
	Cosine   float64 // cosine of question and memory, on the scale of Marks; ignored unless Known
	Known    bool    // both texts have a nonzero vector
	Words    int     // content words of the question
	Rows     int     // memories in scope
}

// Coverage returns the share of a question's words that a memory covers, each word weighted by its
// rarity among rows memories: Σ idf·covered / Σ idf, in [0, 1].
//
// covered[i] belongs to words[i]; a missing element counts as Missing. The words are the question's
// content words, each once, without joined forms, which would count a word twice. A word that no
// memory has weighs most, so a question about a person unknown to the project has little coverage
// whatever its other words. 0 for no words.
func Coverage(words []Asked, covered []Covered, rows int) float64 {
	var sum, all float64
	for i, w := range words {
		idf := w.Weight(rows)
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

// Marks calibrate a model's cosines between a question and a memory. Every model has its own scale,
// so they are in its manifest.
//
// Noise is the median cosine to memories of a collection without the answer, Answer the median
// cosine to memories that answer. Unless Answer > Noise, every cosine counts as unknown.
type Marks struct {
	Noise, Answer float64
}

// ThresholdPolicy decides which hits are worth showing.
type ThresholdPolicy struct {
	Marks  Marks
	Hybrid Belief // for evidence with a cosine
	Words  Belief // for evidence without one
}

// Belief holds the log odds that each kind of evidence adds, and the thresholds. Only Start may be negative.
type Belief struct {
	Start     float64 // before any evidence
	Cosine    float64 // for the distance from Noise to Answer; proportional beyond and below
	Coverage  float64 // for complete coverage
	Size      float64 // subtracted for each e-fold of memories in scope: the best of many may be good by chance
	Asked     float64 // for each e-fold of content words: few memories have every word of a long question
	Enough    float64 // relevance that the best hit needs, else nothing is relevant; 0 to 1
	Threshold float64 // relevance that each other hit needs; at most Enough
}

// DefaultThreshold returns the policy for a model with these marks; the zero Marks mean no model.
//
// The weights are a logistic regression on about 20,000 questions, each asked of one scope:
// answerable ones of seven label sets, and ones that the scope does not answer (from another group
// of the same set, or another set), with keyword cuts and misspelt forms, over scopes of 5 to
// 19,000 memories. Every set weighs the same; the best-looking hit represents its question.
//
// Measured on the prototype with Enough at .28, mean of the sets: 2.8 % false abstentions, 84 % of unanswerable
// questions recognised; leaving a set out of the fitting changes these figures by less than a point. At .25 the
// program loses 2.1 % of whole questions and 4 to 6 % of those cut to two to four words. In short lists of
// short facts, 55 % of the hits above are relevant, at a recall of .98. Without vectors it loses 3.7 % and
// recognises 70 %. Some twenty further measures (rarity in general language, proximity, gaps in the list, soft
// word matches, z-scores, BM25 over its maximum) added a point at most, and are left out.
func DefaultThreshold(m Marks) ThresholdPolicy {
	return ThresholdPolicy{
		Marks:  m,
		Hybrid: Belief{Start: -2.9, Cosine: 5.2, Coverage: 6.8, Size: 0.52, Enough: 0.25, Threshold: 0.10},
		Words:  Belief{Start: -3.6, Coverage: 10, Size: 0.41, Asked: 1.1, Enough: 0.22, Threshold: 0.17},
	}
}

// belief returns the weights for e, and its cosine scaled from Noise (0) to Answer (1).
func (p ThresholdPolicy) belief(e Evidence) (b Belief, cosine float64) {
	if !e.Known || p.Marks.Answer <= p.Marks.Noise || math.IsNaN(e.Cosine) {
		return p.Words, 0
	}
	return p.Hybrid, (min(max(e.Cosine, -1), 1) - p.Marks.Noise) / (p.Marks.Answer - p.Marks.Noise)
}

// Relevance returns the likelihood that a hit answers its question, in [0, 1]: the logistic
// function of the policy's evidence. It never falls with coverage or cosine and never rises with
// memories in scope. It is for the threshold only; the score orders the list.
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

// brevity returns the factor of Enough for a question of so many content words: two words leave little to
// cover, and a user who types them would rather choose from a list than see nothing. From six words on it is 1.
// It halves the false abstentions for two and three words (.11 to .06 on chats).
func brevity(words int) float64 {
	const full = 7
	return min(1, float64(max(words, 0)+1)/full)
}

// Above returns which hits of a list, best first, are relevant enough: verdict i belongs to
// hits[i]. It is nil if nothing is relevant, that is if none of the first five hits reaches Enough.
// Other hits are below the threshold and listed separately.
//
// Only the first five count: a list of hundreds contains one that looks good by chance, and a hit
// that the ranking put there must not decide for the list.
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
