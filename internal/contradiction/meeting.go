package contradiction

// meeting compares two clauses.
type meeting struct {
	a, b   *clause
	titles *about
	match  [mostWords]int8 // for a word of a: 1 + the position of the matching word of b; 0 for none
	back   [mostWords]int8 // the same from b
	shared int             // matching content words
	na, nb int             // content words
	ua, ub places          // content words without a match
	turned [2]int8         // 1 + the positions of words that differ by a negating prefix
	frame  frame
	// doubtful means that the texts may have different subjects.
	doubtful bool
}

// places are positions of words in a clause.
type places struct {
	at [mostWords]int8
	n  int
}

func (p *places) add(i int) { p.at[p.n], p.n = int8(i), p.n+1 }

func (p *places) remove(k int) { copy(p.at[k:], p.at[k+1:p.n]); p.n-- }

func (p *places) all() []int8 { return p.at[:p.n] }

// difference returns in what the clauses contradict each other; its Weight is 0 if they do not.
func (m *meeting) difference() (d Difference) {
	m.pair()
	if m.shared == 0 {
		return d
	}
	m.frame = m.framed()
	if m.doubtful && !m.frame.holds || float64(m.shared) < leastShared*float64(min(m.na, m.nb)) ||
		m.shared == 1 && !m.frame.holds && !m.enough() {
		return d
	}
	m.turn()
	opposites, d := m.opposites()
	if order, found := m.reversed(); found {
		if opposites++; opposites == 1 {
			d = order
		}
	}
	switch {
	case opposites%2 == 1:
		return m.opposed(d)
	case opposites > 0 || m.a.event || m.b.event || m.titles.events:
		return Difference{} // single events do not contradict a state
	}
	if d, comparable := m.numbers(); comparable {
		return d
	}
	return m.names()
}

// enough reports whether one common word shows that the clauses have the same subject.
func (m *meeting) enough() bool {
	return m.titles.same && max(m.na, m.nb) <= loneWords || m.na == 1 && m.nb == 1 && !m.titles.differs
}

// pair matches every word of a with one of b.
func (m *meeting) pair() {
	for i := range m.a.words {
		w := m.a.words[i]
		if w.key == 0 || w.content() && m.b.bits&bit(w.key) == 0 {
			continue
		}
		for j := range m.b.words {
			o := m.b.words[j]
			if w.key == o.key && m.back[j] == 0 && w.content() == o.content() && like(w.stem, o.stem) {
				m.match[i], m.back[j] = int8(j+1), int8(i+1)
				break
			}
		}
	}
	for i := range m.a.words {
		// An end of an axis that the other clause lacks is the difference, not the subject.
		if w := m.a.words[i]; w.content() && (w.axis == noAxis || m.match[i] != 0) {
			if m.na++; m.match[i] != 0 {
				m.shared++
			} else {
				m.ua.add(i)
			}
		}
	}
	for j := range m.b.words {
		if w := m.b.words[j]; w.content() && (w.axis == noAxis || m.back[j] != 0) {
			if m.nb++; m.back[j] == 0 {
				m.ub.add(j)
			}
		}
	}
}

// foreign counts the words of each clause that the other text lacks, and returns the lower count.
func (m *meeting) foreign() int {
	a, b := 0, 0
	for _, i := range m.ua.all() {
		if !has(m.titles.b, m.a.words[i].stem) {
			a++
		}
	}
	for _, j := range m.ub.all() {
		if !has(m.titles.a, m.b.words[j].stem) {
			b++
		}
	}
	return min(a, b)
}

// weight returns the weight of a difference between clauses that agree this far in the rest.
func (m *meeting) weight(foreign int) float64 {
	// Mostly of the smaller clause: the other may say more, such as a reason.
	words := 0.65*float64(min(m.na, m.nb)) + 0.35*float64(max(m.na, m.nb))
	w := difference + agreeing*float64(m.shared)/words + perShared*float64(min(m.shared, mostShared)) -
		perForeign*float64(foreign)
	switch {
	case m.titles.same:
		w += sameTitle
	case m.titles.differs:
		w -= apartTitle
	}
	return min(1, max(0, w))
}

// surely is weight, but at least enough for a frame.
func (m *meeting) surely(foreign int) float64 {
	w := m.weight(foreign)
	if m.frame.holds {
		w = max(w, enough)
	}
	return w
}
