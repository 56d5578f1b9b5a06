package retrieval

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Stated is a find with what it says of the question.
type Stated struct {
	engram.Ranked
	Project string
	Type    engram.Type
	At      time.Time // when it got its text
	Placed  bool      // it keeps its place: a memory that supersedes it precedes it
	Named   int       // how surely the question names it; 0 for not at all
	Covers  []Covered // each asked word
	Said    Said      // all of one lexicon
	Vector  []float32 // nil without a model
}

// Subject is what a question asks for, as far as it tells that two finds are about the same.
type Subject struct {
	Words    []Wanted
	Asked    []Asked                 // the same words
	Rows     int                     // memories in scope
	Cohesion float64                 // result of Lean: 1 among turns of a talk
	Line     func(word string) int   // in the model's vocabulary; nil for no such model
	Pair     func(a, b int64) Likely // what is known of a pair
}

// Likely says what is known of a pair of memories.
type Likely int

// What is known of a pair.
const (
	Unknown    Likely = iota
	Different         // judged to be compatible, or of other scopes
	Conflicted        // flagged as a contradiction
)

// NewestFirst puts the later of two finds about the same before the earlier, with its score; over maps each find that
// moved up to the one it now precedes. finds are best first; those that do not move keep their order. The cost grows
// with their square; eight are what people read.
//
// Two finds of a project are about the same if the pair was flagged as a contradiction and the later has every asked word
// that the earlier has, or if odds is positive and they are not of different types: no decision replaces a bug.
func NewestFirst(finds []Stated, s Subject) (placed []Stated, over map[int64]int64) {
	placed, over = slices.Clone(finds), map[int64]int64{}
	for i := range placed {
		latest := i
		for j := i + 1; j < len(placed); j++ {
			if placed[j].At.After(placed[latest].At) && s.same(placed[i], placed[j]) {
				latest = j
			}
		}
		if latest == i {
			continue
		}
		moved := placed[latest]
		moved.Score, over[moved.Num] = placed[i].Score, placed[i].Num
		placed = slices.Insert(slices.Delete(placed, latest, latest+1), i, moved)
	}
	return placed, over
}

// leastCovered is the credit from which a find has a word of the question.
const leastCovered Covered = 0.6

// same reports whether a later find is about the same as an earlier one.
func (s Subject) same(earlier, later Stated) bool {
	if earlier.Project != later.Project || earlier.Placed || later.Placed || earlier.Named > later.Named {
		return false
	}
	shared, lacks := false, false
	for i, c := range earlier.Covers {
		if c >= leastCovered {
			has := later.Covers[i] >= leastCovered
			shared, lacks = shared || has, lacks || !has
		}
	}
	switch known := s.Pair(earlier.Num, later.Num); {
	case !shared || known == Different:
		return false
	case known == Conflicted:
		return !lacks
	}
	untyped := earlier.Type == engram.TypeManual || later.Type == engram.TypeManual
	return (untyped || earlier.Type == later.Type) && s.odds(earlier, later) > 0
}

