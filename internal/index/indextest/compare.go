package indextest

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// compare says where an answer differs from the model's; "" if nowhere.
func (a answer) compare(q engram.LexicalQuery, got engram.Lexical) string {
	if q.Filter.Project == "unknown" || (a.rows == 0 && got.Rows == 0) {
		if len(got.Hits) > 0 {
			return fmt.Sprintf("hits in no memory: %v", got.Hits)
		}
		return ""
	}
	if got.Rows == 0 && len(got.Words) == 0 && len(a.scores) == 0 {
		return "" // no memory can pass the filter, so the index does not look
	}
	if got.Rows != a.rows || !near(got.Length, a.length) {
		return fmt.Sprintf("got %d memories of %v words, want %d of %v", got.Rows, got.Length, a.rows, a.length)
	}
	for i, w := range a.words {
		g := got.Words[i]
		if !reflect.DeepEqual(g.Term, w.Term) || g.Rows != w.Rows || g.Repaired != w.Repaired && w.Rows > 0 || !slices.Equal(g.Matched, w.Matched) {
			return fmt.Sprintf("word %d:\n got %+v\nwant %+v", i, g, w)
		}
	}
	best, rest := ranked(a.scores), ranked(a.filled)
	rest = slices.DeleteFunc(rest, func(r engram.Ranked) bool { _, has := a.scores[r.Num]; return has })
	own := min(len(best), q.Limit)
	if want := min(own+len(rest), q.Limit); len(got.Hits) != want {
		return fmt.Sprintf("got %d hits, want %d: %v and %v, then %v", len(got.Hits), want, got.Hits, best, rest)
	}
	seen := map[int64]bool{}
	for i, h := range got.Hits {
		if seen[h.Num] {
			return fmt.Sprintf("memory %d is found twice", h.Num)
		}
		seen[h.Num] = true
		if i > 0 && i < own && (h.Score > got.Hits[i-1].Score || h.Score == got.Hits[i-1].Score && h.Num > got.Hits[i-1].Num) {
			return fmt.Sprintf("hits are out of order at %d: %v", i, got.Hits)
		}
		want, score := 0.0, 0.0
		has := false
		if i < own {
			want = best[i].Score
			score, has = a.scores[h.Num]
		} else {
			want = rest[i-own].Score
			score, has = a.filled[h.Num]
			if own > 0 {
				want, score = min(want, best[own-1].Score), min(score, best[own-1].Score)
			}
		}
		// Equal scores may differ in the last digits of their sums, and so change places.
		if !has || !near(h.Score, want) || !near(h.Score, score) {
			return fmt.Sprintf("hit %d: got %v, want a score of %v (the memory's: %v, %v)\n got %v\nwant %v", i, h, want, score, has, got.Hits, best)
		}
	}
	if q.All || q.Alone {
		return ""
	}
	return a.compareSurroundings(got)
}

func (a answer) compareSurroundings(got engram.Lexical) string {
	number := map[int64]bool{}
	for _, h := range got.Hits {
		want, has := a.beside[h.Num]
		var g engram.Beside
		place, is := got.Beside[h.Num]
		if is {
			g = *place
		}
		number[g.Session] = true
		if g.Session = 0; is != has || g != want {
			return fmt.Sprintf("beside memory %d:\n got %+v\nwant %+v", h.Num, g, want)
		}
		parts := got.Parts[h.Num]
		if _, filled := a.scores[h.Num]; !filled {
			continue
		}
		for j, part := range a.parts[h.Num] {
			if len(parts) != len(a.parts[h.Num]) || !near(float64(parts[j]), part) {
				return fmt.Sprintf("parts of memory %d: got %v, want %v", h.Num, parts, a.parts[h.Num])
			}
		}
	}
	return ""
}

// ranked returns scores best first, of equal ones the newest.
func ranked(scores map[int64]float64) []engram.Ranked {
	var all []engram.Ranked
	for _, num := range slices.Backward(slices.Sorted(maps.Keys(scores))) {
		all = append(all, engram.Ranked{Num: num, Score: scores[num]})
	}
	slices.SortStableFunc(all, func(a, b engram.Ranked) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return all
}

// near reports whether two scores differ by less than sums of 32 bits do.
func near(a, b float64) bool { return math.Abs(a-b) <= 2e-6*(1+math.Abs(a)+math.Abs(b)) }
