package retrieval

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Candidate is a memory that was found and could be shown.
type Candidate struct {
	Num            int64   // number of the memory; each once
	Score          float64 // greater is better; only its ratio to the best one counts
	Head           string  // lines shown above the text; not counted as content
	Body           string  // the text
	Summary        string  // a short form of the text, or ""
	Seen           bool    // the session has seen it
	BelowThreshold bool    // found below the relevance threshold
	Repeats        int64   // the better hit that says the same; 0: none
}

// FocusPolicy says how to fill a token budget. Zero fields take their defaults.
type FocusPolicy struct {
	Budget int             // tokens; below 1 nothing fits
	Asked  map[string]bool // words of the question, as text.Query returns them
	// Threshold is the share of the best score below which a memory does not answer. 0.1.
	Threshold float64
	// News is the share of a memory's words, by weight, that must be new; with less it repeats
	// what was chosen. 0.15.
	News float64
	// Small is the cost in tokens up to which the best hit is shown whole in any case. 400.
	Small int
	// Fragment is the most, and Least the fewest, tokens of a part of a long memory. 300 and 25:
	// shorter parts are useless.
	Fragment, Least int
}

func (p FocusPolicy) filled() FocusPolicy {
	p.Small, p.Fragment, p.Least = cmp.Or(p.Small, 400), cmp.Or(p.Fragment, 300), cmp.Or(p.Least, 25)
	p.Threshold, p.News = cmp.Or(p.Threshold, 0.1), cmp.Or(p.News, 0.15)
	return p
}

// Part is the shown part of one memory.
type Part struct {
	Num    int64
	Text   string  // Head and the shown text, ending in a line break
	Whole  bool    // all of the text is shown
	Tokens int     // cost of Text with the empty line after it
	Value  float64 // 0 to 1: what it added to the parts chosen before it
}

// Left is a memory that is not shown, with the reason.
type Left struct {
	Num    int64
	Reason string
}

// Reasons for leaving out a memory, besides repeating another one.
const (
	LeftSeen           = "seen in this session"
	LeftBelowThreshold = "below the relevance threshold"
	LeftBudget         = "over the budget"
)

// Focused is a filled budget.
type Focused struct {
	Parts  []Part // in the order of the candidates
	Left   []Left // in the order of the candidates
	Tokens int    // of all parts; never above the budget
}

// Focus chooses what to show of cs, best first, within a token budget.
//
// The best hit comes first: whole if it is small, takes at most half of the budget, or leaves room
// for the others; otherwise its best passage that fits. Then whole memories follow by what each
// adds per token: the square of its share of the best score, times the share of its words, weighted
// by rarity among cs, that no chosen one has. A memory that adds too little repeats another one.
// The rest of the budget goes to fragments of memories that did not fit, best first.
//
// What a budget shows of the best hit whole, a greater one shows whole. While the same of it is
// chosen first, the whole memories beside it are worth no less: each choice takes the most per
// token, and what a memory adds only falls as others are chosen.
//
// The result is deterministic. cs is neither kept nor changed.
func Focus(cs []Candidate, p FocusPolicy) Focused {
	f := newFocus(cs, p.filled())
	f.sift()
	f.lead()
	f.wholes()
	f.fragments()
	return f.answer()
}

// focus is a budget being filled.
type focus struct {
	FocusPolicy
	cs    []Candidate
	share []float64 // of the best score, 0 to 1
	cost  []int     // of the whole memory
	parts []*Part   // nil unless chosen
	why   []string  // "" unless left out
	rest  int       // free tokens
	first int       // the best hit; -1 before it is chosen
	said  coverage
}

func newFocus(cs []Candidate, p FocusPolicy) *focus {
	f := &focus{FocusPolicy: p, cs: cs, share: scoreShares(cs), cost: make([]int, len(cs)), parts: make([]*Part, len(cs)),
		why: make([]string, len(cs)), rest: max(0, p.Budget), first: -1, said: newCoverage(cs)}
	for i, c := range cs {
		f.cost[i] = text.Tokens(shown(c.Head, c.Body) + "\n")
	}
	return f
}

// scoreShares returns the scores relative to the best one. If they are not comparable (none above
// zero, as in a list of the newest, or some below), it uses the places.
func scoreShares(cs []Candidate) []float64 {
	out, top, byPlace := make([]float64, len(cs)), 0.0, false
	for i, c := range cs {
		out[i] = c.Score
		if math.IsNaN(c.Score) {
			out[i] = 0
		}
		byPlace = byPlace || out[i] < 0 || math.IsInf(out[i], 0)
		top = max(top, out[i])
	}
	for i := range out {
		if byPlace || top == 0 {
			out[i] = 10 / (10 + float64(i))
		} else {
			out[i] /= top
		}
	}
	return out
}

