package chat

import (
	"net"
	"net/url"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// completions is the path of the only call, after the base.
const completions = "/chat/completions"

// address validates the base URL of the model's server and returns it without a trailing slash. Errors do not
// quote it, because it may contain a password.
func address(base string, withKey bool) (string, error) {
	if base = strings.TrimSpace(base); base == "" {
		base = DefaultURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", invalid("the address of the language model is not an http or https URL")
	}
	if u.User != nil {
		return "", invalid("the address of the language model contains a user name or a password").
			WithHint("set the key in ENGRAM_LLM_API_KEY")
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", invalid("the address of the language model has a query or a fragment")
	}
	if withKey && u.Scheme == "http" && !loopback(u.Hostname()) {
		return "", engram.Errorf(engram.CodeInvalid, "the key of the language model would be sent unencrypted to another machine").
			WithHint("use an https address, an address of this machine, or no key")
	}
	// Documentation often shows the whole URL of the call.
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), completions)
	if u.Path == "" {
		u.Path = "/v1"
	}
	u.RawPath = ""
	return u.String(), nil
}

func invalid(msg string) *engram.Error {
	return engram.Errorf(engram.CodeInvalid, "%s", msg).WithHint("use an address such as %s", DefaultURL)
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// isToken reports whether key can be sent in a header; "" can.
func isToken(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}
