package indextest

import (
	"time"

	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// model is the index of words as its contract says it answers: a map of live memories, each with its
// words, over which every answer is computed plainly. It has no segments, blocks or slots, and shares no
// code with the index but the tokeniser and the count of typing errors.
type model struct {
	live map[int64]*document
}

// document is a live memory with its words and their weighted frequencies.
type document struct {
	m      engram.Memory
	words  map[string]int
	tools  map[string]bool // the words of its tool's name
	length int
}

func newModel() *model { return &model{live: map[int64]*document{}} }

// clone returns a copy to return to when a transaction is given up.
func (x *model) clone() *model { return &model{live: maps.Clone(x.live)} }

// put has the model say what m says now.
func (x *model) put(m engram.Memory) {
	if m.Forgotten() {
		delete(x.live, m.Num)
		return
	}
	d := &document{m: m, words: map[string]int{}, tools: map[string]bool{}}
	text.Scan(m.ToolName, func(t text.Token) { d.tools[t.Text()] = true })
	add := func(t text.Token, times int) {
		d.length++
		d.words[t.Text()] += times
		if stem := t.Foreign(); stem != "" {
			d.words[stem] += times
		}
	}
	text.ScanMemory(m.Title+" "+m.TopicKey+" "+strings.Join(m.Tags, " "), m.Content, func(t text.Token) { add(t, 2) }, func(t text.Token) {
		if !t.Stop {
			add(t, 1)
		}
	})
	x.live[m.Num] = d
}

// question is one search of the model: the memories of its project, in which words are counted, by number.
type question struct {
	q       engram.LexicalQuery
	off     func(project string) bool
	project []*document
	total   int
	count   map[string]int // memories of the project by word
	looked  []found        // by term
}

// found is what the model answers for a term.
type found struct {
	words    []string
	same     bool // words mean the same, and the most frequent counts
	repaired bool
	tool     string // the term, where tool names have it
	rows     int    // memories of the project that have one of the words
	tools    int    // and that have tool in the name of their tool
}

// answer is what the model answers. Scores has every memory that passes and matches, whatever the limit.
type answer struct {
	rows   int
	length float64
	words  []engram.WordCount
	scores map[int64]float64
	filled map[int64]float64 // the scores of the memories that fill up too short a list
	parts  map[int64][]float64
	beside map[int64]engram.Beside
}

func (x *model) ask(q engram.LexicalQuery, off func(string) bool) answer {
	a := &question{q: q, off: off, count: map[string]int{}}
	for _, num := range slices.Sorted(maps.Keys(x.live)) {
		d := x.live[num]
		if (q.Filter.Project == "" || d.m.Project == q.Filter.Project) && !off(d.m.Project) {
			a.project = append(a.project, d)
			a.total += d.length
			for w := range d.words {
				a.count[w]++
			}
		}
	}
	out := answer{rows: len(a.project), length: float64(a.total) / float64(max(len(a.project), 1))}
	var terms []found
	lacking := false
	for _, term := range q.Terms {
		f := a.look(term)
		rows := a.having(f.words)
		if rows == 0 {
			f = found{}
		}
		f.rows, f.tool, f.tools = rows, term.Word, a.tools(term.Word)
		if f.tools == 0 || q.All || term.Stop || term.Time || term.Joined {
			f.tool, f.tools = "", 0
		}
		a.looked = append(a.looked, f)
		out.words = append(out.words, engram.WordCount{Term: term, Matched: a.mostFrequent(f.words, 32), Repaired: f.repaired, Rows: min(rows+f.tools, out.rows)})
		if q.All && term.Joined {
			continue
		}
		lacking = lacking || rows == 0
		if rows > 0 || f.tool != "" {
			terms = append(terms, f)
		}
	}
	if q.All && lacking {
		return out
	}
	out.scores = a.rank(terms, q.All)
	if q.All {
		return out
	}
	if min(len(out.scores), q.Limit) < min(q.Limit, 10) {
		out.filled = a.rank(a.beginnings(), false)
	}
	out.parts, out.beside = a.parts(out.words), a.neighbours()
	return out
}

// look says which words of the project stand for a term.
func (a *question) look(term engram.Term) found {
	exact := slices.DeleteFunc(term.Words(), func(w string) bool { return a.count[w] == 0 })
	if len(exact) > 0 {
		return found{words: exact, same: true}
	}
	if term.Stop || term.Time || !a.q.All && !term.Joined && a.tools(term.Word) > 0 {
		return found{}
	}
	if len(a.q.Terms) <= 6 && utf8.RuneCountInString(term.Written) >= 3 {
		if words := a.wordsOf(func(w string) bool { return strings.HasPrefix(w, term.Written) }); len(words) > 0 {
			return found{words: words}
		}
	}
	if w, ok := a.repair(term); ok {
		return found{words: []string{w}, repaired: true}
	}
	if len(a.q.Terms) == 1 && utf8.RuneCountInString(term.Written) >= 3 {
		words := a.wordsOf(func(w string) bool {
			return strings.Contains(w, term.Written) && !strings.HasPrefix(w, text.ForeignMark)
		})
		return found{words: a.mostFrequent(words, 8), repaired: len(words) > 0}
	}
	return found{}
}

// repair says which word was probably meant: with one error; or the longest beginning of it; or with two.
func (a *question) repair(term engram.Term) (string, bool) {
	r := []rune(term.Written)
	if len(r) < 4 {
		return "", false
	}
	meant, errors := a.meant(term)
	if meant != "" && errors == 1 {
		return meant, true
	}
	for n := len(r) - 1; n >= max(4, len(r)-6); n-- {
		if w := string(r[:n]); a.having([]string{w}) > 0 && a.fits(term, w) {
			return w, true
		}
	}
	return meant, meant != ""
}

// meant is the word with the fewest typing errors: with the first letter, or else with the second where
// the first two are swapped or the first was put before; then the most frequent; then the first in order.
func (a *question) meant(term engram.Term) (best string, errors int) {
	most := 1
	if utf8.RuneCountInString(term.Written) >= 8 {
		most = 2
	}
	if strings.ContainsAny(term.Written, "0123456789") {
		return "", 0
	}
	distance := func(w string) int {
		least := most + 1
		for _, form := range []string{term.Word, term.Written} {
			bears := most
			if min(len(w), len(form)) < 8 {
				bears = 1
			}
			if n, ok := text.Typos(w, form, bears); ok {
				least = min(least, n)
			}
		}
		return least
	}
	r := []rune(term.Written)
	for _, begins := range [][]string{{string(r[0])}, {string(r[1]) + string(r[0]), string(r[1:])}} {
		words := a.wordsOf(func(w string) bool {
			return distance(w) <= most && a.fits(term, w) && slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(w, b) })
		})
		if len(words) > 0 {
			best = slices.MinFunc(words, func(v, w string) int {
				return cmp.Or(cmp.Compare(distance(v), distance(w)), cmp.Compare(a.having([]string{w}), a.having([]string{v})), cmp.Compare(v, w))
			})
			return best, distance(best)
		}
	}
	return "", 0
}

