// Package gist shortens a text to its most important sentences, whole and in order. Their position and the
// weight of their words within the text decide, without a model or word lists, so that it works for any
// language (weigh.go). parts.go cuts Markdown, lists and scripts without spaces into sentences.
//
// Everything here is a pure function of the text: gists need not be stored, nor renewed when the text changes.
package gist

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Long is the number of characters above which a content gets a summary, and Most the summary's maximum.
const (
	Long = 500
	Most = 280
)

// Summary returns the short form of a memory: its own summary where trustworthy, else the gist of a content of
// more than Long characters; "" for a short one.
func Summary(m engram.Memory) string {
	if own := m.OwnSummary(); own != "" || utf8.RuneCountInString(m.Content) <= Long {
		return own
	}
	return Of(m.Content, Most)
}

// Line returns a memory in one line for a list: its content if that has at most most characters, else its
// summary, else the gist.
func Line(m engram.Memory, most int) string {
	if len(m.Content) <= 4*most {
		if whole := strings.Join(strings.Fields(m.Content), " "); utf8.RuneCountInString(whole) <= most {
			return whole
		}
	}
	if own := strings.Join(strings.Fields(m.OwnSummary()), " "); own != "" && utf8.RuneCountInString(own) <= most {
		return own
	}
	return Of(m.Content, most)
}

// maxRead is how many bytes of a text are read for its gist.
const maxRead = 16 << 10

// Of returns the most important sentences of a text as one line of at most most characters. The first one
// leads; a sentence that is too long by itself ends in "…" after a clause, else after a word. "" for a text
// without words.
func Of(content string, most int) string {
	parts := partsOf(text.Clip(content, maxRead))
	if len(parts) == 0 || most < 1 {
		return ""
	}
	chosen := choose(parts, most)
	var b strings.Builder
	label := parts[0].label // the first part's label is implied
	for i, p := range parts {
		if !chosen[i] {
			continue
		}
		b.WriteString(gap(b.String()))
		if p.label != label {
			label = p.label
			b.WriteString(p.lead())
		}
		b.WriteString(p.text)
	}
	return shorten(b.String(), most)
}

// gap is the separator after the text so far: nothing after a mark that needs no blank, and more than a blank
// after text without a mark.
func gap(before string) string {
	r, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case before == "", strings.ContainsRune(firmEnds, r) && r > 0x2e80:
		return ""
	case strings.ContainsRune(firmEnds+looseEnds+clauseEnds+closings, r):
		return " "
	}
	return "; "
}

// shorten cuts a line of more than most characters after a clause, else after a word, and appends "…".
func shorten(line string, most int) string {
	end, clause, word, n := len(line), 0, 0, 0
	for i, r := range line {
		if n == most-1 {
			end = i
		}
		if n++; n > most {
			break
		}
		if i >= end {
			continue
		}
		switch {
		case unicode.IsSpace(r):
			word = i
		case strings.ContainsRune(clauseEnds, r):
			if after, _ := utf8.DecodeRuneInString(line[i+utf8.RuneLen(r):]); r > 0x2000 || unicode.IsSpace(after) {
				clause = i
			}
		}
	}
	switch {
	case n <= most:
		return line
	case clause > end/2:
		end = clause
	case word > end/2:
		end = word
	}
	for end > 0 { // keep combining marks with their letter
		if r, _ := utf8.DecodeRuneInString(line[end:]); !unicode.Is(unicode.M, r) && r != 0x200d {
			break
		}
		_, size := utf8.DecodeLastRuneInString(line[:end])
		end -= size
	}
	return strings.TrimRightFunc(line[:end], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(clauseEnds, r) }) + "…"
}

// clauseEnds are the marks between clauses.
const clauseEnds = ",;:—–，、；：،؛"
