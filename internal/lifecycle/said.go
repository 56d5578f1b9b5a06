package lifecycle

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/wording"
)

// Said is a text prepared for comparisons. The zero value is no text: nothing holds it.
type Said struct {
	plain, sayings, words string
	wording               wording.Reading
}

// SaidIn prepares a text once, for many comparisons.
func SaidIn(text string) Said {
	return Said{strings.TrimSpace(text), marked(sayings(text)), wordsIn(text), wording.Read(wording.Text{Content: text})}
}

// Holds reports whether s contains all of part, in order, even in other case, white space and list
// marks, or inside a sentence. It finds where a text survives, so it errs toward yes: that "never
// use Redis" is not "use Redis" does not matter here.
func (s Said) Holds(part Said) bool {
	if part.plain == "" {
		return false
	}
	if strings.Contains(s.plain, part.plain) || s.Says(part) ||
		strings.TrimSpace(part.words) != "" && strings.Contains(s.words, part.words) {
		return true
	}
	bearing := s.wording.Against(part.wording) // a restatement keeps the first's words
	return bearing == wording.Same || bearing == wording.Less
}

// Says reports whether s contains part as whole lines or sentences.
func (s Said) Says(part Said) bool {
	return part.plain != "" && strings.Contains(s.sayings, part.sayings)
}

// marked joins sentences so that only whole ones match. No text has a NUL, and the search is
// linear.
func marked(all []string) string { return "\x00" + strings.Join(all, "\x00") + "\x00" }

// wordsIn returns the words of a text without marks, each with a space before and after. The
// ellipsis of a title cut from a content is not a word.
func wordsIn(s string) string {
	fields := strings.Fields(strings.ToLower(s))
	for i, f := range fields {
		fields[i] = strings.TrimRight(strings.TrimLeft(f, listMarks), trailing+"…")
	}
	return " " + strings.Join(slices.DeleteFunc(fields, func(f string) bool { return f == "" }), " ") + " "
}
