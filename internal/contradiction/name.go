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
	// Names that the other text lacks are no sign of another subject, even if they are in its title.
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
		return !slices.ContainsFunc(c.words[i:j+1], func(w *word) bool { return w.stem == s })
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
	switch w := c.words[i]; {
	case w.role == limit: // purpose or possession: not another name
		return 0, 0, false
	case w.folded == "to" && !introduced:
		// A verb follows as often: only words written like names count.
		return first, last, named(c.words[first].written)
	default:
		return first, last, introduced && w.role != content && !having.Has(w.folded) || w.role == lead || w.role == choice || w.role == using
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
	return slices.ContainsFunc(c.words[i:j+1], func(w *word) bool { return w.role == scopeWord })
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

// frame describes two clauses that are equal, word for word, but for one place.
type frame struct {
	holds  bool
	fa, la int // first and last word of the place in a
	fb, lb int // and in b
}

// mostOfFrame limits the words in the place of a frame.
const mostOfFrame = 3

// framed returns the frame of two clauses, if they have one: the text before and after the place is
// equal, except for articles, and has content.
func (m *meeting) framed() (f frame) {
	var ia, ib [mostWords]int8
	na, nb := m.a.spoken(&ia), m.b.spoken(&ib)
	p, says := 0, false
	for p < na && p < nb && m.equal(ia[p], ib[p]) {
		says = says || m.a.words[ia[p]].content()
		p++
	}
	s := 0
	for s < na-p && s < nb-p && m.equal(ia[na-1-s], ib[nb-1-s]) {
		says = says || m.a.words[ia[na-1-s]].content()
		s++
	}
	lenA, lenB := na-p-s, nb-p-s
	if !says || lenA < 1 || lenB < 1 || lenA > mostOfFrame || lenB > mostOfFrame {
		return f
	}
	f = frame{true, int(ia[p]), int(ia[na-1-s]), int(ib[p]), int(ib[nb-1-s])}
	f.holds = m.a.place(f.fa, f.la) && m.b.place(f.fb, f.lb) && !m.a.past()
	return f
}

// place reports whether the words from i to j can be one thing: on in staging is two.
func (c *clause) place(i, j int) bool {
	return !slices.ContainsFunc(c.words[i:j+1], func(w *word) bool {
		return !w.content() && !w.verb() && w.num == nil && w.axis == noAxis && w.role != office
	})
}

// past reports whether the clause describes an action, which may differ another time.
func (c *clause) past() bool {
	for i := range c.words {
		if w := c.words[i]; w.role == content && strings.HasSuffix(w.folded, "ed") && !c.marked(i-1, being) {
			return i > 0
		}
	}
	return false
}

// spoken returns the positions of a clause's words that are not articles.
func (c *clause) spoken(at *[mostWords]int8) (n int) {
	for i := range c.words {
		if c.words[i].role != article {
			at[n], n = int8(i), n+1
		}
	}
	return n
}

func (m *meeting) equal(i, j int8) bool {
	return m.match[i] == j+1 || m.a.words[i].folded == m.b.words[j].folded
}

// sure reports whether the frame alone shows that both have the same subject: the titles only have
// words of their own that are in the place.
func (m *meeting) sure() bool {
	f := &m.frame
	return f.holds && (!m.titles.differs || m.a.tells(f.fa, f.la, m.titles.onlyA) && m.b.tells(f.fb, f.lb, m.titles.onlyB))
}

// names reports whether the place of the frame has names, and only one thing can be there: a value,
// a sole owner, a path.
func (f frame) names(m *meeting) bool {
	if !f.holds || m.ua.n == 0 || m.ub.n == 0 {
		return false
	}
	a, b := m.a, m.b
	switch {
	case a.words[f.fa].num != nil || b.words[f.fb].num != nil:
		return false
	case a.scoped(f.fa, f.la) && b.scoped(f.fb, f.lb):
		return false
	case f.fa == 0 && f.fb == 0: // Alice owns, Alice is the lead
		return a.alone(f.la+1) && b.alone(f.lb+1)
	case f.fa != f.la || f.fb != f.lb:
		return false
	case a.words[f.fa].axis != noAxis || b.words[f.fb].axis != noAxis:
		return false
	case spelled(a.words[f.fa].written) && spelled(b.words[f.fb].written):
		return true // orders_a
	}
	return a.marked(a.before(f.fa), being) && b.marked(b.before(f.fb), being) &&
		(m.shared >= leastOfValue || named(a.words[f.fa].written) && named(b.words[f.fb].written))
}

// alone reports whether the words from i on describe a role of exactly one.
func (c *clause) alone(i int) bool {
	if i >= len(c.words) {
		return false
	}
	if c.words[i].role == office {
		return true
	}
	if !c.marked(i, being) || i+1 >= len(c.words) {
		return false
	}
	return c.words[i+1].folded == "the" || c.words[i+1].folded == "responsible"
}

// before returns the position of the word before i that is not an article; -1 for none.
func (c *clause) before(i int) int {
	for i--; i > 0 && c.words[i].role == article; i-- {
	}
	return i
}

// spelled reports whether a word is an identifier or a path.
func spelled(w string) (is bool) {
	for i := range len(w) {
		switch c := w[i]; {
		case c == '_' || c == '/' || c == '.':
			is = true
		case !plain(c) && c != '-':
			return false
		}
	}
	return is
}
