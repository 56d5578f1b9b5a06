package retrieval

import "github.com/alanbuscaglia/engram/internal/vector"

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

// Mean returns the mean of vectors, or nil.
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

// Limits of Cohesion's measure: neighbours are unrelated below the first, related above the second.
const (
	looseCohesion = 0.04
	firmCohesion  = 0.055
)

// Cohesion returns how far memories saved one after another share a topic, 0 to 1: turns of a conversation do,
// commits of many people do not. It compares the cosine of neighbours with that of distant memories:
//
//	(near - far) / (1 - far), 0.04 giving 0 and 0.055 giving 1
//
// Measured on label sets: functions of a library -0.00, commit logs 0.02 to 0.05, chats 0.06 to
// 0.09, facts from them 0.2 to 0.3, agents' transcripts and passages of design documents 0.2 to
// 0.4. vectors are those of one project in the order of saving; fewer than LeastCohesion give 0.2.
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

// LeastCohesion is the number of vectors that Cohesion needs.
const LeastCohesion = 60
