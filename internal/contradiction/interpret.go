package contradiction

// interpret works out what the words of a clause mean together.
func interpret(c *clause) {
	for i := range c.words {
		c.join(i)
	}
	for i := range c.words {
		c.count(i)
	}
	for i := range c.words {
		if c.words[i].role == negator {
			c.deny(i)
		}
	}
	c.ends = endsOf(c)
	c.event = c.marked(0, opensEvent)
	for i := range min(eventReach, len(c.words)) {
		c.event = c.event || c.words[i].role == eventWord
	}
}

// own returns the word at i to change it: others have the same from memory.
func (c *clause) own(i int) *word {
	w := *c.words[i]
	c.words[i] = &w
	return &w
}

// eventReach is how many first words may mark an event: "we found", "the fix landed".
const eventReach = 3

// beside returns the word n places from i, and "" beyond the clause.
func (c *clause) beside(i, n int) string {
	if i += n; i < 0 || i >= len(c.words) {
		return ""
	}
	return c.words[i].folded
}

// join finds words that are an end of an axis only together with another: turned on, is off, turned
// down, decided against. Alone they are prepositions.
func (c *clause) join(i int) {
	w, before := c.words[i], c.beside(i, -1)
	switch w.folded {
	case "on", "off":
		switch {
		case switching.Has(before):
			verb := c.own(i - 1)
			verb.role, verb.key = light, 0
		case w.folded == "off" && c.marked(i-1, being):
		case c.marked(i-1, being) && aloneBefore(c.beside(i, 1)): // is on in production; not: is on React 17
		default:
			return
		}
		e := lexicon()["enabled"]
		w = c.own(i)
		w.role, w.axis, w.sign = grammar, e.axis, e.sign
		if w.folded == "off" {
			w.sign = -e.sign
		}
	case "down":
		if voting.Has(before) {
			w = c.own(i)
			w.axis, w.sign = verdict, -1
		}
	case "out":
		if before == "ruled" || before == "rule" {
			w = c.own(i)
			w.axis, w.sign = verdict, -1
		}
	case "fail", "fails", "failed":
		if c.beside(i, 1) == "to" {
			w = c.own(i)
			w.role, w.axis = negator, noAxis
		}
	case "may":
		if w.written == "May" && i > 0 {
			w = c.own(i)
			w.role, w.stem, w.key = scopeWord, w.folded, keyOf(w.folded)
		}
	case "one":
		if i+1 < len(c.words) && c.words[i+1].content() {
			w = c.own(i)
			w.role, w.num, w.key = numeral, &number{value: 1, text: w.written}, 0
		}
	case "against":
		if deciding.Has(before) {
			w = c.own(i)
			w.axis, w.sign = verdict, -1
			c.own(i - 1).axis = noAxis
		}
	case "decided", "agreed":
		if next := c.beside(i, 1); next == "to" || next == "on" || next == "for" {
			w = c.own(i)
			w.axis, w.sign = verdict, 1
		}
	}
}

// count finds out what the number at i counts.
func (c *clause) count(i int) {
	w := c.words[i]
	if w.num == nil {
		c.every(i)
		return
	}
	if identities.Has(c.beside(i, -1)) || months.Has(c.beside(i, -1)) || months.Has(c.beside(i, 1)) {
		w.role, w.num, w.stem = content, nil, "#"+w.folded
		w.key = keyOf(w.stem)
		return
	}
	n := w.num
	if n.unit != noUnit {
		return
	}
	if i+1 < len(c.words) {
		next := c.words[i+1]
		if u, ok := units()[next.folded]; ok && (len(next.folded) > 1 || next.folded == "h" || next.written == "s") {
			n.unit, n.value = u.dimension, n.value*u.factor
			n.text += " " + next.written
			next = c.own(i + 1)
			next.role, next.stem, next.key, next.axis = grammar, "", 0, noAxis
			return
		}
		if next.content() {
			n.of = next.stem
			n.text += " " + next.written
			return
		}
	}
	if i == 0 {
		return
	}
	switch before := c.words[i-1]; {
	case before.content():
		n.of, n.version = before.stem, n.version || i > 1 && named(before.written)
		n.text = before.written + " " + n.text
	case named(before.written): // Go 1.26
		n.of, n.version = before.folded, true
		n.text = before.written + " " + n.text
	}
}

// every makes the hour of "every hour" a number.
func (c *clause) every(i int) {
	w := c.words[i]
	if !c.marked(i-1, single) {
		return
	}
	if u, ok := units()[w.folded]; ok && len(w.folded) > 2 {
		w = c.own(i)
		w.role, w.key = numeral, 0
		w.num = &number{value: u.factor, unit: u.dimension, text: c.words[i-1].written + " " + w.written}
	}
}

// reach is how many words a negation looks ahead.
const reach = 5

// deny marks what the negation at i denies: the next word with meaning, and after a verb like use,
// the word after it too. At the end of a clause it denies the words before it.
func (c *clause) deny(i int) {
	if half.Has(c.beside(i, 1)) {
		return
	}
	c.denies = true
	found := false
	for j := i + 1; j < len(c.words) && j <= i+reach && c.words[j].role != negator; j++ {
		w := c.words[j]
		if !w.content() && !w.verb() && w.axis == noAxis {
			continue
		}
		c.own(j).negated, found = true, true
		if w.role != light && w.role != using || w.axis != noAxis {
			return
		}
	}
	for j := i - 1; j >= 0 && !found; j-- {
		if w := c.words[j]; w.content() || w.axis != noAxis {
			c.own(j).negated, found = true, true
		}
	}
}
