// Package wording says what one text adds to another, word by word: nothing, a sentence or
// the end of one, or something in the place of what the other says. It is what decides
// whether two memories may become one, and so it rather says no: two that stay apart cost
// a line in a list, two that became one by mistake say the opposite of what somebody meant.
//
// Texts are compared sentence by sentence, in their order, and sentences word by word.
// The same are two that have the same words in the same order, but for case, marks, the s
// of endings, articles, a present is or are, and words that only stress (really, always);
// likes and prefers are one word, and the passive with its by is turned round. One has
// more than another where it goes on behind it: with further sentences, or in the sentence
// with what a comma, a preposition or a conjunction opens and nothing of which denies or
// limits (not, only, until). Everything else is another thing: a word in the place of a
// word, the same words in another order, a number, a negation or a name too much.
//
// No meaning of a word is looked up, so it holds for names and languages that nobody
// thought of; the lists are those of words that carry none. Scripts without spaces are
// compared by whole runs. Everything here is pure and safe for concurrent use.
package wording

import (
	"slices"
	"strings"
	"unicode"
)

// Bearing says what a second text is to a first one.
type Bearing int

// The bearings.
const (
	Other Bearing = iota // each says something that the other does not, or may
	Same                 // it says the same in other words, or in these
	Less                 // the first says all that it says, and more
	More                 // it says all that the first says, and more
)

// Text is what of a memory is compared. A title whose words begin the content, or stand in
// it, is no saying of its own.
type Text struct{ Title, Content string }

// Compare says what b is to a.
func Compare(a, b Text) Bearing { return Read(a).Against(Read(b)) }

// Reading is a text taken apart, for many comparisons.
type Reading struct {
	title     sentence // nil: none of its own
	sentences []sentence
}

// Read takes a text apart.
func Read(t Text) Reading {
	r := Reading{sentences: sentences(t.Content)}
	if own := flat(sentences(t.Title)); len(own) > 0 && !holds(flat(r.sentences), own) {
		r.title = own
	}
	return r
}

// Titled reports whether the text has a title that is no part of its content.
func (r Reading) Titled() bool { return r.title != nil }

// Against is Compare of texts that have been read: what b is to r.
func (r Reading) Against(b Reading) Bearing {
	if r.title != nil && b.title != nil && !r.speaksOf(b.title) && !b.speaksOf(r.title) {
		return Other
	}
	less, more := covers(r.sentences, b.sentences), covers(b.sentences, r.sentences)
	switch {
	case less && more:
		return Same
	case less && r.title == nil && b.title != nil && !r.speaksOf(b.title):
		return Other // without a title of its own, r may be about something else
	case less:
		return Less
	case more:
		return More
	}
	return Other
}

// speaksOf reports whether a title is that of r, or its beginning, or stands in what r says.
// Titles say what contents speak of: under another one it is of something else.
func (r Reading) speaksOf(title sentence) bool {
	return reaches(r.title, title) || holds(flat(r.sentences), title)
}

// covers reports whether whole says all that part says, in its order.
func covers(whole, part []sentence) bool {
	if len(part) == 0 {
		return len(whole) == 0
	}
	at := 0
	for _, s := range whole {
		switch {
		case at < len(part) && reaches(s, part[at]):
			at++
		case s.takesBack():
			return false
		}
	}
	return at == len(part)
}

// reaches reports whether s says what part says, and perhaps goes on behind it.
func reaches(s, part sentence) bool {
	if len(s) < len(part) || len(part) == 0 {
		return false
	}
	counted := false
	for i := range part {
		if !s[i].is(part[i]) {
			return false
		}
		counted = counted || part[i].number
	}
	rest := s[len(part):]
	if len(rest) == 0 {
		return true
	}
	// Redis compatible is not Redis, and what is 3 times in 5 minutes is not 3 times.
	return rest[0].opens && !slices.ContainsFunc(rest, func(w word) bool { return w.limits || w.number && counted })
}

// shortest is how many words a sentence has at most that only takes back what stands
// before it: "Not any more."
const shortest = 5

func (s sentence) takesBack() bool {
	return len(s) <= shortest && slices.ContainsFunc(s, func(w word) bool { return w.limits })
}

func flat(all []sentence) (one sentence) {
	for _, s := range all {
		one = append(one, s...)
	}
	return one
}

// holds reports whether the words of part stand in whole one after the other. The last word
// of a title may have been cut.
func holds(whole, part sentence) bool {
	for i := 0; i+len(part) <= len(whole); i++ {
		if slices.EqualFunc(whole[i:i+len(part)], part, word.is) {
			return true
		}
	}
	return false
}

// sentences takes a text apart into sentences, each line at least one.
func sentences(text string) (all []sentence) {
	for line := range strings.Lines(text) {
		p := parser{}
		for f := range strings.FieldsSeq(spaced.Replace(line)) {
			if p.field(f) {
				all = p.end(all)
			}
		}
		all = p.end(all)
	}
	return all
}

// spaced puts a space behind marks that end sentences in scripts without spaces.
var spaced = strings.NewReplacer("。", "。 ", "！", "！ ", "？", "？ ", "；", "； ")

// parser reads the fields of a line.
type parser struct {
	words  sentence
	breaks bool // a mark stood before what comes next
	denies bool
	asks   bool
}

// end closes the sentence.
func (p *parser) end(all []sentence) []sentence {
	s := p.words
	if !p.denies { // not really is not really
		s = slices.DeleteFunc(s, func(w word) bool { return stress[w.key] })
	}
	if s = active(s); p.asks {
		s = append(s, word{key: "?", limits: true}) // a question does not say what it asks
	}
	*p = parser{}
	if len(s) == 0 {
		return all
	}
	return append(all, s)
}

const (
	around    = "\"'`“”‘’«»„()[]{}*_,;:!?…。！？；，、（）「」" // marks that stand around words
	ends      = ".!?;。！？；"
	listMarks = "-*+>•–—|"
)

// field reads what stands between spaces, and reports whether a sentence ends behind it.
func (p *parser) field(f string) (end bool) {
	if strings.Trim(f, listMarks) == "" {
		p.breaks = p.breaks || len(p.words) > 0
		return false
	}
	if strings.Trim(f, "#") == "" && len(p.words) == 0 {
		return false // a heading
	}
	core := strings.TrimLeft(f, around)
	p.breaks = p.breaks || len(core) < len(f) && strings.ContainsAny(f[:len(f)-len(core)], "([{（")
	body := strings.TrimRight(core, around+".")
	tail := core[len(body):]
	if body == "" {
		body, tail = f, "" // nothing but marks says something too: ...
		if strings.Trim(f, around+".") == "" && len(p.words) > 0 {
			body, tail = "", f
		}
	}
	if body != "" {
		p.add(body)
	}
	p.breaks = strings.ContainsAny(tail, ",:)]}，：、）")
	p.asks = p.asks || strings.ContainsAny(tail, "?？")
	return strings.ContainsAny(tail, ends)
}

// add adds a word, unless it says nothing.
func (p *parser) add(body string) {
	w := wordOf(body)
	p.denies = p.denies || w.denies
	if neutral[w.key] && !w.limits {
		return
	}
	w.opens = p.breaks && len(p.words) > 0 || openers[w.key]
	p.breaks = false
	p.words = append(p.words, w)
}

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
}
