package contradiction

import (
	"math"
	"slices"
	"strings"
)

// Weights of the rule, fitted to testdata/pairs.tsv. A difference starts with a base weight, plus
// the agreement of the clauses in the rest, plus that of the titles.
const (
	enough     = 0.5  // weight from which a difference is reported, in short texts
	perDouble  = 0.04 // added to it whenever the pairs of clauses double …
	chance     = 9    // … beyond this number
	difference = 0.35 // base weight of a difference
	agreeing   = 0.2  // for clauses that agree in all other words; a share of it for less
	perShared  = 0.05 // each shared word …
	mostShared = 4    // … up to so many
	sameTitle  = 0.1
	apartTitle = 0.15 // subtracted if each title has a word of its own
	perForeign = 0.15 // subtracted for each pair of words that neither the other clause nor its title has
	nameOff    = 0.05 // subtracted for a name: both may be right

	leastShared = 0.5 // share of the smaller clause's words that the other must have
	leastOfName = 0.4 // share of the larger one's, for names
	shortName   = 3   // words of a name, at most, on the shorter side …
	longName    = 5   // … and on the longer
	loneWords   = 3   // words of a clause, at most, that shares just one

	leastOfValue = 2 // words that clauses must share which differ in a value
)

// about describes whether the titles are about the same subject.
type about struct {
	differs bool // each title has a word that the other text lacks
	same    bool // the titles have the same words
	events  bool // both describe single events
	a, b    []string

	onlyA, onlyB []string // words of a and b that the other text lacks
}

// between compares two texts clause by clause and returns the difference with the greatest weight. If it is
// doubtful that they have the same subject, only clauses that are equal but for one place count.
func between(a, b *Reading, doubtful bool) (best Difference, found bool) {
	if elsewhere(a.scope, b.scope) {
		return best, false
	}
	titles := titles(a, b)
	// In two long texts on one subject some clauses are similar by chance.
	least := enough + perDouble*math.Log2(max(1, float64(len(a.clauses)*len(b.clauses))/chance))
	inA, inB := claims(a, b), claims(b, a)
	for i := range a.clauses {
		for j := range b.clauses {
			ca, cb := &a.clauses[i], &b.clauses[j]
			if !inA[i] || !inB[j] || ca.bits&cb.bits == 0 || elsewhere(ca.scope, cb.scope) {
				continue
			}
			m := meeting{a: ca, b: cb, titles: &titles, doubtful: doubtful}
			if d := m.difference(); d.Weight >= least && d.Weight > best.Weight {
				best, found = d, true
			}
		}
	}
	return best, found
}

// claims returns which clauses of a can contradict one of b: not titles, which state nothing, nor
// clauses that b has word for word.
func claims(a, b *Reading) (can [mostClauses]bool) {
	for i := range a.clauses {
		can[i] = !a.clauses[i].title && !b.says(&a.clauses[i])
	}
	return can
}

func titles(a, b *Reading) about {
	shared, onlyA := common(a, b)
	_, onlyB := common(b, a)
	return about{
		differs: len(onlyA) > 0 && len(onlyB) > 0,
		same:    shared > 0 && shared == len(a.topic) && len(a.topic) == len(b.topic),
		events:  a.event && b.event,
		a:       a.topic, b: b.topic,
		onlyA: onlyA, onlyB: onlyB,
	}
}

// common counts the words of a's title that b's title has, and returns those that b lacks entirely.
func common(a, b *Reading) (shared int, foreign []string) {
	for _, w := range a.topic {
		switch {
		case has(b.topic, w):
			shared++
		case !b.knows(w):
			foreign = append(foreign, w)
		}
	}
	return shared, foreign
}

// says reports whether a text has the clause word for word.
func (r *Reading) says(c *clause) bool {
	return slices.ContainsFunc(r.clauses, func(o clause) bool { return o.sum == c.sum })
}

// knows reports whether a text has the word anywhere.
func (r *Reading) knows(stem string) bool {
	key := keyOf(stem)
	for i := range r.clauses {
		c := &r.clauses[i]
		if c.bits&bit(key) == 0 {
			continue
		}
		for j := range c.words {
			if w := c.words[j]; w.key == key && w.content() && like(w.stem, stem) {
				return true
			}
		}
	}
	return false
}

// elsewhere reports whether both name places where something holds, without a common one.
func elsewhere(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(w string) bool { return has(b, w) })
}

// Series reports whether two texts are equal but for numbers, dates and versions, or but for one
// name that replaces another everywhere: benchmark run 7 took 13 ms, benchmark run 8 took 12 ms. If
// a number differs, such as that of the record, several names may. Two such texts may contradict
// each other; three and more are a series.
func (r Reading) Series(other Reading) bool {
	if len(r.clauses) != len(other.clauses) {
		return false
	}
	var name, instead string
	differ, several, counted := false, false, false
	for i := range r.clauses {
		a, b := r.clauses[i].words, other.clauses[i].words
		if len(a) != len(b) {
			return false
		}
		for j := range a {
			if a[j].folded == b[j].folded && (a[j].written == b[j].written || !counts(a[j].written)) {
				continue
			}
			differ = true
			switch {
			case counts(a[j].written) && counts(b[j].written):
				counted = true
			case !a[j].member() || !b[j].member():
				return false
			case name == "":
				name, instead = a[j].folded, b[j].folded
			default:
				several = several || name != a[j].folded || instead != b[j].folded
			}
		}
	}
	return differ && (counted || !several)
}

// member reports whether a word can be a name in a series, including a letter, as in warehouse A.
func (w *word) member() bool {
	letter := len(w.written) == 1 && w.written[0] >= 'A' && w.written[0] <= 'Z'
	return (w.content() || letter) && w.axis == noAxis && !w.negated && w.num == nil
}

// counts reports whether a word has a digit.
func counts(w string) bool { return strings.ContainsAny(w, "0123456789") }
