// Package finding holds what the detectors of suspicion share: findings with their classes, and ways to read
// a text. It knows neither words nor rules.
package finding

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Finding is a reason to flag a text because of text[From:To].
type Finding struct {
	Code     string // a class, one of the constants below
	Why      string // for a person, in lower case, without a full stop
	From, To int
}

// Findings are the findings of a text, in the order in which they were made.
type Findings []Finding

// Add records a finding, once per why at its first place.
func (f *Findings) Add(code string, why string, from, to int) {
	for i, known := range *f {
		if known.Why == why {
			if from < known.From {
				(*f)[i] = Finding{code, why, from, to}
			}
			return
		}
	}
	*f = append(*f, Finding{code, why, from, to})
}

// The classes of reasons.
const (
	Override = "override" // overrides instructions or assigns a role
	Role     = "role"     // imitates the system or a turn
	Secrecy  = "secrecy"  // hides something from the user
	Bypass   = "bypass"   // skips a confirmation or control
	Order    = "order"    // a standing or remote instruction
	Planted  = "planted"  // distorts answers to the user
	Exfil    = "exfil"    // sends secrets or data out
	Command  = "command"  // runs remote code or opens the machine
	Blob     = "blob"     // encoded text that is run or flagged
	Hidden   = "hidden"   // characters that hide or reorder text
)

// MaxLine limits the part of a line that is checked, in bytes.
const MaxLine = 8 << 10

// Chars is a set of ASCII characters, one bit each.
type Chars [2]uint64

// CharsOf returns the ASCII characters of a line.
func CharsOf(line string) (has Chars) {
	for i := range len(line) {
		if c := line[i]; c < 128 {
			has[c>>6] |= 1 << (c & 63)
		}
	}
	return has
}

// Any reports whether the line has one of these characters.
func (has Chars) Any(of string) bool {
	for i := range len(of) {
		if has[of[i]>>6]&(1<<(of[i]&63)) != 0 {
			return true
		}
	}
	return false
}

// AnyOf reports whether text contains one of some words.
func AnyOf(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// ASCII reports whether s has only ASCII characters.
func ASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Invisible reports a zero-width character. Soft hyphens are common in copied text.
func Invisible(r rune) bool {
	return r == 0x200b || joiner(r) || r >= 0x2060 && r <= 0x2064 || r == 0xfeff || r == 0x180e
}

func joiner(r rune) bool { return r == 0x200c || r == 0x200d }

// IsSelector reports a variation selector.
func IsSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }

// Lines returns each line of text with its offset.
func Lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for from := 0; from < len(text); {
			to := len(text)
			if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
				to = from + i
			}
			if !yield(from, text[from:to]) {
				return
			}
			from = to + 1
		}
	}
}

// Lowered returns s with ASCII letters in lower case, in the same length.
func Lowered(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if b[j] >= 'A' && b[j] <= 'Z' {
					b[j] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// OneOf reports whether s is one of words.
func OneOf(s string, words ...string) bool { return slices.Contains(words, s) }

// Letter reports a byte of a word in any script.
func Letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= utf8.RuneSelf
}
