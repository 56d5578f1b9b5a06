package upkeep

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
)

// projectDoc is a project with its counts.
type projectDoc struct {
	Name      string             `json:"name"`
	Aliases   []string           `json:"aliases"`
	Root      string             `json:"root"`
	Remote    string             `json:"remote"`
	Memories  int                `json:"memories"` // live memories
	Sessions  int                `json:"sessions"`
	Prompts   int                `json:"prompts"`
	CreatedAt document.Timestamp `json:"created_at"`
}

// ProjectsDoc is the answer of `projects list`.
type ProjectsDoc struct {
	Projects []projectDoc `json:"projects"` // by name
}

func projectsOf(list []engram.ProjectCounts) []projectDoc {
	return document.Each(list, func(c engram.ProjectCounts) projectDoc {
		return projectDoc{c.Name, document.OrEmpty(c.Aliases), c.Root, c.Remote, c.Memories, c.Sessions, c.Prompts, document.Timestamp(c.CreatedAt)}
	})
}

// PrunedDoc is the answer of `projects prune`.
type PrunedDoc struct {
	DryRun   bool         `json:"dry_run"` // nothing was removed
	Projects []projectDoc `json:"projects"`
}

// MergedDoc is the answer of `projects merge` and `projects rename`.
type MergedDoc struct {
	Into     string `json:"into"`
	Sources  int    `json:"sources"` // sources that had anything
	Memories int    `json:"memories"`
	Sessions int    `json:"sessions"`
	Prompts  int    `json:"prompts"`
}

func mergedOf(r projects.MergeResult) MergedDoc {
	return MergedDoc{r.To, r.Sources, r.Memories, r.Sessions, r.Prompts}
}

// DetectedDoc is the answer of `projects detect`.
type DetectedDoc struct {
	Project   string   `json:"project"`
	Source    string   `json:"source"`
	Path      string   `json:"path"`
	Available []string `json:"available"`
	Warning   string   `json:"warning"`
}

func writeProjects(b *strings.Builder, list []engram.ProjectCounts, columns int) {
	fmt.Fprintf(b, "Projects (%d):\n", len(list))
	t := terminal.Table{Indent: "  ", Numbers: map[int]bool{1: true, 2: true, 3: true}}
	for _, c := range list {
		t.Row(render.Line(c.Name, 0), command.Count(c.Memories, "memory  ", "memories"), command.Count(c.Sessions, "session ", "sessions"),
			command.Count(c.Prompts, "prompt ", "prompts"))
	}
	t.Write(b, columns)
}

func writePruned(b *strings.Builder, list []engram.ProjectCounts, named, dryRun bool) {
	switch {
	case len(list) == 0 && named:
		fmt.Fprintln(b, "Those projects have memories (forgotten ones count); nothing was removed.")
		return
	case len(list) == 0:
		fmt.Fprintln(b, "Every project has memories.")
		return
	}
	what := command.Would(dryRun, "Would remove", "Removed")
	for _, c := range list {
		fmt.Fprintf(b, "%s %s: %s, %s\n", what, command.Quote(render.Line(c.Name, 0)), command.Count(c.Sessions, "session", "sessions"), command.Count(c.Prompts, "prompt", "prompts"))
	}
}

func writeMerged(b *strings.Builder, r projects.MergeResult) {
	fmt.Fprintf(b, "Merged %s into %s: %s\n", command.Count(r.Sources, "source", "sources"), command.Quote(render.Line(r.To, 0)), movedText(r.Memories, r.Sessions, r.Prompts))
}

func movedText(memories, sessions, prompts int) string {
	return fmt.Sprintf("%s, %s, %s", command.Count(memories, "memory", "memories"), command.Count(sessions, "session", "sessions"), command.Count(prompts, "prompt", "prompts"))
}

func projectsCommand(p *command.Program) *cobra.Command {
	list := projectsListCommand(p)
	cmd := command.Group("projects", "List, merge, rename and prune projects; detect the project of a folder",
		command.Examples("engram projects list", "engram projects consolidate --dry-run", "engram projects merge shop-old --into shop"),
		list, projectsDetectCommand(p), projectsMergeCommand(p), projectsRenameCommand(p),
		projectsConsolidateCommand(p), projectsPruneCommand(p), projectsDecayCommand(p))
	cmd.Aliases = []string{"project"}
	cmd.RunE = list.RunE
	return cmd
}

func projectsListCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List projects with their contents",
		Example: command.Examples("engram projects list", "engram projects list --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			list, err := e.Projects(cmd.Context())
			if err != nil {
				return err
			}
			return p.AnswerRows(ProjectsDoc{projectsOf(list)}, func(b *strings.Builder) { writeProjects(b, list, p.Columns()) })
		}),
	}
}

func projectsDetectCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "detect [FOLDER]",
		Short:   "Show which project a folder belongs to, and why",
		Example: command.Examples("engram projects detect", "engram projects detect ~/src/shop --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			dir := p.Path(strings.Join(args, ""))
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return engram.Errorf(engram.CodeNotFound, "folder %s does not exist", dir).WithHint("name an existing folder, or none for this one")
			}
			// Not lenient: detect must report ambiguous folders.
			in, err := e.ProjectFor(cmd.Context(), projects.ProjectRequest{Override: p.Loaded.Project, Dir: dir})
			if err != nil {
				return err
			}
			doc := DetectedDoc{in.Name, string(in.Source), in.Path, document.OrEmpty(in.Available), in.Warning}
			return p.Answer(doc, func(b *strings.Builder) { writeDetected(b, in) })
		}),
	}
}

func projectsMergeCommand(p *command.Program) *cobra.Command {
	var into string
	cmd := &cobra.Command{
		Use:     "merge NAME… --into NAME",
		Short:   "Merge projects into one; the old names become aliases",
		Example: command.Examples("engram projects merge shop-old Shop --into shop"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if strings.TrimSpace(into) == "" {
				return command.Invalidf("merge needs a target project").WithHint("usage: %s", cmd.UseLine())
			}
			return merge(p, cmd, e, args, into)
		}),
	}
	cmd.Flags().StringVar(&into, "into", "", "the target `project`")
	return cmd
}

// merge merges projects and prints what was moved.
func merge(p *command.Program, cmd *cobra.Command, e *engine.Engine, from []string, into string) error {
	r, err := e.MergeProjects(cmd.Context(), from, into)
	switch {
	case err != nil:
		return err
	case r.Sources == 0 && len(r.Unknown) > 0: // nothing was written
		return engram.Errorf(engram.CodeNotFound, "project %q does not exist", r.Unknown[0]).WithHint("{projects list} lists the projects")
	case r.Sources == 0:
		return command.Invalidf("%s already is %s", strings.Join(from, ", "), r.To).WithHint("{projects list} lists projects with their aliases")
	}
	for _, name := range r.Unknown {
		p.Warn(fmt.Sprintf("project %q does not exist", name))
	}
	return p.Answer(mergedOf(r), func(b *strings.Builder) { writeMerged(b, r) })
}

func projectsRenameCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "rename OLD NEW",
		Short:   "Rename a project; the old name becomes an alias",
		Example: command.Examples("engram projects rename shop storefront"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			r, err := e.RenameProject(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			return p.Answer(mergedOf(r), func(b *strings.Builder) { writeMerged(b, r) })
		}),
	}
}

func projectsPruneCommand(p *command.Program) *cobra.Command {
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:   "prune [NAME…]",
		Short: "Remove projects without memories",
		Long: `Remove projects without memories, with their prompts and empty sessions: all such projects, or those named. Forgotten
memories count as memories.`,
		Example: command.Examples("engram projects prune --dry-run", "engram projects prune scratch --yes"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			return prune(p, cmd, e, args, yes, dryRun)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "skip the confirmation")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "preview only")
	return cmd
}

func prune(p *command.Program, cmd *cobra.Command, e *engine.Engine, names []string, yes, dryRun bool) error {
	if len(names) == 0 {
		names = nil // nil is every project, an empty list is no project
	}
	for _, name := range names {
		if err := projectExists(cmd, e, name); err != nil {
			return err
		}
	}
	plan, err := e.PruneProjects(cmd.Context(), names, true)
	if err != nil {
		return err
	}
	if !dryRun && len(plan) > 0 {
		if !yes {
			p.Report(func(b *strings.Builder) { writePruned(b, plan, names != nil, true) })
		}
		ok, err := p.Confirm(yes, fmt.Sprintf("Remove %s?", command.Count(len(plan), "project", "projects")))
		if err != nil {
			return err
		}
		if !ok {
			dryRun = true
		} else if plan, err = e.PruneProjects(cmd.Context(), namesOf(plan), false); err != nil {
			return err
		}
	}
	doc := PrunedDoc{DryRun: dryRun, Projects: projectsOf(plan)}
	return p.AnswerRows(doc, func(b *strings.Builder) {
		writePruned(b, plan, names != nil, dryRun)
		if !dryRun && len(plan) > 0 {
			fmt.Fprintln(b, "To undo: "+command.Self()+" undo")
		}
	})
}

