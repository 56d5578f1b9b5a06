package contradiction

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/alanbuscaglia/engram/internal/index/recent"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Limits of a reading, which bound the cost of a comparison.
const (
	mostBytes   = 4000 // of title and content each
	mostClauses = 24
	mostWords   = 24 // of a clause
)

// Reading is a text prepared for comparisons. It may be used concurrently.
type Reading struct {
	text    Text
	clauses []clause // those of the title first
	topic   []string // stems of the title
	scope   []string // those of topic that limit where something holds
	event   bool     // the title describes a single event
}

// clause is a part of a text that says one thing: a sentence or a part of one.
type clause struct {
	words  []*word  // not changed any more, since other clauses have the same
	bits   uint64   // a bit for every word that can match, which rules out most pairs
	sum    uint64   // hash of its words: clauses with the same hash are equal
	scope  []string // scope words of the whole sentence
	ends   ends
	title  bool
	denies bool // has a negation
	event  bool // describes a single event
}

// word is a word of a clause.
type word struct {
	written string
	folded  string
	stem    string  // of words with meaning
	num     *number // of numerals
	key     uint32  // the first letters of stem: equal for words that match
	role    role
	axis    axis // the axis of which it is an end, if any
	sign    int8 // which end
	marks   mark
	negated bool
}

// content reports whether w names the subject.
func (w *word) content() bool { return w.role == content || w.role == scopeWord }

// verb reports whether w is a verb with little meaning.
func (w *word) verb() bool { return w.role == light || w.role == using || w.role == choice }

// Read prepares a text. It reads the beginning of a long one: 4,000 bytes of title and content
// each, 24 clauses of 24 words.
func Read(t Text) Reading {
	var p parser
	return p.reading(t)
}

// Reader reads texts and remembers them and their words: a text is compared with many, those of one store repeat words,
// and most of a reading is looking them up. It is safe for concurrent use; the zero Reader remembers none yet.
type Reader struct {
	texts recent.Cache[Text, Reading]

	mu     sync.Mutex
	parser parser // has the words that were looked up, as written; without numerals, which clauses change
}

// Limits of what a Reader remembers, some 6 MB.
const (
	mostBytesKept = 4 << 20 // of texts with their readings
	mostWordsKept = 8192
	longestKept   = 32 // bytes of a word; longer ones hardly recur
)

// Read is the same as the function Read.
func (k *Reader) Read(t Text) Reading {
	if r, known := k.texts.Get(t, mostBytesKept); known {
		return r
	}
	r := k.read(t)
	k.texts.Put(t, r, r.bytes(), mostBytesKept)
	return r
}

func (k *Reader) read(t Text) Reading {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.parser.known == nil || len(k.parser.known) >= mostWordsKept { // frequent ones soon return
		k.parser.known = make(map[string]*word)
	}
	return k.parser.reading(t).clone()
}

// clone returns the reading in memory of its own.
func (r Reading) clone() Reading {
	r.clauses = slices.Clone(r.clauses)
	words := make([]*word, 0, r.words())
	for i := range r.clauses {
		c := &r.clauses[i]
		words = append(words, c.words...)
		c.words = words[len(words)-len(c.words):]
	}
	return r
}

// words counts the words of all clauses.
func (r Reading) words() (n int) {
	for i := range r.clauses {
		n += len(r.clauses[i].words)
	}
	return n
}

// bytes returns about how much memory a reading takes with its text.
func (r Reading) bytes() int {
	const own = 400 // of what is there once, and of words that no other reading has
	return own + len(r.text.Title) + len(r.text.Content) + 150*len(r.clauses) + 8*r.words()
}

// reading reads a text, in memory of the reading before.
func (p *parser) reading(t Text) Reading {
	r := Reading{text: t, clauses: p.out.clauses[:0]}
	*p = parser{out: r, title: true, known: p.known, words: p.words[:0], tokens: p.tokens, asides: p.asides[:0]}
	p.read(text.Clip(t.Title, mostBytes))
	r = p.out
	for i := range r.clauses {
		c := &r.clauses[i]
		r.event = r.event || c.event
		for j := range c.words {
			w := c.words[j]
			if w.content() {
				r.topic = append(r.topic, w.stem)
			}
			if w.role == scopeWord {
				r.scope = append(r.scope, w.stem)
			}
		}
	}
	if p.title = false; strings.TrimSpace(t.Content) == "" {
		for i := range r.clauses {
			r.clauses[i].title = false // there is no other content
		}
	}
	p.out = r
	p.read(text.Clip(t.Content, mostBytes))
	return p.out
}

