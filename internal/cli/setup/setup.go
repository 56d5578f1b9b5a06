// Package setup holds the command setup, which connects agents: it writes their files and takes them back (setup.go),
// and shows which are connected (status.go).
package setup

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// SetupDoc is the answer of `setup` and `setup status`.
type SetupDoc struct {
	Action  string          `json:"action"` // found (nothing was done), set_up or undone
	DryRun  bool            `json:"dry_run"`
	Program string          `json:"program"` // program that the agents call; "" if not needed
	Agents  []setupAgentDoc `json:"agents"`
}

// setupAgentDoc is an agent.
type setupAgentDoc struct {
	Agent    string         `json:"agent"`
	Title    string         `json:"title"`
	Detected bool           `json:"detected"` // it seems to be installed
	Status   string         `json:"status"`   // absent, wired, changed (incomplete or outdated) or broken
	Recorded bool           `json:"recorded"` // with setup status: its original files are recorded
	Changed  bool           `json:"changed"`  // something was changed, or would be
	Files    []setupFileDoc `json:"files"`
	DataDir  string         `json:"data_dir"` // data directory that it passes to the program; "" for the default
	Notes    []string       `json:"notes"`    // remarks, such as settings that disable its memory
	Next     string         `json:"next"`     // what a person should do now; "" for nothing
	Code     engram.Code    `json:"code"`     // error code: invalid, conflict, unavailable or internal; "" for no error
	Error    string         `json:"error"`    // why it failed; "" if it succeeded
	Hint     string         `json:"hint"`     // what to do about the error; "" for nothing
}

// setupFileDoc is a file of an agent.
type setupFileDoc struct {
	Path   string `json:"path"`
	Status string `json:"status"` // absent, wired, changed, broken or taken (another program's, left alone)
	Change string `json:"change"` // created, changed, removed or none
	Diff   string `json:"diff"`   // with --dry-run, as diff -u; else ""
	Kept   string `json:"kept"`   // copy of the user's changes to a file of Engram; "" for none
	Left   string `json:"left"`   // why it was not undone; "" if it was
	Why    string `json:"why"`    // what is wrong: a line, or entries that are missing or differ; "" for nothing
	Unread int    `json:"unread"` // characters at its end that the agent does not read; 0 if it reads all
}

type setupFlags struct {
	dry, undo, yes bool
	binary         string
}

// Command returns the command setup, with the subcommand service.
func Command(p *command.Program, service *cobra.Command) *cobra.Command {
	var o setupFlags
	cmd := &cobra.Command{
		Use:   "setup [AGENT...]",
		Short: "Connect agents: hooks, MCP server, instructions",
		Long: `Connect agents to Engram: the MCP server, hooks where the agent supports them, and instructions on when to remember.
Without AGENT the installed agents are listed and you choose; all selects all of them.

  ` + render.Fold(strings.Join(app.AgentNames(), ", "), "  ", 100) + `

Files are merged, never overwritten: comments, order and line endings are kept, and a file that cannot be parsed is left
alone. If you changed a file that belongs to Engram, a copy is kept before it is replaced. Running setup twice changes
nothing more. --undo restores the original files byte for byte, or, if they were not recorded, removes Engram's entries.
--dry-run shows the changes and writes nothing. Agents call this program by its path, with the data directory if it is not
the default, because agents drop the environment; a data directory that an agent already has is kept until --data-dir names
another. docs/agents.md lists the files of each agent and its limits.`,
		Example: command.Examples("engram setup", "engram setup claude-code codex", "engram setup all --dry-run", "engram setup cursor --undo", "engram setup status"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return setup(p, cmd, args, o)
		},
	}
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "show the changes without writing them")
	cmd.Flags().BoolVar(&o.undo, "undo", false, "restore the original files; without AGENT, of all configured agents")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "without AGENT: all installed agents, without asking")
	cmd.Flags().StringVar(&o.binary, "binary", "", "the `program` that agents call (default: this one)")
	cmd.AddCommand(setupStatusCommand(p), service)
	return cmd
}

func setupStatusCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "status [AGENT...]",
		Short: "Show which agents are connected, and by which files",
		Long: `Show which agents are installed, which are connected and by which files, and problems in these files: lines that cannot be
parsed, entries that are missing or different. Without AGENT, agents that are neither installed nor connected are listed
only with --json. Nothing is changed.`,
		Example: command.Examples("engram setup status", "engram setup status codex --json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := setupRefuses(cmd); err != nil {
				return err
			}
			w, _, err := wiring(p, cmd, "")
			if err != nil {
				return err
			}
			names, err := agentsNamed(args)
			if err != nil {
				return err
			}
			all := len(names) > 0
			if !all {
				names = app.AgentNames()
			}
			doc := SetupDoc{Action: "found", Program: w.Program, Agents: []setupAgentDoc{}}
			for _, name := range names {
				doc.Agents = append(doc.Agents, setupStanding(p, w.Look(name)))
			}
			return p.Answer(doc, func(b *strings.Builder) { writeSetupStatus(b, atHome(p, doc), all, p.Columns()) })
		},
	}
}

// wiring returns the means to connect agents. callable is why they could not call this program; it matters
// only for connecting.
func wiring(p *command.Program, cmd *cobra.Command, binary string) (w app.Wiring, callable, err error) {
	c, err := p.Config(cmd)
	if err != nil {
		return w, nil, err
	}
	w = app.Wiring{Config: c, Version: p.Version, OS: runtime.GOOS, Env: p.Env, DataDirGiven: p.DataDir != ""}
	path, _ := p.Env("PATH")
	w.Program, callable = app.ProgramForAgents(binary, p.Dir, path, runtime.GOOS)
	return w, callable, w.Ready()
}

func setup(p *command.Program, cmd *cobra.Command, args []string, o setupFlags) error {
	if err := setupRefuses(cmd); err != nil {
		return err
	}
	if cmd.Flags().Changed("binary") && o.binary == "" {
		return command.Invalidf("--binary does not name a program").WithHint("give the path of the program that agents should call, or leave --binary out")
	}
	if len(args) == 1 && isNone(args[0]) { // the answer to the question, as an argument
		return p.Answer(SetupDoc{Action: "found", DryRun: o.dry, Agents: []setupAgentDoc{}}, func(b *strings.Builder) { b.WriteString("Nothing was changed.\n") })
	}
	names, err := agentsNamed(args)
	if err != nil {
		return err
	}
	w, callable, err := wiring(p, cmd, o.binary)
	if err != nil {
		return err
	}
	named := len(args) > 0
	var unsure []string
	switch {
	case o.undo && len(names) == 0:
		if names, unsure, err = w.Wired(); err != nil {
			return err
		}
	case len(names) == 0:
		if names, err = setupChoice(p, w, named || o.yes || o.dry); err != nil || names == nil {
			return err
		}
	}
	if callable != nil && !o.undo {
		return callable
	}
	if err := w.DataFits(); err != nil && !o.undo {
		return err
	}
	doc := SetupDoc{Action: "set_up", DryRun: o.dry, Program: w.Program, Agents: []setupAgentDoc{}}
	do := w.Set
	if o.undo {
		doc.Action, do = "undone", w.Unset
	}
	worst := 0
	for _, name := range names {
		s := do(cmd.Context(), name, o.dry)
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		if s.Err != nil {
			worst = max(worst, command.ExitCode(engram.CodeOf(s.Err)))
		}
		doc.Agents = append(doc.Agents, setupAgent(p, s, o.dry))
	}
	for _, name := range unsure { // undoing all agents leaves them alone
		left := setupAgent(p, w.Look(name), false)
		left.Hint = setupHint(p, "{setup %s --undo} removes it", left.Agent)
		doc.Agents = append(doc.Agents, left)
	}
	if err := p.Answer(doc, func(b *strings.Builder) { writeSetup(p, b, atHome(p, doc)) }); err != nil || worst == 0 {
		return err
	}
	return command.ExitWith(worst)
}

// setupRefuses rejects --project, since an agent's files apply to all projects.
func setupRefuses(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("project") {
		return nil
	}
	return command.Invalidf("setup applies to all projects: --project cannot be used").
		WithHint("leave it out; the project is that of the agent's working folder")
}

func isNone(word string) bool { return strings.EqualFold(word, "none") }

