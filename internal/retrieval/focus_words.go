package retrieval

import (
	"math"
	"strings"

	"github.com/alanbuscaglia/engram/internal/text"
)

// maxSaid is how many bytes of a memory are compared: enough to tell whether two say the same, and
// cheap for a large log.
const maxSaid = 8 << 10

type coverage struct {
	words  [][]int   // of each candidate, each word once
	weight []float64 // of each word: greater for rarer ones among the candidates
	total  []float64 // of each candidate, the sum of its words' weights
	news   []bool    // words that change the meaning, however few they are
	by     []int     // the candidate that showed the word; -1 for none
}

func newCoverage(cs []Candidate) coverage {
	c := coverage{words: make([][]int, len(cs)), total: make([]float64, len(cs))}
	ids, written := map[string]int{}, map[string]int{} // by stem; and by word, because stemming is most of the work
	var df []int
	for i := range cs {
		seen := map[int]bool{}
		text.Scan(text.Clip(cs[i].Body, maxSaid), func(t text.Token) {
			if t.Stop && !negates(t.Word) || t.Kind == text.Char || t.Kind == text.Joined {
				return
			}
			id, known := written[t.Word]
			if !known {
				stem := t.Text()
				if id, known = ids[stem]; !known {
					id = len(df)
					ids[stem] = id
					df = append(df, 0)
					c.news = append(c.news, negates(t.Word) || strings.ContainsAny(stem, "0123456789"))
				}
				written[t.Word] = id
			}
			if !seen[id] {
				seen[id] = true
				df[id]++
				c.words[i] = append(c.words[i], id)
			}
		})
	}
	c.weight, c.by = make([]float64, len(df)), make([]int, len(df))
	for id, n := range df {
		c.weight[id], c.by[id] = math.Log1p(float64(len(cs))/float64(n)), -1
	}
	for i, words := range c.words {
		for _, id := range words {
			c.total[i] += c.weight[id]
		}
	}
	return c
}

// negates reports whether a word negates; the analyser treats most of them as stop words.
func negates(w string) bool {
	switch w {
	case "not", "no", "never", "nor", "none", "without", "cannot", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "wont", "cant":
		return true
	}
	return false
}

// added returns the share of candidate i, 0 to 1, that was not shown yet, and the candidate that it repeats: -1
// unless the share is below least. A new number or negation is never a repeat, because it may be a correction.
func (c *coverage) added(i int, least float64) (part float64, repeats int) {
	if c.total[i] == 0 {
		return 1, -1 // only punctuation: not comparable
	}
	fresh, corrects := 0.0, false
	for _, id := range c.words[i] {
		if c.by[id] < 0 {
			fresh += c.weight[id]
			corrects = corrects || c.news[id]
		}
	}
	part = fresh / c.total[i]
	if part >= least || corrects {
		return part, -1
	}
	return part, c.source(i)
}

// source returns the candidate that showed most of candidate i.
func (c *coverage) source(i int) int {
	from, most := map[int]float64{}, -1
	for _, id := range c.words[i] {
		if by := c.by[id]; by >= 0 {
			from[by] += c.weight[id]
		}
	}
	for by, w := range from {
		if most < 0 || w > from[most] || w == from[most] && by < most {
			most = by
		}
	}
	return most
}

func (c *coverage) cover(i int) {
	for _, id := range c.words[i] {
		if c.by[id] < 0 {
			c.by[id] = i
		}
	}
}
