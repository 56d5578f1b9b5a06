package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Column heads that name the values below. Rules only see single lines.
const (
	passwordColumn = `(?i)(?:passwor[dt]|passwd|passphrase|passcode|kennwort|\bpwd?|\bpass)$`
	keyColumn      = `(?i)(?:` + keyNames + `|\b(?:token|secret|credentials?))$`

	// Minimum mixture of a value; one in backticks is meant literally.
	mixedCell, mixedCode = 3, 2
	mixedKey             = 4
	leastKeyBits         = 2.8
	shortestKey          = 12
)

// heads are the expressions of columns, compiled at the first table.
var heads = sync.OnceValue(func() (all struct{ password, key *regexp.Regexp }) {
	all.password, all.key = regexp.MustCompile(passwordColumn), regexp.MustCompile(keyColumn)
	return all
})

// noKeys are the expressions of noKey, compiled at the first table with keys.
var noKeys = sync.OnceValue(func() compiledAllowance { return compile(noKey()[0]) })

// tables appends the secrets in Markdown tables under columns that name them.
func tables(found []Span, text string) []Span {
	if !strings.Contains(text, "---") || strings.IndexByte(text, '|') < 0 {
		return found
	}
	var head []cell
	var named []string // the rule for each column, by its head; nil outside of a table
	for from := 0; from < len(text); {
		to := len(text)
		if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
			to = from + i
		}
		line := cells(text, from, to)
		switch {
		case len(line) == 0:
			head, named = nil, nil
		case named != nil:
			for i := range min(len(line), len(named)) {
				if named[i] != "" && line[i].holds(named[i]) {
					found = append(found, Span{line[i].from, line[i].to, named[i]})
				}
			}
		case len(head) > 0 && underHead(line):
			named = columns(head)
		default:
			head = line
		}
		from = to + 1
	}
	return found
}

// cell is a table cell: text[from:to] without markup.
type cell struct {
	text     string
	from, to int
	code     bool // in backticks
}

// cells returns the cells of a line; nil if it is not a line of a table.
func cells(text string, from, to int) (all []cell) {
	line := text[from:to]
	if strings.IndexByte(line, '|') < 0 {
		return nil
	}
	line = strings.TrimRight(line, " \t\r")
	line = strings.TrimSuffix(line, "|")
	begin := len(line) - len(strings.TrimLeft(line, " \t>"))
	if strings.HasPrefix(line[begin:], "|") {
		begin++
	}
	for at := begin; at <= len(line); {
		end := len(line)
		if i := strings.IndexByte(line[at:], '|'); i >= 0 {
			end = at + i
		}
		all = append(all, cellAt(text, from+at, from+end))
		at = end + 1
	}
	return all
}

// cellAt removes white space, backticks, quotes and emphasis.
func cellAt(text string, from, to int) cell {
	const dress = " \t`*_\"'"
	c := cell{code: strings.IndexByte(text[from:to], '`') >= 0}
	from += len(text[from:to]) - len(strings.TrimLeft(text[from:to], dress))
	c.from, c.to = from, from+len(strings.TrimRight(text[from:to], dress))
	c.text = text[c.from:c.to]
	return c
}

// underHead reports whether a line of dashes separates head and rows.
func underHead(line []cell) bool {
	return !slices.ContainsFunc(line, func(c cell) bool { return len(c.text) < 3 || strings.Trim(c.text, "-:") != "" })
}

// columns returns the rules for the cells of a head, "" for none; never nil.
func columns(head []cell) []string {
	named := make([]string, len(head))
	for i, c := range head {
		name, _, _ := strings.Cut(c.text, "(") // without a remark
		name = strings.TrimRight(name, " \t*_`:")
		switch {
		case heads().password.MatchString(name):
			named[i] = "password"
		case heads().key.MatchString(name):
			named[i] = "generic-api-key"
		}
	}
	return named
}

// holds reports whether a cell contains a secret of this rule.
func (c cell) holds(rule string) bool {
	if strings.ContainsAny(c.text, " \t<>(){}[]") {
		return false
	}
	if rule == "password" {
		least := mixedCell
		if c.code {
			least = mixedCode
		}
		return len(c.text) >= shortestPassword && mixed(c.text, least) && !isNoPassword(c.text)
	}
	no := noKeys()
	return len(c.text) >= shortestKey && mixed(c.text, mixedKey) && entropy(c.text) > leastKeyBits && !no.holds(c.text, c.text, c.text)
}
