package suspicion

import (
	"net/netip"
	"strings"
)

// longestThing bounds an address or a path: what is longer is looked at only so far, and then
// from its next word on. In a text without spaces every word begins one, so that this is what
// reading costs of each.
const longestThing = 512

// endsThing has the bytes that no address or path has: white space, quotes, brackets, and those
// of letters beyond ASCII.
var endsThing = func() (ends [256]bool) {
	for c := range ends {
		ends[c] = c <= ' ' || c >= 0x80 || strings.IndexByte("\"'`<>()[]|,;", byte(c)) >= 0
	}
	return ends
}()

// thing returns the length of the address or path with which s begins, 0 when it is neither.
func thing(s string) int {
	switch c := s[0]; {
	case c == '~' || c == '.' || c == '/' || c == '$':
		if len(s) < 3 || !letter(s[1]) && s[1] != '/' && s[1] != '.' && s[1] != '{' {
			return 0
		}
	case !letter(c) || c >= 0x80:
		return 0
	}
	n := 0
	named := false                      // it has something that a word and base64 have not
	slashed, home := false, s[0] == '$' // of what has a slash alone, few mean anything
	for n < len(s) && n < longestThing {
		c := s[n]
		if endsThing[c] {
			break
		}
		slashed = slashed || c == '/'
		named = named || c == '@' || c == '.' || c == ':' || c == '_' && n > 0
		n++
	}
	// What ends a sentence does not belong to it.
	for n > 0 && strings.IndexByte(".:!?", s[n-1]) >= 0 {
		n--
	}
	if n < 3 || !named && !(slashed && (home || strings.Contains(lowered(s[:n]), "/etc/shadow"))) {
		return 0
	}
	if signOfThing(s[:n]) == 0 {
		return 0
	}
	return n
}

// signOfThing says what an address or a path is.
func signOfThing(s string) sign {
	s = lowered(s)
	switch {
	case strings.Contains(s, "://"):
		if away(s) {
			return addressed
		}
		return nearby
	case isMail(s):
		return addressed
	}
	for _, p := range secretPaths {
		if i := strings.Index(s, p); i >= 0 {
			rest := s[i+len(p):]
			if rest != "" && letter(rest[0]) || strings.HasPrefix(rest, ".example") || strings.HasPrefix(rest, ".sample") || strings.HasPrefix(rest, ".template") || strings.HasSuffix(rest, ".pub") {
				continue
			}
			return secretFile
		}
	}
	switch {
	case strings.HasPrefix(s, "~/.bashrc"), strings.HasPrefix(s, "~/.zshrc"), strings.HasPrefix(s, "~/.profile"), strings.Contains(s, "authorized_keys"):
		return nearby
	case s[0] == '$' && strings.HasPrefix(s[1:], "home"):
		return nearby
	}
	return 0
}

// secretPaths are files that hold what nobody else may have.
var secretPaths = []string{".env", "id_rsa", "id_ed25519", "id_ecdsa", "/.ssh", ".aws/credentials", ".aws/config", ".npmrc", ".netrc", ".pgpass", ".kube/config",
	".git-credentials", ".docker/config.json", "/etc/shadow", "mcp.json", ".config/gh/hosts", "credentials.json", "login.keychain", "wallet.dat", ".vault-token", "service-account.json"}

// away reports an address that is on another machine and in nobody's private network.
func away(url string) bool {
	_, host, _ := strings.Cut(url, "://")
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	name, _, _ := strings.Cut(host, ":")
	if ip, err := netip.ParseAddr(name); err == nil {
		return !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsLinkLocalUnicast() && !ip.IsUnspecified()
	}
	for _, end := range []string{".local", ".internal", ".lan", ".localhost", ".test", ".svc", ".cluster"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	return strings.Contains(name, ".") && name != ""
}

// isMail reports an address of mail.
func isMail(s string) bool {
	name, host, ok := strings.Cut(s, "@")
	return ok && name != "" && !strings.ContainsAny(name, "/:") && strings.Contains(host, ".") && !strings.ContainsAny(host, "/:@")
}
