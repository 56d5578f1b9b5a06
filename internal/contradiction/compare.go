package contradiction

import (
	"math"
	"slices"
	"strings"
)

// likeLetters is how long the shorter of two words is at least that count as one
// because the longer only adds an ending.
const likeLetters = 4

// like reports whether two stems are those of one word: equal, or one the other with
// an ending of up to three letters, which is how the stemmer leaves much of Spanish and
// German.
func like(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= likeLetters && len(b)-len(a) <= 3 && strings.HasPrefix(b, a)
}

// The rule's marks.
const (
	enough  = 0.5 // weight from which on a difference is told
	overlap = 0.5 // share of the smaller clause's words that the other has
	nameGap = 3   // words of a name, at most, on the side where it is shorter
	nameMax = 5   // and on the other
	chance  = 9   // pairs of clauses, up to which none is alike by chance
	longest = 60  // characters of a difference
)

// between compares two texts clause by clause and returns the surest difference.
func between(a, b Reading) (best Difference, found bool) {
	ctx := context(a, b)
	if ctx.apart {
		return best, false
	}
	for i := range a.clauses {
		for j := range b.clauses {
			ca, cb := &a.clauses[i], &b.clauses[j]
			if ca.bits&cb.bits == 0 || otherScope(ca.scope, cb.scope) {
				continue
			}
			if d, ok := compare(ca, cb, ctx); ok && d.Weight > best.Weight {
				best, found = d, true
			}
		}
	}
	return best, found && best.Weight >= bar(len(a.clauses)*len(b.clauses))
}

// bar is the weight a difference needs among so many pairs of clauses: in two long
// texts about the same, some two clauses are alike by chance.
func bar(pairs int) float64 {
	return enough + 0.04*math.Log2(max(1, float64(pairs)/chance))
}

// about is what the titles say of whether two texts are about the same.
type about struct {
	shared  int  // words that both titles have
	differs bool // each title has a word that the other text does not know
	same    bool // the titles are the same words
	apart   bool // they are about different places
	events  bool // both tell what happened once
	a, b    []string
}

func context(a, b Reading) about {
	c := about{a: a.topic, b: b.topic}
	c.events = a.event && b.event
	c.apart = otherScope(a.scope, b.scope)
	ua, ub := 0, 0
	for _, w := range a.topic {
		if has(b.topic, w) {
			c.shared++
		} else if !b.knows(w) {
			ua++
		}
	}
	for _, w := range b.topic {
		if !has(a.topic, w) && !a.knows(w) {
			ub++
		}
	}
	c.differs = ua > 0 && ub > 0
	c.same = c.shared > 0 && c.shared == len(a.topic) && len(a.topic) == len(b.topic)
	return c
}

// knows reports whether a text has the word anywhere.
func (r Reading) knows(stem string) bool {
	b := bit(stem)
	for i := range r.clauses {
		if r.clauses[i].bits&b == 0 {
			continue
		}
		for j := range r.clauses[i].words {
			if w := &r.clauses[i].words[j]; w.content() && like(w.stem, stem) {
				return true
			}
		}
	}
	return false
}

func has(stems []string, w string) bool {
	return slices.ContainsFunc(stems, func(s string) bool { return like(s, w) })
}

// otherScope reports whether both texts name a place and no place is in both.
func otherScope(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	return !slices.ContainsFunc(a, func(w string) bool { return has(b, w) })
}

// meeting is two clauses held against each other.
type meeting struct {
	a, b   *clause
	ctx    about
	match  [mostWords]int8 // of a word of a: its word in b, or -1
	back   [mostWords]int8
	shared int
	na, nb int   // content words
	ua, ub []int // content words that the other clause and the other title do not have
}

func compare(a, b *clause, ctx about) (Difference, bool) {
	m := meet(a, b, ctx)
	if m.shared == 0 || float64(m.shared) < overlap*float64(min(m.na, m.nb)) {
		return Difference{}, false
	}
	if m.shared < 2 && (!ctx.same || max(m.na, m.nb) > 3) {
		return Difference{}, false
	}
	flips, d := m.flips()
	if flips%2 == 1 {
		return m.opposed(d)
	}
	if flips > 0 || a.event || b.event || ctx.events || a.title != b.title && (a.title || b.title) {
		return Difference{}, false
	}
	if d, ok, some := m.numbers(); some {
		return d, ok
	}
	return m.name()
}