// odds returns the log odds that a later find states the same fact anew:
//
//	-1.6 + 4 · alike + 1.4 · ln ratio - 3.6 · ln shorter/6 + 2.2 · ln longer/shorter - 1.5 · cohesion
//	     - 1.9 · lost + 1.1 · kept - 2 · other
//
// Alike is the mean of the Dice coefficient of the words of the two and the cosine of their vectors; ratio that of their
// scores: a likely exchange is a cheap one. Shorter (at least 6) and longer (at most 4 times as much) are their distinct
// words: facts are short. In a talk, with cohesion 1, what is said later replaces nothing. Lost is the share of the
// question that only the earlier has. Where it is not 0, kept is the rarity of the rarest word outside the question that
// both have, since news of a replacement names what is replaced; and other is 1 if before a word of the question another
// word stands: "mail service" for "auth service".
//
// It is a logistic regression on 148 updates and 114 pairs that are both true (facts.tsv in the testdata of the search)
// and on pairs of label sets of which one answers. Start is then the highest that leaves .92 of the pairs that are both
// true in place. Left out, because they add nothing: words of change ("now", "moved"), which any news of a thing has, and
// how the texts contradict each other. Finds of more than 16 and 48 words, or with less than half of the question, are
// not judged: of two documents with every word of a question the later is seldom the answer.
func (s Subject) odds(earlier, later Stated) float64 {
	const mostShort, mostLong = 16, 48 // distinct words
	e, l := earlier.Said, later.Said
	short, long := min(len(e.nums), len(l.nums)), max(len(e.nums), len(l.nums))
	if short == 0 || short > mostShort || long > mostLong || !(later.Score > 0) {
		return math.Inf(-1)
	}
	covers := Coverage(s.Asked, had(earlier.Covers), s.Rows)
	if covers < 0.5 {
		return math.Inf(-1)
	}
	shared := common(e, l)
	alike := 2 * float64(len(shared)) / float64(short+long)
	if earlier.Vector != nil && later.Vector != nil {
		alike = (alike + Cosine(earlier.Vector, later.Vector)) / 2
	}
	z := -1.6 + 4.0*alike + 1.4*math.Log(later.Score/earlier.Score) -
		3.6*math.Log(float64(max(short, 6))/6) + 2.2*math.Log(min(float64(long)/float64(short), 4)) - 1.5*share(s.Cohesion)
	lost := covers - Coverage(s.Asked, had(later.Covers), s.Rows)
	if lost < 0.05 {
		return z
	}
	z += 1.1*s.kept(shared) - 1.9*lost
	if z > 0 && s.other(e, l) {
		z -= 2.0
	}
	return z
}

// had returns full credit for the words that a find has, none for others.
func had(covers []Covered) []Covered {
	has := make([]Covered, len(covers))
	for i, c := range covers {
		if c >= leastCovered {
			has[i] = 1
		}
	}
	return has
}

// common returns the words of a that b has in any form.
func common(a, b Said) (shared []*Lexeme) {
	for i := range a.nums {
		if x := a.word(i); b.has(x) {
			shared = append(shared, x)
		}
	}
	return shared
}

// has reports whether a text has a word in any form.
func (s Said) has(x *Lexeme) bool {
	return slices.ContainsFunc(s.nums, func(num int32) bool { return x.num == num || x.Stem() == s.all[num].Stem() })
}

// asks reports whether a word is one of the question.
func (s Subject) asks(x *Lexeme) bool {
	credit, _ := credits(s.Words, x)
	return credit != nil
}

// kept returns the general rarity of the rarest of the words that the question does not have, 0 to 1.
func (s Subject) kept(words []*Lexeme) (rarity float64) {
	for _, x := range words {
		if !s.asks(x) {
			line := -1
			if s.Line != nil {
				line = s.Line(x.Word)
			}
			rarity = max(rarity, General(line)/unknownGeneral)
		}
	}
	return share(rarity)
}

// other reports whether before a word of the question that both have, the earlier has another word of the question, and
// the later a word that neither the earlier nor the question has.
func (s Subject) other(earlier, later Said) bool {
	for a, b := range earlier.pairs() {
		if !later.has(b) || later.has(a) || !s.asks(a) || !s.asks(b) {
			continue
		}
		for c, d := range later.pairs() {
			if d.Stem() == b.Stem() && !earlier.has(c) && !s.asks(c) {
				return true
			}
		}
	}
	return false
}

// pairs yields the words that follow each other, within the title and within the content.
func (s Said) pairs() iter.Seq2[*Lexeme, *Lexeme] {
	return func(yield func(a, b *Lexeme) bool) {
		for i := 1; i < len(s.order); i++ {
			if i != s.title && !yield(s.all[s.order[i-1]], s.all[s.order[i]]) {
				return
			}
		}
	}
}
