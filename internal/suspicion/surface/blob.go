package surface

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// Judge returns a reason to flag a decoded text; "" for none.
type Judge func(plain string) (why string)

const (
	minBlob  = 24       // bytes of the shortest base64 that is decoded
	maxBlob  = 16 << 10 // bytes of the longest
	mostBlob = 16       // blobs of a text
)

// Blobs finds encoded text that is to be decoded and run, and decodes base64 to check the
// content. Keys, images and hashes are ordinary.
func Blobs(text string, judge Judge, found *finding.Findings) {
	for from, line := range finding.Lines(text) {
		line = line[:min(len(line), maxLine)]
		if !charsOf(line).any(decodesBy) {
			continue
		}
		if at, to := decoded(finding.Lowered(line)); to > at && !prevented(finding.Lowered(line[:at])) {
			found.Add(finding.Blob, "asks to decode and run encoded text", from+at, from+to)
		}
	}
	for i, n := 0, 0; i < len(text) && n < mostBlob; {
		if !inBase64(text[i]) {
			i++
			continue
		}
		to := i
		for to < len(text) && inBase64(text[to]) {
			to++
		}
		if to-i >= minBlob && to-i <= maxBlob {
			n++
			if plain, ok := unpacked(text[i:to]); ok {
				if why := judge(plain); why != "" {
					found.Add(finding.Blob, "suspicious encoded text: "+why, i, to)
				}
			}
		}
		i = to
	}
}

func inBase64(c byte) bool {
	return c < utf8.RuneSelf && (finding.Letter(c) || c == '+' || c == '/' || c == '-' || c == '=')
}

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
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
	}
	return true
}

// decodesBy holds characters of which every decode-and-run command has one.
const decodesBy = "|(-"

// decoded finds base64 -d | sh, eval(atob(…)), powershell -enc ….
func decoded(line string) (from, to int) {
	for _, w := range []string{"base64 -d", "base64 --decode", "xxd -r", "openssl enc -d", "openssl base64 -d"} {
		if i := strings.Index(line, w); i >= 0 {
			if end := shellAfterPipe(line, i); end > 0 {
				return i, end
			}
			for _, shell := range []string{"eval \"$(", "eval $(", "sh -c \"$(", "sh <("} {
				if j := strings.LastIndex(line[:i], shell); j >= 0 {
					return j, i + len(w)
				}
			}
		}
	}
	for _, w := range []string{"eval(atob(", "exec(base64.b64decode(", "eval(base64.b64decode(", "exec(__import__('base64')", "eval(base64_decode(", "eval(buffer.from(", "powershell -enc ", "powershell -e ", "powershell -encodedcommand ", "pwsh -enc ",
		"powershell.exe -enc ", "-windowstyle hidden -enc"} {
		if i := strings.Index(line, w); i >= 0 {
			return i, i + len(w)
		}
	}
	return 0, 0
}
