package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
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
	Projects []projectDoc `json:"projects"` // the group as it was, the largest first
	Merged   *mergedDoc   `json:"merged"`   // null when nothing was changed
}

func (p *program) projectsConsolidateCommand() *cobra.Command {
	var yes, dryRun bool
	var into string
	cmd := &cobra.Command{
		Use:   "consolidate",
		Short: "Merge projects whose names look like one project's",
		Long: `Merge projects whose names look like one project's: shop, Shop-, shopp. On a terminal each group is shown and asked
about. With --yes each group goes into its largest project; --into merges only the group of that name, into it.`,
		Example: examples("engram projects consolidate", "engram projects consolidate --dry-run", "engram projects consolidate --into shop --yes"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.consolidate(cmd, into, yes, dryRun)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be merged")
	// Older scripts ask for every group by it; here that is what the command does anyway.
	cmd.Flags().Bool("all", false, "every group")
	_ = cmd.Flags().MarkHidden("all") // it fails for a flag that does not exist
	cmd.Flags().StringVar(&into, "into", "", "only the group of this `project`, into it")
	return cmd
}

func (p *program) consolidate(cmd *cobra.Command, into string, yes, dryRun bool) error {
	e, err := p.open(cmd)
	if err != nil {
		return err
	}
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
	return nil, engram.Errorf(engram.CodeNotFound, "no project looks like %q", name).
		WithHint("to merge others: engram projects merge NAME… --into %s", name)
}

// consolidateGroup merges one group, or only says what it would do.
func (p *program) consolidateGroup(cmd *cobra.Command, e *engine.Engine, g []engram.ProjectCounts, into string, yes, dryRun bool) (consolidated, error) {
	if into == "" {
		into = g[0].Name
	}
	out := consolidated{Into: into, Projects: projectsOf(g)}
	if dryRun {
		return out, nil
	}
	if !yes {
		p.tell(func(b *strings.Builder) { writeProjects(b, g) })
		answer, err := p.ask(fmt.Sprintf("Merge all into %q? [y/N, or the name to merge into]", render.Plain(into)),
			"--yes, or --dry-run to only look")
		switch {
		case err != nil:
			return out, err
		case answer == "" || answer == "n" || answer == "no":
			return out, nil
		case answer != "y" && answer != "yes":
			out.Into = answer
		}
	}
	var from []string
	for _, name := range namesOf(g) {
		if name != out.Into {
			from = append(from, name)
		}
	}
	r, err := e.MergeProjects(cmd.Context(), from, out.Into)
	if err != nil {
		return out, err
	}
	merged := mergedOf(r)
	out.Merged = &merged
	return out, nil
}

func writeConsolidated(b *strings.Builder, doc consolidateDoc) {
	if len(doc.Groups) == 0 {
		fmt.Fprintln(b, "No two projects look alike.")
	}
	for _, g := range doc.Groups {
		names := make([]string, 0, len(g.Projects))
		for _, pd := range g.Projects {
			if pd.Name != g.Into {
				names = append(names, render.Plain(pd.Name))
			}
		}
		list := strings.Join(names, ", ")
		switch {
		case g.Merged != nil:
			fmt.Fprintf(b, "Merged %s into %q: %s\n", list, render.Plain(g.Into), movedText(g.Merged.Memories, g.Merged.Sessions, g.Merged.Prompts))
		case doc.DryRun:
			fmt.Fprintf(b, "Would merge %s into %q\n", list, render.Plain(g.Into))
		default:
			fmt.Fprintf(b, "Left alone: %s, %s\n", render.Plain(g.Into), list)
		}
	}
}