// fits says whether a text in another language has a word, where the question is in one.
func (a *question) fits(term engram.Term, word string) bool {
	if !term.Foreign {
		return true
	}
	r := []rune(word)
	begins := text.ForeignMark + string(r[:min(len(r), 4)])
	return len(a.wordsOf(func(w string) bool {
		stem, foreign := strings.CutPrefix(w, text.ForeignMark)
		return foreign && strings.HasPrefix(w, begins) && (strings.HasPrefix(word, stem) || strings.HasPrefix(stem, word))
	})) > 0
}

// beginnings are the words that begin with those of the question.
func (a *question) beginnings() (fs []found) {
	for _, term := range a.q.Terms {
		if len(term.Written) < 3 || term.Stop || term.Joined {
			continue
		}
		if words := a.wordsOf(func(w string) bool { return strings.HasPrefix(w, term.Written) }); len(words) > 0 {
			fs = append(fs, found{words: words})
		}
	}
	return fs
}

// wordsOf are the words of the project for which is is true, in order.
func (a *question) wordsOf(is func(string) bool) []string {
	var all []string
	for _, w := range slices.Sorted(maps.Keys(a.count)) {
		if is(w) {
			all = append(all, w)
		}
	}
	return all
}

// having counts the memories of the project that have one of the words.
func (a *question) having(words []string) (n int) {
	if len(words) == 1 {
		return a.count[words[0]]
	}
	for _, d := range a.project {
		if d.tf(found{words: words}) > 0 {
			n++
		}
	}
	return n
}

// tools counts the memories of the project whose tool's name has the term.
func (a *question) tools(term string) (n int) {
	for _, d := range a.project {
		if d.tools[term] {
			n++
		}
	}
	return n
}

