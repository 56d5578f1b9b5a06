package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// The groups of commands, in the order of the help.
const (
	GroupMemory  = "memory"
	GroupWork    = "work"
	GroupServe   = "serve"
	GroupProgram = "program"
)

// InGroup puts commands into a group of the help.
func InGroup(group string, commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		c.GroupID = group
	}
	return commands
}

// Examples joins the lines of an Example, each a command to copy.
func Examples(lines ...string) string { return strings.Join(lines, "\n") }

// FlagAlias adds a hidden alias of a flag: the name used by another command or an older design.
func FlagAlias(cmd *cobra.Command, name, also string) {
	f := *cmd.Flags().Lookup(name)
	f.Name, f.Hidden, f.Shorthand = also, true, ""
	cmd.Flags().AddFlag(&f)
}

// Group returns a command that only has subcommands.
func Group(use, short, example string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Example: example, Args: UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return Invalidf("%s needs a subcommand", cmd.Name()).WithHint("use one of %s; run: %s --help", strings.Join(names, ", "), cmd.CommandPath())
		},
	}
	c.AddCommand(subs...)
	return c
}

// UnknownCommand rejects arguments of a command that has only subcommands.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Unknown(cmd, args[0], nearestCommand(cmd, args[0]))
}

// Unknown returns the error of a word that is no subcommand of cmd; near is the one that it may mean, "" for none.
func Unknown(cmd *cobra.Command, word, near string) error {
	hint := "run: " + cmd.CommandPath() + " --help"
	if near != "" {
		hint = "did you mean: " + cmd.CommandPath() + " " + near + "? " + hint
	}
	return engram.Errorf(engram.CodeInvalid, "unknown command %q", strings.TrimPrefix(cmd.CommandPath()+" "+word, "engram ")).
		WithHint("%s", hint)
}

// OnlyOne rejects flags that contradict each other.
func OnlyOne(cmd *cobra.Command, names ...string) error {
	var given []string
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) < 2 {
		return nil
	}
	return Invalidf("%s cannot be combined", strings.Join(given, " and ")).WithHint("use one of them")
}

// Argument returns the n-th argument, from 0, or other if there are fewer.
func Argument(args []string, n int, other string) string {
	if n < len(args) {
		return args[n]
	}
	return other
}

// Given returns the value of the flag called name, or nil if it was not given.
func Given[T any](cmd *cobra.Command, name string, value T) *T {
	if !cmd.Flags().Changed(name) {
		return nil
	}
	return &value
}

// Arguments requires as many arguments as the usage line of cmd names before its flags: NAME is one, [NAME] may be left
// out, and NAME… may be repeated.
func Arguments(cmd *cobra.Command, args []string) error {
	least, most := 0, 0
	for _, word := range strings.Fields(cmd.Use)[1:] {
		optional := strings.HasPrefix(word, "[")
		if strings.HasPrefix(strings.TrimPrefix(word, "["), "--") {
			break
		}
		if most++; strings.Contains(word, "…") || strings.Contains(word, "...") {
			most = len(args) + 1
		}
		if !optional {
			least++
		}
	}
	return ArgumentsBetween(least, most, cmd, args)
}

// ArgumentsBetween requires from least to most arguments.
func ArgumentsBetween(least, most int, cmd *cobra.Command, args []string) error {
	if len(args) >= least && len(args) <= most {
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

// nearestCommand suggests the subcommand of cmd that word probably means; "" for none.
func nearestCommand(cmd *cobra.Command, word string) string {
	word = strings.ToLower(word)
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