// likeLetters is the minimum length of the shorter of two words that match because the longer only
// adds an ending.
const likeLetters = 4

// like reports whether two stems belong to the same word: equal, or one adds an ending of up to
// three letters, which the stemmer leaves on much of Spanish and German.
func like(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= likeLetters && len(b)-len(a) <= 3 && strings.HasPrefix(b, a)
}

// keyOf returns the beginning of a stem: equal for stems that match.
func keyOf(stem string) (key uint32) {
	for i := range min(len(stem), likeLetters) {
		key = key<<8 | uint32(stem[i])
	}
	return key
}

// sumOf returns a hash of all words.
//
// Source: FNV-1a, draft-eastlake-fnv.
func sumOf(words []*word) uint64 {
	sum := uint64(14695981039346656037)
	for i := range words {
		for j := range len(words[i].folded) {
			sum = (sum ^ uint64(words[i].folded[j])) * 1099511628211
		}
		sum *= 1099511628211 // between words
	}
	return sum
}

// bit returns one of 64 bits, by the key of a word.
func bit(key uint32) uint64 { return 1 << (uint64(key) * 0x9E3779B97F4A7C15 >> 58) }

// has reports whether a word matches one of stems.
func has(stems []string, w string) bool {
	return slices.ContainsFunc(stems, func(s string) bool { return like(s, w) })
}

// parser splits a text into clauses.
type parser struct {
	out      Reading
	title    bool
	words    []*word // of all clauses; the current one starts at first
	first    int
	scope    []string // of the sentence
	sentence int      // the first clause of the sentence
	skip     bool     // the rest of the clause is not claimed
	label    bool     // the sentence names files
	event    bool     // the sentence describes a single event
	asides   []string // text in brackets
	tokens   []text.Token
	known    map[string]*word // looked up before; nil: none
}

// isSpace reports whether c separates fields, as brackets do.
func isSpace(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '(', ')', '[', ']':
		return true
	}
	return false
}

func (p *parser) read(s string) {
	p.scope, p.sentence = nil, len(p.out.clauses)
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '\n':
			p.endSentence()
			i++
		case '(', '[':
			i += 1 + p.aside(s[i+1:])
		case ' ', '\t', '\r', ')', ']':
			i++
		default:
			end := i + 1
			for end < len(s) && !isSpace(s[end]) {
				end++
			}
			p.field(s[i:end])
			// A bracket directly after a name belongs to the clause.
			if i = end; i < len(s) && (s[i] == '(' || s[i] == '[') {
				i++
			}
		}
	}
	p.endSentence()
}

// mostAside is the maximum length of text in brackets.
const mostAside = 200

// aside defers text in brackets to the end of the sentence, and returns its length.
func (p *parser) aside(s string) int {
	n := strings.IndexAny(text.Clip(s, mostAside), ")]\n")
	if n < 0 || s[n] == '\n' {
		return 0
	}
	p.asides = append(p.asides, s[:n])
	return n + 1
}

