package jsonfile

import "bytes"

// maxGap is the longest run of white space kept between two JSON tokens, in bytes.
const maxGap = 4 << 10

// gaps shortens white space in JSON, piece by piece. The zero value is at the start.
type gaps struct {
	text    bool // inside a string, where white space is content
	escaped bool // after a backslash
	run     int  // length of the current run of white space
}

// shorten removes white space beyond maxGap outside of strings from p, in place, and returns the
// remaining length.
func (g *gaps) shorten(p []byte) int {
	kept := 0
	for at := 0; at < len(p); {
		if g.text {
			n := g.toEnd(p[at:])
			kept += copy(p[kept:], p[at:at+n])
			at += n
			continue
		}
		c := p[at]
		at++
		switch c {
		case ' ', '\t', '\r', '\n':
			if g.run++; g.run > maxGap {
				continue
			}
		case '"':
			g.text, g.run = true, 0
		default:
			g.run = 0
		}
		p[kept] = c
		kept++
	}
	return kept
}

// toEnd returns how much of p belongs to the current string, with the closing quote.
func (g *gaps) toEnd(p []byte) int {
	at := 0
	if g.escaped {
		at, g.escaped = 1, false
	}
	for at < len(p) {
		n := bytes.IndexAny(p[at:], "\"\\")
		if n < 0 {
			return len(p)
		}
		if at += n + 1; p[at-1] == '"' {
			g.text = false
			return at
		}
		if at == len(p) {
			g.escaped = true
			return at
		}
		at++
	}
	return len(p)
}
