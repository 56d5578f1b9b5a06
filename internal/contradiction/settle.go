package contradiction

import (
	"strings"

	"github.com/alanbuscaglia/engram/internal/text"
)

func foldWord(w string) string {
	var folded string
	text.Scan(w, func(t text.Token) {
		if t.Kind == text.Plain {
			folded += t.Word
		}
	})
	return folded
}

// settle works out what the words of a clause mean together.
func settle(c *clause) {
	phrases(c)
	numbers(c)
	deny(c)
	for i := range c.words {
		w := &c.words[i]
		if w.role == eventWord && i < 3 {
			c.event = true
		}
	}
	// "Fixed …", "Released …": a clause that opens so tells what was done once.
	switch first := c.words[0].folded; first {
	case "fixed", "fix", "fixes", "added", "add", "adds", "merged", "removed", "worked", "increased", "reduced", "cut", "implemented", "refactored",
		"update", "updates", "bump", "bumps", "upgrade", "upgrades":
		c.event = true
	}
}

// phrases joins words that mean something else together: turned on, decided against.
func phrases(c *clause) {
	for i := range c.words {
		w := &c.words[i]
		var before, after string
		if i > 0 {
			before = c.words[i-1].folded
		}
		if i+1 < len(c.words) {
			after = c.words[i+1].folded
		}
		switch w.folded {
		case "on":
			w.axis, w.sign = 0, 0
			be := before == "is" || before == "are" || before == "was"
			if strings.HasPrefix(before, "turn") || strings.HasPrefix(before, "switch") ||
				be && (after == "" || after == "in" || after == "by" || after == "for" || after == "everywhere") {
				e := lexicon["enabled"]
				w.axis, w.sign, w.role = e.axis, e.sign, grammar
			}
		case "off":
			be := before == "is" || before == "are" || before == "was" || before == "kept"
			if !be && !strings.HasPrefix(before, "turn") && !strings.HasPrefix(before, "switch") {
				w.axis, w.sign = 0, 0
			}
		case "down":
			if before == "turned" || before == "voted" || before == "shot" {
				w.axis, w.sign = verdict, -1
			}
		case "against":
			if strings.HasPrefix(before, "decid") || strings.HasPrefix(before, "advis") || strings.HasPrefix(before, "recommend") || before == "voted" {
				w.axis, w.sign = verdict, -1
				c.words[i-1].axis = 0
			}
		}
		if (w.folded == "on" || w.folded == "off" || w.folded == "down") && w.axis != 0 && (strings.HasPrefix(before, "turn") || strings.HasPrefix(before, "switch")) {
			c.words[i-1].role = light
		}
	}
	// "decided to use", "decided on": a verdict for it.
	for i := range c.words {
		if c.words[i].folded == "decided" && i+1 < len(c.words) && c.words[i+1].folded != "against" {
			c.words[i].axis, c.words[i].sign = verdict, 1
		}
	}
}

// numbers finds out what the numbers of a clause count.
func numbers(c *clause) {
	for i := range c.words {
		w := &c.words[i]
		if w.role != numeral {
			continue
		}
		if w.num.text == "" {
			w.num.text = w.written
		}
		if i > 0 && identities[c.words[i-1].folded] || i+1 < len(c.words) && months[c.words[i+1].folded] {
			w.role, w.stem = content, "#"+w.folded
			continue
		}
		if i+1 < len(c.words) && w.num.unit == noUnit {
			next := &c.words[i+1]
			if u, ok := units[next.folded]; ok && (len(next.folded) > 1 || next.folded == "h") {
				w.num.unit, w.num.value = u.dimension, w.num.value*u.factor
				w.num.text += " " + next.written
				next.role, next.stem, next.axis = grammar, "", 0
			} else if next.content() {
				w.num.of = next.stem
				w.num.text += " " + next.written
			}
		}
		if w.num.of == "" && w.num.unit == noUnit && i > 0 && (c.words[i-1].content() || named(c.words[i-1].written)) {
			w.num.of = c.words[i-1].folded
			if c.words[i-1].content() {
				w.num.of = c.words[i-1].stem
			}
			w.num.text = c.words[i-1].written + " " + w.num.text
		}
	}
	for i := 1; i < len(c.words); i++ {
		w := &c.words[i]
		if u, ok := units[w.folded]; ok && len(w.folded) > 2 && (c.words[i-1].folded == "every" || c.words[i-1].folded == "cada" || c.words[i-1].folded == "one") {
			text := "every " + w.written
			if c.words[i-1].folded != "every" {
				text = c.words[i-1].written + " " + w.written
			}
			w.role, w.num = numeral, number{value: u.factor, unit: u.dimension, text: text}
		}
	}
}

// half are words behind a not that take it back: not only.
var half = map[string]bool{"only": true, "just": true, "necessarily": true, "merely": true, "simply": true, "solo": true, "nur": true, "seulement": true}

// reach is how many words a negation looks ahead for what it denies.
const reach = 5

// deny marks what the negations of a clause deny: the next word that says something,
// and the one behind it where that is a verb like use. A negation at the end of the
// clause denies what stands before it.
func deny(c *clause) {
	for i := range c.words {
		if c.words[i].role != negator {
			continue
		}
		if i+1 < len(c.words) && half[c.words[i+1].folded] {
			continue
		}
		c.denies = true
		found := false
		for j := i + 1; j < len(c.words) && j <= i+reach; j++ {
			w := &c.words[j]
			if w.role == negator {
				break
			}
			if w.content() || w.verb() || w.axis != 0 {
				w.negated, w.head = true, !found
				found = true
				if w.role != light && w.role != using {
					break
				}
			}
		}
		for j := i - 1; !found && j >= 0; j-- {
			if w := &c.words[j]; w.content() || w.axis != 0 {
				w.negated, w.head, found = true, true, true
			}
		}
	}
}

// named reports whether a word is written like a name: Go.
func named(w string) bool { return len(w) > 1 && 'A' <= w[0] && w[0] <= 'Z' }