func meet(a, b *clause, ctx about) *meeting {
	m := &meeting{a: a, b: b, ctx: ctx}
	for i := range m.match {
		m.match[i], m.back[i] = -1, -1
	}
	for i := range a.words {
		w := &a.words[i]
		if !w.content() && !w.verb() {
			continue
		}
		for j := range b.words {
			o := &b.words[j]
			if m.back[j] >= 0 || w.content() != o.content() {
				continue
			}
			if w.content() && like(w.stem, o.stem) || !w.content() && w.folded == o.folded && o.verb() {
				m.match[i], m.back[j] = int8(j), int8(i)
				break
			}
		}
	}
	for i := range a.words {
		if w := &a.words[i]; w.content() && w.axis == 0 {
			m.na++
			if m.match[i] >= 0 {
				m.shared++
			} else {
				m.ua = append(m.ua, i)
			}
		}
	}
	for j := range b.words {
		if w := &b.words[j]; w.content() && w.axis == 0 {
			m.nb++
			if m.back[j] < 0 {
				m.ub = append(m.ub, j)
			}
		}
	}
	return m
}

// subject reports whether each clause is about something that the other text's title
// and clause do not name, and it stands before all that they share.
func (m *meeting) strangers() int {
	ua, ub := 0, 0
	for _, i := range m.ua {
		if !has(m.ctx.b, m.a.words[i].stem) {
			ua++
		}
	}
	for _, j := range m.ub {
		if !has(m.ctx.a, m.b.words[j].stem) {
			ub++
		}
	}
	return min(ua, ub)
}

// coverage is the share of the smaller clause's words that the other has.
func (m *meeting) coverage() float64 {
	least, most := float64(min(m.na, m.nb)), float64(max(m.na, m.nb))
	return float64(m.shared) / max(1, 0.65*least+0.35*most)
}

// weight is how sure a difference is between clauses that agree so far in the rest.
func (m *meeting) weight(base float64) float64 {
	w := base + 0.2*m.coverage() + 0.05*float64(min(m.shared, 4))
	if m.ctx.same {
		w += 0.1
	}
	if m.ctx.differs && !m.ctx.same {
		w -= 0.15
	}
	w -= 0.15 * float64(m.strangers())
	return min(1, max(0, w))
}

// flips counts in how many respects the clauses say the opposite of each other. Two
// make one saying again: "not allowed", "forbidden".
func (m *meeting) flips() (n int, d Difference) {
	var ax, bx [64]int8
	signs(m.a, &ax)
	signs(m.b, &bx)
	for x := range ax {
		if ax[x]*bx[x] != -1 {
			continue
		}
		n++
		kind := KindNegation
		if axis(x) == verdict {
			kind = KindVerdict
		}
		d = Difference{Kind: kind, A: m.a.end(axis(x)), B: m.b.end(axis(x))}
	}
	if i, j, ok := m.prefixed(); ok {
		n++
		d = Difference{Kind: KindNegation, A: m.a.around(i), B: m.b.around(j)}
	}
	if i, j, ok := m.denied(&ax, &bx); ok {
		n++
		if n == 1 {
			d = Difference{Kind: KindNegation, A: m.a.around(i), B: m.b.around(j)}
		}
	}
	return n, d
}

// denied finds a word that one clause denies and the other does not. Where both deny
// something, or one says "forbidden", the other "not", they mean the same more often
// than not.
func (m *meeting) denied(ax, bx *[64]int8) (i, j int, ok bool) {
	if m.a.denies == m.b.denies {
		return 0, 0, false
	}
	yes, other := ax, bx
	if m.a.denies {
		yes, other = bx, ax
	}
	for x := range yes {
		if yes[x] < 0 && other[x] == 0 {
			return 0, 0, false
		}
	}
	for i := range m.a.words {
		j := int(m.match[i])
		if j < 0 {
			continue
		}
		w, o := &m.a.words[i], &m.b.words[j]
		if w.negated != o.negated && (w.axis == 0 || ax[w.axis]*bx[w.axis] == 0) {
			return i, j, true
		}
	}
	return 0, 0, false
}

