package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) projectsCommand() *cobra.Command {
	cmd := group("projects", "List, merge, rename and prune projects; detect the project of a folder",
		examples("engram projects list", "engram projects consolidate --dry-run", "engram projects merge shop-old --into shop"),
		p.projectsListCommand(), p.projectsDetectCommand(), p.projectsMergeCommand(), p.projectsRenameCommand(),
		p.projectsConsolidateCommand(), p.projectsPruneCommand(), p.projectsDecayCommand())
	cmd.Aliases = []string{"project"}
	cmd.RunE = p.with(p.listProjects)
	return cmd
}

func (p *program) projectsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List projects with their contents",
		Example: examples("engram projects list", "engram projects list --json"),
		Args:    between(0, 0),
		RunE:    p.with(p.listProjects),
	}
}

func (p *program) listProjects(cmd *cobra.Command, e *engine.Engine, _ []string) error {
	list, err := e.Projects(cmd.Context())
	if err != nil {
		return err
	}
	return p.answerRows(projectsDoc{projectsOf(list)}, func(b *strings.Builder) { writeProjects(b, list, p.columns()) })
}

func (p *program) projectsDetectCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "detect [FOLDER]",
		Short:   "Show which project a folder belongs to, and why",
		Example: examples("engram projects detect", "engram projects detect ~/src/shop --json"),
		Args:    between(0, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			dir := p.path(strings.Join(args, ""))
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return engram.Errorf(engram.CodeNotFound, "folder %s does not exist", dir).WithHint("name an existing folder, or none for this one")
			}
			// Not lenient: detect must report ambiguous folders.
			in, err := e.ProjectFor(cmd.Context(), engine.ProjectRequest{Override: p.loaded.Project, Dir: dir})
			if err != nil {
				return err
			}
			return p.answer(detectedOf(in), func(b *strings.Builder) { writeDetected(b, in) })
		}),
	}
}

func (p *program) projectsMergeCommand() *cobra.Command {
	var into string
	cmd := &cobra.Command{
		Use:     "merge NAME… --into NAME",
		Short:   "Merge projects into one; the old names become aliases",
		Example: examples("engram projects merge shop-old Shop --into shop"),
		Args:    between(1, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if strings.TrimSpace(into) == "" {
				return invalidf("merge needs a target project").WithHint("usage: %s", cmd.UseLine())
			}
			return p.merge(cmd, e, args, into)
		}),
	}
	cmd.Flags().StringVar(&into, "into", "", "the target `project`")
	return cmd
}

// merge merges projects and prints what was moved.
func (p *program) merge(cmd *cobra.Command, e *engine.Engine, from []string, into string) error {
	r, err := e.MergeProjects(cmd.Context(), from, into)
	switch {
	case err != nil:
		return err
	case r.Sources == 0 && len(r.Unknown) > 0: // nothing was written
		return engram.Errorf(engram.CodeNotFound, "project %q does not exist", r.Unknown[0]).WithHint("{projects list} lists the projects")
	case r.Sources == 0:
		return invalidf("%s already is %s", strings.Join(from, ", "), r.To).WithHint("{projects list} lists projects with their aliases")
	}
	for _, name := range r.Unknown {
		p.warn(fmt.Sprintf("project %q does not exist", name))
	}
	return p.answer(mergedOf(r), func(b *strings.Builder) { writeMerged(b, r) })
}

func (p *program) projectsRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rename OLD NEW",
		Short:   "Rename a project; the old name becomes an alias",
		Example: examples("engram projects rename shop storefront"),
		Args:    between(2, 2),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			r, err := e.RenameProject(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			return p.answer(mergedOf(r), func(b *strings.Builder) { writeMerged(b, r) })
		}),
	}
}

