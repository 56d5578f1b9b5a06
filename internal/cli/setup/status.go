package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

func setupStanding(p *command.Program, s app.AgentState) setupAgentDoc {
	d := setupAgent(p, s, false)
	unread := slices.IndexFunc(d.Files, func(f setupFileDoc) bool { return f.Unread > 0 })
	switch {
	case d.Hint != "":
	case d.Status == "broken":
		d.Hint = setupHint(p, "repair the file, then run {setup %s}", d.Agent)
	case d.Status == "changed":
		d.Hint = setupHint(p, "{setup %s} updates it; {setup %s --dry-run} shows the changes", d.Agent, d.Agent)
	case unread >= 0:
		d.Hint = fmt.Sprintf("shorten %s by %d characters", d.Files[unread].Path, d.Files[unread].Unread)
	case d.Status == "wired" && !d.Recorded:
		d.Hint = setupHint(p, "its original files are not recorded: {setup %s --undo} removes Engram's entries", d.Agent)
	}
	return d
}

// setupHint returns a hint with the commands in braces as they are typed here.
func setupHint(p *command.Program, format string, args ...any) string {
	return p.HintOf(engram.Errorf(engram.CodeInvalid, "").WithHint(format, args...))
}

func titles(all []setupAgentDoc) (width int) {
	for _, a := range all {
		width = max(width, terminal.Width(a.Title))
	}
	return width
}

func writeSetupList(b *strings.Builder, doc SetupDoc, columns int) {
	b.WriteString("Installed on this machine:\n")
	width := titles(doc.Agents)
	for n, a := range doc.Agents {
		fmt.Fprintln(b, render.Fold(fmt.Sprintf("  %2d  %-*s  %s", n+1, width, a.Title, setupWord(a)), strings.Repeat(" ", 8+width), columns))
	}
}

// writeSetupFound explains why setup does nothing: all is set up, or no answer is possible.
func writeSetupFound(b *strings.Builder, doc SetupDoc, done bool, columns int) {
	say := func(line string) { fmt.Fprintln(b, render.Fold(line, "", columns)) }
	if len(doc.Agents) == 0 {
		say("No agent was found on this machine.")
		b.WriteByte('\n')
		say("To set one up anyway: engram setup AGENT: " + strings.Join(app.AgentNames(), ", "))
		return
	}
	writeSetupList(b, doc, columns)
	b.WriteByte('\n')
	if done {
		say("All of them are set up. engram setup status shows their files.")
		return
	}
	names := document.Each(doc.Agents, func(a setupAgentDoc) string { return a.Agent })
	say("Nothing was changed. To connect them:")
	fmt.Fprintf(b, "  engram setup all\n  engram setup %s\n", strings.Join(names, " "))
	say("Add --dry-run to preview the changes.")
}

// setupWord describes the state of an agent.
func setupWord(a setupAgentDoc) string {
	switch {
	case a.Error != "":
		return "broken: " + a.Error
	case a.Status == "wired" && !a.Recorded:
		return "set up, but not recorded"
	case a.Status == "wired":
		return "set up"
	case a.Status == "changed":
		return "set up, but outdated"
	case a.Status == "broken":
		return "blocked by an invalid file"
	}
	return "not set up"
}

func writeSetupStatus(b *strings.Builder, doc SetupDoc, all bool, columns int) {
	shown := slices.DeleteFunc(slices.Clone(doc.Agents), func(a setupAgentDoc) bool { return !all && !a.Detected && a.Status == "absent" })
	width := titles(shown)
	for _, a := range shown {
		line := fmt.Sprintf("%-*s  %s", width, a.Title, setupWord(a))
		if !a.Detected {
			line += ", not installed"
		}
		fmt.Fprintln(b, render.Fold(line, strings.Repeat(" ", 2+width), columns))
		if a.Status == "absent" && !all {
			continue
		}
		for _, f := range a.Files {
			writeSetupStanding(b, f, columns)
		}
		for _, note := range a.Notes {
			fmt.Fprintln(b, render.Fold("    note: "+note, "          ", columns))
		}
		if a.Hint != "" {
			fmt.Fprintln(b, render.Fold("    hint: "+a.Hint, "          ", columns))
		}
	}
	if len(shown) == 0 {
		b.WriteString("No agent is installed or connected on this machine.\n")
	}
}

func writeSetupStanding(b *strings.Builder, f setupFileDoc, columns int) {
	const indent = "             "
	fmt.Fprintf(b, "    %-8s %s\n", f.Status, f.Path)
	if f.Why != "" {
		fmt.Fprintln(b, render.Fold(indent+f.Why, indent, columns))
	}
	if f.Unread > 0 {
		fmt.Fprintln(b, render.Fold(indent+unreadText(f, false), indent, columns))
	}
}

// unreadText warns that an agent does not read the end of a file.
func unreadText(f setupFileDoc, dry bool) string {
	return fmt.Sprintf("it %s %s longer than the agent reads, so its end is ignored", command.Would(dry, "would be", "is"), command.Count(f.Unread, "character", "characters"))
}
