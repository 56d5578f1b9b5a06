// Package edit changes a configuration file as a careful person would: one entry is put in,
// replaced or taken out, and every other byte stays, comments, order, indentation, byte order
// mark and line ends too. It is pure: files are read and written by internal/setup.
//
// Every function returns the source itself where nothing has to change, so that doing a thing
// twice is doing it once. What cannot be understood is refused with the line, and so is a
// result that would say anything else than the source besides the entry.
package edit

import (
	"bytes"
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

// newline is how lines end in a file: as its first one does.
func newline(src []byte) string {
	if n := bytes.IndexByte(src, '\n'); n > 0 && src[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// withNewlines is a text whose lines end as those of a file.
func withNewlines(text, nl string) string { return strings.ReplaceAll(text, "\n", nl) }

// lineOf is the number of the line at an offset, from 1.
func lineOf(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}

func wrong(line int, format string, args ...any) error {
	return engram.Errorf(engram.CodeInvalid, "line %d: "+format, append([]any{line}, args...)...)
}

// splice is a file with something in the place of [from, to).
func splice(src []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(src)-(to-from)+len(with))
	out = append(out, src[:from]...)
	out = append(out, with...)
	return append(out, src[to:]...)
}
