package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/render"
)

// everyday lists the commands in the short help, in this order. `help all` lists all of them.
func everyday() []string {
	return []string{"save", "search", "recall", "context", "list", "get", "update", "delete", "undo", "review", "sync", "setup"}
}

// writeHelp prints the help of a command; that of the program lists the everyday commands, with all every one.
func writeHelp(p *command.Program, cmd *cobra.Command, all bool) {
	var b strings.Builder
	head := func(s string) { fmt.Fprintf(&b, "\n%s\n", p.Out.Bold(s)) }
	columns := p.Columns()
	fmt.Fprintln(&b, terminal.Prose(cmp.Or(cmd.Long, cmd.Short+"."), columns))
	head("Usage")
	usage := cmd.UseLine()
	if !cmd.HasParent() {
		usage = cmd.Name() + " COMMAND [flags]"
	}
	fmt.Fprintf(&b, "  %s\n", render.Fold(usage, "    ", max(0, columns-2)))
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
		fmt.Fprintln(&b, "\n"+render.Fold("Use engram help all to list every command, engram help COMMAND to explain one.", "", columns))
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
	fmt.Fprintln(b, render.Fold(fmt.Sprintf("  %-15s %s", c.Name(), c.Short), strings.Repeat(" ", 18), columns))
}

func writeFlags(b *strings.Builder, head func(string), title string, flags *pflag.FlagSet, columns int) {
	if !flags.HasAvailableFlags() {
		return
	}
	head(title)
	b.WriteString(flags.FlagUsagesWrapped(columns))
}

func helpCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND|all]",
		Short:   "Show the help of a command, or all commands",
		Example: command.Examples("engram help all", "engram help search"),
		GroupID: command.GroupProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "all" {
				writeHelp(p, cmd.Root(), true)
				return nil
			}
			found, rest, err := cmd.Root().Find(args)
			if err != nil || found == nil || (len(rest) > 0 && found.HasSubCommands()) {
				return command.UnknownCommand(cmd.Root(), args)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// forEach visits a command and all its subcommands.
func forEach(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		forEach(sub, visit)
	}
}
