package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// exitCode maps an error code to an exit code; "" is success.
func exitCode(c engram.Code) int {
	switch c {
	case "":
		return 0
	case engram.CodeInvalid:
		return 2
	case engram.CodeNotFound:
		return 3
	case engram.CodeConflict:
		return 4
	case engram.CodeUnavailable:
		return 5
	case engram.CodeForbidden:
		return 6
	}
	return 1
}

// errorDoc is what a failing command prints on stderr with --json, on one line:
// {"error":{"code":"not_found","message":"…","hint":"…"}}
type errorDoc struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    engram.Code `json:"code"`
	Message string      `json:"message"`
	Hint    string      `json:"hint"` // "" for none
}

// exit reports err on stderr and returns the exit code.
func (p *program) exit(err error) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exitWith](err); ok {
		return int(code)
	}
	// Messages quote the input, and stderr often ends in a log.
	body := errorBody{Code: engram.CodeOf(err), Message: redact.Private(messageOf(err)), Hint: redact.Private(p.hintOf(err))}
	if p.json || slices.Contains(p.Args, "--json") {
		line, _ := json.Marshal(errorDoc{body}) // cannot fail for strings
		fmt.Fprintf(p.Stderr, "%s\n", render.JSON(line))
		return exitCode(body.Code)
	}
	fmt.Fprintf(p.Stderr, "%s %s\n", p.err.red("engram:"), render.Plain(body.Message))
	if body.Hint != "" {
		fmt.Fprintf(p.Stderr, "%s %s\n", p.err.bold("hint:"), render.Plain(body.Hint))
	}
	return exitCode(body.Code)
}

// exitWith ends the program with an exit code and no message, since the answer said it all.
type exitWith int

// Error implements error.
func (e exitWith) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// messageOf returns the message of err with its causes, without the machine-readable kind of a project
// problem.
func messageOf(err error) string {
	if problem, ok := errors.AsType[*project.Problem](err); ok {
		return strings.TrimSuffix(err.Error(), ": "+problem.Error())
	}
	return err.Error()
}

// hintOf returns the hint of err, with commands as they are typed here, or the project names it could be
// about.
func (p *program) hintOf(err error) string {
	typed := func(c engram.Call) string { return p.self() + strings.TrimPrefix(c.String(), "engram") }
	if hint := engram.HintFor(err, typed); hint != "" {
		return hint
	}
	if problem, ok := errors.AsType[*project.Problem](err); ok && len(problem.Available) > 0 {
		return "use one of: " + strings.Join(problem.Available, ", ")
	}
	return ""
}

// warn prints a warning on stderr.
func (p *program) warn(text string) {
	fmt.Fprintf(p.Stderr, "%s %s\n", p.err.bold("warning:"), render.Plain(strings.TrimSpace(strings.TrimPrefix(text, "⚠️"))))
}

// warnAll prints several warnings.
func (p *program) warnAll(texts []string) {
	for _, text := range texts {
		p.warn(text)
	}
}

// warnBeside prints warnings, unless --json has them in the answer.
func (p *program) warnBeside(texts ...string) {
	if !p.json {
		p.warnAll(texts)
	}
}

// flagError explains a flag error and suggests the nearest flag.
func flagError(cmd *cobra.Command, err error) error {
	// Flags of an unknown command are parsed as flags of the root; then the command is the mistake. Commands
	// that take arguments besides subcommands, such as delete, are meant as they are.
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 && cmd.ValidateArgs(words) != nil {
		return unknownCommand(cmd, words)
	}
	usage := "run: " + cmd.CommandPath() + " --help"
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return engram.Errorf(engram.CodeInvalid, "--%s %q is not %s", bad.GetFlag().Name, bad.GetValue(), kindOf(bad.GetFlag())).
			WithHint("%s", usage)
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return engram.Errorf(engram.CodeInvalid, "%v", err).WithHint("%s", usage)
	}
	if unknown.GetSpecifiedShortnames() != "" || strings.ContainsAny(unknown.GetSpecifiedName(), " \t\n") {
		return engram.Errorf(engram.CodeInvalid, "%v", err).
			WithHint("put -- before a text that begins with a dash, or use - to read it from standard input")
	}
	if near := nearestFlag(cmd, unknown.GetSpecifiedName()); near != "" {
		usage = "did you mean " + near + "? " + usage
	}
	return engram.Errorf(engram.CodeInvalid, "%v", err).WithHint("%s", usage)
}