func (p *program) projectsPruneCommand() *cobra.Command {
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:   "prune [NAME…]",
		Short: "Remove projects without memories",
		Long: `Remove projects without memories, with their prompts and empty sessions: all such projects, or those named. Forgotten
memories count as memories.`,
		Example: examples("engram projects prune --dry-run", "engram projects prune scratch --yes"),
		Args:    between(0, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			return p.prune(cmd, e, args, yes, dryRun)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "skip the confirmation")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "preview only")
	return cmd
}

func (p *program) prune(cmd *cobra.Command, e *engine.Engine, names []string, yes, dryRun bool) error {
	if len(names) == 0 {
		names = nil // nil is every project, an empty list is no project
	}
	for _, name := range names {
		if err := p.projectExists(cmd, e, name); err != nil {
			return err
		}
	}
	plan, err := e.PruneProjects(cmd.Context(), names, true)
	if err != nil {
		return err
	}
	if !dryRun && len(plan) > 0 {
		if !yes {
			p.report(func(b *strings.Builder) { writePruned(b, plan, names != nil, true) })
		}
		ok, err := p.confirm(yes, fmt.Sprintf("Remove %s?", count(len(plan), "project", "projects")))
		if err != nil {
			return err
		}
		if !ok {
			dryRun = true
		} else if plan, err = e.PruneProjects(cmd.Context(), namesOf(plan), false); err != nil {
			return err
		}
	}
	doc := prunedDoc{DryRun: dryRun, Projects: projectsOf(plan)}
	return p.answerRows(doc, func(b *strings.Builder) {
		writePruned(b, plan, names != nil, dryRun)
		if !dryRun && len(plan) > 0 {
			fmt.Fprintln(b, "To undo: "+p.self()+" undo")
		}
	})
}

// projectExists rejects the name of an unknown project.
func (p *program) projectExists(cmd *cobra.Command, e *engine.Engine, name string) error {
	all, err := e.Projects(cmd.Context())
	if err != nil {
		return err
	}
	name = project.Normalize(name)
	for _, c := range all {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return nil
		}
	}
	return engram.Errorf(engram.CodeNotFound, "project %q does not exist", name).WithHint("{projects list} lists the projects")
}

func namesOf(list []engram.ProjectCounts) []string {
	return document.Each(list, func(c engram.ProjectCounts) string { return c.Name })
}

func writeDetected(b *strings.Builder, in engine.ProjectInForce) {
	fmt.Fprintln(b, render.Plain(in.Name))
	fmt.Fprintf(b, "  source: %s\n", in.Source)
	if in.Path != "" {
		fmt.Fprintf(b, "  folder: %s\n", render.Plain(in.Path))
	}
	if in.Warning != "" {
		fmt.Fprintf(b, "  %s\n", render.Plain(in.Warning))
	}
}

// consolidateDoc is the answer of `projects consolidate --json`.
type consolidateDoc struct {
	DryRun bool           `json:"dry_run"` // nothing was changed
	Groups []consolidated `json:"groups"`  // projects with similar names
}

// consolidated is one group and its merge.
type consolidated struct {
	Into     string       `json:"into"`     // the target project
	From     []string     `json:"from"`     // projects merged into it, or to be merged
	Projects []projectDoc `json:"projects"` // the group before the merge, the largest first
	Merged   *mergedDoc   `json:"merged"`   // null if nothing was changed
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
	// Older scripts pass --all; it is the default now.
	cmd.Flags().Bool("all", false, "every group")
	_ = cmd.Flags().MarkHidden("all") // fails only for an unknown flag
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

// groupOf returns the group that contains the project called name.
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

// consolidateGroup merges one group, or returns the plan.
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

// chooseProjects asks which projects of a group to merge, and into which; from is nil for none.
func (p *program) chooseProjects(g []engram.ProjectCounts, into string) (from []string, to string, err error) {
	p.report(func(b *strings.Builder) { writeChoice(b, g, p.columns()) })
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

// isChoice reports whether chooseProjects understands the answer.
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

// writeChoice lists a group, numbered.
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
