package agent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

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
