package tokenizer

import (
	"strings"
	"unicode"
)

// An addedToken is a text that becomes a token wherever it stands.
type addedToken struct {
	text string
	id   int32
	left bool // takes the blanks before it along
	tail bool // and those after it
}

// addedTokens finds tokens in a text in one pass, for there are few and they begin with few bytes.
type addedTokens struct {
	tokens []addedToken
	first  string // the bytes that they begin with
}

func (a *addedTokens) add(t addedToken) {
	a.tokens = append(a.tokens, t)
	if strings.IndexByte(a.first, t.text[0]) < 0 {
		a.first += t.text[:1]
	}
}

// at returns the longest token that begins text.
func (a *addedTokens) at(text string) (best addedToken, ok bool) {
	for _, t := range a.tokens {
		if len(t.text) > len(best.text) && strings.HasPrefix(text, t.text) {
			best, ok = t, true
		}
	}
	return best, ok
}

// cut calls part for each part of text before a token, with the token's id, and for the rest with -1. Parts may be empty.
func (a *addedTokens) cut(text string, part func(text string, id int32)) {
	begin := 0
	for i := 0; i < len(text) && len(a.tokens) > 0; {
		if strings.IndexByte(a.first, text[i]) < 0 {
			i++
			continue
		}
		t, ok := a.at(text[i:])
		if !ok {
			i++
			continue
		}
		before := text[begin:i]
		if t.left {
			before = strings.TrimRightFunc(before, isSpace)
		}
		part(before, t.id)
		i += len(t.text)
		if t.tail {
			i = len(text) - len(strings.TrimLeftFunc(text[i:], isSpace))
		}
		begin = i
	}
	part(text[begin:], -1)
}

// isSpace is Unicode's White_Space, as the reference has it.
func isSpace(r rune) bool { return unicode.Is(unicode.White_Space, r) }
