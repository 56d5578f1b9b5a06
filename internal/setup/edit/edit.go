// Package edit sets or removes one entry of a configuration file, and keeps every other byte:
// comments, order, indentation, byte order mark and line ends. It is pure: internal/setup reads and
// writes files.
//
// Every function returns the source itself if nothing has to change. It rejects a file that it
// cannot parse, with the line, and a result that differs from the source in anything but the entry.
package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// bom is the byte order mark that some editors write before UTF-8.
const bom = "\uFEFF"

func cutBOM(src []byte) (mark, rest []byte) {
	if bytes.HasPrefix(src, []byte(bom)) {
		return src[:len(bom)], src[len(bom):]
	}
	return nil, src
}

// newline returns the line end of a file's first line; "\n" if it has none.
func newline(src []byte) string {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	if bytes.HasSuffix(line, []byte("\r")) {
		return "\r\n"
	}
	return "\n"
}

func withNewlines(text, nl string) string { return strings.ReplaceAll(text, "\n", nl) }

// place is a position in a file: line and column in bytes, from 1.
type place struct{ line, column int }

func placeOf(src []byte, offset int) place {
	before := src[:min(offset, len(src))]
	return place{1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')}
}

// Fault is an error at a position in a file. Its code is CodeInvalid.
type Fault struct {
	Line, Column int    // from 1, in bytes
	Why          string // without the position
	Hint         string // next step; "" means to fix the file
}

// Error returns position and reason.
func (f *Fault) Error() string { return fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Why) }

// Unwrap returns f as an engram.Error.
func (f *Fault) Unwrap() error {
	return &engram.Error{Code: engram.CodeInvalid, Msg: f.Error(), Hint: f.Hint}
}

func wrong(at place, format string, args ...any) *Fault {
	return &Fault{Line: at.line, Column: at.column, Why: fmt.Sprintf(format, args...)}
}

func splice(src []byte, from, to int, with string) []byte {
	return slices.Concat(src[:from], []byte(with), src[to:])
}
