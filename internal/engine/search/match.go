package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// asking is what a question asks for: its content words, in order. Joined forms would count a word twice, a time is
// no subject, and a pair of characters that no memory has spans two words.
type asking struct {
	words  []engram.WordCount
	places []int // of words in lexical.Words
	wanted []retrieval.Wanted
	asked  []retrieval.Asked
	weight []float64 // rarity
}

// ask sets what the question asks for, once the index has answered.
func (q *Question) ask() {
	similar, knows := q.finder.ledger.Embedder.(engram.WordEmbedder)
	var a asking
	for i, w := range q.lexical.Words {
		if w.Term.Joined && len(q.lexical.Words) > 1 || w.Term.Time || w.Rows == 0 && text.Dense(w.Term.Word) {
			continue
		}
		line := -1
		if knows {
			line = similar.Line(meant(w))
		}
		asked := retrieval.Asked{Having: w.Rows, General: retrieval.General(line), Digit: strings.ContainsAny(w.Term.Word, "0123456789")}
		a.words, a.places, a.asked = append(a.words, w), append(a.places, i), append(a.asked, asked)
		a.wanted = append(a.wanted, retrieval.Wanted{Written: w.Term.Written, Stems: append(w.Term.Words(), w.Matched...), Repaired: w.Repaired, Having: w.Rows, Line: line})
		a.weight = append(a.weight, asked.Weight(q.lexical.Rows))
	}
	q.asking = a
}

// matched is how a memory matches what is asked for.
type matched struct {
	retrieval.Matched
	around []retrieval.Covered // with the words of its context
}

// match sets q.matched for the memories that have none yet.
func (q *Question) match(nums []int64) {
	if q.matched == nil {
		q.matched = make(map[int64]matched, len(nums))
		q.ask()
	}
	nums = slices.DeleteFunc(slices.Clone(nums), func(num int64) bool { _, known := q.matched[num]; return known })
	texts := q.texts
	if len(q.matched) > 0 { // relations led to others than were read first
		texts = q.passages(new(retrieval.Texts), walk.Mapped(nums, func(num int64) engram.Ranked { return engram.Ranked{Num: num} }))
	}
	run := ""
	if words := strings.Fields(q.in.Query); len(words) >= retrieval.LeastRun && len(q.in.Query) <= longestRun {
		run = q.in.Query
	}
	for num, m := range texts.Match(q.asking.wanted, q.asking.weight, run) {
		q.matched[num] = q.inIndex(num, m)
	}
}

// longestRun limits a question that is looked for as a quotation, in bytes. Longer ones are found by their words.
const longestRun = 4 << 10

// inIndex adds what only the index knows: the words of texts too long to be read, and those of the context.
func (q *Question) inIndex(num int64, m retrieval.Matched) matched {
	has := func(parts []float32, i int) bool { return len(parts) > 0 && parts[q.asking.places[i]] > 0 }
	parts := q.lexical.Parts[num]
	own, names := retrieval.Missing, q.naming(q.memories[num].Type)
	for i, w := range q.asking.words {
		if names != nil && names[q.asking.places[i]] {
			m.Covered[i] = max(m.Covered[i], retrieval.OfType)
		}
		if has(parts, i) && !w.Repaired {
			m.Covered[i] = 1
		}
		own = max(own, m.Covered[i])
	}
	around := m.Covered
	if b, in := q.lexical.Beside[num]; in && own > 0 { // otherwise only its neighbours answer
		around = slices.Clone(m.Covered)
		for _, n := range []engram.Neighbour{b.Before, b.After} {
			if !retrieval.Near(n, b.At) {
				continue
			}
			parts := q.lexical.Parts[n.Num]
			for i := range around {
				if has(parts, i) {
					around[i] = max(around[i], retrieval.Beside)
				}
			}
		}
	}
	return matched{m, around}
}

// byMatch raises finds whose texts match the question as a whole: all of its words, following words near each other,
// or a rare word.
func (q *Question) byMatch(context.Context) error {
	q.match(walk.NumsOf(q.finds))
	if q.in.Mode == ModeSemantic || q.Wordless() {
		q.setShares()
		return nil
	}
	for i, f := range q.finds {
		q.finds[i].Score += q.gain(f.Num)
	}
	q.addSecond()
	q.wordsFirst()
	q.name()
	retrieval.Sort(q.finds)
	q.setShares()
	return nil
}

