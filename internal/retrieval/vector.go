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

// PRFHits and PRFWeight are how many of the best finds a question's vector is
// moved to, and how far.
const (
	PRFHits   = 3
	PRFWeight = 0.5
)

// PseudoRelevanceFeedback returns the vector of a question moved towards its best finds: question +
// PRFWeight × their mean, of length 1. What they have in common is part of what was
// meant, whatever words were used for it: +.004 R@10 in the mean of six label sets, none
// loses. Without finds it is the question. The arguments are not changed.
//
// Source: Rocchio, "Relevance Feedback in Information Retrieval", in Salton (ed.), The
// SMART Retrieval System, 1971, without negative examples, the first finds taken as
// relevant.
func PseudoRelevanceFeedback(question []float32, finds [][]float32) []float32 {
	if len(finds) == 0 {
		return question
	}
	moved := append([]float32(nil), question...)
	share := float32(PRFWeight / float64(len(finds)))
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

// Mean is the mean of vectors, nil when there are none.
func Mean(vectors [][]float32) []float32 {
	if len(vectors) == 0 {
		return nil
	}
	mean := make([]float32, len(vectors[0]))
	for _, v := range vectors {
		for i := range min(len(v), len(mean)) {
			mean[i] += v[i]
		}
	}
	for i := range mean {
		mean[i] /= float32(len(vectors))
	}
	return mean
}

// Bounds of the measure behind Cohesion: below the first, those who stand next to each
// other have nothing to do with each other, above the second everything.
const (
	looseCohesion = 0.04
	firmCohesion  = 0.055
)

// Cohesion says how far memories that were saved one after the other speak of the same
// matter, 0 to 1: the turns of a talk do, commits of many people in one log do not. It
// compares the cosine of neighbours with that of memories far apart:
//
//	(near - far) / (1 - far), 0.04 giving 0 and 0.055 giving 1
//
// Measured on label sets: functions of a library -0.00, commit logs 0.02 to 0.05, chats
// 0.06 to 0.09, facts drawn from them 0.2 to 0.3, transcripts of agents and passages of
// design documents 0.2 to 0.4. vectors are those of one project in the order of saving;
// fewer than LeastCohesion tell little and give a fifth.
func Cohesion(vectors [][]float32) float64 {
	if len(vectors) < LeastCohesion {
		return 0.2
	}
	at := func(step int) float64 {
		sum := 0.0
		for i := range len(vectors) - step {
			sum += Cosine(vectors[i], vectors[i+step])
		}
		return sum / float64(len(vectors)-step)
	}
	n := len(vectors)
	far := (at(n/5) + at(n/4) + at(n/3)) / 3
	if far >= 1 {
		return 0.5 // they all say the same
	}
	measure := (at(1) - far) / (1 - far)
	return unit((measure - looseCohesion) / (firmCohesion - looseCohesion))
}

// LeastCohesion is how many vectors Cohesion needs.
const LeastCohesion = 60