// field reads the text between two spaces.
func (p *parser) field(f string) {
	if plain(f[0]) && plain(f[len(f)-1]) {
		p.word(f)
		return
	}
	w := strings.TrimLeftFunc(f, isMark)
	before := len(f) - len(w)
	if w == "" {
		if f == "-" || f == "|" || f == "–" || f == "—" || f == "->" || f == "→" {
			p.endClause()
		}
		return
	}
	w = strings.TrimRightFunc(w, func(r rune) bool { return isMark(r) && r != '%' })
	if w == "" {
		return
	}
	tail := f[before+len(w):]
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

// plain reports whether c is an ASCII letter or digit.
func plain(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || digit(c) }

// isMark reports whether r is punctuation around words.
func isMark(r rune) bool {
	return r != '%' && r != '#' && r != '_' && r != '/' && r != '+' && r != '~' && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

// word adds a written word to the clause.
func (p *parser) word(w string) {
	if len(p.words)-p.first >= mostWords && p.goesOn(w) {
		return
	}
	x := p.known[w]
	if x == nil {
		if x = p.lookUp(w); x == nil {
			return
		}
		if p.known != nil && x.num == nil && len(w) <= longestKept {
			// Copies, since the word shares the memory of the whole text.
			x.written, x.folded, x.stem = strings.Clone(w), strings.Clone(x.folded), strings.Clone(x.stem)
			p.known[x.written] = x
		}
	}
	if p.breaks(x) || p.skip || len(p.words)-p.first >= mostWords {
		return
	}
	p.words = append(p.words, x)
}

// goesOn reports, for a clause that takes no more words, whether w surely does not end it.
func (p *parser) goesOn(w string) bool {
	var small [longestKept]byte
	if len(w) > len(small) {
		return false
	}
	for i := range len(w) {
		c := w[i] | 0x20
		if c < 'a' || c > 'z' {
			return false
		}
		small[i] = c
	}
	role := lexicon()[string(small[:len(w)])].role
	return role != breaker && role != instead && string(small[:len(w)]) != "than"
}

// lookUp returns a written word; nil for others.
func (p *parser) lookUp(w string) *word {
	p.tokens = p.tokens[:0]
	text.Scan(w, func(t text.Token) {
		if t.Kind != text.Joined && t.Kind != text.Pair {
			p.tokens = append(p.tokens, t)
		}
	})
	if len(p.tokens) == 0 {
		return nil
	}
	x := &word{written: w}
	for _, t := range p.tokens {
		x.folded += t.Word
	}
	if x.num = readNumber(w); x.num != nil {
		x.role = numeral
	} else {
		p.look(x)
	}
	return x
}

// look looks up a word.
func (p *parser) look(x *word) {
	e := lexicon()[x.folded]
	x.role, x.axis, x.sign, x.marks = e.role, e.axis, e.sign, e.marks
	if e.role >= grammar && e.role <= limit && shouted(x.written) {
		x.role = content // MIT, which is with in German
	}
	switch {
	case e.value != 0:
		x.role, x.num = numeral, &number{value: e.value, text: x.written}
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

// shouted reports whether a word is in capitals.
func shouted(w string) bool {
	return len(w) > 1 && !strings.ContainsFunc(w, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// breaks ends the clause before a word that begins another, and reports whether x is such a word.
func (p *parser) breaks(x *word) bool {
	n := len(p.words) - p.first
	switch {
	case x.role == breaker:
		p.endClause()
	case x.role == instead: // of; "instead we …" opens a claim
		p.skip = n > 0
	case x.folded == "than" && n > 0 && p.words[len(p.words)-1].folded == "rather":
		p.skip = true
	default:
		return false
	}
	return true
}

// endLabel ends a clause at a colon. A single word before it is a label.
func (p *parser) endLabel() {
	if len(p.words) == p.first+1 {
		label := p.words[p.first].folded
		p.label, p.event = fileLabels.Has(label), p.event || eventLabels.Has(label)
		p.words = p.words[:p.first]
		return
	}
	p.endClause()
}

func (p *parser) endSentence() {
	p.endClause()
	for _, aside := range p.asides {
		for f := range strings.FieldsSeq(aside) {
			p.word(strings.TrimFunc(f, isMark))
		}
		p.endClause()
	}
	for i := p.sentence; i < len(p.out.clauses); i++ {
		p.out.clauses[i].scope = p.scope
		// The reason for a single event is not permanent either.
		p.out.clauses[i].event = p.event || p.out.clauses[i].event || p.out.clauses[p.sentence].event
	}
	p.sentence, p.label, p.event, p.asides = len(p.out.clauses), false, false, p.asides[:0]
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
	interpret(&c)
	for i := range c.words {
		w := c.words[i]
		if w.role == scopeWord {
			p.scope = append(p.scope, w.stem)
		}
		if w.content() || w.axis != 0 {
			c.bits |= bit(w.key)
		}
	}
	p.out.clauses = append(p.out.clauses, c)
}
