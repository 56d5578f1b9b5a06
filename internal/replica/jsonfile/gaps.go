package jsonfile

import "bytes"

// maxGap is how much white space in a row, in bytes, is left between two words of JSON: more
// than anybody writes who wants it to be read.
const maxGap = 4 << 10

// gaps shortens the white space of JSON, piece by piece. The zero value is before the first.
type gaps struct {
	text    bool // in a text, whose blanks are what it says
	escaped bool // behind a backslash in it
	run     int  // bytes of white space before what comes
}

// shorten takes out of p what is above maxGap of white space outside of texts, and returns how
// much is left, at the beginning of p.
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

// toEnd is how much of p belongs to the text that p goes on with, with the quote that ends it.
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
