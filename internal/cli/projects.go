package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
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
			dir := p.Dir
			if len(args) == 1 {
				if dir = args[0]; !filepath.IsAbs(dir) {
					dir = filepath.Join(p.Dir, dir)
				}
			}
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return engram.Errorf(engram.CodeNotFound, "folder %s does not exist", dir).WithHint("name an existing folder, or none for this one")
			}
			// Strict on purpose: whoever asks wants to hear that a folder is ambiguous.
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

// merge runs the verb and prints what moved.
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
		names = nil // every project; an empty list would be none
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
			p.tell(func(b *strings.Builder) { writePruned(b, plan, names != nil, true) })
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

// projectExists refuses the name of a project that there is not, or that is none.
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
	names := make([]string, len(list))
	for i, pc := range list {
		names[i] = pc.Name
	}
	return names
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
