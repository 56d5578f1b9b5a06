package retrieval

import "math"

// Asked is one word of a question, with its frequency in the searched scope.
type Asked struct {
	Having  int     // memories in scope that have the word; 0 counts against every hit
	General float64 // result of General; 0 counts as that of an unknown word
	Digit   bool    // has a digit
}

// unknownGeneral is the general rarity of words that the model's vocabulary lacks, above nearly all that it has:
// they are names.
const unknownGeneral = 8

// General returns the rarity of a word in general language: ln(1 + line/10), of its line in the model's vocabulary,
// which is in order of frequency. line -1: the vocabulary lacks the word.
func General(line int) float64 {
	if line < 0 {
		return unknownGeneral
	}
	return math.Log(1 + float64(line)/10)
}

// general returns General, whatever the caller set.
func (a Asked) general() float64 {
	if !(a.General > 0) { // NaN too
		return unknownGeneral
	}
	return a.General
}

// telling returns how much a word tells of what is asked for: its rarity among rows memories, but not more than in
// general language. In terse notes the words that questions are made of ("deal", "affected") are rare or absent and
// would weigh most. A number that nothing has is mostly the time or the request of a log line.
func (a Asked) telling(rows int) float64 {
	const lacked = 0.3
	weight := min(a.Weight(rows), a.general())
	if a.Digit && a.Having <= 0 {
		weight *= lacked
	}
	return weight
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
	OfType  Covered = 0.9 // the word names the type of the memory
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

// Evidence describes how well a hit matches its question. NaN counts as 0.
type Evidence struct {
	Coverage float64 // result of Coverage, 0 to 1
	Specific float64 // result of Specific, 0 to 1
	Run      int     // result of Run
	Asked    int     // words of the question, stop words included
	Lacking  float64 // result of Lacking, 0 to 1
	Cosine   float64 // cosine of question and memory, on the scale of Marks; ignored unless Known
	Known    bool    // both texts have a nonzero vector
	Unspoken bool    // no memory in scope has any word of the question, so only its meaning can tell
	Rows     int     // memories in scope
}

// Coverage returns the share of a question's words that a memory covers, each word weighted by its
// rarity among rows memories and in general language: Σ weight·covered / Σ weight, in [0, 1].
//
// covered[i] belongs to words[i]; a missing element counts as Missing. The words are the question's
// content words, each once, without joined forms, which would count a word twice. An unusual word that no
// memory has weighs most, so a question about a person unknown to the project has little coverage
// whatever its other words. 0 for no words.
func Coverage(words []Asked, covered []Covered, rows int) float64 {
	var sum, all float64
	for i, w := range words {
		weight := w.telling(rows)
		all += weight
		if i < len(covered) && covered[i] > 0 {
			sum += weight * min(float64(covered[i]), 1)
		}
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// Specific returns how specific the most specific word is that a memory has itself: (general rarity - ln having) / 8,
// times its credit, in [0, 1]. A unique match of an unusual name is 1; a usual word, or one that many have, near 0.
//
// Counting memories instead of their share makes it independent of the size of the collection. own[i] belongs to
// words[i]: the credit of the memory's own text, without its neighbours.
func Specific(words []Asked, own []Covered) float64 {
	best := 0.0
	for i, w := range words {
		if i < len(own) && own[i] > 0 && w.Having > 0 {
			specific := (w.general() - math.Log(float64(w.Having))) / unknownGeneral
			best = max(best, min(specific, 1)*min(float64(own[i]), 1))
		}
	}
	return best
}

// Lacking returns how telling the most telling word is that rows memories lack, in [0, 1]. A question about a
// name that nothing has is mostly about something that is not stored, whatever its other words find.
func Lacking(words []Asked, rows int) float64 {
	most := 0.0
	for _, w := range words {
		if w.Having <= 0 {
			most = max(most, w.telling(rows))
		}
	}
	return share(most / unknownGeneral)
}

// Run returns the length of the longest run of words that a question and a text share, stop words included: a
// pasted log line or passage is known by it, whatever stands around the run. Of the question it reads the
// first 500 words, which bounds its cost.
func Run[Word comparable](question, text []Word) int {
	question = question[:min(len(question), 500)]
	at := make(map[Word][]int, len(question)) // greatest first, as a run grows from the place before
	for i := len(question) - 1; i >= 0; i-- {
		at[question[i]] = append(at[question[i]], i)
	}
	type end struct{ run, place int } // of a run in the text; place is counted from 1
	ends := make([]end, len(question))
	longest := 0
	for place, w := range text {
		for _, i := range at[w] {
			run := 1
			if i > 0 && ends[i-1].place == place {
				run += ends[i-1].run
			}
			ends[i] = end{run, place + 1}
			longest = max(longest, run)
		}
	}
	return longest
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
	Cosine Belief // for a cosine where nothing has the words
}

// Belief holds the log odds that each kind of evidence adds, and the thresholds. Only Start may be negative.
type Belief struct {
	Start     float64 // before any evidence
	Coverage  float64 // for complete coverage
	Specific  float64 // for a unique match of an unusual name
	Run       float64 // for a run of 8 words or more; in proportion from 2, which are chance
	Cosine    float64 // for the distance from Noise to Answer; proportional beyond and below
	Size      float64 // subtracted for each e-fold of memories in scope, from 30 to 1,000: the best of many may be good by chance
	Lacking   float64 // subtracted for a name that nothing has
	Keywords  float64 // subtracted for 3 words or fewer, in proportion up to 9: a memory easily has all of few words
	Pasted    float64 // subtracted for 100 words or more, in proportion of logarithms from 30: a passage that is stored has a run
	Enough    float64 // relevance that the best hit needs, else nothing is relevant; 0 to 1
	Threshold float64 // relevance that each other hit needs; at most Enough
}

// DefaultThreshold returns the policy for a model with these marks; the zero Marks mean no model.
//
// The weights are a logistic regression on 7,000 questions of 18 kinds (known items, keywords, wrapped and chatty
// questions, log lines), each asked of everything, of its own project, of another one and without its group, in
// stores of 1,000 to 100,000 memories, and on half of 5,600 questions of six label sets in their own projects, which weigh 20
// to 30 times as much a cell. Sets, kinds and sizes weigh the same; the best-looking hit represents its question.
// With vectors they are the mean of two fits, with Lacking (1.9) and without, by .4, because Lacking alone loses .026 of
// one set. Start then is moved, and Cosine raised by .2, so that of 24 label sets one loses .017 and the others at most .015.
//
// Checked on templates that the fit has not seen, and on eighteen other sets. Wrongly nothing, in the mean of all
// kinds, over everything / in the project: at 1,000 memories .022 / .008 (sets of the fit: .021 / .017),
// at 5,000 .008 / .007 (.003 / .004), at 20,000 .005 / .008 (.002 / .002), at 100,000 (.006 / .003). Of
// questions of a group that is not stored it recognises .50, .38, .32 (.62, .50, .52, .56 at 100,000). Most others
// are keywords or passages that also occur elsewhere. The frontier, by the most that a label set may lose:
//
//	lost                     .005  .010  .015  .020  .025  .030
//	recognised at 1,000       .27   .51   .62   .67   .70   .72
//	others                    .20   .40   .50   .56   .58   .59
//	without the length or Lacking, up to 2,000 memories:
//	recognised at 1,000       .30   .39   .44   .48   .55   .56
//	others                    .20   .29   .33   .36   .44   .46
//
// Without vectors it loses up to .039 of a label set and recognises .40, .34, .26 (.44, .38, .38, .42), at the same loss
// .26, .29, .30 (.32, .36, .41, .53) without the length and Lacking.
//
// Left out, because they add nothing: the best window of a long question, word pairs beside runs, the share of the question
// that its run is, how far the best stands above the others, and the weight of the rarest word as it is in the collection.
// Boosted trees over 43 such figures recognise .58 of other sets where this has .53, and less of whole questions.
//
// Cosine is not fitted on these, which have hardly a synonym alone: it is the policy's of before.
func DefaultThreshold(m Marks) ThresholdPolicy {
	return ThresholdPolicy{
		Marks:  m,
		Hybrid: Belief{Start: -3.59, Coverage: 6.2, Specific: 3.8, Run: 4.9, Cosine: 3.9, Size: 0.43, Lacking: 0.75, Keywords: 1.2, Pasted: 2.4, Enough: 0.25, Threshold: 0.10},
		Words:  Belief{Start: -1.54, Coverage: 7.3, Specific: 3.4, Run: 5.3, Size: 0.39, Lacking: 1.6, Keywords: 1.9, Pasted: 1.4, Enough: 0.22, Threshold: 0.17},
		Cosine: Belief{Start: -2.9, Cosine: 5.2, Size: 0.52, Enough: 0.25, Threshold: 0.10},
	}
}

// belief returns the weights for e, and its cosine scaled from Noise (0) to Answer (1).
func (p ThresholdPolicy) belief(e Evidence) (b Belief, cosine float64) {
	if !e.Known || p.Marks.Answer <= p.Marks.Noise || math.IsNaN(e.Cosine) {
		return p.Words, 0
	}
	b = p.Hybrid
	if e.Unspoken {
		b = p.Cosine
	}
	return b, (min(max(e.Cosine, -1), 1) - p.Marks.Noise) / (p.Marks.Answer - p.Marks.Noise)
}

// Relevance returns the likelihood that a hit answers its question, in [0, 1]: the logistic
// function of the policy's evidence. It never falls with coverage, specificity, run or cosine and never rises with
// memories in scope. It is for the threshold only; the score orders the list.
func (p ThresholdPolicy) Relevance(e Evidence) float64 {
	const (
		chance, quoted = 2, 8 // words in a row
		few, many      = 30, 1000

		keywords, sentence = 3, 9 // words
		passage, page      = 30, 100
	)
	b, cosine := p.belief(e)
	asked := float64(max(e.Asked, 1))
	odds := b.Start + b.Cosine*cosine + b.Coverage*share(e.Coverage) + b.Specific*share(e.Specific) +
		b.Run*share(float64(e.Run-chance)/(quoted-chance)) - b.Size*math.Log(float64(min(max(e.Rows, few), many))) -
		b.Lacking*share(e.Lacking) - b.Keywords*(1-share((asked-keywords)/(sentence-keywords))) - b.Pasted*share(math.Log(asked/passage)/math.Log(float64(page)/passage))
	return 1 / (1 + math.Exp(-odds))
}

// share returns x within [0, 1], 0 for NaN.
func share(x float64) float64 {
	if x > 0 {
		return min(x, 1)
	}
	return 0
}

// Above returns which hits of a list, best first, are relevant enough: verdict i belongs to
// hits[i]. It is nil if nothing is relevant, that is if none of the first ten hits reaches Enough.
// Other hits are below the threshold and listed separately.
//
// Only the first ten count: a list of hundreds contains one that looks good by chance, and a hit
// that the ranking put there must not decide for the list. Chatty questions need more than five: their usual words
// may rank others before the one memory that has the name.
func (p ThresholdPolicy) Above(hits []Evidence) []bool {
	const head = 10
	answered := false
	above := make([]bool, len(hits))
	for i, e := range hits {
		relevance := p.Relevance(e)
		b, _ := p.belief(e)
		answered = answered || i < head && relevance >= b.Enough
		above[i] = relevance >= b.Threshold
	}
	if !answered {
		return nil
	}
	return above
}
