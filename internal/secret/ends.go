package secret

import (
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/redact"
)

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
