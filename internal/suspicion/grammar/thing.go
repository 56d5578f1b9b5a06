package grammar

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// longestThing limits the length of an address or path, in bytes, and so the time for text
// without spaces, where one may begin at each word.
const longestThing = 512

// What a byte means for an address or path.
const (
	endsThing  = 1 << iota // none has it: white space, quotation marks, brackets and non-ASCII letters
	namesThing             // words and base64 lack it
	underlines             // an underscore, which names one after the first byte
	slashes
)

var inThing = func() (in [256]uint8) {
	for c := range in {
		if c <= ' ' || c >= utf8.RuneSelf || strings.IndexByte("\"'`<>()[]|,;", byte(c)) >= 0 {
			in[c] = endsThing
		}
	}
	in['@'], in['.'], in[':'], in['_'], in['/'] = namesThing, namesThing, namesThing, underlines, slashes
	return in
}()

// thing returns the length and the entry of the address or path at the beginning of s; 0 without
// one.
func thing(s string) (n int, e entry) {
	switch c := s[0]; {
	case c == '~' || c == '.' || c == '/' || c == '$':
		if len(s) < 3 || !finding.Letter(s[1]) && s[1] != '/' && s[1] != '.' && s[1] != '{' {
			return 0, e
		}
	case !finding.Letter(c) || c >= 0x80:
		return 0, e
	}
	has := inThing[s[0]] &^ underlines
	for n = 1; n < min(len(s), longestThing); n++ {
		is := inThing[s[n]]
		if is&endsThing != 0 {
			break
		}
		has |= is
	}
	slashed, home := has&slashes != 0, s[0] == '$' // a slash alone is not enough
	if has&(namesThing|underlines) == 0 && !(slashed && (home || s[0] == '/' || s[0] == '~')) {
		return 0, e
	}
	// Punctuation at the end belongs to the sentence.
	whole := n
	for n > 0 && strings.IndexByte(".:!?", s[n-1]) >= 0 {
		n--
	}
	if n < 3 {
		return 0, e
	}
	if n < whole && !slashed && !home && s[0] != '~' && !strings.ContainsAny(s[:n], "@.:_") {
		return 0, e // a word before punctuation
	}
	if e = entryOfThing(s[:n]); e == (entry{}) {
		return 0, e
	}
	return n, e
}

// entryOfThing describes an address or a path.
func entryOfThing(s string) entry {
	e := entry{is: signOfThing(s)}
	low := finding.Lowered(s)
	switch {
	case e.is&secretFile != 0:
		e.means = keys
	case e.is&addressed != 0:
		e.means = outside
		if foreignTo(low) {
			e.means |= stranger
		}
		if strings.Contains(low, "http://") || bareNumber(low) {
			e.means |= bare
		}
	case secretName(low) && (low[0] == '$' || strings.ToUpper(s) == s):
		e.means = keys
	case strings.HasPrefix(low, "/tmp/"), strings.HasPrefix(low, "/dev/shm/"), strings.HasPrefix(low, "/var/tmp/"), strings.HasPrefix(low, "~/.cache/"), len(low) > 2 && strings.Contains(low[2:], "/."):
		e.means = fleeting
	case strings.HasSuffix(low, ".pem"), strings.HasSuffix(low, ".key") && strings.Count(low, ".") == 1, strings.HasSuffix(low, ".p12"), strings.HasSuffix(low, ".keystore"):
		e.means = keys
	case strings.HasPrefix(low, ".env."):
		e.is = nearby // a template
	case strings.HasPrefix(low, "public/"), strings.HasPrefix(low, "static/"), strings.HasPrefix(low, "docs/"):
		e.means = shared
	case e.is == 0 && hostName(low):
		e.means = outside
		if foreignTo(low) && !strings.Contains(low, "/") { // a name with a path is usually a module
			e.means |= stranger
		}
	}
	return e
}

// secretName reports the name of a variable that holds a secret.
func secretName(s string) bool {
	s = strings.TrimRight(s, "}")
	ends := []string{"_key", "_token", "_secret", "_password", "_pass", "_credentials", "_pat", "database_url"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s, end) })
}

// hostName reports a host without a scheme: evil.example, hooks.site.io. File extensions are not
// among the endings.
func hostName(s string) bool {
	name, _, _ := strings.Cut(s, "/")
	name, _, _ = strings.Cut(name, ":")
	i := strings.LastIndexByte(name, '.')
	if i < 2 || strings.ContainsAny(name, "_$@~=*+\\&") || !finding.Letter(name[0]) {
		return false
	}
	switch name[i+1:] {
	case "com", "net", "org", "io", "dev", "example", "xyz", "info", "biz", "ru", "cn", "tk", "top", "site", "online", "cloud", "host", "link", "click", "onion":
		return Away("x://" + name)
	}
	return false
}

// bareNumber reports an address with a number in place of a name.
func bareNumber(url string) bool {
	_, host, _ := strings.Cut(url, "://")
	return host != "" && host[0] >= '0' && host[0] <= '9'
}

