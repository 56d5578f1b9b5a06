package suspicion

import "strings"

// spoken is a text with its words apart where signs join them, as in topic keys, tags and names
// of fields: "never-tell-the-user" says what "never tell the user" does. It is as long as text, so
// that places in the one are places in the other. Prose, addresses and single words stay as they are.
func spoken(text string) string {
	if !joined(text) {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		switch c {
		case '-', '_':
			b[i] = ' '
		case '/':
			b[i] = ':' // what stands before it says where it belongs, and is no part of the sentence
		}
	}
	return string(b)
}

// joined reports whether a text is words that signs join. An address, with the sign that is behind
// its scheme, is none.
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
