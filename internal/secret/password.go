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
	var m mix
	for i := range len(text) {
		m.add(kinds[text[i]])
	}
	return m.is(least)
}

// mixedRun looks for a run without white space, of those that begin in a part of a text, that is mixed: only there can be a
// value that is, since none has white space. It returns where one has become mixed, else 0 and up to where none is.
func mixedRun(text string, from, until, least int) (end, looked int) {
	if until = min(until, len(text)); from >= until {
		return 0, from
	}
	beginOf := func(at int) int { return from + strings.LastIndexAny(text[from:at], spaces) + 1 }
	at := strings.IndexAny(text[from:until], "0123456789")
	if at < 0 { // as in most texts about passwords
		return 0, beginOf(until)
	}
	from = beginOf(from + at)
	var m mix
	for i := from; i < len(text); i++ {
		if kind := kinds[text[i]]; kind != space {
			if m.add(kind); m.is(least) {
				return i + 1, i + 1
			}
		} else if from, m = i+1, (mix{}); from >= until {
			break
		}
	}
	return 0, from
}

const spaces = " \t\n\f\r"

// A mix is what kinds of characters follow each other.
type mix struct {
	has     kind // each of them
	last    kind
	changes int
}

func (m *mix) add(k kind) {
	if k&(small|capital|digit|special) == 0 {
		return
	}
	if m.last != 0 && k != m.last {
		m.changes++
	}
	m.last = k
	m.has |= k
}

func (m *mix) is(least int) bool {
	if m.has&special != 0 {
		least--
	}
	return m.changes >= least && m.has&digit != 0 && m.has&(small|capital) != 0
}

// kind is a kind of characters.
type kind uint8

const (
	separator kind = 0 // or a character beyond ASCII
	small     kind = 1 << (iota - 1)
	capital
	digit
	special
	space
)

var kinds = func() (kinds [256]kind) {
	for c := range kinds {
		switch c := byte(c); {
		case 'a' <= c && c <= 'z':
			kinds[c] = small
		case 'A' <= c && c <= 'Z':
			kinds[c] = capital
		case '0' <= c && c <= '9':
			kinds[c] = digit
		case strings.IndexByte("!#$%^&*@~+?", c) >= 0:
			kinds[c] = special
		case strings.IndexByte(spaces, c) >= 0:
			kinds[c] = space
		}
	}
	return kinds
}()