// kindOf describes the valid values of a flag.
func kindOf(f *pflag.Flag) string {
	if f.Name == "color" {
		return "auto, always or never"
	}
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "a valid value"
}

// unknownCommand rejects arguments of a command that has only subcommands.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "run: " + cmd.CommandPath() + " --help"
	if near := nearestCommand(cmd, args[0]); near != "" {
		hint = "did you mean: " + cmd.CommandPath() + " " + near + "? " + hint
	}
	return engram.Errorf(engram.CodeInvalid, "unknown command %q", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "engram ")).
		WithHint("%s", hint)
}

// onlyOne rejects flags that contradict each other.
func onlyOne(cmd *cobra.Command, names ...string) error {
	var given []string
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) < 2 {
		return nil
	}
	return invalidf("%s cannot be combined", strings.Join(given, " and ")).WithHint("use one of them")
}

// between requires a number of arguments; most < 0 is no limit.
func between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		what := "too many arguments"
		if len(args) < least {
			what = "an argument is missing"
		}
		hint := "usage: " + cmd.UseLine()
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && len(args) > most {
			hint += "; everything after -- is an argument"
		}
		return engram.Errorf(engram.CodeInvalid, "%s: %s", cmd.Name(), what).WithHint("%s", hint)
	}
}

// invalidf returns a usage error.
func invalidf(format string, args ...any) *engram.Error {
	return engram.Errorf(engram.CodeInvalid, format, args...)
}

// oldWords maps the words of other programs and of older designs to today's commands, for suggestions.
// Entries whose command does not exist are ignored.
func oldWords() map[string]string {
	return map[string]string{
		"ls": "list", "all": "list", "memories": "list", "observations": "list", "last": "recent", "latest": "recent",
		"rm": "delete", "remove": "delete", "erase": "delete", "del": "delete",
		"new": "save", "create": "save", "put": "save", "note": "save", "observe": "save", "memorize": "save", "write": "save",
		"edit": "update", "set": "update", "change": "update", "revise": "update",
		"find": "search", "grep": "search", "ask": "search", "lookup": "search", "focus": "recall", "foa": "recall",
		"read": "get", "view": "get", "cat": "get", "open": "get", "detail": "get",
		"pin": "mark", "permanent": "mark", "relate": "link", "connect": "link", "relations": "graph", "tags": "tag",
		"revisions": "history", "versions": "history", "diff": "history", "journal": "log", "revert": "undo", "rollback": "undo",
		"consolidate": "sleep", "clean": "prune", "gc": "prune", "duplicates": "diagnostics", "weakest": "diagnostics",
		"batch": "ingest", "learn": "capture", "passive": "capture", "summary": "session summary", "summarize": "session summary",
		"merge": "projects merge", "rename": "projects rename", "detect": "projects detect", "judge": "conflicts judge",
		"contradictions": "conflicts", "scan": "conflicts scan", "compare": "conflicts judge", "due": "review", "suggest": "topic",
		"check": "doctor", "health": "doctor", "repair": "doctor", "fix": "doctor", "server": "serve", "http": "serve", "daemon": "start", "up": "start",
		"down": "stop", "embed": "reembed", "reindex": "reembed", "dump": "export", "backup": "export", "load": "import",
		"restore-backup": "import", "install": "setup", "init": "setup", "settings": "config", "env": "config", "man-page": "man",
		"disable": "off", "pause": "off", "mute": "off", "enable": "on", "resume": "on", "unmute": "on",
		"usage": "stats", "count": "stats", "info": "stats", "benchmark": "eval",
	}
}

