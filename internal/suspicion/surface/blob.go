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

// Blobs decodes base64 to check the content. Keys, images and hashes are ordinary.
func Blobs(text string, judge Judge, found *finding.Findings) {
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