// agentsNamed returns the agents that the arguments name, each once; nil for none and for all.
func agentsNamed(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		if strings.EqualFold(arg, "all") {
			return nil, nil
		}
		if isNone(arg) {
			return nil, command.Invalidf("none cannot be combined with agents").WithHint("use {setup none} alone to change nothing; {setup status} shows the agents of this machine")
		}
		name, err := app.FindAgent(arg)
		if err != nil {
			words := append([]string{"status", "service", "all"}, app.AgentNames()...)
			if near := text.Nearest(strings.ToLower(arg), words); near != "" {
				return nil, command.Invalidf("%v", err).WithHint("did you mean: %s?", "engram setup "+near)
			}
			return nil, command.Invalidf("%v", err).WithHint("{setup status} shows the agents of this machine")
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func setupAgent(p *command.Program, s app.AgentState, dry bool) setupAgentDoc {
	d := setupAgentDoc{Agent: s.Name, Title: s.Title, Detected: s.Detected, Status: s.Status, Recorded: s.Recorded, Changed: s.Changed(),
		DataDir: s.DataDir, Notes: document.OrEmpty(s.Notes),
		Files: document.Each(s.Files, func(f app.AgentFile) setupFileDoc { return setupFileOf(f, dry) })}
	if s.Changed() && !dry && s.Err == nil {
		d.Next = s.Next
	}
	if s.Err != nil {
		d.Code, d.Error, d.Hint = engram.CodeOf(s.Err), command.MessageOf(s.Err), p.HintOf(s.Err)
	}
	return d
}

func setupFileOf(f app.AgentFile, dry bool) setupFileDoc {
	d := setupFileDoc{Path: f.Path, Status: f.Status, Change: "none", Kept: f.Kept, Left: f.Left, Why: f.Why, Unread: f.Over}
	switch {
	case !f.Changed():
	case f.Before == nil:
		d.Change = "created"
	case f.After == nil:
		d.Change = "removed"
	default:
		d.Change = "changed"
	}
	if dry {
		d.Diff = render.Unified(f.Path, f.Before, f.After)
	}
	return d
}

// setupChoice asks which installed agents to connect; all skips the question. Nil without an error means that
// the output explains how to continue.
func setupChoice(p *command.Program, w app.Wiring, all bool) ([]string, error) {
	doc := SetupDoc{Action: "found", Program: w.Program, Agents: []setupAgentDoc{}}
	var found []string
	for _, name := range app.AgentNames() {
		if s := w.Look(name); s.Detected {
			found = append(found, name)
			doc.Agents = append(doc.Agents, setupStanding(p, s))
		}
	}
	done := !slices.ContainsFunc(doc.Agents, func(a setupAgentDoc) bool { return a.Status != "wired" })
	switch {
	case all && len(found) > 0:
		return found, nil
	case len(found) == 0 || done || !p.CanAnswer():
		return nil, p.Answer(doc, func(b *strings.Builder) { writeSetupFound(b, doc, done, p.Columns()) })
	}
	p.Report(func(b *strings.Builder) { writeSetupList(b, doc, p.ColumnsOf(p.Stderr)) })
	names, err := askWhich(p, found)
	if err == nil && names == nil {
		p.Report(func(b *strings.Builder) { b.WriteString("Nothing was changed.\n") })
	}
	return names, err
}

// askWhich asks which agents to connect, and repeats the question after invalid answers; nil without an error means
// no agent, also at the end of input.
func askWhich(p *command.Program, found []string) ([]string, error) {
	for {
		answer, ended, err := p.AskOrEnd("Set up which? [all, numbers such as 1 3 or 1-3, or none; Enter: all]", "give the names of agents")
		if err != nil || ended && answer == "" {
			return nil, err
		}
		names, err := chosen(answer, found)
		if err == nil || ended || !p.SomeoneThere() {
			return names, err
		}
		p.Report(func(b *strings.Builder) {
			fmt.Fprintln(b, render.Fold(command.MessageOf(err)+": "+p.HintOf(err), "", p.ColumnsOf(p.Stderr)))
		})
	}
}

// chosen parses an answer; nil means no agent.
func chosen(answer string, found []string) ([]string, error) {
	switch answer {
	case "", "all", "a", "y", "yes":
		return found, nil
	case "none", "n", "no", "q":
		return nil, nil
	}
	var names []string
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' }) {
		all := rangeOf(word, found)
		if all == nil {
			name, err := app.FindAgent(word)
			if err != nil {
				return nil, command.Invalidf("%q is not in the list", word).WithHint("answer with numbers such as 1 3 or 1-3, all or none; nothing was changed")
			}
			all = []string{name}
		}
		for _, name := range all {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// rangeOf returns the elements of found named by a number or a range; nil for anything else.
func rangeOf(word string, found []string) []string {
	first, last, isRange := strings.Cut(word, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.Atoi(first)
	to, wrong := strconv.Atoi(last)
	if err != nil || wrong != nil || from < 1 || to < from || to > len(found) {
		return nil
	}
	return found[from-1 : to]
}

// atHome abbreviates the home directory to ~ in the paths of an answer.
func atHome(p *command.Program, doc SetupDoc) SetupDoc {
	home := p.Where().Home
	short := func(path string) string {
		if in, err := filepath.Rel(home, path); err == nil && home != "" && filepath.IsLocal(in) && in != "." {
			return "~" + string(filepath.Separator) + in
		}
		return path
	}
	doc.Agents = document.Each(doc.Agents, func(a setupAgentDoc) setupAgentDoc {
		a.Files = document.Each(a.Files, func(f setupFileDoc) setupFileDoc {
			f.Path = short(f.Path)
			if f.Kept != "" {
				f.Kept = short(f.Kept)
			}
			return f
		})
		return a
	})
	return doc
}

func writeSetup(p *command.Program, b *strings.Builder, doc SetupDoc) {
	if len(doc.Agents) == 0 {
		b.WriteString("No agent is set up.\n")
	}
	for n, a := range doc.Agents {
		if n > 0 && doc.DryRun {
			b.WriteByte('\n')
		}
		writeSetupAgent(p, b, doc, a)
	}
}

func writeSetupAgent(p *command.Program, b *strings.Builder, doc SetupDoc, a setupAgentDoc) {
	say := func(what, said string) {
		fmt.Fprintln(b, render.Fold(what+said, strings.Repeat(" ", len(what)), p.Columns()))
	}
	undo := doc.Action == "undone"
	left := slices.ContainsFunc(a.Files, func(f setupFileDoc) bool { return f.Left != "" })
	guessed := undo && slices.ContainsFunc(a.Files, func(f setupFileDoc) bool { return f.Why != "" })
	switch {
	case a.Error != "":
		say("", a.Title+": "+a.Error)
		if a.Hint != "" {
			say("  hint: ", a.Hint)
		}
		if !undo {
			return
		}
	case undo && a.Hint != "": // one of the unsure ones
		say("", a.Title+" was left alone: it contains engram, but setup did not record writing it")
		say("  hint: ", a.Hint)
		return
	case !a.Changed && undo && len(a.Files) == 0:
		fmt.Fprintf(b, "%s is not set up\n", a.Title)
	case !a.Changed && !undo:
		fmt.Fprintf(b, "%s is already set up\n", a.Title)
	case !a.Changed && undo && left:
		fmt.Fprintf(b, "%s is unchanged:\n", a.Title)
	case doc.DryRun && guessed:
		fmt.Fprintf(b, "Engram would be removed from %s; its original files are not recorded:\n", a.Title)
	case doc.DryRun && undo:
		fmt.Fprintf(b, "%s would be restored:\n", a.Title)
	case doc.DryRun:
		fmt.Fprintf(b, "%s would be set up:\n", a.Title)
	case undo && left:
		fmt.Fprintf(b, "%s was restored, except for:\n", a.Title)
	case guessed:
		fmt.Fprintf(b, "Engram was removed from %s; its original files are not recorded:\n", a.Title)
	case undo:
		fmt.Fprintf(b, "%s was restored\n", a.Title)
	default:
		fmt.Fprintf(b, "✓ %s is set up\n", a.Title)
	}
	for _, f := range a.Files {
		writeSetupFile(p, b, doc, f)
	}
	for _, note := range a.Notes {
		say("  note: ", note)
	}
	if a.Next != "" {
		next := a.Next
		if undo {
			next = "Restart it."
		}
		say("  ", next)
	}
}

func writeSetupFile(p *command.Program, b *strings.Builder, doc SetupDoc, f setupFileDoc) {
	say := func(what, said string) { fmt.Fprintln(b, render.Fold(what+said, "            ", p.Columns())) }
	switch {
	case f.Left != "":
		say("  left      ", f.Path+": "+f.Left)
	case doc.DryRun && f.Diff != "":
		b.WriteString(f.Diff)
	case f.Status == "taken":
		say("  left      ", f.Path+": there is another file with that name")
	case f.Change != "none":
		fmt.Fprintf(b, "  %-9s %s\n", f.Change, f.Path)
	}
	if f.Kept != "" {
		say("  kept      ", "the changes made to it "+command.Would(doc.DryRun, "would be", "is")+" in "+f.Kept)
	}
	if f.Unread > 0 && doc.Action != "undone" {
		say("  ", unreadText(f, doc.DryRun))
		say("  hint: ", "shorten "+f.Path+" by as much")
	}
}
