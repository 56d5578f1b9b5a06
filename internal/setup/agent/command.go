package agent

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// server is an MCP server in the configuration of most agents.
type server struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (e Env) server() server { return server{Command: e.Engram, Args: e.args("mcp")} }

// args returns arguments for the program, with its data directory.
func (e Env) args(words ...string) []string {
	if e.DataDir != "" {
		words = append(words, dataDirFlag, e.DataDir)
	}
	return words
}

// literal escapes a server for agents that expand $NAME and ${NAME} with defaults: each dollar sign
// becomes the default of a variable that does not exist.
func literal(s server) server {
	dollar := func(s string) string { return strings.ReplaceAll(s, "$", dollarAlone) }
	s.Command = dollar(s.Command)
	for n, a := range s.Args {
		s.Args[n] = dollar(a)
	}
	return s
}

const dollarAlone = "${ENGRAM_NO_VARIABLE:-$}"

// check rejects paths that configurations cannot hold.
func (e Env) check() error {
	for _, path := range []string{e.Engram, e.DataDir, e.Home} {
		if !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
			return engram.Errorf(engram.CodeInvalid, "%q is not valid text, and cannot be written into configurations", path).
				WithHint("move the program and its data to a folder whose name is UTF-8")
		}
	}
	return nil
}

type shell int

const (
	posix      shell = iota
	cmd              // cmd.exe
	powershell       // a quoted word is a string, unless & precedes it
)

// line returns a command line that runs the program with these words, for agents that only take a
// shell command. It quotes every word that is not plain, so that the shell expands nothing.
// CodeInvalid for words that cannot be quoted.
func (e Env) line(sh shell, words ...string) (string, error) {
	all := append([]string{e.Engram}, e.args(words...)...)
	quoted := false
	for n, w := range all {
		q, err := quote(sh, w)
		if err != nil {
			return "", err
		}
		quoted = quoted || n == 0 && q != w
		all[n] = q
	}
	if sh == powershell && quoted {
		return "& " + strings.Join(all, " "), nil
	}
	return strings.Join(all, " "), nil
}

func quote(sh shell, word string) (string, error) {
	plain := "-_./:@+,="
	if sh != posix {
		plain = `-_./:\+` // PowerShell interprets @ and , and cmd = and ,
	}
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(plain, r))
	}
	switch {
	case word != "" && !strings.ContainsFunc(word, special):
		return word, nil
	case sh == posix:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'", nil
	case sh == powershell:
		// PowerShell also accepts typographic quotes as quotes.
		return "'" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(word) + "'", nil
	}
	if strings.ContainsAny(word, "\"%\n\r") {
		return "", engram.Errorf(engram.CodeInvalid, "%q cannot be written into a command of Windows", word).
			WithHint("move the program and its data to a folder without %% and quotes in its name")
	}
	// Backslashes before a quote are halved, and an odd one escapes the quote.
	tail := len(word) - len(strings.TrimRight(word, `\`))
	return `"` + word + strings.Repeat(`\`, tail) + `"`, nil
}

// text returns a JSON string in a form that TOML reads, too.
func text(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // strings never fail to encode
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}
