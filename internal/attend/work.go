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

// Workplace is the project of the repository where most files were changed, else where most was done;
// of equals the later one, "" for none that is known.
func Workplace(notes []Note) string {
	if p := most(notes, func(n Note) bool { return n.Writes && !n.Failed }); p != "" {
		return p
	}
	return most(notes, func(Note) bool { return true })
}

// most is the project of most of the notes that count.
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

// Turn are the notes of what happened since the person asked for something last.
func Turn(notes []Note) []Note {
	for i := len(notes) - 1; i >= 0; i-- {
		if notes[i].Kind == KindPrompt {
			return notes[i+1:]
		}
	}
	return notes
}

// FolderOf is the folder that a shell command changes into first, as written there; "" for one that
// stays, or goes where only the shell knows ($HOME, ~, -).
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

// changesTo reports a command that goes into a folder.
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

// Outcome is a command that failed in a session and passed later on, as it is worth a
// memory of type OutcomeType.
type Outcome struct {
	Command  string // as it is recognised, see Outcomes
	Title    string
	Content  string
	TopicKey string    // of the command: the next time revises what was learned this time
	At       time.Time // when it passed
	Since    time.Time // when it failed before that
	Tries    int       // how often it was run, from the first failure to the last success
}

// OutcomeType is the type of the memory of an outcome.
const OutcomeType = engram.TypeDebug

// How much an outcome tells.
const (
	outcomeErrors = 3   // failures that are told, each with what was done until it was gone
	outcomeHead   = 5   // lines of an error
	outcomeFiles  = 8   // files that were edited
	outcomeSteps  = 3   // commands that were run
	outcomeStep   = 100 // characters of one of these
	outcomeTitle  = 100 // characters of the title
	outcomeNamed  = 40  // of these, for the command
)

// Outcomes returns the commands of a session that failed and later passed, by their last pass.
//
// A command is the same when it differs only in folder, variables, redirection and pager. Nothing
// passes behind a pager, whose exit code it is. Commands whose exit code is their answer (grep) and
// scripts of several lines do not count, nor a pass before which nothing was edited or run.
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

// called reports whether a failure only says that somebody stopped the command.
func called(err string) bool {
	err = strings.ToLower(err)
	return strings.Contains(err, "interrupted by user") || strings.Contains(err, "doesn't want to proceed") || strings.Contains(err, "user rejected") || strings.Contains(err, "permission to use")
}

// trial is a command as it was run again and again.
type trial struct {
	command string
	since   int // the note of the first failure that is not mended; -1: none
	tries   int // since then
	all     int // in all that was mended
	last    int // the note of the last success that mended
	from    int // the note of the failure that it mended
	fixed   []fixed
}

// fixed is a failure and what was done until it was gone.
type fixed struct {
	err          string
	files, steps []string
}

// run takes note i, which is a run of the command.
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
			fmt.Fprintf(&b, "\n%d more failures were mended alike.\n", len(t.fixed)-i)
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

// listed are the last ones of a list: what was done last is what helped.
func listed(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[len(all)-most:], ", ") + fmt.Sprintf(" (and %d before)", len(all)-most)
}

// above is how many folders above the one that an agent works in may belong to the same
// repository.
const above = 3

// Places are the names that a file may have from the root of its repository, likeliest first, with
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

// NamesOf are the ways in which a text may name a file: its path, its name with the folder
// it is in, and its name alone where hardly another file is called so.
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

// common reports whether many projects, or many folders of one, have files of this name.
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

// Names reports whether text has name, and not as a part of a longer word or another path.
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
