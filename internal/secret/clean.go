package secret

import (
	"slices"
	"strings"
)

// Mark is what stands where a secret was: "[REDACTED:github-pat]" tells what was cut, and
// nothing of it. It is of the same kind as the mark of private spans (package redact), and no
// rule takes it for a secret.
func Mark(kind string) string { return markBegins + kind + "]" }

const markBegins = "[REDACTED:"

// Marked reports whether a Mark stands in a text.
func Marked(text string) bool { return strings.Contains(text, markBegins) }

// Clean puts a Mark into the place of each secret of a text, and returns the kinds that were
// cut, each once, sorted; nil when there was none. It does not look for private spans: those
// are taken out first (redact.Private), or half of one might be left. Clean of what is clean
// changes nothing.
//
// The Scanner is to be kept from one text to the next; it may be used by several goroutines.
func (s *Scanner) Clean(text string) (clean string, kinds []string) {
	text = s.CleanBut("", text, func(_ string, f Span) bool {
		kinds = append(kinds, f.Rule)
		return true
	})
	slices.Sort(kinds)
	return text, slices.Compact(kinds)
}

// CleanBut is Clean for a caller that keeps some, of a text that stands under a name (FindNamed;
// "" for none): cut is called with each secret that is found and where it was, and says whether
// it goes. It is called again for what stays, for a text is looked at again after each cut:
// what stood beside a secret may be known as one then.
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

// mostRounds bounds how often a text is looked at again: each round takes a secret out, and
// more than a few of them do not stand wall to wall.
const mostRounds = 16

// Cut is a text with a Mark in the place of each of these spans, which are of this text and
// as Find returns them.
func Cut(text string, found []Span) string { return cut(text, found, Mark) }
