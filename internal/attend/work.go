package attend

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Workplace returns the project of the repository with most changed files, else with most tool
// calls; of equals the later one, "" if unknown.
func Workplace(notes []Note) string {
	if p := most(notes, func(n Note) bool { return n.Writes && !n.Failed }); p != "" {
		return p
	}
	return most(notes, func(Note) bool { return true })
}

// most returns the project with most of the notes that count.
func most(notes []Note, counts func(Note) bool) (project string) {
	done := map[string]int{}
	for _, n := range notes {
		if n.Kind != KindTool || n.Project == "" || !counts(n) {
			continue
		}
		if done[n.Project]++; done[n.Project] >= done[project] {
			project = n.Project
		}
	}
	return project
}

// Turn returns the notes since the last prompt.
func Turn(notes []Note) []Note {
	for i := len(notes) - 1; i >= 0; i-- {
		if notes[i].Kind == KindPrompt {
			return notes[i+1:]
		}
	}
	return notes
}

// FolderOf returns the folder that a shell command first changes into, as written there; "" if it
// stays, or if only the shell knows the folder ($HOME, ~, -).
func FolderOf(command string) (folder string) {
	command = unwrap(strings.Trim(command, "() \t\n"))
	for _, list := range split(command, ";") {
		for _, step := range split(list, "&&") {
			to, ok := changesTo(step)
			if !ok {
				return folder
			}
			if strings.ContainsAny(to, "$`*?") || to == "" || to[0] == '~' || to[0] == '-' {
				return ""
			}
			if folder == "" || filepath.IsAbs(to) || path.IsAbs(to) {
				folder = to
			} else {
				folder = path.Join(folder, to)
			}
		}
	}
	return folder
}

// changesTo reports whether a command changes into a folder.
func changesTo(step string) (folder string, ok bool) {
	head, rest, _ := strings.Cut(strings.TrimSpace(step), " ")
	if head != "cd" && head != "pushd" {
		return "", false
	}
	rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "-- "))
	if n := len(rest); n > 1 && (rest[0] == '"' || rest[0] == '\'') && rest[n-1] == rest[0] {
		return rest[1 : n-1], true
	}
	return strings.ReplaceAll(rest, `\ `, " "), true
}

// Outcome is a command that failed and later passed in a session, worth an OutcomeType memory.
type Outcome struct {
	Command  string // in normalised form, see Outcomes
	Title    string
	Content  string
	TopicKey string    // of the command: its next outcome revises the same memory
	At       time.Time // when it passed
	Since    time.Time // when it first failed before that
	Tries    int       // runs from the first failure to the last success
}

// OutcomeType is the type of an outcome's memory.
const OutcomeType = engram.TypeDebug

// Limits of an outcome's text.
const (
	outcomeErrors = 3   // failures, each with the steps that fixed it
	outcomeHead   = 5   // lines of an error
	outcomeFiles  = 8   // edited files
	outcomeSteps  = 3   // other commands
	outcomeStep   = 100 // characters of one of these
	outcomeTitle  = 100 // characters of the title
	outcomeNamed  = 40  // of these, for the command
)

// Outcomes returns the commands of a session that failed and later passed, ordered by their last
// pass.
//
// Commands are equal if they differ only in folder, variables, redirection and pager. A success
// behind a pager does not count, because the exit code is the pager's. Commands whose exit code is
// their answer (grep) and multi-line scripts are ignored, as is a pass without an edit or another
// command before it.
func Outcomes(notes []Note) []Outcome {
	byName := map[string]*trial{}
	var all []*trial
	for i, n := range notes {
		r, ok := parse(n.Command)
		if n.Kind != KindTool || !ok || !n.Failed && r.masked || n.Failed && called(n.Error) {
			continue
		}
		t := byName[r.name]
		if t == nil {
			t = &trial{command: r.name, since: -1}
			byName[r.name] = t
			all = append(all, t)
		}
		t.run(notes, i)
	}
	all = slices.DeleteFunc(all, func(t *trial) bool { return len(t.fixed) == 0 })
	slices.SortStableFunc(all, func(a, b *trial) int { return a.last - b.last })
	var out []Outcome
	for _, t := range all {
		o := t.outcome()
		o.At, o.Since = notes[t.last].At, notes[t.from].At
		out = append(out, o)
	}
	return out
}

