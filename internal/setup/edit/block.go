package edit

import (
	"bytes"
	"slices"
	"strings"
)

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
