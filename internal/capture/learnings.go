// Package capture finds what may be worth a memory in ordinary texts: learnings that an agent lists
// (learnings.go), decisions, fixes and preferences in transcripts (transcript.go), and reasons of
// commits (commit.go). markdown.go parses the necessary Markdown, sentence.go sentences.
package capture

import (
	"strings"
	"unicode"

	"github.com/alanbuscaglia/engram/internal/text"
)

const (
	minBytes = 20 // of an item worth saving
	minWords = 4
	maxTitle = 60 // bytes
)

// Learnings returns the items of the last section of s with the title "Key Learnings", "Learnings",
// "Aprendizajes" or "Aprendizajes Clave" (a header of level 2 or 3, or a line in bold), in order;
// nil if there is no such section or it is empty.
//
// The section extends to the next header of level 1 to 3; a section with a bold title also ends at
// the next bold line. Its numbered items count, or its bullets if none of those is kept. Indented
// lines continue the item above; asterisks and backticks are removed; white space is collapsed. An
// item is kept if it has at least 20 bytes and 4 words. Fenced code is ignored.
func Learnings(s string) []string {
	lines := learningsSection(blankFences(strings.Split(s, "\n")))
	if items := kept(listItems(lines, numbered)); items != nil {
		return items
	}
	return kept(listItems(lines, bullet))
}

// Title returns the first 60 bytes of item, cut between characters, with "..." if it was cut.
func Title(item string) string {
	if len(item) <= maxTitle {
		return item
	}
	return text.Clip(item, maxTitle) + "..."
}

// learningsSection returns the lines below the last learnings header.
func learningsSection(lines []string) []string {
	from, to := len(lines), len(lines)
	open, inBold := false, false
	for i, line := range lines {
		level, title := header(line)
		bold := ""
		if level == 0 {
			bold = boldLine(line)
		}
		switch {
		case (level == 2 || level == 3) && isLearnings(unbolded(title)), isLearnings(bold):
			from, to, open, inBold = i+1, len(lines), true, bold != ""
		case open && (level >= 1 && level <= 3 || inBold && bold != ""):
			to, open = i, false
		}
	}
	return lines[from:to]
}

func isLearnings(title string) bool {
	words := strings.Fields(strings.ToLower(strings.TrimRight(title, ": ")))
	switch strings.Join(words, " ") {
	case "aprendizajes", "aprendizajes clave", "key learning", "key learnings", "learning", "learnings":
		return true
	}
	return false
}

// kept returns the items that are long enough, without markup.
func kept(items []string) []string {
	var keep []string
	for _, item := range items {
		item = strings.Join(strings.Fields(strings.NewReplacer("*", "", "`", "").Replace(item)), " ")
		if len(item) >= minBytes && countWords(item) >= minWords {
			keep = append(keep, item)
		}
	}
	return keep
}

// countWords counts words. In scripts without spaces, two characters count as a word.
func countWords(s string) int {
	words := len(strings.Fields(s))
	unspaced := 0
	for _, r := range s {
		if r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer) {
			unspaced++
		}
	}
	return words + unspaced/2
}
