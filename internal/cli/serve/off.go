package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// OffDoc says where agents are switched off.
type OffDoc struct {
	Everything bool               `json:"everything"` // off in every project
	Since      document.Timestamp `json:"since"`      // since when everything is off; null: it is on, or unknown
	Projects   []offProjectDoc    `json:"projects"`   // switched off by name
	Broken     string             `json:"broken"`     // why off.json is invalid, which counts as off; "" if it is valid
}

// offProjectDoc is a project switched off by name.
type offProjectDoc struct {
	Name  string             `json:"name"`
	Since document.Timestamp `json:"since"`
}

// OffOf returns the document of a state.
func OffOf(s app.OffState) OffDoc {
	d := OffDoc{Everything: s.Everything, Since: document.Timestamp(s.Since), Projects: document.Each(s.Names(), func(name string) offProjectDoc {
		return offProjectDoc{name, document.Timestamp(s.Projects[name])}
	})}
	if s.Broken != nil {
		d.Broken = command.MessageOf(s.Broken)
	}
	return d
}

// Line returns what is off in one sentence; "" if nothing is.
func (d OffDoc) Line() string {
	names := document.Each(d.Projects, func(p offProjectDoc) string { return p.Name })
	switch {
	case d.Broken != "":
		return render.Line(d.Broken, 0) + " (engram on)."
	case d.Everything:
		return "Agents are switched off (engram on)."
	case len(names) > 0:
		return "Agents are switched off for " + projectNames(names) + " (engram on --project NAME)."
	}
	return ""
}

// SwitchedDoc is the answer of `off` and `on`.
type SwitchedDoc struct {
	OffDoc
	Changed bool   `json:"changed"` // false: it was so before
	Kept    string `json:"kept"`    // copy of an invalid off.json; "" if it was valid
}

// AskedOffDoc is the answer of `off --check`.
type AskedOffDoc struct {
	Off     bool   `json:"off"`     // agents are off in the project
	Project string `json:"project"` // the project in question
}

func offCommand(p *command.Program) *cobra.Command {
	var check bool
	cmd := switchCommand(p, "off", `Switch Engram off for agents at once: hooks are silent and record nothing, and every tool of an MCP server, running
servers included, answers that Engram is off. Without a flag this applies everywhere; with --project or --here to one
project, whether an agent reaches it by folder, session, name or one of its memories. Agents in other projects that ask
across projects get answers without that project. Commands that a person types, the HTTP API and nightly jobs of a server
continue to work. It stays off until engram on.

--check changes nothing: it reports whether agents are off for the project of this folder, or for --project, with exit
code 0 if off and 3 if on. Use it in scripts that agents run.`,
		"Switch Engram off for agents", (*app.App).SwitchOff, writeOff)
	cmd.Flags().BoolVar(&check, "check", false, "only report whether agents are off here")
	cmd.Example = command.Examples(cmd.Example, "engram off --check || engram context")
	switching := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if check {
			return checkOff(p, cmd)
		}
		return switching(cmd, args)
	}
	return cmd
}

func checkOff(p *command.Program, cmd *cobra.Command) error {
	e, err := p.Open(cmd)
	if err != nil {
		return err
	}
	now := p.App.OffState()
	doc := AskedOffDoc{Off: now.Everything}
	if now.Any() && !now.Everything || p.JSON { // otherwise the folder is not needed
		if doc.Project, err = p.WriteProject(cmd, e); err != nil {
			return err
		}
		doc.Off = now.Off(doc.Project)
	}
	if err := p.Answer(doc, func(b *strings.Builder) { writeChecked(b, doc, now) }); err != nil || doc.Off {
		return err
	}
	return command.ExitWith(3)
}

func writeChecked(b *strings.Builder, doc AskedOffDoc, now app.OffState) {
	switch {
	case now.Everything:
		b.WriteString("Engram is switched off (engram on).\n")
	case doc.Off:
		fmt.Fprintf(b, "Engram is switched off for project %s (engram on --project %s).\n", render.Line(doc.Project, 0), render.Line(doc.Project, 0))
	default:
		b.WriteString("Engram is on.\n")
	}
}

func onCommand(p *command.Program) *cobra.Command {
	return switchCommand(p, "on", `Switch Engram on again for agents. Without a flag this ends engram off; projects that were switched off by name stay off
and are listed. With --project or --here it switches on one project.`,
		"Switch Engram on again for agents", (*app.App).SwitchOn, writeOn)
}

type switched struct {
	names         []string // names of the project; nil for everything
	before, after app.OffState
}

