package cli

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

// serviceDoc is the answer of `setup service`.
type serviceDoc struct {
	System string   `json:"system"` // systemd, launchd or windows
	Action string   `json:"action"` // created, updated, replaced, unchanged, removed, restored, nothing, printed; manual: the text is a command to copy
	DryRun bool     `json:"dry_run"`
	Path   string   `json:"path"`    // path of the file; "" on Windows
	Text   string   `json:"text"`    // content of the file, or the command
	Backup string   `json:"backup"`  // copy of the previous file; "" if there was nothing to keep
	Used   bool     `json:"used"`    // the service was registered with the system
	Ended  int      `json:"ended"`   // process of the server that was stopped first; 0 if none was running
	Next   []string `json:"next"`    // commands that register it
	NotSet []string `json:"not_set"` // secret environment variables that are not in the file
}

// serviceFlags are the flags of `setup service`.
type serviceFlags struct {
	dry, undo, show, now bool
	system               string
}

func (p *program) setupServiceCommand() *cobra.Command {
	var o serviceFlags
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Start the server when you log in",
		Long: `Start engram serve when you log in, and again after a failure: by a systemd user unit on Linux, a launchd agent on macOS;
on Windows the command to create a task is shown. The file contains the path of this program, the data directory and other
settings from the environment and flags, but no secrets: put those into config.toml. If a different file already exists,
a copy is kept beside it. With --now a server running in the background is replaced, and later changes take effect at
once.`,
		Example: examples("engram setup service --now", "engram setup service --print", "engram setup service --undo"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := onlyOne(cmd, "print", "undo", "now"); err != nil {
				return err
			}
			return p.setupService(cmd, o)
		},
	}
	addServerFlags(cmd)
	cmd.Flags().BoolVar(&o.now, "now", false, "register it with the system: start it now and at every login")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "preview without changing anything")
	cmd.Flags().BoolVar(&o.show, "print", false, "print the file to standard output only")
	cmd.Flags().BoolVar(&o.undo, "undo", false, "stop it, remove the file and restore the file that was there before")
	cmd.Flags().StringVar(&o.system, "system", "", "with --print: target `system`: systemd, launchd or windows (default: this one)")
	return cmd
}

func (p *program) setupService(cmd *cobra.Command, o serviceFlags) error {
	c, _, err := p.serverConfig(cmd)
	if err != nil {
		return err
	}
	own := app.SystemOf(runtime.GOOS)
	s := app.Service{System: own, Config: c}
	s.Home, _ = p.Env("HOME")
	s.XDGHome, _ = p.Env("XDG_CONFIG_HOME")
	switch app.System(o.system) {
	case "":
	case app.Systemd, app.Launchd, app.Windows:
		if s.System = app.System(o.system); !o.show && s.System != own {
			return invalidf("%s is not available on this system", s.System).WithHint("use --print to show the file")
		}
	default:
		return invalidf("--system %q is unknown", o.system).WithHint("use systemd, launchd or windows")
	}
	f, err := s.File()
	if err != nil {
		return err
	}
	doc := serviceDoc{System: string(s.System), Action: "printed", DryRun: o.dry, Path: f.Path, Text: f.Text, Next: shellLines(f.Use), NotSet: document.OrEmpty(f.Not)}
	if s.System == app.Windows {
		doc.Action = "manual"
	}
	if o.show || s.System == app.Windows {
		return p.answer(doc, func(b *strings.Builder) { b.WriteString(strings.TrimSuffix(f.Text, "\n") + "\n") })
	}
	return p.setService(cmd, f, o, doc)
}

