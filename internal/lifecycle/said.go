package lifecycle

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/wording"
)

// Said is a text in the forms in which it is looked for in others. The zero value is no
// text: nothing holds it.
type Said struct {
	plain, sayings, words string
	wording               wording.Reading
}

// SaidIn takes a text apart once, for many comparisons.
func SaidIn(text string) Said {
	return Said{strings.TrimSpace(text), marked(sayings(text)), wordsIn(text), wording.Read(wording.Text{Content: text})}
}

// Holds reports whether all that part says stands in s, one thing after the other: be it
// in other case, white space and marks of lists than Joined left it in, or in the midst of
// a sentence. It tells where a text still is, so it rather says yes: that "never use Redis"
// is not "use Redis" does not matter here.
func (s Said) Holds(part Said) bool {
	if part.plain == "" {
		return false
	}
	if strings.Contains(s.plain, part.plain) || s.Says(part) ||
		strings.TrimSpace(part.words) != "" && strings.Contains(s.words, part.words) {
		return true
	}
	bearing := s.wording.Against(part.wording) // a restatement keeps the words of the first
	return bearing == wording.Same || bearing == wording.Less
}

// Says reports whether part stands in s by itself: as whole lines or sentences.
func (s Said) Says(part Said) bool {
	return part.plain != "" && strings.Contains(s.sayings, part.sayings)
}

// marked joins sayings so that one is found only as a whole. No text has a NUL, and the
// search is linear whatever the texts are.
func marked(all []string) string { return "\x00" + strings.Join(all, "\x00") + "\x00" }

// wordsIn are the words of a text without marks around them, a space before and after
// each. A title that was cut from a content ends in an ellipsis, which is no word.
func wordsIn(s string) string {
	fields := strings.Fields(strings.ToLower(s))
	for i, f := range fields {
		fields[i] = strings.TrimRight(strings.TrimLeft(f, listMarks), trailing+"…")
	}
	return " " + strings.Join(slices.DeleteFunc(fields, func(f string) bool { return f == "" }), " ") + " "
}
