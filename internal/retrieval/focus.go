package retrieval

import (
	"fmt"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Candidate is a memory that was found and could be shown.
type Candidate struct {
	Num            int64   // of the memory; each once
	Score          float64 // greater is better; only its share of the best one's counts
	Head           string  // the lines that stand above the text and are shown with it; they say nothing new
	Body           string  // the text
	Summary        string  // a short form of the text; "" when there is none
	Seen           bool    // the session was shown it before
	BelowThreshold bool    // found below the floor
	Repeats        int64   // the better find that says the same; 0: none
}

// FocusPolicy says how a budget is filled. Zero fields take their defaults.
type FocusPolicy struct {
	Budget int             // tokens; below 1 nothing fits
	Asked  map[string]bool // the words of the question, as text.Query gives them
	// Threshold is the share of the best score below which a memory is no answer. 0.1.
	Threshold float64
	// News is the share of what a memory says, by the weight of its words, that has to
	// be new: with less it repeats what was chosen. 0.15.
	News float64
	// Small is the cost in tokens up to which the best find is shown whole, whatever
	// that leaves to others. 400.
	Small int
	// Fragment is the most, and Least the fewest, tokens of a part of a memory that is
	// too long. 300 and 25: less says nothing.
	Fragment, Least int
}

func (p FocusPolicy) filled() FocusPolicy {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&p.Small, 400)
	def(&p.Fragment, 300)
	def(&p.Least, 25)
	if p.Threshold == 0 {
		p.Threshold = 0.1
	}
	if p.News == 0 {
		p.News = 0.15
	}
	return p
}

// Part is what is shown of one memory.
type Part struct {
	Num    int64
	Text   string  // Head and what is shown of the text, ending in a line break
	Whole  bool    // all of the text
	Tokens int     // what Text costs with the empty line after it
	Value  float64 // 0 to 1: what it added to the parts chosen before it
}

// Left is a memory that is not shown, and why.
type Left struct {
	Num    int64
	Reason string
}

// The reasons for which a memory is left out, beside repeating another one.
const (
	LeftSeen           = "seen in this session"
	LeftBelowThreshold = "below the floor"
	LeftBudget         = "over the budget"
)

// Focused is a filled budget.
type Focused struct {
	Parts  []Part // in the order of the candidates
	Left   []Left // in the order of the candidates
	Tokens int    // of all parts; never over the budget
}

// Focus chooses what to show of cs, best first, within a budget of tokens.
//
// The best find comes first: whole when it is small, when it takes no more than half
// of the budget, or when the others have room beside it; else the passage of it that
// fits. Then whole memories are taken by what each adds per token: the square of its
// share of the best score, times the part of what it says that none chosen before
// says, words weighed by their rarity among cs. A memory that adds too little
// repeats another one. What is left of the budget goes to fragments of memories that
// did not fit, the best first.
//
// With a greater budget the best find is shown no less, and as long as it is shown
// the same, the whole memories chosen beside it are worth no less: each choice takes
// the most per token, and what a memory adds only falls as others are chosen.
//
// The same cs give the same answer. cs is neither kept nor changed.
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
	parts []*Part   // nil while a candidate is not chosen
	why   []string  // "" while a candidate is not left out
	rest  int       // tokens still free
	first int       // the best find; -1 while there is none
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

// scoreShares are the scores as parts of the best one. Where they are no measure (none is
// above zero, as of a list of the newest, or some are below), the places count.
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

// sift leaves out what is not to be shown at any price.
func (f *focus) sift() {
	for i, c := range f.cs {
		switch {
		case c.Seen:
			f.why[i] = LeftSeen
			f.said.cover(i) // what says the same again is no news either
		case c.BelowThreshold || f.share[i] < f.Threshold:
			f.why[i] = LeftBelowThreshold
		case c.Repeats != 0 && slices.ContainsFunc(f.cs, func(o Candidate) bool { return o.Num == c.Repeats && !o.BelowThreshold && !o.Seen }):
			f.why[i] = fmt.Sprintf("repeats what #%d says", c.Repeats)
		}
	}
}

func (f *focus) open(i int) bool { return f.parts[i] == nil && f.why[i] == "" }

// lead chooses the best find, whole or in part.
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
	room := min(f.rest, max(f.rest/2, f.Small, f.rest-others))
	if f.cost[best] <= room {
		f.take(best)
		return
	}
	f.takeFragment(best, room)
}

// wholes takes whole memories by what they add per token, while they fit. The best find is
// none of them: whole where its passage is too short to be shown, it would be less with a
// budget that has room for the passage.
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

// value is what candidate i is worth when so much of it is new.
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

// fragments fills what is left with parts of what did not fit, the best first.
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

// takeFragment shows as much of candidate i as goes into room tokens, if that says
// anything.
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