func switchCommand(p *command.Program, word, long, short string, do func(*app.App, context.Context, []string) (before, after app.OffState, err error),
	write func(*strings.Builder, switched)) *cobra.Command {
	var here bool
	cmd := &cobra.Command{
		Use: word, Short: short, Long: long,
		Example: command.Examples("engram "+word, "engram "+word+" --here", "engram "+word+" --project shop"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			names, err := switchedProject(p, cmd, e, here)
			if err != nil {
				return err
			}
			before, after, err := do(p.App, cmd.Context(), names)
			if err != nil {
				return err
			}
			if before.Broken != nil {
				lost := "the earlier state is lost: " + command.MessageOf(before.Broken)
				if after.Kept != "" {
					lost += "; its content is kept in " + after.Kept
				}
				p.WarnBeside(lost)
			}
			changed := before.Broken != nil || before.Everything != after.Everything || !slices.Equal(before.Names(), after.Names())
			return p.Answer(SwitchedDoc{OffOf(after), changed, after.Kept}, func(b *strings.Builder) { write(b, switched{names, before, after}) })
		}),
	}
	cmd.Flags().BoolVar(&here, "here", false, "the project of this folder alone")
	return cmd
}

// switchedProject returns all names of the project to switch, the given one first; nil for every project.
// Only flags choose a project.
func switchedProject(p *command.Program, cmd *cobra.Command, e *engine.Engine, here bool) ([]string, error) {
	named := p.ProjectGiven()
	switch {
	case here && named:
		return nil, command.Invalidf("--here and --project cannot be combined").WithHint("remove one of them")
	case !here && !named:
		return nil, nil
	}
	name := p.Loaded.Project
	if here {
		var err error
		if name, err = hereProject(p, cmd, e); err != nil {
			return nil, err
		}
	}
	if err := project.CheckText(name); err != nil {
		return nil, err
	}
	return namesOf(p, cmd, e, project.Normalize(name), named), nil
}

// hereProject returns the project of this folder. A repository that merely lies in the folder does not count.
func hereProject(p *command.Program, cmd *cobra.Command, e *engine.Engine) (string, error) {
	in, err := e.ProjectFor(cmd.Context(), projects.ProjectRequest{Override: p.Loaded.Project, Dir: p.Dir, Lenient: true, Write: true})
	if err == nil && in.Source == project.SourceChild {
		return "", command.Invalidf("this folder is not in a repository; the repository inside it belongs to project %q", in.Name).
			WithHint("to use that project: %s --project %s", cmd.CommandPath(), in.Name)
	}
	if err != nil {
		return "", err
	}
	return p.WriteProject(cmd, e)
}

// namesOf returns a project's name and aliases, since a folder may still use an alias. An unreadable database
// must not prevent switching off.
func namesOf(p *command.Program, cmd *cobra.Command, e *engine.Engine, name string, named bool) []string {
	if !app.Exists(*p.Loaded) {
		return []string{name}
	}
	all, err := e.Projects(cmd.Context())
	if err != nil {
		p.Warn("cannot read the aliases of the project: " + command.MessageOf(err))
		return []string{name}
	}
	var known []string
	for _, one := range all {
		names := append([]string{one.Name}, one.Aliases...)
		if slices.Contains(names, name) {
			return append([]string{name}, slices.DeleteFunc(names, func(n string) bool { return n == name })...)
		}
		known = append(known, names...)
	}
	if near := text.Nearest(name, known); named && !p.JSON {
		if near != "" {
			near = "; did you mean " + near + "?"
		}
		p.Warn(fmt.Sprintf("project %q has no memories yet%s", name, near))
	}
	return []string{name}
}

func writeOff(b *strings.Builder, s switched) {
	what, end := "", "engram on"
	if s.names != nil {
		what, end = " for project "+projectNames(s.names), "engram on --project "+s.names[0]
	}
	already := ""
	if len(s.names) == 0 && s.before.Everything && s.before.Broken == nil || len(s.names) > 0 && slices.Contains(s.before.Names(), s.names[0]) {
		already = " already"
	}
	fmt.Fprintf(b, "Agents are switched off%s%s: hooks are silent, and MCP tools answer that they are off.\n", already, what)
	fmt.Fprintf(b, "  %s   switches them on again\n", end)
}

func writeOn(b *strings.Builder, s switched) {
	if s.names == nil {
		b.WriteString("Agents are switched on.\n")
		if still := s.after.Names(); len(still) > 0 {
			fmt.Fprintf(b, "  Still off by name: %s (engram on --project NAME)\n", projectNames(still))
		}
		return
	}
	if s.after.Everything {
		fmt.Fprintf(b, "Project %s is not switched off by name, but everything is off.\n  engram on   switches everything on\n", projectNames(s.names))
		return
	}
	fmt.Fprintf(b, "Agents are switched on for project %s.\n", projectNames(s.names))
}

func projectNames(names []string) string {
	return render.Line(strings.Join(names, ", "), 0)
}
