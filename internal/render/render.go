// Package render writes memories as text: the lists that agents read through MCP
// and people read in a terminal, which are the same. It is pure; who prints, and
// where, is the frontend's business.
//
// What is one line here stays one line: titles, names and previews inside a line
// have their line breaks turned into spaces and their hidden characters made
// visible (plain.go), so that no memory can pass for another. Content that stands on
// lines of its own is written as it is; a terminal needs Plain around it.
//
// No text ends in a line break, but Context, whose format ends in an empty line.
//
// Source of the formats: the mem_* dialect, docs/protocol.
package render

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Options say how to write times.
type Options struct {
	Zone *time.Location // nil is UTC
}

// Time returns t in o.Zone as 2006-01-02 15:04:05, or "never" for the zero time.
func Time(t time.Time, o Options) string {
	if t.IsZero() {
		return "never"
	}
	zone := o.Zone
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format(time.DateTime)
}

// Preview returns the first runes characters of s, and "..." when there are more.
func Preview(s string, runes int) string {
	for i := range s {
		if runes == 0 {
			return s[:i] + "..."
		}
		runes--
	}
	return s
}

// Line returns s on one line, safe to show: each run of white space is one space.
// With runes above zero it is cut as Preview does.
func Line(s string, runes int) string {
	var b strings.Builder
	blank, n := false, 0
	for i, r := range s {
		if unicode.IsSpace(r) {
			blank = b.Len() > 0
			continue
		}
		if blank {
			n++
		}
		if runes > 0 && n >= runes {
			return Plain(b.String()) + "..."
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(s[i : i+size])
		n++
	}
	return Plain(b.String())
}
