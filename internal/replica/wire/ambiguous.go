package wire

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// deepest is the deepest nesting of an item.
const deepest = 1000

// Ambiguous rejects JSON that decoders accept with silent loss: a duplicate field, in any case;
// half of a surrogate pair; nesting deeper than 1,000. The item must be valid JSON; the error is
// CodeInvalid.
func Ambiguous(item []byte) error {
	var fields map[string]bool
	depth, key := 0, false // key: the next string at depth 1 is a field name
	for at := 0; at < len(item); at++ {
		switch item[at] {
		case '{', '[':
			if depth++; depth > deepest {
				return engram.Errorf(engram.CodeInvalid, "it is nested more than %d deep", deepest)
			}
			key = depth == 1 && item[at] == '{'
		case '}', ']':
			depth--
		case ',':
			key = depth == 1 && fields != nil
		case '"':
			end := at + 1 + textEnd(item[at+1:])
			text := item[at : end+1]
			if bytes.Contains(text, []byte(`\u`)) && halfLetter(text) {
				return engram.Errorf(engram.CodeInvalid, "a text has a lone surrogate (half of a character)").WithHint("convert it to UTF-8 first")
			}
			if key && depth == 1 {
				key = false
				if fields == nil {
					fields = map[string]bool{}
				}
				name := nameOf(text)
				if fields[name] {
					return engram.Errorf(engram.CodeInvalid, "%.40s is there twice", name).WithHint("remove one of the two")
				}
				fields[name] = true
			}
			at = end
		}
	}
	return nil
}

// textEnd returns the position of the quote that ends a string.
func textEnd(rest []byte) int {
	for at := 0; at < len(rest); at++ {
		switch rest[at] {
		case '\\':
			at++
		case '"':
			return at
		}
	}
	return len(rest) - 1
}

// nameOf returns a field name for comparison.
func nameOf(text []byte) string {
	var name string
	if bytes.IndexByte(text, '\\') < 0 || json.Unmarshal(text, &name) != nil {
		name = string(text[1 : len(text)-1])
	}
	return strings.ToLower(name)
}

// halfLetter reports whether a string has a surrogate escape without its other half.
func halfLetter(text []byte) bool {
	for at := 0; at+1 < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		at++
		if text[at] != 'u' {
			continue
		}
		switch surrogate(text[at-1:]) {
		case 'l':
			return true
		case 'h':
			if surrogate(text[min(at+5, len(text)):]) != 'l' {
				return true
			}
			at += 6
		}
	}
	return false
}

// surrogate returns h for a high surrogate escape, l for a low one, 0 for others.
func surrogate(escape []byte) byte {
	if len(escape) < 6 || escape[0] != '\\' || escape[1] != 'u' || escape[2]|0x20 != 'd' {
		return 0
	}
	switch c := escape[3] | 0x20; {
	case c == '8', c == '9', c == 'a', c == 'b':
		return 'h'
	case c >= 'c' && c <= 'f':
		return 'l'
	}
	return 0
}
