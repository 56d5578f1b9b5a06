// Package edit sets or removes one entry of a configuration file, and keeps every other byte: comments,
// order, indentation, byte order mark and line ends. It is pure: internal/setup reads and writes files.
//
// Every function returns the source itself if nothing has to change. It refuses a file that it cannot
// parse, with the line, and a result that differs from the source in anything but the entry.
package edit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// bom is the byte order mark that some editors put before UTF-8.
const bom = "\uFEFF"

// cutBOM takes the byte order mark off.
func cutBOM(src []byte) (mark, rest []byte) {
	if bytes.HasPrefix(src, []byte(bom)) {
		return src[:len(bom)], src[len(bom):]
	}
	return nil, src
}

// newline is how lines end in a file: as its first one does, or would with a line end put behind it.
func newline(src []byte) string {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	if bytes.HasSuffix(line, []byte("\r")) {
		return "\r\n"
	}
	return "\n"
}

// withNewlines is a text whose lines end as those of a file.
func withNewlines(text, nl string) string { return strings.ReplaceAll(text, "\n", nl) }

// place is where something stands in a file: its line and its column, in bytes, from 1.
type place struct{ line, column int }

// placeOf is that of an offset.
func placeOf(src []byte, offset int) place {
	before := src[:min(offset, len(src))]
	return place{1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')}
}

// Fault is an error at a place of a file. It is CodeInvalid.
type Fault struct {
	Line, Column int    // from 1, in bytes
	Why          string // without the place
	Hint         string // the next thing to try; "" when there is nothing better than to mend it
}

// Error says where and why.
func (f *Fault) Error() string { return fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Why) }

// Unwrap returns f as the error that Engram shows.
func (f *Fault) Unwrap() error {
	return &engram.Error{Code: engram.CodeInvalid, Msg: f.Error(), Hint: f.Hint}
}

func wrong(at place, format string, args ...any) *Fault {
	return &Fault{Line: at.line, Column: at.column, Why: fmt.Sprintf(format, args...)}
}

// splice is a file with something in the place of [from, to).
func splice(src []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(src)-(to-from)+len(with))
	out = append(out, src[:from]...)
	out = append(out, with...)
	return append(out, src[to:]...)
}
