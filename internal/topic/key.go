// Package topic holds the rules of topic keys, the names such as
// architecture/auth-model under which a memory is revised instead of saved anew:
// how a key is written (key.go) and which key would fit a memory (suggest.go).
package topic

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// digestLen is how much of its SHA-256, in hexadecimal digits, ends a key that was cut:
// 64 bits, so that two long keys of one project do not meet by chance.
const digestLen = 16

// Normalize returns key as it is stored: trimmed, in lower case, each run of white
// space and hyphens one hyphen, at most engram.MaxTopicKey bytes. A longer one is cut
// between characters and ends in a digest of the whole, because under one key the one
// memory would replace the other. Normalize(Normalize(key)) == Normalize(key).
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
	}
	if hyphen {
		b.WriteByte('-')
	}
	whole := b.String()
	if len(whole) <= engram.MaxTopicKey {
		return whole
	}
	sum := sha256.Sum256([]byte(whole))
	return strings.TrimRight(cut(whole, engram.MaxTopicKey-1-digestLen), "-") + "-" + hex.EncodeToString(sum[:])[:digestLen]
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
