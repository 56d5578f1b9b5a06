package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help prints the help of a command: what it does, how it is called, an example to
// copy, then what there is below it.
func (p *program) help(cmd *cobra.Command, _ []string) {
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
	for _, g := range cmd.Groups() {
		head(g.Title)
		writeCommands(&b, cmd, g.ID, columns)
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
			fmt.Fprintln(b, fold(fmt.Sprintf("  %-12s %s", c.Name(), c.Short), strings.Repeat(" ", 15), columns))
		}
	}
}

func writeFlags(b *strings.Builder, head func(string), title string, flags *pflag.FlagSet, columns int) {
	if !flags.HasAvailableFlags() {
		return
	}
	head(title)
	b.WriteString(flags.FlagUsagesWrapped(columns))
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show the help of a command",
		Example: examples("engram help search"),
		GroupID: groupProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || found == nil || (len(rest) > 0 && found.HasSubCommands()) {
				return unknownCommand(cmd.Root(), args)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
