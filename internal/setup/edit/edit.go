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

// maxDepth limits open brackets, and names joined in one TOML key. Decoders recurse for each, and a
// stack overflow cannot be recovered. No real configuration has half as many.
const maxDepth = 256

// depthJSON rejects JSON that is nested too deeply. It skips strings and comments like the decoder;
// its result does not matter for invalid JSON.
func depthJSON(src []byte) error {
	depth := 0
	for n := 0; n < len(src); n++ {
		switch rest := src[n:]; src[n] {
		case '"':
			n += textJSON(rest)
		case '/':
			n += max(0, skip(rest)-1)
		case '[', '{':
			if depth++; depth > maxDepth {
				return tooDeep(src, n)
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return nil
}

// textJSON returns the length of a string up to its closing quote.
func textJSON(src []byte) int {
	for n := 1; n < len(src); n++ {
		switch src[n] {
		case '\\':
			n++
		case '"':
			return n
		}
	}
	return len(src)
}

// depthTOML rejects TOML that is nested too deeply, by brackets or by dots in keys.
func depthTOML(src []byte) error {
	depth, dots := 0, 0
	for s := (scanner{src: src}); s.n < len(src); {
		switch c := s.here(); {
		case c == '"' || c == '\'':
			s.text()
			continue
		case c == '#':
			s.line()
			dots = 0
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth = max(0, depth-1)
		case c == '.':
			dots++
		case strings.IndexByte("=,\n", c) >= 0:
			dots = 0
		}
		if max(depth, dots) > maxDepth {
			return tooDeep(src, s.n)
		}
		s.n++
	}
	return nil
}

func tooDeep(src []byte, offset int) error {
	return wrong(placeOf(src, offset), "this is nested too deeply")
}

// The lines around our text.
const (
	beginMark = "<!-- begin engram: written by `engram setup`, and taken out by `engram setup --undo` -->"
	endMark   = "<!-- end engram -->"
)

// SetMarkdown puts a text between our two comments in a Markdown file, which it appends if they are
// missing. CodeInvalid if one comment is there without the other, or twice.
func SetMarkdown(file []byte, text string) ([]byte, error) {
	mark, src := cutBOM(file)
	at, there, err := findBlock(src)
	if err != nil {
		return nil, err
	}
	nl := newline(src)
	block := withNewlines(beginMark+"\n"+strings.TrimRight(text, "\n")+"\n"+endMark+"\n", nl)
	if !there {
		return slices.Concat(mark, addTo(src, block)), nil
	}
	if open(src, at) {
		block = strings.TrimSuffix(block, nl)
	}
	if string(src[at.from:at.to]) == block {
		return file, nil
	}
	return slices.Concat(mark, splice(src, at.from, at.to, block)), nil
}

// RemoveMarkdown removes the text of SetMarkdown and keeps every other byte; lines added above and
// below stay separate lines. CodeInvalid as SetMarkdown.
func RemoveMarkdown(file []byte) ([]byte, error) {
	mark, src := cutBOM(file)
	at, there, err := findBlock(src)
	if err != nil || !there {
		return file, err
	}
	return slices.Concat(mark, takeOut(src, at)), nil
}

func findBlock(src []byte) (block span, ok bool, err error) {
	from, to := -1, -1
	offset := 0
	for line := range bytes.Lines(src) {
		switch strings.TrimRight(string(line), " \t\r\n") {
		case beginMark:
			if from >= 0 {
				return span{}, false, wrong(placeOf(src, offset), "the block of engram begins twice")
			}
			from = offset
		case endMark:
			if from < 0 || to >= 0 {
				return span{}, false, wrong(placeOf(src, offset), "the block of engram ends without a beginning")
			}
			to = offset + len(line)
		}
		offset += len(line)
	}
	if from >= 0 && to < 0 {
		return span{}, false, wrong(placeOf(src, from), "the block of engram has no end: put %q after it", endMark)
	}
	return span{from, to}, from >= 0, nil
}

// addTo appends whole lines after an empty line. If the last line of the file has no line end, the
// added text has none instead, from which takeOut restores the original.
func addTo(src []byte, text string) []byte {
	nl := newline(src)
	switch {
	case len(src) == 0:
		return []byte(text)
	case !bytes.HasSuffix(src, []byte("\n")):
		text = strings.TrimSuffix(text, nl)
	}
	return slices.Concat(src, []byte(nl+text))
}

// takeOut removes what addTo appended. Text that was added above and below stays on separate lines:
// the empty line above is removed only at the end or above another empty line.
func takeOut(src []byte, s span) []byte {
	above, below := src[:s.from], src[s.to:]
	shorter := bytes.TrimSuffix(above, []byte(newline(src)))
	empty := len(shorter) < len(above) && (len(shorter) == 0 || bytes.HasSuffix(shorter, []byte("\n")))
	over := len(below) == 0 || below[0] == '\n' || bytes.HasPrefix(below, []byte("\r\n"))
	if open(src, s) || empty && over {
		above = shorter
	}
	return slices.Concat(above, below)
}

// open reports whether a span ends the file without a line end.
func open(src []byte, s span) bool { return s.to == len(src) && !bytes.HasSuffix(src, []byte("\n")) }
