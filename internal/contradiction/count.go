package contradiction

// numbers compares the numbers of two clauses. comparable is false if no two numbers count the same
// and differ; numbers that both clauses have are skipped.
func (m *meeting) numbers() (d Difference, comparable bool) {
	for i := range m.a.words {
		a := m.a.words[i].num
		if a == nil || m.b.counts(a) {
			continue
		}
		for j := range m.b.words {
			b := m.b.words[j].num
			if b == nil || m.a.counts(b) || !alike(a, b) {
				continue
			}
			if m.foreign() > 0 {
				return d, true // about something else
			}
			return Difference{KindNumber, shorten(a.text), shorten(b.text), m.surely(0)}, true
		}
	}
	return d, false
}

// counts reports whether the clause has the number, unless both explicitly count different things:
// two workers are not two attempts.
func (c *clause) counts(n *number) bool {
	for i := range c.words {
		o := c.words[i].num
		if o != nil && o.same(n) && (alike(o, n) || !o.said() || !n.said()) {
			return true
		}
	}
	return false
}

// said reports whether it is known what the number counts.
func (n *number) said() bool { return n.unit != noUnit || n.of != "" }

// alike reports whether two numbers count the same: both a duration, a size or a share, or both
// workers, ports, versions of Go, or both nothing specific.
func alike(a, b *number) bool {
	switch {
	case a.unit != noUnit || b.unit != noUnit:
		return a.unit == b.unit
	case a.of == "" || b.of == "":
		return a.of == b.of
	}
	return like(a.of, b.of)
}
