package retrieval

import (
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

const (
	// leastAskedWords is the least number of words of a question that says what two finds are about.
	leastAskedWords = 3
	// together is the share of pairs above which a find has the words of a question as closely as it does.
	together = 0.99
	// leastCovered is the credit from which a find has a word of the question.
	leastCovered Covered = 0.6
)

// Stated is a find with what it says of the question.
type Stated struct {
	engram.Ranked
	Project string
	At      time.Time // when it got its text
	Placed  bool      // it keeps its place: a memory that supersedes it precedes it
	Named   int       // how surely the question names it; 0 for not at all
	Covers  []Covered // each asked word
	Pairs   float64   // as in Matched
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
// with their square; ten are what people read.
//
// Two finds of a project are about the same if the pair was flagged as a contradiction and the later has every asked word
// that the earlier has, or if both have every word of the question, of three or more, each near the next. So "staging"
// does not pass "production" in otherwise equal sentences, and notes that merely share two words keep their order. It
// costs .006 nDCG@10 on one of twenty-four label sets, .003 on another; asking less (two words, or half as close) costs
// up to .04, one missing word moves ten relevant memories down for each that it moves up.
func NewestFirst(finds []Stated, pair func(a, b int64) Likely) (placed []Stated, over map[int64]int64) {
	placed, over = slices.Clone(finds), map[int64]int64{}
	for i := range placed {
		latest := i
		for j := i + 1; j < len(placed); j++ {
			if placed[j].At.After(placed[latest].At) && sameSubject(placed[i], placed[j], pair) {
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

// sameSubject reports whether a later find is about the same as an earlier one, as far as the question tells.
func sameSubject(earlier, later Stated, pair func(a, b int64) Likely) bool {
	if earlier.Project != later.Project || earlier.Placed || later.Placed || earlier.Named > later.Named {
		return false
	}
	words := 0
	for i, c := range earlier.Covers {
		if c < leastCovered {
			continue
		}
		if later.Covers[i] < leastCovered {
			return false
		}
		words++
	}
	switch known := pair(earlier.Num, later.Num); {
	case words == 0 || known == Different:
		return false
	default:
		return known == Conflicted || words >= leastAskedWords && words == len(earlier.Covers) && earlier.Pairs > together && later.Pairs > together
	}
}
