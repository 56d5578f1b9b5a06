package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/go-porterstemmer"
)

// maxToken is the length in bytes above which a run of letters is data, not a word (base 64,
// minified code). A SHA-512 in hex, which people search for, still fits.
const maxToken = 128

// maxJoin is the greatest number of parts that are also indexed joined; longer chains are paths or
// hyphenated prose, which people do not type as one word.
const maxJoin = 4

// maxPrefix is the length up to which the part before a hyphen is a prefix (e-mail, pre-commit),
// which is often written without the hyphen.
const maxPrefix = 3

// Token is one word of the index.
type Token struct {
	Word string // folded, not stemmed: for comparing prefixes
	Kind Kind
	Stop bool // stop word

	In      Language // of the text
	Written string   // not folded: Foreign wants accents; "" in an English text
}

// Text returns the index form, Word stemmed; on demand, because stemming is most of the work.
func (t Token) Text() string { return stem(t.Word) }

// Kind is the origin of a token.
type Kind uint8

// Kinds of tokens.
const (
	Plain  Kind = iota // a word, or a part of one
	Joined             // the parts of the previous word, joined
	Pair               // two adjacent characters in a script without spaces
	Char               // one of several characters in such a script
)

// Scan calls emit for every token of s, in order.
//
// A written word is a run of letters, digits and joiners (_ - . : and apostrophes inside a word).
// It yields its parts, cut at joiners and where case changes (getUserName: get, user, name;
// HTTPServer: http, server), and, with two to four parts, their joined form (getusername), so that
// it is found in any spelling. Scripts without spaces yield each character and each adjacent pair.
//
// Stop words are English. A memory may have another language: see ScanMemory.
func Scan(s string, emit func(Token)) { Language(0).scan(s, emit) }

// ScanMemory is Scan of the title and the content of a memory. In a text of another language, its stop words are
// stop words too, and Token.Foreign returns stems. This is how memories are indexed.
func ScanMemory(title, content string, inTitle, inContent func(Token)) {
	in := languageOf(title, content)
	in.scan(title, inTitle)
	in.scan(content, inContent)
}

// ScanQuestion is Scan of a question, in the languages it may be in.
func ScanQuestion(s string, emit func(Token)) { languagesOf(s).scan(s, emit) }

func (l Language) scan(s string, emit func(Token)) {
	for i := 0; i < len(s); {
		// Nine of ten words are ASCII letters and digits, of which only the first may be upper case.
		if is := kinds[s[i]]; is == gap {
			i++
			continue
		} else if is != other {
			end := i + 1
			for end < len(s) && kinds[s[end]] == small {
				end++
			}
			if n := end - i; 1 < n && n <= maxToken && (end == len(s) || kinds[s[end]] == gap) {
				w := s[i:end]
				if is == capital {
					w = strings.ToLower(w)
				}
				l.emit(w, w, emit)
				i = end
				continue
			}
		}
		r, size := decode(s, i)
		if !isWord(r) {
			i += size
			continue
		}
		end := wordEnd(s, i)
		if name := letterName(s, i, end); name != "" {
			emit(Token{Word: name})
		} else {
			l.scanWord(s[i:end], emit)
		}
		i = end
	}
}

// The kinds of bytes.
const (
	other   = iota // of a character beyond ASCII, or one that may join the parts of a word
	gap            // between words
	small          // a small letter or a digit
	capital        // a capital letter
)

var kinds = func() (kinds [256]uint8) {
	for c := range rune(utf8.RuneSelf) {
		switch {
		case 'A' <= c && c <= 'Z':
			kinds[c] = capital
		case isWord(c):
			kinds[c] = small
		case !isCut(c) && c != '\'':
			kinds[c] = gap
		}
	}
	return kinds
}()

// letterName returns the word for C++, C# and similar names, whose bare letter would find nothing,
// and "" for other words.
func letterName(s string, i, end int) string {
	if end-i != 1 {
		return ""
	}
	switch rest := s[end:]; {
	case strings.HasPrefix(rest, "++"):
		return strings.ToLower(s[i:end]) + "pp" // the usual spelling without +
	case strings.HasPrefix(rest, "#"):
		if next, _ := decode(rest, 1); !isWord(next) {
			return strings.ToLower(s[i:end]) + "sharp"
		}
	}
	return ""
}

// wordEnd returns where the written word that starts at i ends.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, size := decode(s, i)
		switch {
		case isWord(r):
		case isCut(r) || r == '\'' || r == '\u2019':
			// A joiner belongs to the word only if a word character follows.
			next, _ := decode(s, i+size)
			if i+size >= len(s) || !isWord(next) {
				return i
			}
		default:
			return i
		}
		i += size
	}
	return i
}