// projectExists rejects the name of an unknown project.
func projectExists(cmd *cobra.Command, e *engine.Engine, name string) error {
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

func writeDetected(b *strings.Builder, in projects.ProjectInForce) {
	fmt.Fprintln(b, render.Plain(in.Name))
	fmt.Fprintf(b, "  source: %s\n", in.Source)
	if in.Path != "" {
		fmt.Fprintf(b, "  folder: %s\n", render.Plain(in.Path))
	}
	if in.Warning != "" {
		fmt.Fprintf(b, "  %s\n", render.Plain(in.Warning))
	}
}

// ConsolidateDoc is the answer of `projects consolidate --json`.
type ConsolidateDoc struct {
	DryRun bool           `json:"dry_run"` // nothing was changed
	Groups []consolidated `json:"groups"`  // projects with similar names
}

// consolidated is one group and its merge.
type consolidated struct {
	Into     string       `json:"into"`     // the target project
	From     []string     `json:"from"`     // projects merged into it, or to be merged
	Projects []projectDoc `json:"projects"` // the group before the merge, the largest first
	Merged   *MergedDoc   `json:"merged"`   // null if nothing was changed
}

func projectsConsolidateCommand(p *command.Program) *cobra.Command {
	var yes, dryRun bool
	var into string
	cmd := &cobra.Command{
		Use:   "consolidate",
		Short: "Merge projects with similar names",
		Long: `Merge projects with similar names: shop, Shop-, shopp. On a terminal you decide about each group: merge all of it, some
of it, or nothing. With --yes each group is merged into its largest project; --into NAME merges only the group of that
name, into NAME.`,
		Example: command.Examples("engram projects consolidate", "engram projects consolidate --dry-run", "engram projects consolidate --into shop --yes"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			return mergeNames(p, cmd, e, into, yes, dryRun)
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

func mergeNames(p *command.Program, cmd *cobra.Command, e *engine.Engine, into string, yes, dryRun bool) error {
	groups, err := e.SimilarProjects(cmd.Context())
	if err != nil {
		return err
	}
	if into != "" {
		if groups, err = groupOf(groups, into); err != nil {
			return err
		}
	}
	doc := ConsolidateDoc{DryRun: dryRun, Groups: []consolidated{}}
	for _, g := range groups {
		done, err := consolidateGroup(p, cmd, e, g, into, yes, dryRun)
		if err != nil {
			return err
		}
		doc.Groups = append(doc.Groups, done)
	}
	return p.Answer(doc, func(b *strings.Builder) { writeConsolidated(b, doc) })
}

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
func consolidateGroup(p *command.Program, cmd *cobra.Command, e *engine.Engine, g []engram.ProjectCounts, into string, yes, dryRun bool) (consolidated, error) {
	into = cmp.Or(into, g[0].Name)
	out := consolidated{Into: into, From: namesOf(g), Projects: projectsOf(g)}
	if !yes && !dryRun {
		var err error
		if out.From, out.Into, err = chooseProjects(p, g, into); err != nil {
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
	out.Merged = new(mergedOf(r))
	return out, nil
}

// chooseProjects asks which projects of a group to merge, and into which; from is nil for none.
func chooseProjects(p *command.Program, g []engram.ProjectCounts, into string) (from []string, to string, err error) {
	p.Report(func(b *strings.Builder) { writeChoice(b, g, p.Columns()) })
	const instead = "--yes, or --dry-run to preview; --into NAME for one group"
	answer, err := p.Ask(fmt.Sprintf("Merge into %s? [all, numbers such as 1,2, rename, or nothing to skip]",
		command.Quote(render.Line(into, 0))), instead)
	from, to, known := choiceOf(answer, namesOf(g), into)
	for err == nil && !known {
		if !p.SomeoneThere() {
			return nil, into, command.Invalidf("unknown choice %q", answer).WithHint("answer all, numbers such as 1,2, rename, or an empty line to skip")
		}
		p.Warn(command.Quote(render.Line(answer, 40)) + " is not one of the choices")
		answer, err = p.Ask("Which? [all, numbers such as 1,2, rename, or nothing to skip]", instead)
		from, to, known = choiceOf(answer, namesOf(g), into)
	}
	if answer == "rename" {
		if to, err = p.Ask("Merge all into which name?", instead); to == "" {
			return nil, into, err
		}
	}
	return from, to, err
}

// choiceOf parses an answer to chooseProjects; known reports whether it is one.
func choiceOf(answer string, names []string, into string) (from []string, to string, known bool) {
	switch {
	case slices.Contains([]string{"", "n", "no", "none", "skip"}, answer):
		return nil, into, true
	case slices.Contains([]string{"all", "y", "yes", "rename"}, answer):
		return names, into, true
	case slices.Contains(names, answer):
		return names, answer, true
	}
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(names) {
			return nil, into, false
		}
		from = append(from, names[n-1])
	}
	return from, into, true
}

func writeChoice(b *strings.Builder, g []engram.ProjectCounts, columns int) {
	t := terminal.Table{Indent: "  "}
	for i, c := range g {
		t.Row(fmt.Sprintf("%d. %s", i+1, render.Line(c.Name, 0)), movedText(c.Memories, c.Sessions, c.Prompts))
	}
	t.Write(b, columns)
}

func writeConsolidated(b *strings.Builder, doc ConsolidateDoc) {
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
