// Package topic holds the rules of topic keys, names such as architecture/auth-model under which a
// save revises a memory instead of adding one: how a key is written (key.go) and which key fits a
// memory (suggest.go).
package topic

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// digestLen is the number of hex digits of the SHA-256 that end a cut key: 64 bits, so two long
// keys of a project do not collide by chance.
const digestLen = 16

// Normalize returns key as it is stored: trimmed, in lower case, each run of white space and
// hyphens one hyphen, at most engram.MaxTopicKey bytes. A longer key is cut between characters and
// ends in a digest of the whole, so that different keys do not share a memory.
// Normalize(Normalize(key)) == Normalize(key).
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

// cut returns the longest prefix of s of at most n bytes that ends between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
