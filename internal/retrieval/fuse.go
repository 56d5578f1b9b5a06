package retrieval

import (
	"cmp"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Fuser joins lists of hits of one question in the same room: a result lasts until the next but one, so that it may be one
// of the lists. The zero Fuser is ready.
type Fuser struct {
	at    map[int64]int // place of each memory in the result
	fused [2][]engram.Ranked
	turn  int // in fused, of the last result

	shares []float64 // of the hits of both lists
}

// Scores combines lexical and vector hits by score:
//
//	score = (1 - weight) · words / greatest of words + weight · max(cosine, 0) / greatest cosine
//
// It keeps the lead of the first hit over the second, which ranks discard: with a small embedding
// model it is worth .005 R@10 and nDCG@10 against Ranks in the mean of six label sets (vector
// weight 0.2 here, 0.3 there); no set has a better nDCG@10 by ranks.
//
// weight is that of the vectors, 0 to 1. Scores are in [0, 1]; a memory missing from a list gets
// nothing from it; each list names a memory once. The result has every memory of both lists, in no
// order (SortBest). The lists need not be sorted and are not changed.
//
// Source: the weighted sum of Fox, Shaw, "Combination of Multiple Searches", TREC-2, 1994, over
// scores divided by their maximum.
func (x *Fuser) Scores(weight float64, words, meaning []engram.Ranked) []engram.Ranked {
	x.shares = ofGreatest(ofGreatest(x.shares[:0], words), meaning)
	return x.joined(weight, words, meaning)
}

// ofGreatest appends the scores divided by the greatest; negative scores become 0.
func ofGreatest(shares []float64, list []engram.Ranked) []float64 {
	most := 0.0
	for _, f := range list {
		most = max(most, f.Score)
	}
	for _, f := range list {
		share := 0.0
		if most > 0 {
			share = max(f.Score, 0) / most
		}
		shares = append(shares, share)
	}
	return shares
}

// RankDamping flattens the head of the lists in Fuser.Ranks. The published value is 60, for lists of about equal
// quality. Here the words are much better than the vectors, and with 5 their first hits keep their lead: +.014
// R@10, +.026 nDCG@10 against 60 in the mean of six label sets, vector weight 0.3; 10 is equivalent.
const RankDamping = 5

// Ranks combines lexical and vector hits by weighted reciprocal rank:
//
//	score = (1 - weight) / (RankDamping + rank in words) + weight / (RankDamping + rank in meaning)
//
// with ranks from 1, divided by the score of a memory that is first in both lists, so that scores
// are in [0, 1] like those of Scores. It is for models whose cosines say little about how much
// nearer one memory is than the next.
//
// weight is that of the vectors, 0 to 1; each list names a memory once, best first. The result has
// every memory of both lists, in no order (SortBest). The lists are not changed.
//
// Source: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and Individual
// Rank Learning Methods", SIGIR 2009.
func (x *Fuser) Ranks(weight float64, words, meaning []engram.Ranked) []engram.Ranked {
	x.shares = ranks(ranks(x.shares[:0], words), meaning)
	return x.joined(weight, words, meaning)
}

// ranks appends the share of each place in a list, 1 for the first.
func ranks(shares []float64, list []engram.Ranked) []float64 {
	for i := range list {
		shares = append(shares, (RankDamping+1)/(RankDamping+1+float64(i)))
	}
	return shares
}

// Shares returns the share that each memory of a list has of the first, from 0 to 1, by rank or by score as in Ranks and
// Scores. It sorts the list.
func Shares(by engram.Fusion, list []engram.Ranked) map[int64]float64 {
	Sort(list)
	parts := ofGreatest(nil, list)
	if by == engram.FusionRank {
		parts = ranks(nil, list)
	}
	shares := make(map[int64]float64, len(list))
	for i, f := range list {
		shares[f.Num] = parts[i]
	}
	return shares
}

// joined adds up the shares of each memory, times the weights of the lists. Hits of a list without weight are left out.
func (x *Fuser) joined(weight float64, words, meaning []engram.Ranked) []engram.Ranked {
	x.turn = 1 - x.turn
	fused, shares := slices.Grow(x.fused[x.turn][:0], len(words)+len(meaning)), x.shares
	if x.at == nil {
		x.at = make(map[int64]int, len(words)+len(meaning))
	}
	at := x.at
	clear(at)
	for _, part := range []struct {
		weight float64
		list   []engram.Ranked
	}{{1 - weight, words}, {weight, meaning}} {
		for i, f := range part.list {
			if !(part.weight > 0) {
				break
			}
			k, known := at[f.Num]
			if !known {
				k = len(fused)
				at[f.Num] = k
				fused = append(fused, engram.Ranked{Num: f.Num})
			}
			fused[k].Score += part.weight * shares[i]
		}
		shares = shares[len(part.list):]
	}
	x.fused[x.turn] = fused
	return fused
}

// Sort sorts hits, best first; of equal ones the later memory, whose Num is greater, comes first.
func Sort(finds []engram.Ranked) { slices.SortFunc(finds, Compare) }

// Compare orders hits as Sort does.
func Compare(a, b engram.Ranked) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	case a.Score == b.Score:
		return cmp.Compare(b.Num, a.Num)
	}
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num)) // NaN
}

// SortBest puts the best hits, so many, first, sorted, and leaves the others in any order.
func SortBest(finds []engram.Ranked, best int) {
	best = min(best, len(finds))
	for rest, n := finds, best; 0 < n && n < len(rest); { // quickselect: [0, i) is not worse than the pivot, (j, len) not better
		pivot := rest[len(rest)/2]
		i, j := 0, len(rest)-1
		for i <= j {
			for Compare(rest[i], pivot) < 0 {
				i++
			}
			for Compare(rest[j], pivot) > 0 {
				j--
			}
			if i <= j {
				rest[i], rest[j] = rest[j], rest[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			rest = rest[:j+1]
		case n >= i:
			n, rest = n-i, rest[i:]
		default:
			n = 0
		}
	}
	Sort(finds[:best])
}
