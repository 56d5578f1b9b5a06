package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// consolidateDoc is the answer of `projects consolidate --json`.
type consolidateDoc struct {
	DryRun bool           `json:"dry_run"` // nothing was changed
	Groups []consolidated `json:"groups"`  // projects whose names look like one project's
}

// consolidated is one group and what became, or would become, of it.
type consolidated struct {
	Into     string       `json:"into"`     // the project that gets it all
	From     []string     `json:"from"`     // what went, or would go, into it
	Projects []projectDoc `json:"projects"` // the group as it was, the largest first
	Merged   *mergedDoc   `json:"merged"`   // null when nothing was changed
}

func (p *program) projectsConsolidateCommand() *cobra.Command {
	var yes, dryRun bool
	var into string
	cmd := &cobra.Command{
		Use:   "consolidate",
		Short: "Merge projects with similar names",
		Long: `Merge projects with similar names: shop, Shop-, shopp. On a terminal you decide about each group: merge all of it, some
of it, or nothing. With --yes each group is merged into its largest project; --into NAME merges only the group of that
name, into NAME.`,
		Example: examples("engram projects consolidate", "engram projects consolidate --dry-run", "engram projects consolidate --into shop --yes"),
		Args:    between(0, 0),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			return p.consolidate(cmd, e, into, yes, dryRun)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "skip the confirmation")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "preview the merges")
	// Older scripts ask for every group by it; here that is what the command does anyway.
	cmd.Flags().Bool("all", false, "every group")
	_ = cmd.Flags().MarkHidden("all") // it fails for a flag that does not exist
	cmd.Flags().StringVar(&into, "into", "", "merge only the group of this `project`, into it")
	return cmd
}

func (p *program) consolidate(cmd *cobra.Command, e *engine.Engine, into string, yes, dryRun bool) error {
	groups, err := e.SimilarProjects(cmd.Context())
	if err != nil {
		return err
	}
	if into != "" {
		if groups, err = groupOf(groups, into); err != nil {
			return err
		}
	}
	doc := consolidateDoc{DryRun: dryRun, Groups: []consolidated{}}
	for _, g := range groups {
		done, err := p.consolidateGroup(cmd, e, g, into, yes, dryRun)
		if err != nil {
			return err
		}
		doc.Groups = append(doc.Groups, done)
	}
	return p.answer(doc, func(b *strings.Builder) { writeConsolidated(b, doc) })
}

// groupOf keeps the one group that holds the project called name.
func groupOf(groups [][]engram.ProjectCounts, name string) ([][]engram.ProjectCounts, error) {
	for _, g := range groups {
		for _, pc := range g {
			if pc.Name == name {
				return [][]engram.ProjectCounts{g}, nil
			}
		}
	}
	return nil, engram.Errorf(engram.CodeNotFound, "no project has a name similar to %q", name).
		WithHint("to merge other projects: {projects merge NAME… --into %s}", name)
}

// consolidateGroup merges one group, or only says what it would do.
func (p *program) consolidateGroup(cmd *cobra.Command, e *engine.Engine, g []engram.ProjectCounts, into string, yes, dryRun bool) (consolidated, error) {
	if into == "" {
		into = g[0].Name
	}
	out := consolidated{Into: into, From: namesOf(g), Projects: projectsOf(g)}
	if !yes && !dryRun {
		var err error
		if out.From, out.Into, err = p.chooseProjects(g, into); err != nil {
			return out, err
		}
	}
	out.From = slices.DeleteFunc(document.OrEmpty(out.From), func(name string) bool { return name == out.Into })
	if dryRun || len(out.From) == 0 {
		return out, nil
	}
	r, err := e.MergeProjects(cmd.Context(), out.From, out.Into)
	if err != nil {
		return out, err
	}
	merged := mergedOf(r)
	out.Merged = &merged
	return out, nil
}

// chooseProjects asks which projects of a group go into which one. None is an answer.
func (p *program) chooseProjects(g []engram.ProjectCounts, into string) (from []string, to string, err error) {
	p.tell(func(b *strings.Builder) { writeChoice(b, g, p.columns()) })
	const instead = "--yes, or --dry-run to preview; --into NAME for one group"
	answer, err := p.ask(fmt.Sprintf("Merge into %s? [all, numbers such as 1,2, rename, or nothing to skip]",
		quote(render.Line(into, 0))), instead)
	names := namesOf(g)
	for err == nil && !isChoice(answer, names) {
		if !p.someoneThere() {
			return nil, into, invalidf("unknown choice %q", answer).WithHint("answer all, numbers such as 1,2, rename, or an empty line to skip")
		}
		p.warn(quote(render.Line(answer, 40)) + " is not one of the choices")
		answer, err = p.ask("Which? [all, numbers such as 1,2, rename, or nothing to skip]", instead)
	}
	switch answer {
	case "", "n", "no", "none", "skip":
		return nil, into, err
	case "all", "y", "yes":
		return names, into, err
	case "rename":
		to, err = p.ask("Merge all into which name?", instead)
		if to == "" {
			return nil, into, err
		}
		return names, to, err
	}
	if slices.Contains(names, answer) {
		return names, answer, nil
	}
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
		if n, err := strconv.Atoi(word); err == nil {
			from = append(from, names[n-1])
		}
	}
	return from, into, err
}

// isChoice reports whether an answer is one of those that chooseProjects understands.
func isChoice(answer string, names []string) bool {
	if slices.Contains([]string{"", "n", "no", "none", "skip", "all", "y", "yes", "rename"}, answer) || slices.Contains(names, answer) {
		return true
	}
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
		if n, err := strconv.Atoi(word); err != nil || n < 1 || n > len(names) {
			return false
		}
	}
	return true
}

// writeChoice shows a group with the numbers by which it is chosen from.
func writeChoice(b *strings.Builder, g []engram.ProjectCounts, columns int) {
	t := table{indent: "  "}
	for i, c := range g {
		t.row(fmt.Sprintf("%d. %s", i+1, render.Line(c.Name, 0)), movedText(c.Memories, c.Sessions, c.Prompts))
	}
	t.write(b, columns)
}

func writeConsolidated(b *strings.Builder, doc consolidateDoc) {
	if len(doc.Groups) == 0 {
		fmt.Fprintln(b, "No projects have similar names.")
	}
	for _, g := range doc.Groups {
		list := render.Line(strings.Join(g.From, ", "), 0)
		switch {
		case g.Merged != nil:
			fmt.Fprintf(b, "Merged %s into %q: %s\n", list, render.Plain(g.Into), movedText(g.Merged.Memories, g.Merged.Sessions, g.Merged.Prompts))
		case doc.DryRun:
			fmt.Fprintf(b, "Would merge %s into %q\n", list, render.Plain(g.Into))
		default:
			names := document.Each(g.Projects, func(pd projectDoc) string { return pd.Name })
			fmt.Fprintf(b, "Unchanged: %s\n", render.Line(strings.Join(names, ", "), 0))
		}
	}
}
