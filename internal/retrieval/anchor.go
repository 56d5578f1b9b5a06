package retrieval

import "github.com/alanbuscaglia/engram"

// AnchorPolicy bounds what the state of the code that a memory speaks of does to its score.
type AnchorPolicy struct {
	Changed float64 // the score of a memory whose code changed is multiplied by it
	Gone    float64 // likewise, where all of its code is gone
}

// DefaultAnchors is the policy in force. Code that changed is a reason to look, not proof that
// what was said is wrong: most commits do not touch what a memory says of a file. The factors are
// therefore as narrow as those of PriorPolicy: of two memories that answer about as well, the
// one whose code stands goes first, and none is buried. What stands raises nothing, for most
// memories have no anchors and would pay for it.
func DefaultAnchors() AnchorPolicy { return AnchorPolicy{Changed: 0.93, Gone: 0.86} }

// Prior is the factor of a memory with these anchors; 1 where nothing of note was seen.
func (p AnchorPolicy) Prior(all []engram.Anchored) engram.Factor {
	f := engram.Factor{Name: "anchors", Value: 1}
	switch Standing(all) {
	case engram.AnchorChanged:
		f.Value = p.Changed
	case engram.AnchorGone:
		f.Value = p.Gone
	}
	return f
}

// Standing is what became of the code of a memory, all in all: gone when none of it is there,
// changed when some of it says something else or is gone, else moved or verified; unknown
// where nobody could look. That a whole file changed which the text only names says nothing:
// files that are worked on always do.
func Standing(all []engram.Anchored) engram.AnchorState {
	seen, gone := 0, 0
	state := engram.AnchorUnknown
	for _, a := range all {
		if a.State == engram.AnchorUnknown {
			continue
		}
		seen++
		s := a.State
		if s == engram.AnchorChanged && a.Named && a.Whole() {
			s = engram.AnchorVerified
		}
		if s == engram.AnchorGone {
			gone++
			s = engram.AnchorChanged
		}
		if rank(s) > rank(state) {
			state = s
		}
	}
	if seen > 0 && gone == seen {
		return engram.AnchorGone
	}
	return state
}

// rank orders states by what weighs more.
func rank(s engram.AnchorState) int {
	switch s {
	case engram.AnchorVerified:
		return 1
	case engram.AnchorMoved:
		return 2
	case engram.AnchorChanged:
		return 3
	}
	return 0
}
