package text

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"golang.org/x/text/unicode/norm"
)

// Language is a set of languages besides English, whose stop words and stems every text has. The zero value is
// English alone. A memory has at most one other language; a question may be in any of several.
type Language uint16

// Languages with stop words and stems of their own.
const (
	Danish Language = 1 << iota
	Dutch
	Finnish
	French
	German
	Italian
	Norwegian
	Portuguese
	Russian
	Spanish
	Swedish

	languages = iota
	all       = 1<<languages - 1
	latin     = all &^ Russian

	// undecided is the language of a question without any stop word. It has stems of all languages.
	undecided = 1 << languages
)

// stemmers are the stemmers by language.
var stemmers = [languages]func(*snowballstem.Env) bool{danish.Stem, dutch.Stem, finnish.Stem, french.Stem, german.Stem,
	italian.Stem, norwegian.Stem, portuguese.Stem, russian.Stem, spanish.Stem, swedish.Stem}

// evidence counts the different words of a text that tell of its language. Each counts once, because in code a
// short variable is often such a word.
type evidence struct {
	english int
	other   [languages]int
	most    int            // in other
	also    [languages]int // stop words that tell nothing, which settle a draw
	left    int            // bytes to read
	seen    [len(stopTable{}.short) / 64]uint64
}

const (
	// window is how many bytes are read for the language: some two hundred words.
	window = 1200
	// enough is the lead of English stop words that ends the reading.
	enough = 3
	// leastTold is the number of stop words that make a memory foreign: one may be part of a name.
	leastTold = 2
)

// languageOf returns the language of a memory. It is English unless the stop words of another language are more.
func languageOf(title, content string) Language {
	e := evidence{left: window}
	if e.read(content) || e.read(title) || e.most < leastTold || e.most <= e.english {
		return 0
	}
	var best Language
	most := -1
	for i, n := range e.also {
		if one := Language(1 << i); e.leaders()&one != 0 && n > most {
			best, most = one, n
		}
	}
	return best
}

// languagesOf returns the languages of a question: those that most of its stop words belong to. A question is too
// short to tell Danish from Norwegian, or what language a few names are from.
func languagesOf(question string) Language {
	e := evidence{left: window}
	switch english := e.read(question); {
	case e.most == 0 && e.english == 0:
		return undecided
	case english || e.most <= e.english:
		return 0
	}
	return e.leaders()
}

// leaders returns the languages with the most words.
func (e *evidence) leaders() (l Language) {
	for i, n := range e.other {
		if n == e.most {
			l |= 1 << i
		}
	}
	return l
}

// read counts the words of s. It stops, and returns true, once the text is English beyond doubt: most memories
// are, and so cost a dozen words.
func (e *evidence) read(s string) (english bool) {
	table := stops()
	for i := 0; i < len(s) && e.left > 0; {
		start, n := i, uint64(0)
		plain, name := true, false
		for ; i < len(s); i++ {
			c := s[i]
			switch {
			case c >= 'a' && c <= 'z':
			case c >= 'A' && c <= 'Z':
				name = name || i > start // words in capitals are names
				c += 'a' - 'A'
			case c >= utf8.RuneSelf && signLen(s, i) == 0:
				plain = false
			default:
				c = 0
			}
			if c == 0 {
				break
			}
			n = n<<8 | uint64(c)
		}
		size := i - start
		e.left -= size + 1
		switch {
		case size == 0:
			i += max(signLen(s, i), 1)
			continue
		case name, size > longestTold, start > 0 && isInner(s[start-1]), i+1 < len(s) && isInner(s[i]) && isLetter(s[i+1]):
			continue // part of a name such as a path
		}
		if !plain {
			if r, _ := utf8.DecodeRuneInString(s[start:]); r >= 'а' && r <= 0x52f { // names have a capital
				e.add(Russian)
				continue
			}
			w := fold(s[start:i])
			n, size = pack(w), len(w)
		}
		if size > 8 {
			continue // long stop words are rare
		}
		place := table.place(n)
		w := table.short[place].is
		if w.stops == 0 && !w.english || e.seen[place/64]&(1<<(place%64)) != 0 {
			continue
		}
		if size == 1 && !w.english { // a variable, or an article as in l'eau
			if w.tells &= French | Italian; !elides(s[i:]) {
				continue
			}
		}
		e.seen[place/64] |= 1 << (place % 64)
		switch {
		case w.stops == 0:
			if e.english++; e.english >= e.most+enough {
				return true
			}
		default:
			e.add(w.tells)
			for l := w.stops &^ w.tells; l != 0; l &= l - 1 {
				e.also[bits.TrailingZeros16(uint16(l))]++
			}
		}
	}
	return false
}

// elides reports whether s begins with an apostrophe and a letter.
func elides(s string) bool {
	s, ok := strings.CutPrefix(strings.Replace(s[:min(len(s), 4)], "\u2019", "'", 1), "'")
	return ok && s != "" && isLetter(s[0])
}

// longestTold is the length in bytes above which words are not looked up.
const longestTold = 24

func (e *evidence) add(l Language) {
	for ; l != 0; l &= l - 1 {
		n := &e.other[bits.TrailingZeros16(uint16(l))]
		*n++
		e.most = max(e.most, *n)
	}
}

// signLen returns the length in bytes of the punctuation of print at s[i:], such as ¿, « and ’; 0 for other text.
func signLen(s string, i int) int {
	switch {
	case s[i] == 0xc2: // U+0080 to U+00BF
		return 2
	case s[i] == 0xe2 && i+1 < len(s) && s[i+1] == 0x80: // U+2000 to U+203F
		return 3
	}
	return 0
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= utf8.RuneSelf }

// isInner reports whether b joins the parts of a name.
func isInner(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b == '/' || b == ':' || b >= '0' && b <= '9'
}

func isCyrillic(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return r >= 0x400 && r <= 0x52f
}

// ForeignMark opens indexed words that are stems of other languages than English. Tokens never contain it, so that
// a stem cannot match an English word, such as the Spanish one of código the fish.
const ForeignMark = "\x02"

// Foreign returns the second index form of a word in another language, its stem there with ForeignMark; "" for an
// English text, for stop words and for what is not made of letters.
func (t Token) Foreign() string {
	if t.In&all == 0 {
		return ""
	}
	forms := t.foreign(t.In & -t.In)
	if len(forms) == 0 {
		return ""
	}
	return forms[0]
}

// foreign returns the forms of Foreign in several languages, each once.
func (t Token) foreign(l Language) (forms []string) {
	if l == 0 || t.Stop || t.Kind != Plain || len(t.Word) < 3 || len(t.Word) > maxStemmed || strings.ContainsAny(t.Word, "0123456789") {
		return nil
	}
	switch {
	case l&undecided != 0 && !ascii(t.Word):
		l = all
	case l&undecided != 0:
		l = latin
	}
	if isCyrillic(t.Word) {
		l &= Russian
	} else {
		l &= latin
	}
	written := lower(t.Written)
	for ; l != 0; l &= l - 1 {
		env := snowballstem.NewEnv(written)
		stemmers[bits.TrailingZeros16(uint16(l))](env)
		if form := ForeignMark + fold(env.Current()); !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

// maxStemmed is the length in bytes up to which words are stemmed.
const maxStemmed = 80

// lower returns a word as the stemmers want it: letters in lower case, composed, with their accents.
func lower(w string) string {
	if w = strings.ToLower(strings.ReplaceAll(w, "'", "")); ascii(w) {
		return w
	}
	return norm.NFC.String(strings.ReplaceAll(w, "\u2019", ""))
}