// oldFlags does the same for flags.
func oldFlags() map[string]string {
	return map[string]string{
		"category": "--type", "kind": "--type", "top": "--limit", "top-k": "--limit", "k": "--limit", "n": "--limit", "count": "--limit",
		"max": "--limit", "size": "--limit", "skip": "--offset", "semantic": "--mode semantic", "fts": "--mode fts", "hybrid": "--mode hybrid",
		"keyword": "--mode fts", "vector": "--mode semantic", "min-relevance": "--min-strength", "all": "--all-projects",
		"everywhere": "--all-projects", "metadata-filter": "--metadata", "meta": "--metadata", "depth": "--hops", "from": "--since",
		"after": "--since", "before": "--until", "to": "--until", "at": "--as-of", "force": "--yes", "y": "--yes", "assume-yes": "--yes",
		"dry": "--dry-run", "simulate": "--dry-run", "preview": "--dry-run", "permanently": "--hard", "purge": "--hard",
		"topic-key": "--topic", "key": "--topic", "session-id": "--session", "project-id": "--project", "dir": "--data-dir",
		"db": "--data-dir", "database": "--data-dir", "max-tokens": "--budget", "tokens": "--budget", "why": "--explain",
		"weight": "--importance", "priority": "--importance", "keep": "--permanent", "no-color": "--color=never", "no-colour": "--color=never",
		"colour": "--color", "output": "--json", "format": "--json", "pretty": "--json",
	}
}

// nearestCommand suggests the subcommand of cmd that word probably means; "" for none.
func nearestCommand(cmd *cobra.Command, word string) string {
	word = strings.ToLower(word)
	if meant, old := oldWords()[word]; old && cmd == cmd.Root() && exists(cmd, strings.Fields(meant)) {
		return meant
	}
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	near := text.Nearest(word, names)
	// Two changed letters of a three-letter word leave too little to suggest anything.
	if len(word) < 4 && text.Distance(word, near) > 1 && !strings.HasPrefix(near, word) {
		return ""
	}
	return near
}

// exists reports whether the tree has a command at path, ignoring aliases.
func exists(root *cobra.Command, path []string) bool {
	for _, name := range path {
		at := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
		if at < 0 {
			return false
		}
		root = root.Commands()[at]
	}
	return true
}

// nearestFlag suggests a replacement for an unknown flag; "" for none.
func nearestFlag(cmd *cobra.Command, name string) string {
	flag := func(s string) string {
		return strings.TrimLeft(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '=' })[0], "-")
	}
	if meant := oldFlags()[name]; meant != "" && cmd.Flags().Lookup(flag(meant)) != nil {
		return meant
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := text.Nearest(name, names); near != "" {
		return "--" + near
	}
	return ""
}

// listsLast allows arguments that begin with a dash and a blank, such as Markdown lists. If there is one, all
// arguments that are not flags move behind "--"; otherwise args is returned unchanged.
func listsLast(root *cobra.Command, args []string) []string {
	if !slices.ContainsFunc(args, isList) {
		return args
	}
	cmd, _, err := root.Find(args)
	if err != nil {
		return args
	}
	var flags, words []string
	list := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			if list {
				words = append(words, args[i+1:]...)
				i = len(args)
				continue
			}
			return args
		case isList(arg) || arg == "-" || !strings.HasPrefix(arg, "-"):
			list = list || isList(arg)
			words = append(words, arg)
		default:
			flags = append(flags, arg)
			if takesNext(cmd, arg) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		}
	}
	depth := strings.Count(cmd.CommandPath(), " ") // number of words in the command's name
	if !list || len(words) < depth {
		return args
	}
	return slices.Concat(words[:depth], flags, []string{"--"}, words[depth:])
}

// isList reports whether an argument begins like a Markdown list.
func isList(arg string) bool { return strings.HasPrefix(arg, "- ") || strings.HasPrefix(arg, "-\t") }

// takesNext reports whether the argument after a flag is its value.
func takesNext(cmd *cobra.Command, arg string) bool {
	name, long := strings.CutPrefix(arg, "--")
	if strings.Contains(name, "=") {
		return false
	}
	var f *pflag.Flag
	if long {
		f = cmd.Flag(name)
	} else if short := strings.TrimPrefix(arg, "-"); short != "" {
		last := short[len(short)-1:] // in -abc only the last flag can take a value
		f = cmd.Flags().ShorthandLookup(last)
	}
	return f != nil && f.NoOptDefVal == ""
}
