package static

import (
	"unicode"
	"unicode/utf8"
)

// continuation marks entries that continue a word, and is not part of it.
const continuation = "##"

// mostWord is the longest word that is looked up, in bytes.
const mostWord = 64

// words splits a text; tokens drives it.
type words struct {
	table *table
	ids   []uint16
	word  [mostWord]byte
	n     int // bytes of the word so far, including those beyond mostWord
}

// Tokens appends the numbers of a text's words and word pieces in the vocabulary, in order, all of them. It appends nothing
// if the model cannot answer.
func (m *Model) Tokens(ids []int32, text string) []int32 {
	t, err := m.table()
	if err != nil {
		return ids
	}
	for _, id := range t.tokens(make([]uint16, 0, len(text)), text) { // none is shorter than a byte
		ids = append(ids, int32(id))
	}
	return ids
}

// Size is the number of words and word pieces in the vocabulary; 0 if the model cannot answer.
func (m *Model) Size() int {
	t, err := m.table()
	if err != nil {
		return 0
	}
	return t.entries
}

// tokens appends the entries of a text, at most as many as fit into ids.
func (t *table) tokens(ids []uint16, text string) []uint16 {
	w := words{table: t, ids: ids}
	var last rune // previous rune of the text, even if skipped
	for i, r := range text {
		if len(w.ids) == cap(w.ids) {
			break
		}
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			w.put(byte(r))
		case 'A' <= r && r <= 'Z':
			if wordBegins(last, text[i+1:]) {
				w.end()
			}
			w.put(byte(r) - 'A' + 'a')
		case r == '+' || r == '#':
			w.end()
			w.put(byte(r))
			w.end()
		case r == '\'' || r == '’':
			next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			if w.n == 0 || !unicode.IsLetter(next) {
				w.end()
			}
		case r < utf8.RuneSelf:
			w.end()
		default:
			w.foreign(r)
		}
		last = r
	}
	w.end()
	return w.ids
}

// wordBegins reports whether a capital letter begins a word inside another, as in fooBar and
// HTTPServer; last is the rune before it, rest the text after it.
func wordBegins(last rune, rest string) bool {
	if 'a' <= last && last <= 'z' {
		return true
	}
	if last < 'A' || 'Z' < last || rest == "" || rest[0] < 'a' || 'z' < rest[0] {
		return false
	}
	if rest[0] != 's' {
		return true
	}
	after, _ := utf8.DecodeRuneInString(rest[1:])
	return unicode.IsLetter(after) // otherwise the plural of an abbreviation: URLs
}

// foreign handles a rune beyond ASCII.
func (w *words) foreign(r rune) {
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		r = unicode.ToLower(r)
		if plain := fold(r); plain != "" {
			for i := range len(plain) {
				w.put(plain[i])
			}
			return
		}
		var room [utf8.UTFMax]byte
		alone := r >= 0x2E80 // scripts written without spaces
		if alone {
			w.end()
		}
		for _, b := range utf8.AppendRune(room[:0], r) {
			w.put(b)
		}
		if alone {
			w.end()
		}
	case unicode.Is(unicode.Mn, r): // an accent on the previous letter
	default:
		w.end()
	}
}

func (w *words) put(b byte) {
	if w.n < mostWord {
		w.word[w.n] = b
	}
	w.n++
}

// end looks up the word so far: whole, or else piece by piece, each as long as possible.
func (w *words) end() {
	n := w.n
	w.n = 0
	if n == 0 || n > mostWord {
		return
	}
	word, h, prefix := w.word[:n], uint64(hashStart), ""
	for len(word) > 0 && len(w.ids) < cap(w.ids) {
		id, length := w.table.longest(h, prefix, word)
		if length == 0 {
			length = 1 // no entry has this byte
		} else {
			w.ids = append(w.ids, id)
		}
		word, h, prefix = word[length:], uint64(hashContinuation), continuation
	}
}

// longest finds the entry that is the longest prefix of word, and its length, or 0. h is the hash of
// prefix, which precedes it.
func (t *table) longest(h uint64, prefix string, word []byte) (id uint16, length int) {
	var hashes [mostWord]uint64 // of each prefix
	word = word[:min(len(word), max(t.length-len(prefix), 0))]
	for i, b := range word {
		h = (h ^ uint64(b)) * hashPrime
		hashes[i] = h
	}
	for n := len(word); n > 0; n-- {
		if id, found := t.find(hashes[n-1], prefix, word[:n]); found {
			return id, n
		}
	}
	return 0, 0
}

// fold replaces a small accented Latin letter as in the model's training; "" for other runes. The
// table is the model's own: letters that are missing here are in the vocabulary as they are, or not
// at all.
func fold(r rune) string {
	if r < 'ß' || 'ț' < r {
		return ""
	}
	switch r {
	case 'à', 'á', 'â', 'ã', 'ä', 'å', 'ā', 'ă', 'ą':
		return "a"
	case 'ç', 'ć', 'ĉ', 'ċ', 'č':
		return "c"
	case 'ď', 'đ', 'ð':
		return "d"
	case 'è', 'é', 'ê', 'ë', 'ē', 'ĕ', 'ė', 'ę', 'ě':
		return "e"
	case 'ĝ', 'ğ', 'ġ', 'ģ':
		return "g"
	case 'ĥ':
		return "h"
	case 'ì', 'í', 'î', 'ï', 'ĩ', 'ī', 'ĭ', 'į', 'ı':
		return "i"
	case 'ĵ':
		return "j"
	case 'ķ':
		return "k"
	case 'ĺ', 'ļ', 'ľ', 'ł':
		return "l"
	case 'ñ', 'ń', 'ņ', 'ň':
		return "n"
	case 'ò', 'ó', 'ô', 'õ', 'ö', 'ō', 'ŏ', 'ő', 'ø':
		return "o"
	case 'ŕ', 'ŗ', 'ř':
		return "r"
	case 'ś', 'ŝ', 'ş', 'š', 'ș':
		return "s"
	case 'ţ', 'ť', 'ț':
		return "t"
	case 'ù', 'ú', 'û', 'ü', 'ũ', 'ū', 'ŭ', 'ů', 'ű', 'ų':
		return "u"
	case 'ŵ':
		return "w"
	case 'ý', 'ÿ', 'ŷ':
		return "y"
	case 'ź', 'ż', 'ž':
		return "z"
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'þ':
		return "th"
	}
	return ""
}
