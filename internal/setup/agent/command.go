package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
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

// An entry is ours if it calls this program: one named engram in any folder, or one of the recorded
// paths. Mentioning engram or having similar hooks is not enough.

func (e Env) isUs(program string) bool {
	name := strings.ToLower(program[strings.LastIndexAny(program, `/\`)+1:])
	return strings.TrimSuffix(name, ".exe") == "engram" || program != "" && slices.Contains(e.all(), program)
}

// all returns the current and earlier paths by which agents call this program.
func (e Env) all() []string { return append([]string{e.Engram}, e.Programs...) }

func (e Env) calls(server any) bool {
	words := wordsOf(server)
	return len(words) > 1 && e.isUs(words[0]) && slices.Contains(words[1:], "mcp")
}

// wordsOf returns a server's program and arguments, in one list or two members; nil if remote.
func wordsOf(server any) (words []string) {
	is, _ := server.(map[string]any)
	for _, elsewhere := range []string{"url", "serverUrl", "httpUrl"} {
		if is[elsewhere] != nil {
			return nil
		}
	}
	for _, name := range []string{"command", "args"} {
		all, ok := is[name].([]any)
		if !ok {
			all = []any{is[name]}
		}
		for _, word := range all {
			if text, ok := word.(string); ok {
				words = append(words, text)
			}
		}
	}
	return words
}

// afterUs returns the rest of a command line after the program, and whether that is this one.
func (e Env) afterUs(sh shell, line string) (rest string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	if sh == powershell {
		line = strings.TrimLeft(strings.TrimPrefix(line, "&"), " \t")
	}
	for _, program := range e.all() {
		quoted, err := quote(sh, program)
		if err != nil {
			continue
		}
		if rest, ok := strings.CutPrefix(line, quoted+" "); ok {
			return rest, true
		}
	}
	word, rest := firstWord(line)
	return rest, e.isUs(word)
}

// firstWord returns the first word of a command line without its quotes, approximately for any
// shell: good enough to compare the end of a path.
func firstWord(line string) (word, rest string) {
	var b strings.Builder
	quoted := byte(0)
	for n := 0; n < len(line); n++ {
		switch c := line[n]; {
		case c == quoted:
			quoted = 0
		case quoted == 0 && c == '\\' && n+1 < len(line) && strings.IndexByte(`'" `, line[n+1]) >= 0:
			n++
			b.WriteByte(line[n])
		case quoted == 0 && (c == '\'' || c == '"'):
			quoted = c
		case quoted == 0 && (c == ' ' || c == '\t'):
			return b.String(), strings.TrimLeft(line[n:], " \t")
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// dataDirOf returns the data directory in a command line, or "".
func dataDirOf(words []string) string {
	for n, word := range words {
		if dir, ok := strings.CutPrefix(word, dataDirFlag+"="); ok {
			return dir
		}
		if word == dataDirFlag && n+1 < len(words) {
			return words[n+1]
		}
	}
	return ""
}

const dataDirFlag = "--data-dir"

// dataDirIn returns the data directory in a file of ours, where arguments are quoted in a list.
func dataDirIn(content []byte) (dir string) {
	for _, quote := range regexp.MustCompile(`"`+dataDirFlag+`",\s*("(?:[^"\\]|\\.)*")`).FindAllSubmatch(content, 1) {
		if json.Unmarshal(quote[1], &dir) != nil {
			return ""
		}
	}
	return strings.ReplaceAll(dir, dollarAlone, "$")
}

// hookLine returns the command line for an event of an agent, and a function that recognises such a
// line whatever path it calls this program by.
func (e Env) hookLine(sh shell, agent, event string) (line string, ours func(line string) bool, err error) {
	line, err = e.line(sh, "hook", agent, event)
	words := fmt.Sprintf("hook %s %s ", agent, event)
	return line, func(line string) bool {
		rest, is := e.afterUs(sh, line)
		return is && strings.HasPrefix(rest+" ", words)
	}, err
}

// hooked reports whether a hook, a JSON element of a list, has a command line of ours.
func hooked(element []byte, ours func(line string) bool) bool {
	var hook struct{ Command, PowerShell string }
	return json.Unmarshal(element, &hook) == nil && (ours(hook.Command) || ours(hook.PowerShell))
}

// native returns the shell in which programs of a system run command lines.
func (e Env) native() shell {
	if e.OS == "windows" {
		return cmd
	}
	return posix
}

// nested is a hook in the format of Claude Code and its imitators.
type nested struct {
	Hooks []hookCommand `json:"hooks"`
}

type hookCommand struct {
	Type    string `json:"type,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// hookTimeout is how many seconds an agent may wait for a hook, which takes 200 ms at most: a
// machine may be slow, and an agent reports a timeout to its user.
const hookTimeout = 10

// hooks returns the entries of a file with a list of hooks per event; shape makes an element.
func (e Env) hooks(sh shell, agent string, shape func(line string) any, events ...string) ([]entry, error) {
	var all []entry
	for _, event := range events {
		line, is, err := e.hookLine(sh, agent, event)
		if err != nil {
			return nil, err
		}
		list := edit.Elements{Path: []string{"hooks", event}, Ours: func(element []byte) bool { return hooked(element, is) }}
		value := shape(line)
		if _, ok := value.(nested); ok {
			list.Inner = "hooks"
		}
		all = append(all, hookIn(list, value))
	}
	return all, nil
}

// timeoutMember is set only in new hooks: a user may have changed it.
const timeoutMember = "timeout"

// hookIn is a hook in a list, or in a group with hooks of others.
func hookIn(list edit.Elements, value any) entry {
	return entry{
		path: list.Path, sure: true, drop: list.Drop,
		set: func(c []byte) ([]byte, error) { return list.Add(c, value, []string{timeoutMember}) },
	}
}

// inGroup is a hook in a group, with a timeout in seconds.
func inGroup(line string) any {
	return nested{Hooks: []hookCommand{{Type: "command", Command: line, Timeout: hookTimeout}}}
}