// setService writes the file, or removes it.
func (p *program) setService(cmd *cobra.Command, f app.ServiceFile, o serviceFlags, doc serviceDoc) error {
	var done app.Set
	var failed, err error
	if o.undo {
		done, failed, err = f.TakeAway(cmd.Context(), o.dry)
		doc.Next = shellLines(f.Leave)
	} else {
		for _, name := range f.Not {
			p.warn(name + " is a secret and is not written to the file: put it into config.toml (engram config set)")
		}
		done, err = f.Put(cmd.Context(), o.now, o.dry)
		doc.Next = shellLines(f.Next(done))
	}
	doc.Action, doc.Path, doc.Backup, doc.Used, doc.Ended = done.Action, done.Path, done.Backup, done.Used, done.Ended
	if done.Action == "" {
		return err // nothing was done
	}
	if failed != nil {
		p.warn(failed.Error())
	}
	return errors.Join(p.answer(doc, func(b *strings.Builder) { writeService(b, doc) }), err)
}

func writeService(b *strings.Builder, doc serviceDoc) {
	what := map[string]string{"created": "Wrote %s\n", "updated": "Updated %s\n", "replaced": "Replaced %s\n", "unchanged": "%s is already up to date\n",
		"removed": "Removed %s\n", "restored": "Restored %s\n", "nothing": "There is no %s\n"}[doc.Action]
	if doc.DryRun {
		what = strings.NewReplacer("Wrote", "Would write", "Updated", "Would update", "Replaced", "Would replace", "Removed", "Would remove",
			"Restored", "Would restore").Replace(what)
	}
	fmt.Fprintf(b, what, doc.Path)
	if doc.Backup != "" && doc.Action == "replaced" {
		fmt.Fprintf(b, "  The previous file is kept in %s\n", doc.Backup)
	}
	if doc.Ended != 0 {
		fmt.Fprintf(b, "  The running server (process %d) was stopped first\n", doc.Ended)
	}
	switch {
	case doc.Used && doc.Action != "removed" && doc.Action != "restored":
		fmt.Fprintln(b, "  It is running now and starts whenever you log in: engram status")
	case !doc.Used && doc.Action != "nothing":
		fmt.Fprintln(b, "  To register it with the system:")
		for _, line := range doc.Next {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

// shellLines returns commands as shell lines.
func shellLines(commands [][]string) []string {
	return document.Each(commands, func(words []string) string { return strings.Join(document.Each(words, engram.Quoted), " ") })
}

// setupStanding returns the state of an agent, with a hint.
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

// setupUnsure returns an agent that undoing all agents leaves alone.
func (p *program) setupUnsure(s app.AgentState) setupAgentDoc {
	d := p.setupAgent(s, false)
	d.Hint = p.setupHint("{setup %s --undo} removes it", d.Agent)
	return d
}

// setupHint returns a hint with the commands in braces as they are typed here.
func (p *program) setupHint(format string, args ...any) string {
	return p.hintOf(engram.Errorf(engram.CodeInvalid, "").WithHint(format, args...))
}

// titles returns the width of the widest title.
func titles(all []setupAgentDoc) (width int) {
	for _, a := range all {
		width = max(width, displaywidth.String(a.Title))
	}
	return width
}

// writeSetupList lists the installed agents, numbered.
func writeSetupList(b *strings.Builder, doc setupDoc, columns int) {
	b.WriteString("Installed on this machine:\n")
	width := titles(doc.Agents)
	for n, a := range doc.Agents {
		fmt.Fprintln(b, render.Fold(fmt.Sprintf("  %2d  %-*s  %s", n+1, width, a.Title, setupWord(a)), strings.Repeat(" ", 8+width), columns))
	}
}

// writeSetupFound explains why setup does nothing: all is set up, or no answer is possible.
func writeSetupFound(b *strings.Builder, doc setupDoc, done bool, columns int) {
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
	names := make([]string, len(doc.Agents))
	for n, a := range doc.Agents {
		names[n] = a.Agent
	}
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

func writeSetupStatus(b *strings.Builder, doc setupDoc, all bool, columns int) {
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

// writeSetupStanding writes the state of a file, and the reason.
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
	is := "is"
	if dry {
		is = "would be"
	}
	return fmt.Sprintf("it %s %s longer than the agent reads, so its end is ignored", is, count(f.Unread, "character", "characters"))
}
