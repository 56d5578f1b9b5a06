// Package topic holds the rules of topic keys, the names such as
// architecture/auth-model under which a memory is revised instead of saved anew:
// how a key is written (key.go) and which key would fit a memory (suggest.go).
package topic

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Normalize returns key as it is stored: trimmed, in lower case, each run of white
// space and hyphens one hyphen, at most engram.MaxTopicKey bytes, cut between
// characters. Normalize(Normalize(key)) == Normalize(key).
func Normalize(key string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range strings.ToLower(strings.TrimSpace(key)) {
		if unicode.IsSpace(r) || r == '-' {
			hyphen = true
			continue
		}
		if hyphen {
			b.WriteByte('-')
			hyphen = false
		}
		b.WriteRune(r)
		if b.Len() > engram.MaxTopicKey {
			break
		}
	}
	if hyphen {
		b.WriteByte('-')
	}
	return cut(b.String(), engram.MaxTopicKey)
}

// cut returns the longest beginning of s of at most n bytes that ends between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
