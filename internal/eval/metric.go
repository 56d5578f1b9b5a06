// Package eval says how good a ranking is, in the numbers that retrieval is
// usually measured by (metric.go), and reads the sets of questions with known
// answers that they need (set.go).
//
// Relevance is binary: a document answers the question or it does not. A document
// that a ranking names twice counts at its first place only. Files are read through
// the fs.FS that is handed in; the program in live/ asks a running server.
package eval

import "math"

// Relevant is the set of documents that answer one question.
type Relevant map[string]bool

// Recall returns the share of the relevant documents among the first k:
// |top k ∩ relevant| / |relevant|. It is 0 when nothing is relevant.
//
// Source: Manning, Raghavan, Schütze, "Introduction to Information Retrieval",
// Cambridge 2008, section 8.3.
func Recall(ranking []string, relevant Relevant, k int) float64 {
	if len(relevant) == 0 {
		return 0
	}
	found := 0
	for _, id := range top(ranking, k) {
		if relevant[id] {
			found++
		}
	}
	return float64(found) / float64(len(relevant))
}

// ReciprocalRank returns 1/rank of the first relevant document among the first k,
// ranks from 1, and 0 when there is none. Its mean over questions is MRR@k.
//
// Source: Voorhees, "The TREC-8 Question Answering Track Report", TREC 1999.
func ReciprocalRank(ranking []string, relevant Relevant, k int) float64 {
	for i, id := range top(ranking, k) {
		if relevant[id] {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// NDCG returns the discounted cumulative gain of the first k over that of the best
// ranking possible: Σ rel(i)/log2(i+1), ranks from 1, divided by the same sum with
// the relevant documents in front. It lies in [0, 1]; 0 when nothing is relevant.
//
// Source: Järvelin, Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques",
// ACM TOIS 20(4), 2002; with the discount of Burges et al., ICML 2005.
func NDCG(ranking []string, relevant Relevant, k int) float64 {
	var gain, best float64
	for i, id := range top(ranking, k) {
		if relevant[id] {
			gain += discount(i)
		}
	}
	for i := range min(k, len(relevant)) {
		best += discount(i)
	}
	if best == 0 {
		return 0
	}
	return gain / best
}

// Hit reports whether a relevant document is among the first k.
func Hit(ranking []string, relevant Relevant, k int) bool {
	return ReciprocalRank(ranking, relevant, k) > 0
}

// discount is what a document at place i, from 0, is worth.
func discount(i int) float64 { return 1 / math.Log2(float64(i)+2) }

// top returns the first k different documents of a ranking.
func top(ranking []string, k int) []string {
	seen := make(map[string]bool, k)
	out := make([]string, 0, max(0, min(k, len(ranking))))
	for _, id := range ranking {
		if len(out) >= k {
			break
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// Report is the mean of every measure over the questions of a set, each at the
// first ten places.
type Report struct {
	Questions int
	Recall    float64
	MRR       float64
	NDCG      float64
	Hit       float64 // share of questions with a relevant document
	Empty     float64 // share of questions with no answer at all
}

// Measure scores one ranking for each question of set; a question without a
// ranking was answered by nothing. The Report of no questions is zero.
func Measure(set Set, rankings map[string][]string) Report {
	const k = 10
	var r Report
	for _, q := range set.Questions {
		ranking, relevant := rankings[q.ID], set.Relevant[q.ID]
		r.Questions++
		r.Recall += Recall(ranking, relevant, k)
		r.MRR += ReciprocalRank(ranking, relevant, k)
		r.NDCG += NDCG(ranking, relevant, k)
		if Hit(ranking, relevant, k) {
			r.Hit++
		}
		if len(ranking) == 0 {
			r.Empty++
		}
	}
	if n := float64(r.Questions); n > 0 {
		r.Recall, r.MRR, r.NDCG, r.Hit, r.Empty = r.Recall/n, r.MRR/n, r.NDCG/n, r.Hit/n, r.Empty/n
	}
	return r
}
