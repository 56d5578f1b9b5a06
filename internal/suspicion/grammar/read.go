// Package grammar finds instructions in sentences. Read splits a text into words with their meaning (sign.go,
// notion.go, thing.go); Kinds checks the subject of each sentence (kind.go, over scene.go), Orders known
// wordings (order.go), and Abroad those of languages without spaces (abroad.go).
//
// It is frozen, as package suspicion explains: fix bugs, add no rules. All functions are linear in the text
// and may be called concurrently.
package grammar

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// token is a word, address or path of a text.
type token struct {
	is       sign
	means    notion
	from, to int32 // offsets in the text
	form     form
	opens    bool // a sentence or clause
}

// Sentences are the tokens of a text, with the signs and notions of each sentence as a filter.
type Sentences struct {
	text   string
	tokens []token
	begins []int // the index of the first token of each sentence
	signs  []sign
	means  []notion          // of each sentence
	over   bool              // the last sentence has ended
	scene  [mostWords]notion // room for scene.as
}

// Free gives the room of the sentences, which is larger than the text, to another text.
func (t *Sentences) Free() {
	*t = Sentences{tokens: t.tokens[:0], begins: t.begins[:0], signs: t.signs[:0], means: t.means[:0]}
	known().rooms.Put(t)
}

// Read splits text into sentences. It ignores zero-width characters, case and accents, and maps
// look-alike letters to Latin.
func Read(text string) *Sentences {
	var words pair
	listed := known()
	t := listed.room()
	t.text = text
	open := true
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && !finding.Letter(c) {
			if c == ' ' {
				i++
				continue
			}
			if n, e := thing(text[i:]); n > 1 && (i == 0 || !finding.Letter(text[i-1])) {
				t.add(e, i, i+n, open)
				i, open = i+n, false
				continue
			}
			switch {
			case ends(text, i):
				t.over, open = true, true
				words.n = 0
			case opensClause[c]:
				open = true
			}
			i++
			continue
		}
		if n, e := thing(text[i:]); n > 1 {
			t.add(e, i, i+n, open)
			i, open = i+n, false
			continue
		}
		to, n := wordAt(text, i, words.next())
		if n > 0 {
			e, both := words.look(listed, n)
			t.add(e, i, to, open)
			if both.means != 0 {
				t.join(both)
			}
			open = false
		} else if r, _ := utf8.DecodeRuneInString(text[i:]); r == '¡' || r == '¿' || r == '“' || r == '«' || r == '—' || r == '–' {
			open = true
		}
		i = to
	}
	return t
}

// opensClause marks the ASCII characters after which a clause begins.
var opensClause = func() (opens [256]bool) {
	for _, c := range []byte(":,;\"'`([*-") {
		opens[c] = true
	}
	return opens
}()

// pair is the last word and the one before it, with a space between.
type pair struct {
	text [2*maxWord + 1]byte
	n    int // length of the first word and the space; 0 without one
}

// next returns the buffer for the next word.
func (p *pair) next() []byte { return p.text[p.n : p.n+maxWord] }

// look looks up the last word, of n bytes, and the pair.
func (p *pair) look(in *vocabulary, n int) (e, both entry) {
	word := p.text[p.n : p.n+n]
	e, ok := in.find(word)
	if !ok && undress(word) {
		e, _ = in.find(word)
	}
	if p.n > 0 {
		both, _ = in.find(p.text[:p.n+n])
	}
	p.n = 0
	if e.heads {
		copy(p.text[:], word)
		p.text[n] = ' '
		p.n = n + 1
	}
	return e, both
}

// undress replaces digits for letters in a word (1gn0re) and reports whether there were any.
// Digits at the end stay: versions have them.
func undress(word []byte) bool {
	const digits, letters = "013457", "oieast"
	inside := false
	for i, c := range word {
		if c >= '0' && c <= '9' && i+1 < len(word) && word[i+1] >= 'a' {
			inside = true
		}
	}
	if !inside {
		return false
	}
	for i, c := range word {
		if k := strings.IndexByte(digits, c); k >= 0 {
			word[i] = letters[k]
		}
	}
	return true
}

// join adds the meaning of a pair to its second token.
func (t *Sentences) join(both entry) {
	last := &t.tokens[len(t.tokens)-1]
	last.means |= both.means
	t.means[len(t.means)-1] |= both.means
	if both.form != noVerb {
		last.form = both.form
	}
}

func (t *Sentences) add(e entry, from, to int, opens bool) {
	is := e.is
	if t.over || len(t.begins) == 0 {
		t.begins, t.signs, t.means, t.over = append(t.begins, len(t.tokens)), append(t.signs, 0), append(t.means, 0), false
	}
	t.signs[len(t.signs)-1] |= is
	t.means[len(t.means)-1] |= e.means
	t.tokens = append(t.tokens, token{is, e.means, int32(from), int32(to), e.form, opens})
}