// mostFrequent returns the n words that most memories have, in order.
func (a *question) mostFrequent(words []string, n int) []string {
	words = slices.Clone(words)
	slices.SortFunc(words, func(v, w string) int {
		return cmp.Or(a.having([]string{w})-a.having([]string{v}), cmp.Compare(v, w))
	})
	words = words[:min(n, len(words))]
	slices.Sort(words)
	return words
}

func (d *document) tf(f found) (n int) {
	for _, w := range f.words {
		if f.same {
			n = max(n, d.words[w])
		} else {
			n += d.words[w]
		}
	}
	return n
}

// bm25 is the formula, with k1 1.2, b 0.75 and a least rarity of 0.4.
func bm25(rows int, mean float64, having, tf int, length float64) float64 {
	rarity := max(math.Log((float64(rows-having)+0.5)/(float64(having)+0.5)), 0.4)
	return rarity * float64(tf) * 2.2 / (float64(tf) + 1.2*(1-0.75+0.75*length/mean))
}

// worth of a correction against an exact word.
func (f found) worth() float64 {
	if f.repaired {
		return 0.7
	}
	return 1
}

// rank scores the memories that pass the filter and have one of the words, or with all all of them.
func (a *question) rank(terms []found, all bool) map[int64]float64 {
	scores := map[int64]float64{}
	mean := float64(a.total) / float64(max(len(a.project), 1))
	having := make([]int, len(terms))
	for i, f := range terms {
		having[i] = a.having(f.words)
	}
	for _, d := range a.project {
		has, score := 0, 0.0
		for i, f := range terms {
			if tf := d.tf(f); tf > 0 {
				has++
				score += f.worth() * bm25(len(a.project), mean, having[i], tf, float64(d.length))
			}
			if d.tools[f.tool] {
				has++
				score += a.ofTool(d, f)
			}
		}
		if has > 0 && (!all || has == len(terms)) && a.passes(d.m) {
			scores[d.m.Num] = score
		}
	}
	return scores
}

// passes is the filter, apart from the project.
func (a *question) passes(m engram.Memory) bool {
	f := a.q.Filter
	for k, v := range f.Metadata {
		if m.Metadata[k] != v {
			return false
		}
	}
	for _, tag := range f.Tags {
		if !slices.Contains(m.Tags, tag) {
			return false
		}
	}
	return (len(f.Types) == 0 || slices.Contains(f.Types, m.Type)) && (f.Scope == "" || m.Scope == f.Scope) &&
		(!f.Beyond || m.Scope != engram.ScopeProject) && (f.SessionID == "" || m.SessionID == f.SessionID) &&
		(f.Since.IsZero() || !m.CreatedAt.Before(f.Since)) && (f.Until.IsZero() || m.CreatedAt.Before(f.Until))
}

// ofTool is the score of a word in the name of a memory's tool.
func (a *question) ofTool(d *document, f found) float64 {
	mean := float64(a.total) / float64(max(len(a.project), 1))
	return 0.3 * bm25(len(a.project), mean, f.tools, 1, float64(d.length))
}

// parts is what each word adds to the score of each memory.
func (a *question) parts(words []engram.WordCount) map[int64][]float64 {
	parts := map[int64][]float64{}
	mean := float64(a.total) / float64(max(len(a.project), 1))
	for _, d := range a.project {
		of := make([]float64, len(words))
		for j, w := range words {
			f := a.looked[j]
			if n := d.tf(f); n > 0 && w.Rows > 0 {
				of[j] = f.worth() * bm25(len(a.project), mean, f.rows, n, float64(d.length))
			}
			if d.tools[f.tool] {
				of[j] += a.ofTool(d, f)
			}
		}
		parts[d.m.Num] = of
	}
	return parts
}

// neighbours are the memories of the project saved before and after each in its session; ten bytes a word.
func (a *question) neighbours() map[int64]engram.Beside {
	last, all := map[string]*document{}, map[int64]engram.Beside{}
	for _, d := range a.project { // by number
		if d.m.SessionID == "" {
			continue
		}
		b := engram.Beside{Size: d.length * 10, At: milliseconds(d.m.CreatedAt)}
		if p := last[d.m.SessionID]; p != nil {
			b.Before = engram.Neighbour{Num: p.m.Num, Size: p.length * 10, At: milliseconds(p.m.CreatedAt)}
			before := all[p.m.Num]
			before.After = engram.Neighbour{Num: d.m.Num, Size: d.length * 10, At: milliseconds(d.m.CreatedAt)}
			all[p.m.Num] = before
		}
		all[d.m.Num], last[d.m.SessionID] = b, d
	}
	return all
}

// milliseconds is a time as exact as the index knows it.
func milliseconds(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
