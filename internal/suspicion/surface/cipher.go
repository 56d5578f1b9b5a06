package surface

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// What a line has whose letters are moved or in reverse.
var (
	rotated  = []string{"rot13", "rot-13"}
	reversed = []string{"revers", "backwards"}
)

// Literals returns what a text has in which Ciphers or Roles finds something, besides what they look for in each text.
func Literals() map[finding.Group][]string {
	return map[finding.Group][]string{finding.Rotated: rotated, finding.Reversed: reversed, finding.Turns: systems, finding.Answers: {"human:", "user:"}}
}

// Ciphers checks the plain text of hex, rot13, reversed and spaced letters; may are the groups that the text may have.
func Ciphers(text string, may finding.Group, judge Judge, found *finding.Findings) {
	for from, line := range finding.Lines(text) {
		line = line[:min(len(line), finding.MaxLine)]
		var low string
		if may&(finding.Rotated|finding.Reversed) != 0 {
			low = finding.Lowered(line)
		}
		if may&finding.Rotated != 0 && finding.AnyOf(low, rotated...) {
			dressed(judge, found, turned(line), "letters that are moved by 13 places", from, from+len(line))
		}
		if may&finding.Reversed != 0 && finding.AnyOf(low, reversed...) {
			back := []rune(line)
			slices.Reverse(back)
			dressed(judge, found, string(back), "text in reverse", from, from+len(line))
		}
		if plain := closed(line); plain != "" {
			dressed(judge, found, plain, "letters set apart", from, from+len(line))
		}
	}
	hexed(text, judge, found)
}

// dressed reports what the decoded text is flagged for.
func dressed(judge Judge, found *finding.Findings, plain, as string, from, to int) {
	if why := judge(plain); why != "" {
		found.Add(finding.Blob, as+" say what is suspicious by itself: "+why, from, to)
	}
}

// turned is rot13.
func turned(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

// closed joins spaced letters ("i g n o r e  a l l"); "" for a line with fewer than six in a row.
func closed(line string) string {
	const least = 6
	if !apartLetters(line, least) {
		return ""
	}
	var b strings.Builder
	run, longest := 0, 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		single := finding.Letter(c) && c < utf8.RuneSelf && (i == 0 || line[i-1] == ' ') && i+1 < len(line) && line[i+1] == ' '
		if c == ' ' && run > 0 && i+2 < len(line) && line[i+2] == ' ' && finding.Letter(line[i+1]) {
			continue // between two single letters
		}
		if single {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
		b.WriteByte(c)
	}
	if longest < least {
		return ""
	}
	return b.String()
}

// apartLetters reports many single characters in a row, with spaces between them.
func apartLetters(line string, many int) bool {
	n := 0
	for i := 0; i+1 < len(line); {
		if line[i] != ' ' && line[i+1] == ' ' {
			if n++; n == many {
				return true
			}
			for i++; i < len(line) && line[i] == ' '; i++ {
			}
			continue
		}
		n = 0
		next := strings.IndexByte(line[i:], ' ')
		if next < 0 {
			return false
		}
		i += next + 1
	}
	return false
}

const minHex = 32 // digits of the shortest run that is decoded

// hexed decodes runs of hexadecimal digits. Hashes and keys are not text.
func hexed(text string, judge Judge, found *finding.Findings) {
	for i := 0; i+minHex <= len(text); {
		// A run that begins between i and last includes last.
		last := i + minHex - 1
		if !isHex(text[last]) {
			i += minHex
			continue
		}
		from := last
		for from > i && isHex(text[from-1]) {
			from--
		}
		to := last + 1
		for to < len(text) && to-from < maxBlob && isHex(text[to]) {
			to++
		}
		if n := (to - from) &^ 1; n >= minHex && (from == 0 || !finding.Letter(text[from-1])) {
			if raw, err := hex.DecodeString(text[from : from+n]); err == nil && readable(string(raw)) {
				dressed(judge, found, string(raw), "hexadecimal digits", from, to)
			}
		}
		i = to
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// Judge returns a reason to flag a decoded text; "" for none.
type Judge func(plain string) (why string)

const (
	minBlob  = 24       // bytes of the shortest base64 that is decoded
	maxBlob  = 16 << 10 // bytes of the longest
	mostBlob = 16       // blobs of a text
)

// Blobs decodes base64 to check the content. Keys, images and hashes are ordinary.
func Blobs(text string, judge Judge, found *finding.Findings) {
	for i, n := 0, 0; i+minBlob <= len(text) && n < mostBlob; {
		// A run that begins between i and last includes last.
		last := i + minBlob - 1
		if !inBase64[text[last]] {
			i += minBlob
			continue
		}
		from, to := last, last+1
		for from > i && inBase64[text[from-1]] {
			from--
		}
		for to < len(text) && inBase64[text[to]] {
			to++
		}
		if to-from >= minBlob && to-from <= maxBlob {
			n++
			if plain, ok := unpacked(text[from:to]); ok {
				if why := judge(plain); why != "" {
					found.Add(finding.Blob, "suspicious encoded text: "+why, from, to)
				}
			}
		}
		i = to
	}
}

var inBase64 = func() (in [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		in[c] = finding.Letter(c) || c == '+' || c == '/' || c == '-' || c == '='
	}
	return in
}()

// unpacked decodes s as standard or URL base64 if the result is text.
func unpacked(s string) (string, bool) {
	s = strings.TrimRight(s, "=")
	plain, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		plain, err = base64.RawURLEncoding.DecodeString(s)
	}
	if err != nil || !readable(string(plain)) {
		return "", false
	}
	return string(plain), true
}

// readable reports text of printable characters.
func readable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r'
	})
}
