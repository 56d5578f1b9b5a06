package grammar

import "strings"

// Spoken separates the words of topic keys, tags and field names: "never-tell-the-user". The
// result has the length of text. Prose, addresses and single words are unchanged.
func Spoken(text string) string {
	if !joined(text) {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		switch c {
		case '-', '_':
			b[i] = ' '
		case '/':
			b[i] = ':' // a sentence begins after the folder
		}
	}
	return string(b)
}

// joined reports words that are joined by signs. An address has a colon after its scheme.
func joined(text string) bool {
	signs := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '-' || c == '_' || c == '/':
			signs++
		case c <= ' ' || c == ':':
			return false
		}
	}
	return signs >= 2 && !strings.HasPrefix(text, "-")
}
