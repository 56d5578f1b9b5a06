package secret

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/redact"
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

// Limits around a cut.
const (
	aroundCut = 24 << 10 // bytes scanned on both sides for a secret that a cut would halve; the longest keys take 13 KiB
	nameReach = 256      // bytes within which the name of a secret may precede it
)

// Ends returns the beginning and the end of a text without private spans, of at most head and tail
// bytes: half a key, or a password without its name, would not be recognised any more. A cut that
// would leave that is moved, so an end may be shorter. For a short text, begin is everything and
// rest is "". Both consist of whole characters and still need Clean.
//
// It scans 48 KiB for each cut, however long the text is.
func (s *Scanner) Ends(text string, head, tail int) (begin, rest string) {
	text = redact.Private(text)
	if len(text) <= head+tail {
		return text, ""
	}
	return text[:s.headCut(text, head)], text[s.tailCut(text, len(text)-tail):]
}

// headCut returns where the beginning ends, near at.
func (s *Scanner) headCut(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	found, from := s.around(text, at)
	for _, f := range found {
		if from+f.From < at && at < from+f.To {
			return from + f.From
		}
	}
	return at
}

// tailCut returns where the end begins, near at.
func (s *Scanner) tailCut(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	found, from := s.around(text, at)
	for _, f := range found { // in order: one may need the name before another
		if from+f.From < at+nameReach && at < from+f.To {
			at = from + f.To
		}
	}
	return at
}

// around returns the secrets near a cut, relative to from.
func (s *Scanner) around(text string, at int) (found []Span, from int) {
	if at == 0 || at == len(text) {
		return nil, 0
	}
	from = max(0, at-aroundCut)
	return s.Find(text[from:min(len(text), at+aroundCut)]), from
}

// shortestNamed is the minimum length of a secret recognised by name and form.
const shortestNamed = 8

// FindNamed is Find for a value with a name, as in metadata: the name may be the only sign that
// "hunter2hunter2" is a password. Without a name it is Find.
func (s *Scanner) FindNamed(name, value string) []Span {
	found := s.Find(value)
	switch {
	case name == "":
		return found
	case Named(name, value):
		return []Span{{From: 0, To: len(value), Rule: "password"}}
	case len(value) < shortestNamed:
		return found
	}
	head := name + `="`
	for _, f := range s.Find(head + value + `"`) {
		if f.From >= len(head) && f.To <= len(head)+len(value) {
			found = append(found, Span{From: f.From - len(head), To: f.To - len(head), Rule: f.Rule})
		}
	}
	return outermost(found)
}
