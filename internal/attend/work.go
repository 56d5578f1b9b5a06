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
	all = slices.DeleteFunc(all, func(t *trial) bool { return len(t.mended) == 0 })
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
	mended  []mended
}

// mended is a failure and what was done until it was gone.
type mended struct {
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
	m := mended{err: faultHead(notes[t.since].Error, outcomeHead)}
	for _, n := range notes[t.since+1 : i] {
		m.note(n, t.command)
	}
	if len(m.files)+len(m.steps) > 0 {
		t.mended, t.last, t.from = append(t.mended, m), i, t.since
		t.all += t.tries
	}
	t.since, t.tries = -1, 0
}

func (m *mended) note(n Note, command string) {
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
	if fault := Fault(t.mended[0].err); fault != "" {
		title += ": " + cut(fault, outcomeTitle-utf8.RuneCountInString(title)-2)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` failed and passed after %d runs.\n", t.command, t.all)
	for i, m := range t.mended {
		if i == outcomeErrors {
			fmt.Fprintf(&b, "\n%d more failures were mended alike.\n", len(t.mended)-i)
			break
		}
		m.write(&b)
	}
	sum := sha256.Sum256([]byte(t.command))
	return Outcome{Command: t.command, Title: title, Content: b.String(), TopicKey: "outcome/" + hex.EncodeToString(sum[:4]), Tries: t.all}
}

func (m mended) write(b *strings.Builder) {
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
