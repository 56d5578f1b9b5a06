package contradiction

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/text"
)

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
	words    []word // of all clauses, those of the open one from first on
	first    int
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
		x.folded = joined(p.tokens)
	}
	if n, ok := readNumber(w); ok {
		x.role, x.num = numeral, &n
	} else {
		p.look(&x)
	}
	if p.breaks(&x) || p.skip || len(p.words)-p.first >= mostWords {
		return
	}
	p.words = append(p.words, x)
}

func joined(tokens []text.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Word)
	}
	return b.String()
}

// look finds out what a word is.
func (p *parser) look(x *word) {
	e := lexicon[x.folded]
	x.role, x.axis, x.sign = e.role, e.axis, e.sign
	switch {
	case e.value != 0:
		x.role, x.num = numeral, &number{value: e.value}
		return
	case e.stem != "":
		x.stem = e.stem
	case len(p.tokens) > 1: // paths and names of programs have no endings
		x.stem = x.folded
	case x.content() || x.verb() || x.axis != noAxis:
		x.stem = p.tokens[0].Text()
	}
	x.key = keyOf(x.stem)
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
	if len(p.words) == p.first+1 {
		p.label = p.words[p.first].folded == "where" || p.words[p.first].folded == "files"
		p.words = p.words[:p.first]
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
	words := p.words[p.first:len(p.words):len(p.words)]
	p.first = len(p.words)
	if len(words) == 0 || p.label || len(p.out.clauses) >= mostClauses {
		return
	}
	c := clause{words: words, title: p.title, sum: sumOf(words)}
	settle(&c)
	for i := range c.words {
		w := &c.words[i]
		if w.role == scopeWord {
			p.scope = append(p.scope, w.stem)
		}
		if w.content() || w.axis != 0 {
			c.bits |= bit(w.key)
		}
	}
	p.out.clauses = append(p.out.clauses, c)
}