func shown(head, body string) string { return head + "\n" + body + "\n" }

// sift leaves out candidates that are never shown.
func (f *focus) sift() {
	for i, c := range f.cs {
		switch {
		case c.Seen:
			f.why[i] = LeftSeen
			f.said.cover(i) // repeats of it are not new either
		case c.BelowThreshold || f.share[i] < f.Threshold:
			f.why[i] = LeftBelowThreshold
		case c.Repeats != 0 && slices.ContainsFunc(f.cs, func(o Candidate) bool { return o.Num == c.Repeats && !o.BelowThreshold && !o.Seen }):
			f.why[i] = fmt.Sprintf("repeats what #%d says", c.Repeats)
		}
	}
}

func (f *focus) open(i int) bool { return f.parts[i] == nil && f.why[i] == "" }

// lead chooses the best hit, whole or in part.
func (f *focus) lead() {
	best, others := -1, 0
	for i := range f.cs {
		switch {
		case !f.open(i) || f.repeats(i):
		case best < 0:
			best = i
		default:
			others += f.cost[i]
		}
	}
	f.first = best
	if best < 0 {
		return
	}
	room := min(f.rest, max(f.rest/2, f.rest-others))
	if f.cost[best] <= min(f.rest, max(room, f.Small)) {
		f.take(best)
		return
	}
	f.takeFragment(best, room) // a part of it leaves room for the others, too
}

// wholes takes whole memories by what they add per token while they fit. It skips the best hit: if
// its passage is too short to show, taking it whole would mean that a larger budget, with room for
// the passage, shows less of it.
func (f *focus) wholes() {
	over := map[int]bool{} // did not fit; a fragment may
	for {
		best, most := -1, 0.0
		for i := range f.cs {
			if !f.open(i) || over[i] || i == f.first || f.repeats(i) {
				continue
			}
			added, _ := f.said.added(i, 0)
			if per := f.value(i, added) / float64(f.cost[i]); best < 0 || per > most {
				best, most = i, per
			}
		}
		if best < 0 {
			return
		}
		if f.cost[best] > f.rest {
			over[best] = true
			continue
		}
		f.take(best)
	}
}

// repeats leaves candidate i out if it adds too little to what was shown.
func (f *focus) repeats(i int) bool {
	_, source := f.said.added(i, f.News)
	if source >= 0 {
		f.why[i] = fmt.Sprintf("repeats what #%d says", f.cs[source].Num)
	}
	return source >= 0
}

// value returns the worth of candidate i if this share of it is new.
func (f *focus) value(i int, added float64) float64 { return f.share[i] * f.share[i] * added }

// take shows all of candidate i, which fits.
func (f *focus) take(i int) {
	c := f.cs[i]
	added, _ := f.said.added(i, 0)
	f.put(i, Part{Num: c.Num, Text: shown(c.Head, c.Body), Whole: true, Tokens: f.cost[i], Value: f.value(i, added)})
}

func (f *focus) put(i int, p Part) {
	f.said.cover(i)
	f.rest -= p.Tokens
	f.parts[i] = &p
}

// fragments fills the rest of the budget with parts of what did not fit, best first.
func (f *focus) fragments() {
	for i := range f.cs {
		if f.open(i) {
			f.takeFragment(i, min(f.rest, f.Fragment))
		}
		if f.open(i) {
			f.why[i] = LeftBudget
		}
	}
}

// takeFragment shows as much of candidate i as fits into room tokens, if that is useful.
func (f *focus) takeFragment(i, room int) {
	c := f.cs[i]
	if room < f.Least || f.repeats(i) {
		return
	}
	// One token less: the line breaks may begin a token of their own.
	body := Fragment(c, f.Asked, room-text.Tokens(c.Head)-1)
	if body == "" {
		return
	}
	full := shown(c.Head, body)
	added, _ := f.said.added(i, 0)
	part := Part{Num: c.Num, Text: full, Tokens: text.Tokens(full + "\n")}
	part.Value = f.value(i, added) * min(1, float64(part.Tokens)/float64(f.cost[i]))
	f.put(i, part)
}

func (f *focus) answer() Focused {
	var out Focused
	for i, c := range f.cs {
		if p := f.parts[i]; p != nil {
			out.Parts = append(out.Parts, *p)
			out.Tokens += p.Tokens
			continue
		}
		out.Left = append(out.Left, Left{c.Num, f.why[i]})
	}
	return out
}
