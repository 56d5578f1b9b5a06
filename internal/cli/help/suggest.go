package help

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/text"
)

// FlagError explains a flag error and suggests the nearest flag.
func FlagError(cmd *cobra.Command, err error) error {
	// Flags of an unknown command are parsed as flags of the root; then the command is the mistake. Commands
	// that take arguments besides subcommands, such as delete, are meant as they are.
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 && cmd.ValidateArgs(words) != nil {
		return UnknownCommand(cmd, words)
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

// UnknownCommand is command.UnknownCommand that also knows the old words for the commands of the program.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd == cmd.Root() {
		if meant, old := OldWords()[strings.ToLower(args[0])]; old {
			return command.Unknown(cmd, args[0], meant)
		}
	}
	return command.UnknownCommand(cmd, args)
}

// OldWords maps the words of other programs and of older designs to today's commands, for suggestions.
func OldWords() map[string]string {
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

// ListsLast allows arguments that begin with a dash and a blank, such as Markdown lists. If there is one, all
// arguments that are not flags move behind "--"; otherwise args is returned unchanged.
func ListsLast(root *cobra.Command, args []string) []string {
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