func (l Language) scanWord(w string, emit func(Token)) {
	if simple(w) { // nine of ten words
		w = strings.ToLower(w)
		l.emit(w, w, emit)
		return
	}
	var parts [maxJoin]string
	n := 0
	add := func(p string) {
		if p == "" {
			return
		}
		if n < maxJoin {
			parts[n] = p
		}
		n++
		l.scanPart(p, emit)
	}
	for piece := range strings.FieldsFuncSeq(w, isCut) {
		if len(piece) > maxToken && ascii(piece) {
			continue
		}
		for len(piece) > 0 {
			cut := caseCut(piece)
			add(piece[:cut])
			piece = piece[cut:]
		}
	}
	// pre-commit is also written precommit, but rock-solid is never written rocksolid.
	compound := strings.Contains(w, "-") && (n > 2 || len(parts[0]) > maxPrefix)
	if n < 2 || n > maxJoin || compound {
		return
	}
	joined := strings.ReplaceAll(fold(strings.Join(parts[:n], "")), "'", "")
	if len(joined) <= maxToken && !Dense(joined) && !digits(joined) {
		emit(Token{Word: joined, Kind: Joined})
	}
}

// simple reports whether w is ASCII letters and digits, only the first possibly upper case.
func simple(w string) bool {
	for i := 1; i < len(w); i++ {
		if (w[i] < 'a' || w[i] > 'z') && (w[i] < '0' || w[i] > '9') {
			return false
		}
	}
	return len(w) <= maxToken && w[0] < utf8.RuneSelf
}

// caseCut returns where the first part of w ends because of case.
func caseCut(w string) int {
	var before, last rune
	for i := 0; i < len(w); {
		r, size := decode(w, i)
		if unicode.IsLower(last) && unicode.IsUpper(r) {
			return i
		}
		// HTTPServer is cut before the S that starts a lower-case run; URLs is not cut.
		if unicode.IsUpper(before) && unicode.IsUpper(last) && unicode.IsLower(r) && w[i:] != "s" {
			_, back := utf8.DecodeLastRuneInString(w[:i])
			return i - back
		}
		before, last = last, r
		i += size
	}
	return len(w)
}

// scanPart emits one part: a plain word or a run of mixed scripts. In other languages an apostrophe may follow an
// article: l'utente is l and utente.
func (l Language) scanPart(p string, emit func(Token)) {
	if l != 0 {
		if article, word, ok := strings.Cut(strings.ReplaceAll(p, "\u2019", "'"), "'"); ok && stops().of(fold(article)).stops&l != 0 {
			l.scanPart(article, emit)
			l.scanPart(word, emit)
			return
		}
	}
	if ascii(p) {
		l.emitWord(strings.ToLower(p), p, emit)
		return
	}
	written := p
	p = fold(p)
	for len(p) > 0 {
		n, dense := run(p)
		switch {
		case dense:
			emitDense(p[:n], emit)
		case n < len(p):
			l.emitWord(p[:n], p[:n], emit)
		default:
			l.emitWord(p, written, emit)
		}
		written, p = p[n:], p[n:]
	}
}

// emitWord emits a folded word without possessive s and apostrophes: user's is user, don't is dont.
func (l Language) emitWord(w, written string, emit func(Token)) {
	w = strings.TrimLeft(w, "'") // left there after a script without spaces
	if i := strings.IndexByte(w, '\''); i > 0 {
		if w[i:] == "'s" {
			w, written = w[:i], w[:i]
		} else {
			w = strings.ReplaceAll(w, "'", "")
		}
	}
	if w == "" || len(w) > maxToken {
		return
	}
	l.emit(w, written, emit)
}

// emit emits a word without apostrophes.
func (l Language) emit(w, written string, emit func(Token)) {
	is := stops().of(w)
	if l == 0 {
		emit(Token{Word: w, Stop: is.english})
	} else {
		emit(Token{Word: w, Stop: is.english || is.stops&l != 0, In: l, Written: written})
	}
}

// emitDense emits a run of a script without spaces: each character with its marks, and each pair,
// which makes such text searchable without a dictionary.
func emitDense(p string, emit func(Token)) {
	kind := Char
	if clusterLen(p) == len(p) {
		kind = Plain
	}
	var last string
	for p != "" {
		n := clusterLen(p)
		c := p[:n]
		emit(Token{Word: c, Kind: kind})
		if last != "" {
			emit(Token{Word: last + c, Kind: Pair})
		}
		last, p = c, p[n:]
	}
}

// clusterLen returns the length of the first character of s with its marks.
func clusterLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.Is(unicode.M, r) {
			break
		}
		n += size
	}
	return n
}

// stem returns the stem of a folded word: Porter's for English letters, the word itself if it has
// digits or other scripts.
//
// Source: Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
func stem(w string) string {
	if len(w) < 3 || len(w) > 40 {
		return w
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	var buf [40]rune
	rs := buf[:0]
	for i := range len(w) {
		rs = append(rs, rune(w[i]))
	}
	return string(porterstemmer.StemWithoutLowerCasing(rs))
}

// digits reports whether s is a number: people do not search for a date's parts joined.
func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func decode(s string, i int) (rune, int) {
	if i < len(s) && s[i] < utf8.RuneSelf {
		return rune(s[i]), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r))
}

// isCut reports whether r separates the parts of a written word.
func isCut(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ':' }
