package contradiction

import "math"

// The marks of the rule, as the pairs in testdata/pairs.tsv have them. Weights are
// sums: what a difference begins with, how far the clauses agree in the rest, what the
// titles say.
const (
	enough     = 0.5  // weight from which on a difference is told, in short texts
	perDouble  = 0.04 // what is asked on top whenever the pairs of clauses double …
	chance     = 9    // … from so many on
	difference = 0.35 // what a difference begins with
	agreeing   = 0.2  // clauses that agree in all other words; a share of it for less
	perShared  = 0.05 // each word they share …
	mostShared = 4    // … up to so many
	sameTitle  = 0.1
	apartTitle = 0.15 // taken off when each title has a word of its own
	perForeign = 0.15 // taken off for each pair of words that neither the other clause nor its title has
	nameOff    = 0.05 // taken off for a name: two may well be right

	leastShared = 0.5 // share of the smaller clause's words that the other has
	leastOfName = 0.4 // share of the larger one's, for names
	shortName   = 3   // words of a name, at most, on the side where it is shorter …
	longName    = 5   // … and on the other
	loneWords   = 3   // words a clause has at most that shares just one

	leastOfValue = 2 // words that clauses share which differ in what something is
)

// about is what the titles say of whether two texts are about the same.
type about struct {
	differs bool // each title has a word that the other text does not know
	same    bool // the titles are the same words
	events  bool // both tell what happened once
	a, b    []string

	onlyA, onlyB []string // of a and b, what the other text knows nowhere
}

// between compares two texts clause by clause and returns the surest difference. In doubt
// whether they are about the same, only clauses that are the same but in one place count.
func between(a, b *Reading, doubtful bool) (best Difference, found bool) {
	if elsewhere(a.scope, b.scope) {
		return best, false
	}
	titles := titles(a, b)
	least := bar(len(a.clauses) * len(b.clauses))
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

// claims tells which clauses of a can contradict one of b. A title states nothing, and
// what b says word for word it does not contradict, whatever else it says.
func claims(a, b *Reading) (can [mostClauses]bool) {
	for i := range a.clauses {
		can[i] = !a.clauses[i].title && !b.says(&a.clauses[i])
	}
	return can
}

// bar is the weight that a difference needs among so many pairs of clauses: in two
// long texts about the same some two clauses are alike by chance.
func bar(pairs int) float64 {
	return enough + perDouble*math.Log2(max(1, float64(pairs)/chance))
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

// common counts the words of a's title that b's title has, and returns those that b
// has nowhere.
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
	for i := range r.clauses {
		if r.clauses[i].sum == c.sum {
			return true
		}
	}
	return false
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
			if w := &c.words[j]; w.key == key && w.content() && like(w.stem, stem) {
				return true
			}
		}
	}
	return false
}

// elsewhere reports whether both name a place where something holds, and no place is
// in both.
func elsewhere(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for _, w := range a {
		if has(b, w) {
			return false
		}
	}
	return true
}