// setShares sets the share that each find has of the best score.
func (q *Question) setShares() {
	q.share = make(map[int64]float64, len(q.finds))
	for _, f := range q.finds {
		if best := q.finds[0].Score; best > 0 {
			q.share[f.Num] = f.Score / best
		}
	}
}

// gain returns what a find gains by its match.
func (q *Question) gain(num int64) (sum float64) {
	m := q.matched[num]
	add := func(name string, gain float64) {
		if gain > 0 {
			sum += gain
			q.factor(num, engram.Factor{Name: name, Value: gain})
		}
	}
	add("+ words covered", retrieval.CoverageGain*retrieval.Share(q.asking.weight, m.around))
	add("+ words together", retrieval.PairsGain*m.Pairs)
	for i, w := range q.asking.wanted {
		if w.Rare(q.lexical.Rows) && m.Covered[i] == 1 {
			add("+ rare word", retrieval.RareGain)
			break
		}
	}
	return sum
}

// wordsFirst puts finds that have every word of the question, apart from names of types, before those that lack one and have less of the others,
// whatever their context or meaning adds.
func (q *Question) wordsFirst() {
	words := len(q.asking.words)
	if words < 2 {
		return
	}
	own := make([]float64, len(q.finds)) // by words of the subject alone
	whole := make([]bool, len(q.finds))
	subject := q.subject()
	for i, f := range q.finds {
		parts := q.lexical.Parts[f.Num]
		for _, part := range parts {
			own[i] += float64(part)
		}
		whole[i] = true
		for j, place := range q.asking.places {
			if subject[j] {
				whole[i] = whole[i] && q.matched[f.Num].Covered[j] == 1
			} else if len(parts) > 0 {
				own[i] -= float64(parts[place])
			}
		}
	}
	const behind = 1e-6
	for i, f := range q.finds {
		least := f.Score
		for j, other := range q.finds {
			if !whole[i] && whole[j] && own[j] >= own[i] {
				least = min(least, other.Score-behind)
			}
		}
		if least < f.Score {
			q.factor(f.Num, engram.Factor{Name: "lacks a word", Value: least - f.Score})
			q.finds[i].Score = least
		}
	}
}

// The kinds of known items, the surest last.
const (
	quoted = 1 + iota // the memory has the words of the question in a row
	begun             // its title begins so
	whole             // its title is the question
)

// name finds the known items among the finds.
func (q *Question) name() {
	q.named = map[int64]int{}
	name := retrieval.NameOf(q.in.Query[:min(len(q.in.Query), longestRun)])
	for _, f := range q.finds {
		is, begins := name.Of(q.memories[f.Num].Title)
		switch {
		case is:
			q.named[f.Num] = whole
			q.note(f.Num, "has this title")
		case begins:
			q.named[f.Num] = begun
			q.note(f.Num, "its title begins so")
		case q.matched[f.Num].Run:
			q.named[f.Num] = quoted
			q.note(f.Num, "has these words in a row")
		}
	}
}

// titled returns the finds whose title the question is, or begins.
func (q *Question) titled() []engram.Ranked {
	return slices.DeleteFunc(slices.Clone(q.finds), func(f engram.Ranked) bool { return q.named[f.Num] < begun })
}

// namedFirst puts known items first, of those with the same title the newest. What supersedes one precedes it.
func (q *Question) namedFirst(context.Context) error {
	if len(q.named) == 0 {
		return nil
	}
	place, best := make(map[int64]int, len(q.finds)), 0.0
	for i, f := range q.finds {
		place[f.Num], best = i, max(best, f.Score)
	}
	known := slices.SortedFunc(maps.Keys(q.named), func(a, b int64) int {
		newest := 0
		if q.named[a] == whole {
			newest = q.memories[b].CreatedAt.Compare(q.memories[a].CreatedAt)
		}
		return cmp.Or(cmp.Compare(q.named[b], q.named[a]), newest, cmp.Compare(place[a], place[b]))
	})
	var first []int64
	seen := map[int64]bool{}
	var add func(num int64)
	add = func(num int64) {
		if _, found := place[num]; !found || seen[num] {
			return
		}
		seen[num] = true
		for _, newer := range q.newer[num] {
			add(newer)
		}
		first = append(first, num)
	}
	for _, num := range known {
		add(num)
	}
	const step = 1e-3 // the scores of the others keep their scale
	for i, num := range first {
		q.finds[place[num]].Score = best + step*float64(len(first)-i)
	}
	// What supersedes a find precedes it with the same score.
	slices.SortStableFunc(q.finds, func(a, b engram.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return nil
}
