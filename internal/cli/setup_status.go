package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/alanbuscaglia/engram"

	"github.com/alanbuscaglia/engram/internal/app"
)

// setupStanding is an agent as it stands, with what to do about it.
func (p *program) setupStanding(s app.AgentState) setupAgentDoc {
	d := p.setupAgent(s, false)
	unread := slices.IndexFunc(d.Files, func(f setupFileDoc) bool { return f.Unread > 0 })
	switch {
	case d.Hint != "":
	case d.Status == "broken":
		d.Hint = p.setupHint("repair the file, then run {setup %s}", d.Agent)
	case d.Status == "changed":
		d.Hint = p.setupHint("{setup %s} updates it; {setup %s --dry-run} shows the changes", d.Agent, d.Agent)
	case unread >= 0:
		d.Hint = fmt.Sprintf("shorten %s by %d characters", d.Files[unread].Path, d.Files[unread].Unread)
	case d.Status == "wired" && !d.Recorded:
		d.Hint = p.setupHint("its original files are not recorded: {setup %s --undo} removes Engram's entries", d.Agent)
	}
	return d
}

// setupUnsure is an agent that an undo of all leaves.
func (p *program) setupUnsure(s app.AgentState) setupAgentDoc {
	d := p.setupAgent(s, false)
	d.Hint = p.setupHint("{setup %s --undo} removes it", d.Agent)
	return d
}

// setupHint is a hint with calls in braces, as it is typed here.
func (p *program) setupHint(format string, args ...any) string {
	return p.hintOf(engram.Errorf(engram.CodeInvalid, "").WithHint(format, args...))
}

// titles is how wide the titles of agents are.
func titles(all []setupAgentDoc) (width int) {
	for _, a := range all {
		width = max(width, displaywidth.String(a.Title))
	}
	return width
}

// writeSetupList is the agents that are installed, by number.
func writeSetupList(b *strings.Builder, doc setupDoc, columns int) {
	b.WriteString("Installed on this machine:\n")
	width := titles(doc.Agents)
	for n, a := range doc.Agents {
		fmt.Fprintln(b, fold(fmt.Sprintf("  %2d  %-*s  %s", n+1, width, a.Title, setupWord(a)), strings.Repeat(" ", 8+width), columns))
	}
}

// writeSetupFound is what setup says that does nothing: there is nothing to do, or nobody to ask.
func writeSetupFound(b *strings.Builder, doc setupDoc, done bool, columns int) {
	say := func(line string) { fmt.Fprintln(b, fold(line, "", columns)) }
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
	names := make([]string, len(doc.Agents))
	for n, a := range doc.Agents {
		names[n] = a.Agent
	}
	say("Nothing was changed. To connect them:")
	fmt.Fprintf(b, "  engram setup all\n  engram setup %s\n", strings.Join(names, " "))
	say("Add --dry-run to preview the changes.")
}

// setupWord says how an agent stands.
func setupWord(a setupAgentDoc) string {
	switch {
	case a.Error != "":
		return "broken: " + a.Error
	case a.Status == "wired" && !a.Recorded:
		return "set up, without a record of it"
	case a.Status == "wired":
		return "set up"
	case a.Status == "changed":
		return "set up, but outdated"
	case a.Status == "broken":
		return "a file stands in the way"
	}
	return "not set up"
}

func writeSetupStatus(b *strings.Builder, doc setupDoc, all bool, columns int) {
	shown := slices.DeleteFunc(slices.Clone(doc.Agents), func(a setupAgentDoc) bool { return !all && !a.Detected && a.Status == "absent" })
	width := titles(shown)
	for _, a := range shown {
		line := fmt.Sprintf("%-*s  %s", width, a.Title, setupWord(a))
		if !a.Detected {
			line += ", not installed"
		}
		fmt.Fprintln(b, fold(line, strings.Repeat(" ", 2+width), columns))
		if a.Status == "absent" && !all {
			continue
		}
		for _, f := range a.Files {
			writeSetupStanding(b, f, columns)
		}
		for _, note := range a.Notes {
			fmt.Fprintln(b, fold("    note: "+note, "          ", columns))
		}
		if a.Hint != "" {
			fmt.Fprintln(b, fold("    hint: "+a.Hint, "          ", columns))
		}
	}
	if len(shown) == 0 {
		b.WriteString("No agent is installed on this machine or set up.\n")
	}
}

// writeSetupStanding is a file as it stands, and why.
func writeSetupStanding(b *strings.Builder, f setupFileDoc, columns int) {
	const indent = "             "
	fmt.Fprintf(b, "    %-8s %s\n", f.Status, f.Path)
	if f.Why != "" {
		fmt.Fprintln(b, fold(indent+f.Why, indent, columns))
	}
	if f.Unread > 0 {
		fmt.Fprintln(b, fold(indent+unreadText(f, false), indent, columns))
	}
}

// unreadText says that an agent cuts what it reads of a file.
func unreadText(f setupFileDoc, dry bool) string {
	is := "is"
	if dry {
		is = "would be"
	}
	return fmt.Sprintf("it %s %s longer than the agent reads, so its end is ignored", is, count(f.Unread, "character", "characters"))
}
