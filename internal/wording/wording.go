// Package wording compares two texts word by word: the second adds nothing, adds a sentence or the
// end of one, or replaces part of the first. This decides whether two memories may be merged, so it
// errs toward no: two separate memories cost a line in a list, two merged by mistake may say the
// opposite of what was meant.
//
// Texts are compared sentence by sentence, in order, and sentences word by word. Two sentences are
// the same if they have the same words in the same order, ignoring case, marks, the s of endings,
// articles, a present is or are, and words of stress (really, always); likes equals prefers, and a
// passive with by is turned around. One text says more if it continues the other: with further
// sentences, or within the sentence after a comma, a preposition or a conjunction without a
// negation or limit (not, only, until). Everything else differs: a replaced word, another order, an
// extra number, negation or name.
//
// Meanings are not looked up, so any name and language works; the word lists only have words
// without meaning of their own. Scripts without spaces are compared by whole runs. Everything here
// is pure and safe for concurrent use.
package wording

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Bearing is the relation of a second text to a first one.
type Bearing int

// The bearings.
const (
	Other Bearing = iota // each may say something the other does not
	Same                 // the same, in these or other words
	Less                 // the first says all of it, and more
	More                 // it says all of the first, and more
)

// Text is the compared part of a memory. A title whose words occur in the content is not compared
// separately.
type Text struct{ Title, Content string }

// Compare returns the bearing of b on a.
func Compare(a, b Text) Bearing { return Read(a).Against(Read(b)) }

// Reading is a text prepared for many comparisons.
type Reading struct {
	title     sentence // nil if the content contains it
	sentences []sentence
}

// Read prepares a text.
func Read(t Text) Reading {
	r := Reading{sentences: sentences(t.Content)}
	if own := flat(sentences(t.Title)); len(own) > 0 && !holds(flat(r.sentences), own) {
		r.title = own
	}
	return r
}

// Titled reports whether the text has a title that is not in its content.
func (r Reading) Titled() bool { return r.title != nil }

// Against returns the bearing of b on r.
func (r Reading) Against(b Reading) Bearing {
	if r.title != nil && b.title != nil && !r.speaksOf(b.title) && !b.speaksOf(r.title) {
		return Other
	}
	less, more := covers(r.sentences, b.sentences), covers(b.sentences, r.sentences)
	switch {
	case less && more:
		return Same
	case less && r.title == nil && b.title != nil && !r.speaksOf(b.title):
		return Other // without a title, r may be about something else
	case less:
		return Less
	case more:
		return More
	}
	return Other
}

// speaksOf reports whether a title is r's title, its beginning, or part of r's content. Under an
// unrelated title the same content is about something else.
func (r Reading) speaksOf(title sentence) bool {
	return reaches(r.title, title) || holds(flat(r.sentences), title)
}

// covers reports whether whole contains all sentences of part, in order.
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

// reaches reports whether s says part, possibly with an addition behind it.
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
	// "Redis compatible" is not Redis, and "3 times in 5 minutes" is not 3 times.
	return rest[0].opens && !slices.ContainsFunc(rest, func(w word) bool { return w.limits || w.number && counted })
}

// shortest is the most words of a sentence that may retract the one before it: "Not any more."
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

// holds reports whether whole contains the words of part in a row.
func holds(whole, part sentence) bool {
	for i := 0; i+len(part) <= len(whole); i++ {
		if slices.EqualFunc(whole[i:i+len(part)], part, word.is) {
			return true
		}
	}
	return false
}

// sentences splits a text into sentences, at least one per line.
func sentences(text string) (all []sentence) {
	for line := range strings.Lines(text) {
		p := parser{}
		for f := range strings.FieldsSeq(spaced().Replace(line)) {
			if p.field(f) {
				all = p.end(all)
			}
		}
		all = p.end(all)
	}
	return all
}

// spaced puts a space after sentence marks of scripts without spaces.
var spaced = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("。", "。 ", "！", "！ ", "？", "？ ", "；", "； ")
})

// parser reads the fields of a line.
type parser struct {
	words  sentence
	breaks bool // a mark precedes the next word
	denies bool
	asks   bool
}

// end finishes the sentence.
func (p *parser) end(all []sentence) []sentence {
	s := p.words
	if !p.denies { // "not really" is not "really"
		s = slices.DeleteFunc(s, func(w word) bool { return stress.Has(w.key) })
	}
	if s = active(s); p.asks {
		s = append(s, word{key: "?", limits: true}) // a question does not assert its words
	}
	*p = parser{}
	if len(s) == 0 {
		return all
	}
	return append(all, s)
}

const (
	around    = "\"'`“”‘’«»„()[]{}*_,;:!?…。！？；，、（）「」" // marks around words
	ends      = ".!?;。！？；"
	listMarks = "-*+>•–—|"
)

// field reads one field between spaces and reports whether it ends a sentence.
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
		body, tail = f, "" // marks alone are a word, too: ...
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

// add adds a word, unless it is neutral.
func (p *parser) add(body string) {
	w := wordOf(body)
	p.denies = p.denies || w.denies
	if neutral.Has(w.key) && !w.limits {
		return
	}
	w.opens = p.breaks && len(p.words) > 0 || openers.Has(w.key)
	p.breaks = false
	p.words = append(p.words, w)
}

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
}
