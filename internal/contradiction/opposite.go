package contradiction

import (
	"slices"
	"strings"
)

// ends are the ends of axes in a clause, each axis once.
type ends struct {
	list [mostEnds]end
	n    int
}

// mostEnds limits the axes of a clause.
const mostEnds = 6

type end struct {
	axis axis
	sign int8 // 0 for a clause with both ends
	at   int8 // position of the word
}

func (e *ends) all() []end { return e.list[:e.n] }

// of returns the end of an axis; the zero end if it is missing.
func (e *ends) of(x axis) end {
	for _, known := range e.all() {
		if known.axis == x {
			return known
		}
	}
	return end{}
}

// endsOf returns the ends in a clause whose negations are known.
func endsOf(c *clause) (e ends) {
	for i := range c.words {
		w := c.words[i]
		if w.axis == noAxis {
			continue
		}
		sign := w.sign
		if w.negated {
			sign = -sign
		}
		add(&e, end{w.axis, sign, int8(i)})
	}
	return e
}

func add(e *ends, one end) {
	for i := range e.list[:e.n] {
		if known := &e.list[i]; known.axis == one.axis {
			if known.sign != one.sign {
				known.sign = 0
			}
			return
		}
	}
	if e.n < mostEnds {
		e.list[e.n] = one
		e.n++
	}
}

// opposites counts opposite respects of the clauses. Two cancel out: "not allowed", "forbidden".
func (m *meeting) opposites() (n int, d Difference) {
	for _, a := range m.a.ends.all() {
		b := m.b.ends.of(a.axis)
		if a.sign*b.sign != -1 {
			continue
		}
		if n++; n == 1 || a.axis == verdict {
			d = m.words(KindNegation, int(a.at), int(b.at))
			if a.axis == verdict {
				d.Kind = KindVerdict
			}
		}
	}
	if i, j := m.turned[0], m.turned[1]; i > 0 {
		n++
		d = m.words(KindNegation, int(i-1), int(j-1))
	}
	if i, j, ok := m.denied(); ok {
		if n++; n == 1 {
			d = m.words(KindNegation, i, j)
		}
	}
	return n, d
}

// words returns a difference in two words and their negations.
func (m *meeting) words(k Kind, i, j int) Difference {
	return Difference{Kind: k, A: m.a.around(i), B: m.b.around(j)}
}

// opposed weighs a difference in the ends of an axis or in a negation.
func (m *meeting) opposed(d Difference) Difference {
	foreign := m.foreign()
	if foreign > 1 {
		return Difference{}
	}
	d.Weight = m.surely(foreign)
	return d
}

// denied finds a word that one clause denies and the other does not. If both deny something, or one
// says "forbidden" and the other "not", they usually mean the same, unless two words have changed places around the denial:
// on Tuesdays and never on a Friday, on Fridays and never on a Tuesday.
func (m *meeting) denied() (i, j int, ok bool) {
	if m.a.denies && m.b.denies {
		return m.exchanged()
	}
	if m.a.denies == m.b.denies {
		return 0, 0, false
	}
	yes, no := &m.a.ends, &m.b.ends
	if m.a.denies {
		yes, no = no, yes
	}
	for _, e := range yes.all() {
		if e.sign < 0 && no.of(e.axis).sign == 0 {
			return 0, 0, false
		}
	}
	for i := range m.a.words {
		if m.match[i] == 0 {
			continue
		}
		j := int(m.match[i] - 1)
		w, o := m.a.words[i], m.b.words[j]
		counted := m.a.ends.of(w.axis).sign*m.b.ends.of(w.axis).sign != 0 // counted as an end already
		if w.negated != o.negated && (w.axis == noAxis || !counted) {
			return i, j, true
		}
	}
	return 0, 0, false
}

// exchanged finds a word that only a denies and that has changed places with one that only b denies.
func (m *meeting) exchanged() (i, j int, ok bool) {
	denies := func(c, other *clause, i, j int8) bool {
		return c.words[i].content() && c.words[i].negated && !other.words[j].negated
	}
	for x, y := range m.match[:len(m.a.words)] {
		if y == 0 || !denies(m.a, m.b, int8(x), y-1) {
			continue
		}
		for z, w := range m.match[:len(m.a.words)] {
			if w != 0 && denies(m.b, m.a, w-1, int8(z)) && (x < z) != (y < w) {
				return x, int(y - 1), true
			}
		}
	}
	return 0, 0, false
}

// turn finds a word that differs from one of the other clause by a negating prefix: sensitive,
// insensitive. Such words count as matched.
func (m *meeting) turn() {
	for x, i := range m.ua.all() {
		for y, j := range m.ub.all() {
			if a, b := m.a.words[i].folded, m.b.words[j].folded; turned(a, b) || turned(b, a) {
				m.turned = [2]int8{i + 1, j + 1}
				m.ua.remove(x)
				m.ub.remove(y)
				m.na, m.nb = m.na-1, m.nb-1
				return
			}
		}
	}
}

// turned reports whether b is a with a negating prefix. "In" counts only before an adjective
// ending: invoice is not the opposite of voice.
func turned(a, b string) bool {
	prefix, ok := strings.CutSuffix(b, a)
	if !ok {
		return false
	}
	switch prefix {
	case "un", "non":
		return len(a) >= 4
	case "dis", "des": // count, discount
		return len(a) >= 6
	case "in", "im", "ir", "il":
		return len(a) >= 5 && adjective(a)
	}
	return false
}

func adjective(w string) bool {
	endings := []string{"able", "ible", "ive", "ent", "ant", "ect", "ete", "ate", "id", "al", "ular"}
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(w, ending) })
}
