package contradiction

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// longest is how many characters of a text's words a difference shows.
const longest = 60

// names compares the one place where the clauses differ.
func (m *meeting) names() (d Difference) {
	if m.frame.names(m) {
		sure := m.weight(0)
		if m.sure() {
			sure = max(sure, enough)
		}
		return Difference{KindName, m.a.span(m.frame.fa, m.frame.la), m.b.span(m.frame.fb, m.frame.lb), sure}
	}
	if m.ua.n == 0 || m.ub.n == 0 || min(m.ua.n, m.ub.n) > shortName || max(m.ua.n, m.ub.n) > longName ||
		float64(m.shared) < leastOfName*float64(max(m.na, m.nb)) {
		return d
	}
	firstA, lastA, okA := m.a.slot(m.ua.all(), &m.match)
	firstB, lastB, okB := m.b.slot(m.ub.all(), &m.back)
	if m.shared >= leastOfValue && m.a.value(firstA, lastA) && m.b.value(firstB, lastB) {
		okA, okB = true, true
	}
	if !okA || !okB || m.a.scoped(firstA, lastA) && m.b.scoped(firstB, lastB) {
		return d
	}
	// Names that the other text lacks are no sign of another subject, even if they are in its
	// title.
	sure := m.weight(0) - nameOff
	if m.sure() {
		sure = max(sure, enough)
	}
	if m.titles.differs && (m.a.tells(firstA, lastA, m.titles.onlyA) || m.b.tells(firstB, lastB, m.titles.onlyB)) {
		sure += apartTitle
	}
	return Difference{KindName, m.a.span(firstA, lastA), m.b.span(firstB, lastB), min(1, max(0, sure))}
}

// tells reports whether all the stems are those of words from i to j.
func (c *clause) tells(i, j int, stems []string) bool {
	return !slices.ContainsFunc(stems, func(s string) bool {
		return !slices.ContainsFunc(c.words[i:j+1], func(w word) bool { return w.stem == s })
	})
}

// slot returns the place of the words at: adjacent, after a word that can precede a name, or before
// one that assigns a role.
func (c *clause) slot(at []int8, match *[mostWords]int8) (first, last int, ok bool) {
	first, last = int(at[0]), int(at[len(at)-1])
	for i := first; i <= last; i++ {
		if c.words[i].content() && match[i] != 0 {
			return 0, 0, false
		}
	}
	if first == 0 {
		return first, last, last == 0 && len(c.words) > 1 && c.words[1].role == office
	}
	i, introduced := first-1, false
	for i > 0 && (c.words[i].role == grammar || c.words[i].role == numeral || c.words[i].role == article) {
		introduced = introduced || c.words[i].role == article
		i--
	}
	switch w := &c.words[i]; {
	case w.role == limit: // purpose or possession: not another name
		return 0, 0, false
	case w.folded == "to" && !introduced:
		// A verb follows as often: only words written like names count.
		return first, last, named(c.words[first].written)
	default:
		return first, last, introduced && w.role != content && !having[w.folded] || w.role == lead || w.role == choice || w.role == using
	}
}

// value reports whether the one word at the end is the value of something: the default branch is
// main. Adjectives (slow, done) have the same form, so the clauses must agree in all other words.
func (c *clause) value(first, last int) bool {
	return first > 0 && first == last && last == len(c.words)-1 && (c.words[first-1].folded == "is" || c.words[first-1].folded == "are") &&
		c.words[first].axis == noAxis
}

// scoped reports whether one of the words from i to j limits where something holds.
func (c *clause) scoped(i, j int) bool {
	return slices.ContainsFunc(c.words[i:j+1], func(w word) bool { return w.role == scopeWord })
}

// named reports whether a word is written like a name: Go.
func named(w string) bool { return len(w) > 1 && 'A' <= w[0] && w[0] <= 'Z' }

// around returns the word at i with the negation that denies it.
func (c *clause) around(i int) string {
	if c.words[i].negated {
		for j := i; j >= 0 && j >= i-reach; j-- {
			if c.words[j].role == negator {
				return c.span(j, i)
			}
		}
	}
	return c.span(i, i)
}

// span returns the words from i to j, as written.
func (c *clause) span(i, j int) string {
	var b strings.Builder
	for k := i; k <= j; k++ {
		if k > i {
			b.WriteByte(' ')
		}
		b.WriteString(c.words[k].written)
	}
	return shorten(b.String())
}

// shorten cuts a text to the length shown in a difference.
func shorten(s string) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s)[:longest-1]) + "…"
}
