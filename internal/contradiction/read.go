package contradiction

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/text"
)

// What is read of a text. Together they bound what a comparison can cost.
const (
	mostBytes   = 4000 // of title and content each
	mostClauses = 32
	mostWords   = 24 // of a clause
)

// Reading is a text taken apart for comparisons. It may be used by many goroutines.
type Reading struct {
	text    Text
	clauses []clause // that of the title first
	topic   []string // stems of the title
	event   bool     // the title tells what happened once
	scope   []string // the words of the title that say where something holds
}

// A clause is a stretch of text that says one thing: a sentence or a part of one.
type clause struct {
	words  []word
	bits   uint64   // a bit for every content word, by which most pairs are told apart
	scope  []string // scope words of the whole sentence
	title  bool
	denies bool
	event  bool // tells what happened once
}

// A word of a clause.
type word struct {
	written string
	folded  string
	stem    string // of words that have a meaning of their own
	role    role
	axis    axis // what it is one end of, if anything
	sign    int8 // which end
	negated bool
	head    bool // the first word that a negation denies
	num     number
}

// content reports whether w says what a clause is about.
func (w *word) content() bool { return w.role == content || w.role == scopeWord }

// verb reports whether w is a verb that says little by itself.
func (w *word) verb() bool { return w.role == light || w.role == using || w.role == choice }

// Read takes a text apart. Of a long one it reads the beginning: 4,000 bytes of the
// content, 32 clauses, 24 words of each.
func Read(t Text) Reading {
	r := Reading{text: t}
	p := parser{out: &r}
	p.title = true
	p.read(cut(t.Title, mostBytes))
	r.scope = append(r.scope, p.scope...)
	for i := range r.clauses {
		r.event = r.event || r.clauses[i].event
		for _, w := range r.clauses[i].words {
			if w.content() {
				r.topic = append(r.topic, w.stem)
			}
		}
	}
	p.title = false
	p.read(cut(t.Content, mostBytes))
	return r
}

// cut returns the first n bytes of s, without half a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// A parser splits a text into clauses.
type parser struct {
	out      *Reading
	title    bool
	words    []word
	scope    []string // of the sentence
	sentence int      // the first clause of the sentence
	skip     bool     // what follows up to the end of the clause is not claimed
	label    bool     // the sentence names files
	tokens   []text.Token
}

func (p *parser) read(s string) {
	p.scope, p.sentence = nil, len(p.out.clauses)
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\n':
			p.endSentence()
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '(' || c == ')' || c == '[' || c == ']':
			p.endClause()
			i++
		default:
			end := i + strings.IndexAny(s[i:], " \t\r\n()[]")
			if end < i {
				end = len(s)
			}
			// What is in brackets behind a name without a space belongs to the clause.
			call := end < len(s) && (s[end] == '(' || s[end] == '[') && end+1 < len(s) && s[end+1] != ' '
			p.field(s[i:end])
			i = end
			if call {
				i++
			}
		}
	}
	p.endSentence()
}

// field reads what stands between two spaces.
func (p *parser) field(f string) {
	w := strings.TrimLeftFunc(f, isMark)
	if w == "" {
		if f == "-" || f == "–" || f == "—" || f == "->" || f == "→" {
			p.endClause()
		}
		return
	}
	w = strings.TrimRightFunc(w, func(r rune) bool { return isMark(r) && r != '%' })
	if w == "" {
		return
	}
	tail := f[strings.Index(f, w)+len(w):]
	if strings.HasPrefix(f, "#") {
		w = "#" + w
	}
	p.word(w)
	switch {
	case strings.ContainsAny(tail, ".!?;"):
		p.endSentence()
	case strings.Contains(tail, ":"):
		p.endLabel()
	case strings.Contains(tail, ","):
		p.endClause()
	}
}

// isMark reports whether r stands around words.
func isMark(r rune) bool {
	return r != '%' && r != '#' && r != '_' && r != '/' && r != '+' && r != '~' && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

// word adds a written word to the clause.
func (p *parser) word(w string) {
	p.tokens = p.tokens[:0]
	text.Scan(w, func(t text.Token) {
		if t.Kind != text.Joined && t.Kind != text.Pair {
			p.tokens = append(p.tokens, t)
		}
	})
	if len(p.tokens) == 0 {
		return
	}
	x := word{written: w, folded: p.tokens[0].Word}
	if len(p.tokens) > 1 {
		x.folded = ""
		for _, t := range p.tokens {
			x.folded += t.Word
		}
	}
	if n, ok := readNumber(w); ok {
		x.role, x.num = numeral, n
	} else {
		p.look(&x)
	}
	if p.breaks(&x) || p.skip || len(p.words) >= mostWords {
		return
	}
	p.words = append(p.words, x)
}

// look finds out what a word is.
func (p *parser) look(x *word) {
	e, known := lexicon[x.folded]
	if known {
		x.role, x.axis, x.sign = e.role, e.axis, e.sign
	}
	if x.role == content || x.role == scopeWord || x.axis != 0 {
		if regular, ok := irregular[x.folded]; ok {
			p.tokens[0].Word = regular
		}
		x.stem = p.tokens[0].Text()
		for _, t := range p.tokens[1:] {
			x.stem += t.Text()
		}
	}
	if v, ok := numberWords[x.folded]; ok {
		x.role, x.num = numeral, number{value: v, word: true}
	}
}

// breaks ends the clause before words that begin another, and reports whether x is
// such a word.
func (p *parser) breaks(x *word) bool {
	if x.role != breaker && x.role != instead {
		return false
	}
	if x.role == instead {
		p.skip = true
		return true
	}
	p.endClause()
	return true
}

// endLabel ends a clause at a colon. A single word before it is a label.
func (p *parser) endLabel() {
	if len(p.words) == 1 {
		p.label = p.words[0].folded == "where" || p.words[0].folded == "files"
		p.words = p.words[:0]
		return
	}
	p.endClause()
}

func (p *parser) endSentence() {
	p.endClause()
	for i := p.sentence; i < len(p.out.clauses); i++ {
		p.out.clauses[i].scope = p.scope
		// Why something was done once does not hold for ever either.
		p.out.clauses[i].event = p.out.clauses[i].event || p.out.clauses[p.sentence].event
	}
	p.sentence, p.label = len(p.out.clauses), false
	if !p.title {
		p.scope = nil
	}
}

func (p *parser) endClause() {
	p.skip = false
	if len(p.words) == 0 {
		return
	}
	words := p.words
	p.words = nil
	if p.label || len(p.out.clauses) >= mostClauses {
		return
	}
	c := clause{words: words, title: p.title}
	settle(&c)
	for i := range c.words {
		w := &c.words[i]
		if w.role == scopeWord {
			p.scope = append(p.scope, w.stem)
		}
		if w.content() || w.axis != 0 {
			c.bits |= bit(w.stem)
		}
	}
	p.out.clauses = append(p.out.clauses, c)
}

// bit is one of 64, by the letters that a word begins with.
func bit(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range min(len(s), likeLetters) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return 1 << (h >> 58)
}
