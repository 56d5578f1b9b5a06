package retrieval

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// Centred returns the vector of a question without what all memories have in common: question - mean,
// normalised. The vectors of one project point in a similar direction, so every question is somewhat near to
// all of them; centring only the question orders nearly as well as centring everything (R@10 .727 to .728 in
// the mean of six label sets, .722 without), and no stored vector changes when the mean moves.
//
// mean is that of the memories' vectors, nil if unknown; the question is then returned unchanged,
// as is one that equals the mean. The arguments are not changed.
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

// PRFHits and PRFWeight are how many best hits move a question's vector, and how far.
const (
	PRFHits   = 3
	PRFWeight = 0.5
)

// PseudoRelevanceFeedback returns the vector of a question moved towards its best hits: question + PRFWeight ×
// their mean, normalised. What they share is part of what was meant, in whatever words: +.004 R@10 in the mean
// of six label sets, none loses. Without hits it returns the question. The arguments are not changed.
//
// Source: Rocchio, "Relevance Feedback in Information Retrieval", in Salton (ed.), The SMART
// Retrieval System, 1971, without negative examples, taking the first hits as relevant.
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

// Cosine returns the cosine of two normalised vectors; 0 if their lengths differ.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	return vector.Dot(a, b)
}

// Limits of the measure of cohesion: neighbours are unrelated below the first, related above the second.
const (
	looseCohesion = 0.04
	firmCohesion  = 0.055
)

// LeastCohesion is the number of vectors that tell the cohesion; fewer give 0.2.
const LeastCohesion = 60

// Lean returns the mean of the vectors of one project in the order of saving, nil of none, and their cohesion: how far
// memories saved one after another share a topic, 0 to 1. Turns of a conversation do, commits of many people do not. It
// compares the cosine of neighbours with that of distant memories:
//
//	(near - far) / (1 - far), 0.04 giving 0 and 0.055 giving 1
//
// Measured on label sets: functions of a library -0.00, commit logs 0.02 to 0.05, chats 0.06 to
// 0.09, facts from them 0.2 to 0.3, agents' transcripts and passages of design documents 0.2 to
// 0.4.
//
// It reads each vector once and keeps a third of them in room, if that is large enough.
func Lean(of engram.StoredVectors, room []float32) (mean []float32, cohesion float64) {
	n, size := of.Count, of.Dimensions
	if n == 0 {
		return nil, 0.2
	}
	kept := n/3 + 1
	if len(room) < kept*size {
		room = make([]float32, kept*size)
	}
	at := func(i int) []float32 { return room[i%kept*size:][:size] }
	mean = make([]float32, size)
	steps := [...]int{1, n / 5, n / 4, n / 3}
	var sums [len(steps)]float64
	for i := range n {
		v := at(i)
		of.Read(i, v)
		for k, x := range v {
			mean[k] += x
		}
		for k, step := range steps {
			if step <= i {
				sums[k] += Cosine(at(i-step), v)
			}
		}
	}
	for k := range mean {
		mean[k] /= float32(n)
	}
	if n < LeastCohesion {
		return mean, 0.2
	}
	for k, step := range steps {
		sums[k] /= float64(n - step)
	}
	far := (sums[1] + sums[2] + sums[3]) / 3
	if far >= 1 {
		return mean, 0.5 // they all say the same
	}
	return mean, unit(((sums[0]-far)/(1-far) - looseCohesion) / (firmCohesion - looseCohesion))
}
