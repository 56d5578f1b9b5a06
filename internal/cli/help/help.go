// Package help holds what explains the commands: the help and the manual pages (help.go), and suggestions for mistyped
// words and flags, also for those of other programs and older designs (suggest.go).
package help

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Write prints the help of a command; that of the program lists the everyday commands, with all every one.
func Write(p *command.Program, cmd *cobra.Command, all bool) {
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
		for _, name := range []string{"save", "search", "recall", "context", "list", "get", "update", "delete", "undo", "review", "sync", "setup"} {
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

// Command returns the command help.
func Command(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND|all]",
		Short:   "Show the help of a command, or all commands",
		Example: command.Examples("engram help all", "engram help search"),
		GroupID: command.GroupProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "all" {
				Write(p, cmd.Root(), true)
				return nil
			}
			found, rest, err := cmd.Root().Find(args)
			if err != nil || found == nil || (len(rest) > 0 && found.HasSubCommands()) {
				return UnknownCommand(cmd.Root(), args)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// ManCommand returns the command man, which prints manual pages.
func ManCommand(p *command.Program) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [COMMAND…]",
		Short: "Print the manual page of the program, or of a command",
		Long: `Print the manual page of the program, which lists all commands, or of one command. --dir writes the pages of the program
and of every command into a folder, for packages.`,
		Example: command.Examples("engram man | man -l -", "engram man conflicts scan | man -l -", "engram man --dir /usr/local/share/man/man1"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir != "" {
				if len(args) > 0 {
					return command.Invalidf("--dir writes the pages of all commands").WithHint("remove %q", args[0])
				}
				return manPages(p, cmd.Root(), p.Path(dir))
			}
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				if found == nil || len(rest) == 0 || found == cmd.Root() {
					return UnknownCommand(cmd.Root(), args)
				}
				return UnknownCommand(found, rest)
			}
			_, err = io.WriteString(p.Stdout, manPage(p, found))
			return command.OutputError(err)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write the pages of the program and of every command into this `folder`")
	return cmd
}

func manPages(p *command.Program, root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return engram.Errorf(engram.CodeUnavailable, "cannot create folder %s", dir).WithCause(err)
	}
	pages := map[string]string{}
	command.ForEach(root, func(c *cobra.Command) {
		if !c.Hidden {
			pages[filepath.Join(dir, manName(c)+".1")] = manPage(p, c)
		}
	})
	for file, page := range pages {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			return engram.Errorf(engram.CodeUnavailable, "cannot write %s", file).WithCause(err)
		}
	}
	return p.Answer(ManDoc{Folder: dir, Pages: len(pages)}, func(b *strings.Builder) {
		fmt.Fprintf(b, "%s in %s\n", command.Count(len(pages), "page", "pages"), dir)
	})
}

// ManDoc is the answer of `man --dir`.
type ManDoc struct {
	Folder string `json:"folder"`
	Pages  int    `json:"pages"`
}

// manName returns the name of a page, such as engram-conflicts-scan.
func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the page of a command; that of the root describes all commands.
func manPage(p *command.Program, c *cobra.Command) string {
	m := &manual{}
	// The date keeps its plain hyphens, or man would not parse it. An empty date would look like a mistake,
	// so a missing one is named.
	fmt.Fprintf(m, ".TH %s 1 %q \"Engram %s\" Engram\n", escaped(strings.ToUpper(manName(c))), cmp.Or(p.Built, "undated"), escaped(p.Version))
	m.macro("SH", "NAME")
	m.text(manName(c) + " - " + c.Short)
	m.macro("SH", "SYNOPSIS")
	m.text(c.UseLine())
	m.macro("SH", "DESCRIPTION")
	m.paragraphs(cmp.Or(c.Long, c.Short+"."))
	if len(c.Aliases) > 0 {
		m.macro("PP")
		m.text("Also called " + strings.Join(c.Aliases, ", ") + ".")
	}
	m.options("OPTIONS", c.LocalNonPersistentFlags())
	if c.HasParent() {
		m.commands(c)
	} else {
		m.everyCommand(c)
	}
	m.options("OPTIONS OF EVERY COMMAND", c.Root().PersistentFlags())
	m.exitStatus()
	m.macro("SH", "EXAMPLES")
	m.verbatim(c.Example)
	m.seeAlso(c)
	return m.String()
}

