package tokenizer

import (
	"slices"
	"unicode/utf8"
)

// unknownPenalty is how far an unknown rune's score is below the lowest score of a piece.
const unknownPenalty = 10

// unigram takes the most probable division of a text into pieces: the one with the largest sum of scores.
//
// Source: Kudo, "Subword Regularization", ACL 2018; the search is Viterbi's.
type unigram struct {
	ids     map[string]int32
	scores  []float64
	unknown int32
	penalty float64 // score of a rune that is no piece
	longest int     // bytes of the longest piece
}

// A step is the best way to a place of the text: the score so far, where its last piece begins, and that piece.
type step struct {
	score float64
	from  int
	id    int32
}

func (u *unigram) encode(ids []int32, text string, forbidden map[int32]bool) []int32 {
	best := make([]step, len(text)+1)
	for i := 1; i < len(best); i++ {
		best[i].from = -1
	}
	reach := func(to int, s step) {
		if best[to].from < 0 || s.score > best[to].score {
			best[to] = s
		}
	}
	for i := 0; i < len(text); {
		_, rune1 := utf8.DecodeRuneInString(text[i:])
		known := false
		for end := i + rune1; end-i <= u.longest; {
			if id, ok := u.ids[text[i:end]]; ok && !forbidden[id] {
				reach(end, step{best[i].score + u.scores[id], i, id})
				known = known || end == i+rune1
			}
			if end == len(text) {
				break
			}
			_, n := utf8.DecodeRuneInString(text[end:])
			end += n
		}
		if !known {
			reach(i+rune1, step{best[i].score + u.penalty, i, u.unknown})
		}
		i += rune1
	}
	begin := len(ids)
	for at := len(text); at > 0; at = best[at].from {
		// Neighbouring unknowns are one.
		if id := best[at].id; id != u.unknown || len(ids) == begin || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	slices.Reverse(ids[begin:])
	return ids
}
