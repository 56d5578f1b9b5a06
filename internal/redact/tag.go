package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tagKind int

const (
	noTag tagKind = iota
	openTag
	closeTag
)

// tag is one private tag; end is the index after it.
type tag struct {
	kind tagKind
	end  int
}

const tagName = "private"

// nextTag finds the first tag in s at or after from.
func nextTag(s string, from int) (at int, t tag) {
	for at = from; ; at++ {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			return len(s), tag{}
		}
		at += i
		if t = tagAt(s, at); t.kind != noTag {
			return at, t
		}
	}
}

// tagAt parses the tag at s[at] up to the next <, which keeps the scan linear.
func tagAt(s string, at int) tag {
	i := at + 1
	if end, ok := name(s, i); ok {
		return openAfter(s, end)
	}
	i = skipSpace(s, i)
	kind := openTag
	if i < len(s) && s[i] == '/' {
		kind, i = closeTag, skipSpace(s, i+1)
	}
	// With white space or a slash before the name, only white space may follow it: "a < private b"
	// is a comparison, and a closing tag with attributes must not end a span by accident.
	end, ok := name(s, i)
	if !ok {
		return tag{}
	}
	if end = skipSpace(s, end); end < len(s) && s[end] == '>' {
		return tag{kind, end + 1}
	}
	return tag{}
}

// openAfter parses the rest of an opening tag whose name ends at i. A tag that is broken off by
// another < or the end of the text still opens a span, because the text after it was meant to be
// private.
func openAfter(s string, i int) tag {
	if i == len(s) {
		return tag{}
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	switch {
	case r == '>':
		return tag{openTag, i + 1}
	case r == '<':
		return tag{openTag, i}
	case r == '/':
		if end := skipSpace(s, i+1); end < len(s) && s[end] == '>' {
			return tag{openTag, end + 1}
		}
		return tag{}
	case !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r):
		return tag{} // a longer name, such as <private-key>
	}
	i += size
	j := strings.IndexAny(s[i:], "<>")
	switch {
	case j < 0:
		return tag{openTag, len(s)}
	case s[i+j] == '>':
		return tag{openTag, i + j + 1}
	}
	return tag{openTag, i + j}
}

// name reports whether tagName is at s[i], and where it ends.
func name(s string, i int) (end int, ok bool) {
	end = i + len(tagName)
	if end > len(s) || s[i]|0x20 != tagName[0] {
		return i, false
	}
	return end, strings.EqualFold(s[i:end], tagName)
}

func skipSpace(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) {
			return i
		}
		i += size
	}
	return i
}