// manual writes roff with the macros of man(7).
//
// Source: man(7) and roff(7) of groff 1.23 and mandoc 1.14.
type manual struct{ strings.Builder }

func (m *manual) macro(name string, args ...string) {
	m.WriteString("." + name)
	for _, a := range args {
		m.WriteString(` "` + strings.ReplaceAll(escaped(a), `"`, `\(dq`) + `"`)
	}
	m.WriteString("\n")
}

// text writes lines of text, none of which roff takes for a macro.
func (m *manual) text(s string) {
	for line := range strings.Lines(strings.TrimRight(s, "\n") + "\n") {
		if line = escaped(line); strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		m.WriteString(line)
	}
}

// escaped escapes text for roff. Bare hyphens could become dashes that cannot be copied; the back quotes are
// markup of the help.
func escaped(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", "", "~", `\(ti`, "^", `\(ha`, "…", `\[u2026]`).Replace(s)
}

// paragraphs writes prose; paragraphs in columns keep their lines.
func (m *manual) paragraphs(s string) {
	for i, part := range strings.Split(s, "\n\n") {
		switch {
		case terminal.IsLaidOut(part):
			m.terms(part)
			continue
		case i > 0:
			m.macro("PP")
		}
		m.text(part)
	}
}

// terms writes lines of two columns: a word and its meaning.
func (m *manual) terms(lines string) {
	opened := false // in a term, whose meaning may continue
	for line := range strings.Lines(lines) {
		word, meaning, both := strings.Cut(strings.TrimSpace(line), "  ")
		if !both && opened && strings.HasPrefix(line, "   ") {
			m.text(word)
			continue
		}
		opened = both
		if !both {
			m.macro("PP")
			m.text(word)
			continue
		}
		m.term(word, "", strings.TrimSpace(meaning))
	}
}

// term writes a word, the name of its value, and its meaning.
func (m *manual) term(word, value, meaning string) {
	m.macro("TP")
	m.WriteString(`\fB` + escaped(word) + `\fR`)
	if value != "" {
		m.WriteString(` \fI` + escaped(value) + `\fR`)
	}
	m.WriteString("\n")
	m.text(meaning)
}

func (m *manual) options(title string, flags *pflag.FlagSet) {
	if flags.HasAvailableFlags() {
		m.macro("SH", title)
	}
	flags.VisitAll(m.option)
}

func (m *manual) option(f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" && !strings.Contains(usage, "default") {
		usage += " (default " + f.DefValue + ")"
	}
	m.term(name, value, usage)
}

func (m *manual) commands(c *cobra.Command) {
	if c.HasAvailableSubCommands() {
		m.macro("SH", "COMMANDS")
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			m.term(sub.UseLine(), "", sub.Short+"; see "+manName(sub)+"(1).")
		}
	}
}

// everyCommand describes all commands with their flags, by group.
func (m *manual) everyCommand(root *cobra.Command) {
	for _, g := range root.Groups() {
		m.macro("SH", strings.ToUpper(g.Title))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				command.ForEach(c, m.section)
			}
		}
	}
}

func (m *manual) section(c *cobra.Command) {
	if c.Hidden {
		return
	}
	m.macro("SS", c.UseLine())
	m.paragraphs(cmp.Or(c.Long, c.Short+"."))
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			m.option(f)
		}
	})
	m.macro("PP")
	m.verbatim(c.Example)
}

func (m *manual) exitStatus() {
	m.macro("SH", "EXIT STATUS")
	for code, what := range []string{"success", "internal: a bug, or a damaged database", "invalid: wrong usage or input", "not found",
		"conflict: in use, ambiguous, changed meanwhile", "unavailable: locked, full, read-only, offline", "forbidden"} {
		m.macro("TP")
		m.text(fmt.Sprint(code))
		m.text(what)
	}
}

// verbatim writes lines without filling them.
func (m *manual) verbatim(lines string) {
	m.macro("nf")
	m.text(lines)
	m.macro("fi")
}

func (m *manual) seeAlso(c *cobra.Command) {
	var names []string
	if c.HasParent() {
		names = append(names, manName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, manName(sub))
		}
	}
	if len(names) > 0 {
		m.macro("SH", "SEE ALSO")
		m.text(strings.Join(names, "(1), ") + "(1)")
	}
}
