// Package gist says in short what a text says: the sentences of it that carry most, whole and in
// their order. Which they are is decided by their place and by the weight of their words within the
// text, without a model and without a list of words, so that it holds for any language (weigh.go).
// How Markdown, lists and scripts without spaces are cut into sentences stands in parts.go.
//
// Everything here is a pure function of the text: the same text has the same gist everywhere, and
// nobody has to keep one, nor renew it when the text changes.
package gist

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Long is the number of characters from which on a content has a summary, and Most how many
// characters that has at most.
const (
	Long = 500
	Most = 280
)

// Summary is the short form of a memory: the one that it came with, where that is worth what the
// content is, else the gist of a content of more than Long characters; "" for a short one.
func Summary(m engram.Memory) string {
	if own := m.OwnSummary(); own != "" || utf8.RuneCountInString(m.Content) <= Long {
		return own
	}
	return Of(m.Content, Most)
}

// Line is what a list shows of a memory: its content as one line where that has at most most
// characters, else its summary, else the gist of the content.
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

// Of returns the sentences of a text that carry most, as one line of at most most characters. The
// first one leads; one that is too long by itself ends in "…" at the end of a clause, else of a
// word. "" for a text without words.
func Of(content string, most int) string {
	parts := partsOf(clip(content, maxRead))
	if len(parts) == 0 || most < 1 {
		return ""
	}
	chosen := choose(parts, most)
	var b strings.Builder
	label := parts[0].label // that of the first part goes without saying
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

// gap is what parts a sentence from what was said before: nothing after a mark that needs no blank,
// and more than a blank after what has no mark at all.
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

// shorten cuts a line that has more than most characters at the end of a clause, else of a word,
// and puts "…" there.
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
	for end > 0 { // a mark belongs to the letter before it
		if r, _ := utf8.DecodeRuneInString(line[end:]); !unicode.Is(unicode.M, r) && r != 0x200d {
			break
		}
		_, size := utf8.DecodeLastRuneInString(line[:end])
		end -= size
	}
	return strings.TrimRightFunc(line[:end], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(clauseEnds, r) }) + "…"
}

// clauseEnds are the marks between the clauses of a sentence.
const clauseEnds = ",;:—–，、；：،؛"

// clip returns the first bytes of s, cut between characters.
func clip(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	for bytes > 0 && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes]
}
