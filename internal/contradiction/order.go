package contradiction

import "strings"

// reversed finds two words that have changed places around a third: SQLite over Postgres, Postgres
// over SQLite. A word that moved with its preposition keeps its meaning: we deploy on Fridays, on
// Fridays we deploy. So does the passive, which swaps both.
func (m *meeting) reversed() (d Difference, found bool) {
	for x := range m.a.words {
		if !m.turns(x) {
			continue
		}
		for y := x + 1; y < len(m.a.words); y++ {
			if !m.turns(y) {
				continue
			}
			x2, y2 := int(m.match[x]-1), int(m.match[y]-1)
			crossed := y2 < x2
			pivot, passive := m.pivot(x, y, min(x2, y2), max(x2, y2))
			if !pivot || crossed == passive || m.moved(x, x2) || m.moved(y, y2) {
				continue
			}
			return Difference{Kind: KindOrder, A: m.a.span(x, y), B: m.b.span(min(x2, y2), max(x2, y2))}, true
		}
	}
	return d, false
}

// turns reports whether the word at i may change its place with another.
func (m *meeting) turns(i int) bool {
	w := m.a.words[i]
	return m.match[i] != 0 && w.content() && w.axis == noAxis
}

// pivot looks for a word between two others in both clauses that relates them. passive means that
// one of the clauses reverses the relation.
func (m *meeting) pivot(x, y, x2, y2 int) (found, passive bool) {
	for i := x + 1; i < y; i++ {
		w := m.a.words[i]
		if w.marks&mutual != 0 {
			return false, false
		}
		if !w.relates() {
			continue
		}
		for j := x2 + 1; j < y2; j++ {
			o := m.b.words[j]
			same := w.folded == o.folded || m.match[i] == int8(j+1) || w.marks&o.marks&inTime != 0
			// "Who tracks bugs in a tracker" and "bugs are tracked in it" cannot be told apart.
			if same && m.a.done(i) == m.b.done(j) {
				return true, m.a.passive(i) != m.b.passive(j)
			}
		}
	}
	return false, false
}

// relates reports whether a word can relate two others.
func (w *word) relates() bool {
	switch w.role {
	case content:
		return w.axis == noAxis || w.marks&inTime != 0
	case lead, limit, light, using, choice, office:
		return true
	}
	return w.folded == "than"
}

// passive reports whether the word at i is followed by an agent ("by …").
func (c *clause) passive(i int) bool {
	return c.marked(i+1, byWhom) && i > 0 && c.marked(i-1, being)
}

// done reports whether the word at i is a participle after a form of to be, without an agent.
func (c *clause) done(i int) bool {
	return strings.HasSuffix(c.words[i].folded, "ed") && c.marked(i-1, being) && !c.passive(i)
}

// moved reports whether a word follows the same preposition in both clauses.
func (m *meeting) moved(i, j int) bool {
	a := m.a.marker(i)
	return a != "" && a == m.b.marker(j)
}

// marker returns the preposition before the word at i, at most an article, number and word back.
func (c *clause) marker(i int) string {
	for k, words := i-1, 0; k >= 0; k-- {
		switch w := c.words[k]; {
		case w.role == lead || w.role == limit || w.folded == "than" || w.marks&inTime != 0:
			return w.folded
		case w.role == content && words == 0:
			words++
		case w.role != article && w.role != numeral:
			return ""
		}
	}
	return ""
}