// foreignTo reports an address outside well-known package and tool hosts and private networks.
func foreignTo(url string) bool {
	_, host, ok := strings.Cut(url, "://")
	if !ok {
		host = url
	}
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	for _, known := range []string{"github.com", "githubusercontent.com", "gitlab.com", "go.dev", "golang.org", "proxy.golang.org", "pypi.org", "npmjs.org", "npmjs.com", "rustup.rs", "crates.io", "rust-lang.org", "python.org",
		"nodejs.org", "docker.com", "docker.io", "quay.io", "ghcr.io", "maven.org", "apache.org", "debian.org", "ubuntu.com", "microsoft.com", "google.com", "googleapis.com", "amazonaws.com", "mozilla.org", "kernel.org", "bun.sh",
		"deno.land", "astral.sh", "helm.sh", "k8s.io", "hashicorp.com", "terraform.io", "stripe.com", "w3.org", "ietf.org", "rubygems.org", "packagist.org", "pytorch.org", "nvidia.com", "anthropic.com", "openai.com"} {
		if host == known || strings.HasSuffix(host, "."+known) {
			return false
		}
	}
	return !finding.AnyOf(host, "internal", "corp.", "intranet", "artifactory", "nexus", "registry.local")
}

// NamesSecrets reports the path of a file with secrets, as opposed to an example of one.
func NamesSecrets(path string) bool { return signOfThing(path) == secretFile }

// signOfThing returns the signs of an address or a path.
func signOfThing(s string) sign {
	s = finding.Lowered(s)
	switch {
	case strings.Contains(s, "://"):
		if Away(s) {
			return addressed
		}
		return nearby
	case isMail(s):
		return addressed
	}
	if secretPlaces().In(s) != 0 && namesSecret(s) {
		return secretFile
	}
	switch {
	case strings.HasPrefix(s, "~/.bashrc"), strings.HasPrefix(s, "~/.zshrc"), strings.HasPrefix(s, "~/.profile"), strings.Contains(s, "authorized_keys"):
		return nearby
	case strings.HasPrefix(s, "$home"):
		return nearby
	}
	return 0
}

// namesSecret reports one of SecretPaths in a path in lower case.
func namesSecret(s string) bool {
	return slices.ContainsFunc(SecretPaths, func(p string) bool {
		_, rest, found := strings.Cut(s, p)
		return found && !(rest != "" && finding.Letter(rest[0]) || strings.HasPrefix(rest, ".example") || strings.HasPrefix(rest, ".sample") || strings.HasPrefix(rest, ".template") || strings.HasSuffix(rest, ".pub"))
	})
}

// secretPlaces tells most paths from those that have one of SecretPaths.
var secretPlaces = sync.OnceValue(func() *finding.Triggers { return finding.NewTriggers(map[finding.Group][]string{1: SecretPaths}) })

// SecretPaths are files with secrets.
var SecretPaths = []string{".env", "id_rsa", "id_ed25519", "id_ecdsa", "/.ssh", "/.aws", "/.gnupg", ".aws/credentials", ".aws/config", ".npmrc", ".netrc", ".pgpass", ".kube/config",
	".git-credentials", ".docker/config.json", "/etc/shadow", "mcp.json", ".config/gh/hosts", "credentials.json", "login.keychain", "wallet.dat", ".vault-token", "service-account.json"}

// Away reports an address on another machine outside private networks.
func Away(url string) bool {
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

// isMail reports a mail address.
func isMail(s string) bool {
	name, host, ok := strings.Cut(s, "@")
	return ok && name != "" && !strings.ContainsAny(name, "/:") && strings.Contains(host, ".") && !strings.ContainsAny(host, "/:@")
}

// knownPackages are popular packages with names of six letters or more. A similar name is a
// typing error or an attack on one.
func knownPackages() []string {
	return []string{"requests", "urllib3", "django", "tensorflow", "matplotlib", "cryptography", "colorama", "selenium", "beautifulsoup4", "setuptools", "sqlalchemy", "pydantic", "fastapi", "python-dateutil", "scikit-learn",
		"lodash", "react-dom", "react-router", "typescript", "webpack", "express", "commander", "mongoose", "electron", "jsonwebtoken", "nodemailer", "prettier", "socket.io", "cross-env", "puppeteer", "playwright", "tailwindcss"}
}

// lookalikes finds the installation of a package whose name resembles a popular one.
func lookalikes(c scene) (from, to int, ok bool) {
	if c.has&toUse == 0 {
		return 0, 0, false
	}
	closedUp := strings.NewReplacer("-", "", "_", "", ".", "")
	i := c.at(0, toUse)
	for j := i + 1; j < min(i+7, len(c.tokens)); j++ {
		w := c.word(j)
		if len(w) < 6 || c.tokens[j].means != 0 {
			continue
		}
		end := int(c.tokens[j].to)
		for end < len(c.text) && (c.text[end] == '-' || finding.Letter(c.text[end])) {
			end++
		}
		name := finding.Lowered(c.text[c.tokens[j].from:end])
		for _, known := range knownPackages() {
			if name != known && oneOff(closedUp.Replace(name), closedUp.Replace(known)) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// oneOff reports names that differ by one letter: another, an additional, a missing or two
// swapped ones.
func oneOff(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		// An additional letter at the end makes another name ("express2") unless it is a
		// repetition.
		return a[i:] == b[i+1:] && (i < len(a) || len(a) > 0 && b[i] == b[i-1])
	}
	if i == len(a) {
		return false
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
