package secret

import (
	"slices"
	"strings"
)

// Mark replaces a secret: "[REDACTED:github-pat]" tells what was removed. It is similar to the mark
// of private spans (package redact), and no rule matches it.
func Mark(kind string) string { return markBegins + kind + "]" }

const markBegins = "[REDACTED:"

// Marked reports whether a text contains a Mark.
func Marked(text string) bool { return strings.Contains(text, markBegins) }

// Clean replaces each secret of a text by a Mark, and returns the kinds that were removed, each
// once, sorted; nil if there were none. It does not handle private spans: remove them first
// (redact.Private), or half of one might remain. Clean is idempotent.
//
// Keep the Scanner for further texts; it may be used concurrently.
func (s *Scanner) Clean(text string) (clean string, kinds []string) {
	text = s.CleanBut("", text, func(_ string, f Span) bool {
		kinds = append(kinds, f.Rule)
		return true
	})
	slices.Sort(kinds)
	return text, slices.Compact(kinds)
}

// CleanBut is Clean for callers that keep some secrets, of a text with a name (FindNamed; "" for
// none): cut is called with each secret and its span, and returns whether to remove it. It may be
// called again for those that stay, because the text is scanned again after each removal:
// neighbours of a secret may only then be recognised.
func (s *Scanner) CleanBut(name, text string, cut func(secret string, f Span) bool) string {
	for range mostRounds {
		found := s.FindNamed(name, text)
		found = slices.DeleteFunc(found, func(f Span) bool { return !cut(text[f.From:f.To], f) })
		if len(found) == 0 {
			break
		}
		text = Cut(text, found)
	}
	return text
}

// mostRounds limits the scans of a text: each removes a secret, and few secrets are adjacent.
const mostRounds = 16

// Cut replaces spans of text, as returned by Find, by Marks.
func Cut(text string, found []Span) string {
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.From])
		b.WriteString(Mark(f.Rule))
		at = f.To
	}
	b.WriteString(text[at:])
	return b.String()
}
