package retrieval

import (
	"math"

	"github.com/alanbuscaglia/engram/internal/vector"
)

// WordWeight is what a word of a question counts in its vector when having of rows
// memories have it: 1 for all but the commonest, of which less and less is left (.008
// nDCG@10 on chats, where the names of the speakers are everywhere).
func WordWeight(having, rows int) float64 {
	const full = 0.35 // the rarity, as a share of the greatest, from which on a word counts fully
	n := float64(max(rows, 1))
	df := min(float64(max(having, 0)), n)
	rarity := math.Log(1+(n-df+0.5)/(df+0.5)) / math.Log(1+n)
	return min(1, rarity/full)
}

// Centred returns the vector of a question without what all the memories asked have in
// common: question - mean, of length 1. The vectors of one project lean to one side, so
// that every question is somewhat near to all of them; taking the mean off the question
// alone orders nearly as well as taking it off everything (R@10 .727 to .728 in the mean
// of six label sets, .722 without) and no vector has to be stored anew when it moves.
//
// mean is that of the memories' vectors, nil when it is not known; the question is then
// returned as it is, and so is one that equals the mean. The arguments are not changed.
func Centred(question, mean []float32) []float32 {
	if len(mean) != len(question) {
		return question
	}
	moved := make([]float32, len(question))
	for i, x := range question {
		moved[i] = x - mean[i]
	}
	if !vector.Normalise(moved) {
		return question
	}
	return moved
}

// FeedbackFinds and FeedbackWeight are how many of the best finds a question's vector is
// moved to, and how far.
const (
	FeedbackFinds  = 3
	FeedbackWeight = 0.5
)

// Feedback returns the vector of a question moved towards its best finds: question +
// FeedbackWeight × their mean, of length 1. What they have in common is part of what was
// meant, whatever words were used for it: +.004 R@10 in the mean of six label sets, none
// loses. Without finds it is the question. The arguments are not changed.
//
// Source: Rocchio, "Relevance Feedback in Information Retrieval", in Salton (ed.), The
// SMART Retrieval System, 1971, without negative examples, the first finds taken as
// relevant.
func Feedback(question []float32, finds [][]float32) []float32 {
	if len(finds) == 0 {
		return question
	}
	moved := append([]float32(nil), question...)
	share := float32(FeedbackWeight / float64(len(finds)))
	for _, f := range finds {
		for i := range min(len(f), len(moved)) {
			moved[i] += share * f[i]
		}
	}
	if !vector.Normalise(moved) {
		return question
	}
	return moved
}

// Cosine is the cosine of two vectors of length 1; 0 where their lengths differ.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	return vector.Dot(a, b)
}