// called reports whether an error only says that a person stopped the command.
func called(err string) bool {
	err = strings.ToLower(err)
	return strings.Contains(err, "interrupted by user") || strings.Contains(err, "doesn't want to proceed") || strings.Contains(err, "user rejected") || strings.Contains(err, "permission to use")
}

// trial collects the runs of one command.
type trial struct {
	command string
	since   int // index of the first failure that is not fixed; -1: none
	tries   int // runs since then
	all     int // runs of all fixed failures
	last    int // index of the last success
	from    int // index of the failure that it fixed
	fixed   []fixed
}

// fixed is a failure and the steps that fixed it.
type fixed struct {
	err          string
	files, steps []string
}

// run adds note i, a run of the command.
func (t *trial) run(notes []Note, i int) {
	failed := notes[i].Failed
	if t.since < 0 && !failed {
		return
	}
	t.tries++
	if failed {
		if t.since < 0 {
			t.since = i
		}
		return
	}
	m := fixed{err: faultHead(notes[t.since].Error, outcomeHead)}
	for _, n := range notes[t.since+1 : i] {
		m.note(n, t.command)
	}
	if len(m.files)+len(m.steps) > 0 {
		t.fixed, t.last, t.from = append(t.fixed, m), i, t.since
		t.all += t.tries
	}
	t.since, t.tries = -1, 0
}

func (m *fixed) note(n Note, command string) {
	if n.Kind != KindTool {
		return
	}
	if n.Writes && n.Path != "" && !n.Failed && !slices.Contains(m.files, n.Path) {
		m.files = append(m.files, n.Path)
	}
	if r, ok := parse(n.Command); ok && !n.Failed && r.name != command && !slices.Contains(m.steps, r.name) {
		m.steps = append(m.steps, r.name)
	}
}

