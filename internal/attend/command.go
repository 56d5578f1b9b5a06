package attend

import (
	"slices"
	"strings"
	"unicode"
)

// maxCommand is the length in bytes from which a command is a script: nobody runs it twice
// letter for letter, and its end says nothing of one thing.
const maxCommand = 400

// run is a command as it is recognised when it is run again.
type run struct {
	name string // without what only says where and how it is run
	// masked says that the exit code is another program's: that of a pager behind a pipe,
	// or of `true` behind an ||. Then a success says nothing.
	masked bool
}

// parse reads a command of a shell. ok is false for one whose failure is an answer (grep
// found nothing) or a trifle (mkdir), and for what is more than one line, or no text.
func parse(command string) (r run, ok bool) {
	command = strings.TrimSpace(command)
	if command == "" || len(command) > maxCommand || strings.ContainsFunc(command, unprinted) {
		return r, false
	}
	command = unwrap(command)
	lists := split(command, ";")
	command = lists[len(lists)-1] // whose exit code it is
	if alternatives := split(command, "||"); len(alternatives) > 1 {
		command, r.masked = alternatives[0], true
	}
	steps := split(command, "&&")
	var names []string
	worth := false
	for i, step := range steps {
		stages := split(step, "|")
		if len(stages) > 1 && i == len(steps)-1 && pages(stages[1:]) {
			stages, r.masked = stages[:1], true
		}
		name := bare(strings.Join(stages, " | "))
		if name == "" || first(name) == "cd" {
			continue
		}
		names = append(names, name)
		worth = worth || !answers(name)
	}
	r.name = strings.Join(names, " && ")
	return r, worth
}

// unprinted reports whether a character is one that no line has.
func unprinted(r rune) bool { return r != '\t' && unicode.IsControl(r) }

// unwrap takes off a shell that is told the command: bash -lc '…'.
func unwrap(command string) string {
	head, rest, found := strings.Cut(command, " ")
	if !found || !slices.Contains([]string{"sh", "bash", "zsh", "/bin/sh", "/bin/bash", "/bin/zsh"}, head) {
		return command
	}
	flag, script, found := strings.Cut(strings.TrimSpace(rest), " ")
	script = strings.TrimSpace(script)
	if !found || !strings.HasPrefix(flag, "-") || !strings.HasSuffix(flag, "c") || len(script) < 2 {
		return command
	}
	if q := script[0]; (q == '\'' || q == '"') && script[len(script)-1] == q {
		return script[1 : len(script)-1]
	}
	return script
}

// split cuts s at an operator of the shell that stands outside quotes and brackets. The
// single bar does not cut a double one, nor does any cut what is escaped.
func split(s, operator string) []string {
	var parts []string
	var quote byte
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth > 0 || !strings.HasPrefix(s[i:], operator):
		case operator == "|" && (strings.HasPrefix(s[i:], "||") || i > 0 && s[i-1] == '|' || i > 0 && s[i-1] == '>'):
		default:
			parts = append(parts, strings.TrimSpace(s[from:i]))
			i += len(operator) - 1
			from = i + 1
		}
	}
	if last := strings.TrimSpace(s[from:]); last != "" || len(parts) == 0 {
		parts = append(parts, last)
	}
	return parts
}

// pages reports whether what stands behind a pipe only shows less of what comes.
func pages(stages []string) bool {
	for _, s := range stages {
		if !slices.Contains([]string{"tail", "head", "less", "more", "cat", "tee", "grep", "egrep", "rg", "sed", "awk", "sort", "uniq", "wc", "cut", "jq"}, first(bare(s))) {
			return false
		}
	}
	return true
}

// bare is a command without where its output goes, and without the words before it that
// only say how it is run.
func bare(step string) string {
	words := written(strings.Fields(step))
	for len(words) > 0 {
		switch w := words[0]; {
		case assigns(w), w == "sudo", w == "env", w == "time", w == "command", w == "exec", w == "nohup":
			words = words[1:]
		case w == "timeout" || w == "nice" || w == "ionice" || w == "stdbuf":
			words = words[1:]
			for len(words) > 0 && (strings.HasPrefix(words[0], "-") || words[0] != "" && words[0][0] >= '0' && words[0][0] <= '9') {
				words = words[1:]
			}
		default:
			return strings.Join(words, " ")
		}
	}
	return ""
}

// written are words without those that say where output goes: 2>&1, >/dev/null, > out.txt.
func written(words []string) []string {
	var kept []string
	for i := 0; i < len(words); i++ {
		to := strings.TrimLeft(words[i], "&012")
		switch {
		case to == ">" || to == ">>":
			i++ // the file is the next word
		case strings.HasPrefix(to, ">"):
		default:
			kept = append(kept, words[i])
		}
	}
	return kept
}

// assigns reports whether a word sets a variable of the environment.
func assigns(w string) bool {
	name, _, found := strings.Cut(w, "=")
	return found && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == "" && (name[0] < '0' || name[0] > '9')
}

// answers reports whether the exit code of a command is its answer, or its failure a trifle.
func answers(name string) bool {
	words := strings.Fields(strings.TrimLeft(name, "(! "))
	if len(words) == 0 {
		return true
	}
	switch program := words[0][strings.LastIndexByte(words[0], '/')+1:]; program {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "ls", "ll", "tree", "find", "fd", "cat", "bat", "head", "tail", "less", "more",
		"test", "[", "[[", "diff", "cmp", "comm", "which", "whereis", "type", "hash", "file", "stat", "wc", "du", "df", "pgrep", "ps", "lsof",
		"kill", "pkill", "killall", "echo", "printf", "read", "pwd", "cd", "pushd", "popd", "true", "false", "sleep", "wait", "jobs", "man", "help",
		"history", "date", "whoami", "id", "env", "printenv", "export", "source", ".", "set", "sed", "awk", "sort", "uniq", "cut", "tr", "xargs", "jq", "yq",
		"mkdir", "rmdir", "rm", "cp", "mv", "ln", "touch", "chmod", "chown", "open", "xdg-open", "ping", "nc", "curl", "wget", "clear", "engram":
		return true
	case "git":
		return gitAnswers(words[1:])
	}
	return false
}

// gitAnswers is answers for what is asked of git: what looks at the repository, and what
// only moves work along.
func gitAnswers(args []string) bool {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-C" || a == "-c":
			i++
		case strings.HasPrefix(a, "-"):
		default:
			return !slices.Contains([]string{"apply", "am", "bisect", "rebase", "merge", "cherry-pick", "revert", "submodule", "lfs", "clone", "commit"}, a)
		}
	}
	return true
}

// first is the first word of a command.
func first(command string) string {
	word, _, _ := strings.Cut(command, " ")
	return word
}
