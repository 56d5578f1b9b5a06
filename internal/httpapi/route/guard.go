package route

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// guard rejects what a web page could send. Any page in the user's browser can reach the loopback address, but
// it cannot choose its Host and Origin headers, nor send JSON without a preflight. So:
//
//   - Host must be one of ours (DNS rebinding makes a page "the same origin" by a foreign name that resolves to
//     127.0.0.1);
//   - Origin, if present, must be the same host and port;
//   - a body must be JSON, which no form and no simple request can be,
//   - or come from a plain tool on this machine, such as curl -d: see plainTool.
//
// No route answers a preflight, no answer has CORS headers, and GET changes nothing.
func (s *Server) guard(r *http.Request) error {
	if !s.ours(r.Host) {
		return Refuse(http.StatusMisdirectedRequest, engram.Errorf(engram.CodeForbidden, "the Host header does not name this server").
			WithHint("call it as localhost or 127.0.0.1"))
	}
	if !sameOrigin(r) {
		return Refuse(http.StatusForbidden, engram.Errorf(engram.CodeForbidden, "requests from other origins are rejected").
			WithHint("web pages of other origins may not use this server"))
	}
	switch {
	case r.ContentLength == 0 || isJSON(r.Header.Values("Content-Type")):
	case plainTool(r):
		r.Header.Set("Content-Type", MediaJSON)
	default:
		return Refuse(http.StatusUnsupportedMediaType, engram.Errorf(engram.CodeInvalid, "the body is not sent as JSON").
			WithHint("send the header Content-Type: application/json"))
	}
	return nil
}

// ours reports whether host is exactly one of the server's names, with or without a port:
// localhost:80.evil.test is not.
func (s *Server) ours(host string) bool {
	name, port, has := cutPort(host)
	switch {
	case has && !isPort(port), name == "":
		return false
	case loopback(name):
		return true
	}
	return slices.ContainsFunc(s.Hosts, func(own string) bool { return name == bracketed(own) })
}

// cutPort splits a host into its name and its port, if it has one.
func cutPort(host string) (name, port string, has bool) {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i+1:], true
	}
	return host, "", false
}

func loopback(name string) bool { return name == "localhost" || name == "127.0.0.1" || name == "[::1]" }

// plainTool reports whether r comes from a tool on this machine that sets no content type, such as curl -d. A
// browser can send the same type but leaves a trace: Origin on every POST, PUT, PATCH and DELETE,
// Sec-Fetch-Site, or in old browsers Referer or a Mozilla User-Agent.
//
// Sources: https://fetch.spec.whatwg.org/#origin-header and https://www.w3.org/TR/fetch-metadata/
func plainTool(r *http.Request) bool {
	kinds := r.Header.Values("Content-Type")
	if len(kinds) > 1 || len(kinds) == 1 && kinds[0] != "" && kinds[0] != "application/x-www-form-urlencoded" {
		return false
	}
	for name := range r.Header {
		if name == "Origin" || name == "Referer" || name == "Cookie" || strings.HasPrefix(name, "Sec-") {
			return false
		}
	}
	if strings.Contains(r.UserAgent(), "Mozilla") {
		return false
	}
	return fromHere(r)
}

// fromHere reports whether r comes from this machine, by its loopback address.
func fromHere(r *http.Request) bool {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(peer); err != nil || ip == nil || !ip.IsLoopback() {
		return false
	}
	name, _, _ := cutPort(r.Host)
	return loopback(name)
}

// bracketed returns a host as it appears in a URL.
func bracketed(host string) string {
	if ip := net.ParseIP(host); ip != nil && strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func isPort(s string) bool {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return false
	}
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && n < 1<<16
}

// sameOrigin reports whether r comes from no page or from our own.
func sameOrigin(r *http.Request) bool {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	for _, origin := range r.Header.Values("Origin") {
		if origin != scheme+r.Host {
			return false
		}
	}
	// Browsers send no Origin with a GET of an image or script. The page cannot read the answer, but it can
	// cause the work. Following a link is allowed.
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	}
	return true
}

// isJSON reports whether the only Content-Type is application/json in UTF-8.
func isJSON(contentType []string) bool {
	if len(contentType) != 1 {
		return false
	}
	kind, params, err := mime.ParseMediaType(contentType[0])
	if err != nil || kind != "application/json" {
		return false
	}
	charset, given := params["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

// NeedsToken reports whether r requires the token, when one is set.
func (s *Server) NeedsToken(r Route) bool { return r.Token || s.Exposed && r.Path != "/health" }

// authorize rejects a request without the token, when one is set.
func (s *Server) authorize(r *http.Request) error {
	want := s.Token()
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
	// Digests, because the comparison takes constant time only for equal lengths.
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
