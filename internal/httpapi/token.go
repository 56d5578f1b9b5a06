package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// needsToken reports whether r is for those who have the token, where there is one.
func (a *API) needsToken(r Route) bool { return r.Token || a.Exposed && r.Path != "/health" }

// authorize refuses a request without the token, when one is set.
func (a *API) authorize(r *http.Request) error {
	want := a.Token()
	if want == "" {
		return nil
	}
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return unauthorized("authorization required")
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return unauthorized("authorization required")
	}
	// Digests, because the comparison takes constant time for equal lengths only.
	is, must := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(want))
	if subtle.ConstantTimeCompare(is[:], must[:]) != 1 {
		return unauthorized("invalid token")
	}
	return nil
}

func unauthorized(message string) error {
	return &refusal{
		status: http.StatusUnauthorized, header: "WWW-Authenticate", value: `Bearer realm="engram"`,
		err: engram.Errorf(engram.CodeForbidden, "%s", message).WithHint("send Authorization: Bearer and the token in ENGRAM_HTTP_TOKEN"),
	}
}
