package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Names of passwords, the text after them, and the value: people choose characters that the rules
// of gitleaks do not cover.
const (
	passwordNames = `(?:passwor[dt]|passwd|passphrase|passcode|pwd|_pass)`
	passwordValue = `(?:\\?"([^"\s\\]{6,200})\\?"|\\?'([^'\s\\]{6,200})\\?'|\x60([^\x60\s\\]{6,200})\x60|\*\*([^\s*\x60]{6,200})\*\*|([^\s"'\x60,;<>(){}\[\]\\]{6,200}))(?:[\s"'\x60,;)}\]]|$)`
)

// passwords returns rules for named passwords. Mixed characters distinguish a password from a word.
func passwords() []rule {
	return []rule{
		{
			id: "password", regex: `(?i)` + passwordNames + `\d{0,2}\\?["'\x60]?\s{0,3}(?:=|:=|=>|->|:)\s{0,3}` + passwordValue, mixed: 4, opens: true,
			keywords: passwordKeywords(), allowed: noPassword(),
		},
		{
			id: "password", regex: `(?i)` + passwordNames + `(?:\s(?:is|was|ist|war|es|est|era)\s(?:now\s)?)["'\x60]?([^\s"'\x60,;<>(){}\[\]]{7,199}[^\s"'\x60.,;:<>(){}\[\]])`, mixed: 5, opens: true,
			keywords: passwordKeywords(), allowed: noPassword(),
		},
		{
			id: "password", regex: `--?pass(?:word|wd|phrase)?\s{1,3}` + passwordValue, mixed: 4, opens: true,
			keywords: []string{"-pass"}, allowed: noPassword(),
		},
		// The clients of MySQL take a password right after -p.
		{
			id: "password", regex: `(?:mysql|mariadb)[\w-]{0,10}\s[^\n|;]{0,200}?-p["']?([^\s"'=-][^\s"']{5,200})`, mixed: 3, opens: true, bounded: true,
			keywords: []string{"mysql", "mariadb"}, allowed: noPassword(),
		},
		// A secret key of AWS has no form of its own: 40 characters near its name.
		{
			id: "aws-secret-key", regex: `(?i)secret[^\n]{0,60}?[\s:="'\x60]([a-z0-9/+]{40})(?:[\s"'\x60.,;)]|$)`, entropy: 4.2, mixed: 12, opens: true,
			keywords: []string{"secret"}, allowed: noPassword(),
		},
	}
}

func passwordKeywords() []string {
	return []string{"password", "passwort", "passwd", "passphrase", "passcode", "pwd", "_pass"}
}

// noPassword returns values that are not passwords: placeholders, references and hash names.
func noPassword() []allowance {
	return []allowance{{regexes: []string{`^(?:\$[A-Z_{(]|%[A-Z_]+%|[<{*#]|\[REDACTED)`, `://`, `:$`, `(?i)^(?:your|my|change|example|dummy|test|pbkdf|sha\d|argon|bcrypt|scrypt)`, `(?i)\b(?:env|environ|config|secrets|process|vault)[.:[(]`}}}
}

// Named reports whether a value is a password because of its name: the name ends in such a word,
// and the value is neither a word nor a reference.
func Named(name, value string) bool {
	name = strings.ToLower(name)
	ends := func(w string) bool { return strings.HasSuffix(name, w) }
	for _, w := range append(passwordKeywords(), "pass", "pw") {
		if ends(w) && (w != "pass" && w != "pw" || name == w) {
			return len(value) >= shortestPassword && mixed(value, 1) && !strings.ContainsAny(value, " \t\n") && !isNoPassword(value)
		}
	}
	return false
}

const shortestPassword = 6

func isNoPassword(value string) bool {
	return slices.ContainsFunc(noPasswords(), func(x *regexp.Regexp) bool { return x.MatchString(value) })
}

// noPasswords are the expressions of noPassword, compiled on first use.
var noPasswords = sync.OnceValue(func() (all []*regexp.Regexp) {
	for _, a := range noPassword() {
		all = append(all, compile(a).expressions...)
	}
	return all
})

// mixed reports whether a text has letters and digits and changes between kinds of characters at
// least least times, one less if it has a special character. Paths, identifiers and versions change
// rarely, because separators do not count.
func mixed(text string, least int) bool {
	last, changes := byte(0), 0
	var has [256]bool
	for i := range len(text) {
		kind := kindOf(text[i])
		if kind == 0 {
			continue
		}
		if last != 0 && kind != last {
			changes++
		}
		last, has[kind] = kind, true
	}
	if has['!'] {
		least--
	}
	return has['0'] && (has['a'] || has['A']) && changes >= least
}

// kindOf returns a representative of a character's kind; 0 for separators.
func kindOf(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z':
		return 'a'
	case 'A' <= c && c <= 'Z':
		return 'A'
	case '0' <= c && c <= '9':
		return '0'
	case strings.IndexByte("!#$%^&*@~+?", c) >= 0:
		return '!'
	}
	return 0
}