// of returns sentence i, from 0.
func (t *Sentences) of(i int) sentence {
	to, about := len(t.tokens), t.signs[i]
	if i+1 < len(t.begins) {
		to = t.begins[i+1]
		about |= t.signs[i+1]
	}
	return sentence{text: t.text, tokens: t.tokens[t.begins[i]:to], has: t.signs[i], attack: about&reported != 0, room: &t.scene}
}

// ends reports the end of a sentence at the ASCII character i: a full stop before white space, an
// empty line or a list item. Texts are wrapped anywhere, so a line break alone is a space.
func ends(text string, i int) bool {
	rest := text[i+1:]
	switch text[i] {
	case '.', '!', '?':
		return rest == "" || strings.IndexByte(" \n\r\t\"')`", rest[0]) >= 0
	case '\n':
		rest = strings.TrimLeft(rest, " \t\r")
		return rest == "" || strings.IndexByte("\n-*#|", rest[0]) >= 0
	}
	return false
}

// maxWord is the longest word in the vocabulary, in bytes.
const maxWord = 24

// lowerWord has the ASCII letters, digits and the underscore in lower case; 0 for other bytes.
var lowerWord = func() (lower [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		if finding.Letter(c) {
			lower[c] = c
			if c >= 'A' && c <= 'Z' {
				lower[c] += 'a' - 'A'
			}
		}
	}
	return lower
}()

// wordAt reads the word at i into w in the spelling of entries. It returns the end of the word
// and its length in w, 0 if it is too long or not a word.
func wordAt(text string, i int, w []byte) (to, n int) {
	for i < len(text) && n < len(w) && lowerWord[text[i]] != 0 { // most words end here
		w[n] = lowerWord[text[i]]
		i, n = i+1, n+1
	}
	if n > 0 && i < len(text) && text[i] < utf8.RuneSelf && text[i] != '\'' && !finding.Letter(text[i]) {
		return i, n
	}
	long := false
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			if finding.Invisible(r) || r == 0xad || r >= 0xe0000 && r <= 0xe01ef || unicode.Is(unicode.Mn, r) {
				i += size
				continue
			}
			r = plainer(r)
		} else if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		// "don't" and "dont" are one word.
		if r == '\'' || r == 0x2019 {
			if n > 0 && i+size < len(text) && finding.Letter(text[i+size]) {
				i += size
				continue
			}
			if n == 0 && !long {
				return i + size, 0
			}
			break
		}
		if r < utf8.RuneSelf && !finding.Letter(byte(r)) || r >= utf8.RuneSelf && !unicode.IsLetter(r) {
			if n == 0 && !long {
				return i + size, 0
			}
			break
		}
		if n+utf8.RuneLen(r) > len(w) {
			long = true
		} else {
			n += utf8.EncodeRune(w[n:], r)
		}
		i += size
	}
	if long {
		n = 0
	}
	return i, n
}

// plainer maps a decorated or look-alike letter to lower-case Latin, and others to lower case.
// Russian words become partly Latin, in entries too.
//
// Source of look-alikes: Unicode Technical Standard 39, confusables.
func plainer(r rune) rune {
	switch {
	case r >= 0xff01 && r <= 0xff5e: // full width
		return unicode.ToLower(r - 0xff01 + '!')
	case r >= 0x1d400 && r <= 0x1d6a3: // letters of mathematics, alphabets of 52
		return 'a' + (r-0x1d400)%26
	}
	r = unicode.ToLower(r)
	if plain, ok := likeness()[r]; ok {
		return plain
	}
	return r
}

// likeness maps letters with accents and look-alikes of other scripts. It is built at the first use.
var likeness = sync.OnceValue(func() map[rune]rune {
	m := map[rune]rune{}
	for plain, like := range map[rune]string{
		'a': "àáâãäåāăąа\u03b1", 'c': "çćčс", 'd': "ďđԁ", 'e': "èéêëēėęěе", 'g': "ğġɡ", 'h': "һ", 'i': "ìíîïīįıі\u03b9", 'j': "ј", 'k': "κк",
		'l': "ľł", 'n': "ñńň\u03b7", 'o': "òóôõöøōőо\u03bf", 'p': "р\u03c1", 'q': "ԛ", 'r': "řŕ", 's': "śşšѕ", 't': "ťţτ", 'u': "ùúûüūůűų\u03c5",
		'v': "ѵ\u03bd", 'w': "ԝ", 'x': "х\u03c7", 'y': "ýÿу\u03b3", 'z': "źżž",
	} {
		for _, r := range like {
			m[r] = plain
		}
	}
	return m
})