func (t *trial) outcome() Outcome {
	title := "`" + cut(t.command, outcomeNamed) + "` failed, then passed"
	if fault := Fault(t.fixed[0].err); fault != "" {
		title += ": " + cut(fault, outcomeTitle-utf8.RuneCountInString(title)-2)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` failed and passed after %d runs.\n", t.command, t.all)
	for i, m := range t.fixed {
		if i == outcomeErrors {
			fmt.Fprintf(&b, "\n%d more failures were fixed in the same way.\n", len(t.fixed)-i)
			break
		}
		m.write(&b)
	}
	sum := sha256.Sum256([]byte(t.command))
	return Outcome{Command: t.command, Title: title, Content: b.String(), TopicKey: "outcome/" + hex.EncodeToString(sum[:4]), Tries: t.all}
}

func (m fixed) write(b *strings.Builder) {
	if m.err != "" {
		b.WriteString("\nIt said:\n")
		for l := range strings.Lines(m.err) {
			b.WriteString("    " + strings.TrimRight(l, "\n") + "\n")
		}
	}
	b.WriteByte('\n')
	if len(m.files) > 0 {
		b.WriteString("Edited until it passed: " + listed(slashed(m.files), outcomeFiles) + "\n")
	}
	if len(m.steps) > 0 {
		b.WriteString("Run until it passed: " + listed(quoted(m.steps), outcomeSteps) + "\n")
	}
}

func slashed(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = filepath.ToSlash(p)
	}
	return out
}

func quoted(commands []string) []string {
	out := make([]string, len(commands))
	for i, c := range commands {
		out[i] = "`" + cut(c, outcomeStep) + "`"
	}
	return out
}

// listed joins the last items of a list: the last steps are the ones that helped.
func listed(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[len(all)-most:], ", ") + fmt.Sprintf(" (and %d before)", len(all)-most)
}

// above is how many parents of the working folder may belong to the same repository.
const above = 3

// Places returns the possible paths of a file from its repository's root, most likely first, with
// slashes; nil for a file outside dir.
func Places(dir, file string) []string {
	if file == "" {
		return nil
	}
	if filepath.IsAbs(file) {
		rel, err := filepath.Rel(dir, file)
		if dir == "" || err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return nil
		}
		file = rel
	}
	place := path.Clean(filepath.ToSlash(file))
	if place == "." || strings.HasPrefix(place, "../") {
		return nil
	}
	all := []string{place}
	dir = path.Clean(filepath.ToSlash(dir))
	for range above {
		name := path.Base(dir)
		if name == "/" || name == "." || name == "" || strings.HasSuffix(name, ":") {
			break
		}
		place, dir = name+"/"+place, path.Dir(dir)
		all = append(all, place)
	}
	return all
}

// NamesOf returns the ways in which a text may name a file: its path, its name with the folder, and
// the name alone if it is not a common one.
func NamesOf(place string) []string {
	base := path.Base(place)
	names := []string{place}
	if dir := path.Base(path.Dir(place)); dir != "." {
		names = append(names, dir+"/"+base)
	}
	if !common(base) {
		names = append(names, base)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(n string) bool { return n == base && common(base) })
}

// common reports whether a file name occurs in many projects or folders.
func common(base string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(base), ".")
	if utf8.RuneCountInString(stem) < 4 {
		return true
	}
	return slices.Contains([]string{"main", "index", "init", "__init__", "package", "package-lock", "readme", "license", "changelog", "makefile", "dockerfile", "docker-compose",
		"types", "type", "utils", "util", "helpers", "helper", "common", "config", "settings", "constants", "const", "errors", "error", "test", "tests", "setup", "server", "client",
		"model", "models", "routes", "router", "handler", "handlers", "views", "view", "urls", "schema", "schemas", "styles", "style", "page", "layout", "cargo", "pyproject",
		"requirements", "tsconfig", "build", "version", "mod", "conftest", "manage", "admin", "apps", "tasks", "service", "services", "store", "root", "engine", "query", "data", "base", "core"}, stem)
}

// Names reports whether text contains name, but not as part of a longer word or another path.
func Names(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 || name == "" {
			return false
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if (at == 0 || !partOfName(before)) && (at+len(name) == len(text) || !partOfName(after) || after == '.' && ends(text[at+len(name)+1:])) {
			return true
		}
		from = at + 1
	}
}

func partOfName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' || r == '.'
}

// ends reports whether a full stop before rest ends a sentence.
func ends(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r)
}

// maxCommand is the length in bytes above which a command is a script: it is hardly ever run again
// unchanged, and its exit code does not stand for one thing.
const maxCommand = 400

// run is a command in comparable form.
type run struct {
	name string // without prefixes and redirections
	// masked means that the exit code belongs to another program: a pager behind a pipe, or `true`
	// behind an ||. A success then proves nothing.
	masked bool
}

// parse reads a shell command. ok is false for a command whose failure is an answer (grep) or
// trivial (mkdir), and for several lines or binary data.
func parse(command string) (r run, ok bool) {
	command = strings.TrimSpace(command)
	if command == "" || len(command) > maxCommand || strings.ContainsFunc(command, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
		return r, false
	}
	command = unwrap(command)
	lists := split(command, ";")
	command = lists[len(lists)-1] // its exit code is the command's
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
		if name == "" || firstWord(name) == "cd" {
			continue
		}
		names = append(names, name)
		worth = worth || !answers(name)
	}
	r.name = strings.Join(names, " && ")
	return r, worth
}

// unwrap removes a shell around a command: bash -lc '…'.
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

// split cuts s at a shell operator outside quotes and brackets. A single bar does not match a
// double one, and escaped characters never match.
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

// pages reports whether all commands behind a pipe only filter or show its output.
func pages(stages []string) bool {
	return !slices.ContainsFunc(stages, func(s string) bool {
		return !slices.Contains([]string{"tail", "head", "less", "more", "cat", "tee", "grep", "egrep", "rg", "sed", "awk", "sort", "uniq", "wc", "cut", "jq"}, firstWord(bare(s)))
	})
}

// bare removes redirections and prefix words such as sudo from a command.
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

// written removes redirections from words: 2>&1, >/dev/null, > out.txt.
func written(words []string) []string {
	var kept []string
	for i := 0; i < len(words); i++ {
		to := strings.TrimLeft(words[i], "&012")
		switch {
		case to == ">" || to == ">>":
			i++ // the next word is the file
		case strings.HasPrefix(to, ">"):
		default:
			kept = append(kept, words[i])
		}
	}
	return kept
}

// assigns reports whether a word sets an environment variable.
func assigns(w string) bool {
	name, _, found := strings.Cut(w, "=")
	return found && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == "" && (name[0] < '0' || name[0] > '9')
}

// answers reports whether a command's exit code is its answer, or its failure trivial.
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

// gitAnswers is answers for git: commands that inspect the repository or only move work along.
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

func firstWord(command string) string {
	word, _, _ := strings.Cut(command, " ")
	return word
}
