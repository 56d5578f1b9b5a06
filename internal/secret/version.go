package secret

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Version names the rules: texts scanned by another Version may have secrets that these find. A
// test enforces that it is raised with every change.
const Version = "5"

// Digest identifies the rules by 16 hex digits of a SHA-256.
func Digest() string {
	h := sha256.New()
	for _, r := range append(ours(), rules()...) {
		fmt.Fprintf(h, "%s %s %v %d %q %q %d", r.id, r.regex, r.entropy, r.group, r.keywords, r.also, r.mixed)
		for _, a := range r.allowed {
			fmt.Fprintf(h, "%s %q %q", a.of, a.regexes, a.words)
		}
	}
	fmt.Fprintf(h, "%q %q %v %d %d %d %d", passwordColumn, keyColumn, leastKeyBits, mixedCell, mixedCode, mixedKey, shortestKey)
	a := everywhere()
	fmt.Fprintf(h, "%q %q", a.regexes, a.words)
	return hex.EncodeToString(h.Sum(nil))[:16]
}