// prefixed finds a word of one clause that is one of the other with a prefix that
// turns it round: sensitive, insensitive.
func (m *meeting) prefixed() (i, j int, ok bool) {
	for _, i := range m.ua {
		for _, j := range m.ub {
			if a, b := m.a.words[i].folded, m.b.words[j].folded; turned(a, b) || turned(b, a) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// turned reports whether b is a with a prefix that turns it round. In is one only
// before words that end like adjectives: invoice is no opposite of voice.
func turned(a, b string) bool {
	if len(b) <= len(a) || !strings.HasSuffix(b, a) {
		return false
	}
	switch b[:len(b)-len(a)] {
	case "un", "non":
		return len(a) >= 4
	case "dis", "des":
		return len(a) >= 6
	case "in", "im", "ir", "il":
		return len(a) >= 5 && slices.ContainsFunc([]string{"able", "ible", "ive", "ent", "ant", "ect", "ete", "ate", "id", "al", "ular"}, func(end string) bool { return strings.HasSuffix(a, end) })
	}
	return false
}

// signs says which end of each axis a clause is at; 0 for neither and for both.
func signs(c *clause, ends *[64]int8) {
	var both [64]bool
	for i := range c.words {
		w := &c.words[i]
		if w.axis == 0 {
			continue
		}
		s := w.sign
		if w.negated {
			s = -s
		}
		if ends[w.axis]*s < 0 {
			both[w.axis] = true
		}
		ends[w.axis] = s
	}
	for i := range both {
		if both[i] {
			ends[i] = 0
		}
	}
}

// end is the clause's words at an end of an axis.
func (c *clause) end(x axis) string {
	for i := range c.words {
		if c.words[i].axis == x {
			return c.around(i)
		}
	}
	return ""
}

// around is the word at i with the negation that denies it.
func (c *clause) around(i int) string {
	from := i
	if c.words[i].negated {
		for j := i; j >= 0 && j >= i-reach; j-- {
			if c.words[j].role == negator {
				from = j
				break
			}
		}
	}
	return c.span(from, i)
}

// span is the words from i to j, as written.
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

func shorten(s string) string {
	rs := []rune(s)
	if len(rs) <= longest {
		return s
	}
	return string(rs[:longest-1]) + "…"
}

// opposed is a difference in the ends of an axis or in a negation.
func (m *meeting) opposed(d Difference) (Difference, bool) {
	if m.strangers() > 1 {
		return Difference{}, false
	}
	d.Weight = m.weight(0.35)
	return d, d.Weight >= enough
}

// numbers compares the numbers of two clauses. some is false when they have none to
// compare.
func (m *meeting) numbers() (d Difference, ok, some bool) {
	for i := range m.a.words {
		w := &m.a.words[i]
		if w.role != numeral || counted(m.b, w.num) {
			continue
		}
		for j := range m.b.words {
			o := &m.b.words[j]
			if o.role != numeral || counted(m.a, o.num) || !comparable(w.num, o.num) {
				continue
			}
			some = true
			if m.strangers() > 0 {
				return d, false, true
			}
			d = Difference{Kind: KindNumber, A: shorten(w.num.text), B: shorten(o.num.text), Weight: m.weight(0.35)}
			return d, d.Weight >= enough, true
		}
	}
	return d, false, some
}

// counted reports whether the clause has the number.
func counted(c *clause, n number) bool {
	return slices.ContainsFunc(c.words, func(w word) bool { return w.role == numeral && w.num.same(n) })
}

// comparable reports whether two numbers count the same.
func comparable(a, b number) bool {
	switch {
	case a.unit != noUnit || b.unit != noUnit:
		return a.unit == b.unit
	case a.of == "" || b.of == "":
		return a.of == b.of
	}
	return like(a.of, b.of)
}

// name compares what stands in the one place where the clauses differ.
func (m *meeting) name() (Difference, bool) {
	if len(m.ua) == 0 || len(m.ub) == 0 || m.shared < 2 && !m.ctx.same || min(len(m.ua), len(m.ub)) > nameGap || max(len(m.ua), len(m.ub)) > nameMax || 5*m.shared < 2*max(m.na, m.nb) {
		return Difference{}, false
	}
	fa, la, oka := m.a.slot(m.ua, &m.match)
	fb, lb, okb := m.b.slot(m.ub, &m.back)
	if !oka || !okb || m.a.scoped(fa, la) && m.b.scoped(fb, lb) {
		return Difference{}, false
	}
	d := Difference{Kind: KindName, A: m.a.span(fa, la), B: m.b.span(fb, lb)}
	d.Weight = m.weight(0.35) + 0.15*float64(m.strangers()) - 0.05
	return d, d.Weight >= enough
}

// slot returns the place of the words at: they stand together, behind a word that a
// name can stand behind.
func (c *clause) slot(at []int, match *[mostWords]int8) (first, last int, ok bool) {
	first, last = at[0], at[len(at)-1]
	for i := first; i <= last; i++ {
		if w := &c.words[i]; w.content() && match[i] >= 0 && w.axis == 0 {
			return 0, 0, false
		}
	}
	if first == 0 {
		next := last + 1
		return first, last, last == 0 && next < len(c.words) && c.words[next].role == office
	}
	i := first - 1
	for i > 0 && (c.words[i].role == grammar || c.words[i].role == numeral) {
		i--
	}
	switch w := &c.words[i]; {
	case w.folded == "to":
		// Behind to stands a verb as often: only what is written like a name counts.
		return first, last, named(c.words[first].written)
	case w.role == lead, w.role == choice, w.role == using:
		return first, last, true
	}
	return 0, 0, false
}

// scoped reports whether one of the words from i to j says where something holds.
func (c *clause) scoped(i, j int) bool {
	return slices.ContainsFunc(c.words[i:j+1], func(w word) bool { return w.role == scopeWord })
}
