package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyday are the commands that the help of the program shows, in this order: what a person does
// on most days. All of them are in `help all`.
func everyday() []string {
	return []string{"save", "search", "recall", "context", "list", "get", "update", "delete", "undo", "review", "sync", "setup"}
}

// help prints the help of a command: what it does, how it is called, an example to
// copy, then what there is below it. That of the program itself is short.
func (p *program) help(cmd *cobra.Command, _ []string) { p.writeHelp(cmd, false) }

// writeHelp is help; all shows every command of the program.
func (p *program) writeHelp(cmd *cobra.Command, all bool) {
	var b strings.Builder
	head := func(s string) { fmt.Fprintf(&b, "\n%s\n", p.out.bold(s)) }
	what := cmd.Long
	if what == "" {
		what = cmd.Short + "."
	}
	columns := p.columns()
	fmt.Fprintln(&b, prose(what, columns))
	head("Usage")
	usage := cmd.UseLine()
	if !cmd.HasParent() {
		usage = cmd.Name() + " COMMAND [flags]"
	}
	fmt.Fprintf(&b, "  %s\n", fold(usage, "    ", max(0, columns-2)))
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(&b, "  also: %s\n", strings.Join(cmd.Aliases, ", "))
	}
	head("Examples")
	for _, line := range strings.Split(cmd.Example, "\n") {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if len(cmd.Groups()) == 0 && cmd.HasAvailableSubCommands() {
		head("Commands")
		writeCommands(&b, cmd, "", columns)
	}
	switch {
	case all:
		for _, g := range cmd.Groups() {
			head(g.Title)
			writeCommands(&b, cmd, g.ID, columns)
		}
	case len(cmd.Groups()) > 0:
		head("Everyday commands")
		for _, name := range everyday() {
			if c, _, err := cmd.Find([]string{name}); err == nil {
				writeCommand(&b, c, columns)
			}
		}
		fmt.Fprintln(&b, "\n"+fold("Use engram help all to list every command, engram help COMMAND to explain one.", "", columns))
	}
	writeFlags(&b, head, "Flags", cmd.LocalNonPersistentFlags(), columns)
	globals := pflag.NewFlagSet("", pflag.ContinueOnError)
	globals.AddFlagSet(cmd.Root().PersistentFlags())
	writeFlags(&b, head, "Flags of every command", globals, columns)
	fmt.Fprint(cmd.OutOrStdout(), b.String())
}

func writeCommands(b *strings.Builder, cmd *cobra.Command, group string, columns int) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.GroupID == group {
			writeCommand(b, c, columns)
		}
	}
}

func writeCommand(b *strings.Builder, c *cobra.Command, columns int) {
	fmt.Fprintln(b, fold(fmt.Sprintf("  %-15s %s", c.Name(), c.Short), strings.Repeat(" ", 18), columns))
}

func writeFlags(b *strings.Builder, head func(string), title string, flags *pflag.FlagSet, columns int) {
	if !flags.HasAvailableFlags() {
		return
	}
	head(title)
	b.WriteString(flags.FlagUsagesWrapped(columns))
}

func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND|all]",
		Short:   "Show the help of a command, or all commands",
		Example: examples("engram help all", "engram help search"),
		GroupID: groupProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "all" {
				p.writeHelp(cmd.Root(), true)
				return nil
			}
			found, rest, err := cmd.Root().Find(args)
			if err != nil || found == nil || (len(rest) > 0 && found.HasSubCommands()) {
				return unknownCommand(cmd.Root(), args)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
