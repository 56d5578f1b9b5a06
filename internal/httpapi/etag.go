package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// zipped ends the entity tag of an answer that is sent compressed: a strong tag is of the
// bytes that are sent.
const zipped = "-gzip"

// entityTag names an answer by what it says: a strong entity tag without its quotes.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// has reports whether one of the values of If-None-Match names the answer with this tag.
// They are compared weakly, and so that what was kept compressed counts as the same.
func has(ifNoneMatch []string, tag string) bool {
	for _, value := range ifNoneMatch {
		for given := range strings.SplitSeq(value, ",") {
			given = strings.TrimPrefix(strings.TrimSpace(given), "W/")
			if given == "*" {
				return true
			}
			if len(given) >= 2 && given[0] == '"' && strings.TrimSuffix(strings.Trim(given, `"`), zipped) == tag {
				return true
			}
		}
	}
	return false
}
