package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) graphCommand() *cobra.Command {
	var in engine.GraphInput
	var relations []string
	var format string
	cmd := &cobra.Command{
		Use:   "graph ID",
		Short: "Show what relations lead to from a memory",
		Long: `Show what relations lead to from a memory, in both directions: as a tree, as JSON, or as a drawing for Graphviz (dot) or
Mermaid. Superseded memories are shown; forgotten ones, those of other projects and what waits for a verdict are not,
unless asked for.`,
		Example: examples("engram graph 12", "engram graph 12 --depth 4 --relation supersedes,derived_from",
			"engram graph 12 --format dot | dot -Tsvg > graph.svg", "engram graph 12 --format mermaid"),
		Args: between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if p.json && !cmd.Flags().Changed("format") {
				format = "json"
			}
			write, known := graphFormats()[format]
			if !known {
				return invalidf("--format %q is unknown", format).WithHint("text, json, dot or mermaid")
			}
			if p.json && write != nil {
				return invalidf("--json and --format %s cannot both be", format).WithHint("leave one of them out")
			}
			// The engine takes 0 for its default.
			if in.Depth == 0 {
				return invalidf("depth 0 is out of range").WithHint("from 1 to %d", engine.MaxHops)
			}
			if in.Limit == 0 {
				return invalidf("limit 0 is out of range").WithHint("from 1 to %d", engine.MaxGraph)
			}
			for _, r := range relations {
				in.Verbs = append(in.Verbs, engram.Verb(r))
			}
			var err error
			if in.Ref, err = engram.ParseRef(args[0]); err != nil {
				return err
			}
			g, err := e.Graph(cmd.Context(), in)
			if err != nil {
				return err
			}
			p.json = write == nil
			return p.answer(document.GraphOf(g), func(b *strings.Builder) { fmt.Fprintln(b, write(g)) })
		}),
	}
	flags := cmd.Flags()
	flags.IntVar(&in.Depth, "depth", 2, "relations from it, at most 5")
	flags.StringSliceVar(&relations, "relation", nil, "follow this `relation` alone, or one of several: a,b")
	flags.BoolVar(&in.Pending, "pending", false, "also what waits for a verdict")
	flags.BoolVar(&in.AllProjects, "all-projects", false, "also memories of other projects")
	flags.IntVar(&in.Limit, "limit", 200, "show at most so many memories")
	flags.StringVar(&format, "format", "text", "print as `what`: text, json, dot or mermaid")
	return cmd
}

// graphFormats are the ways to print a graph; that of json is the answer's own.
func graphFormats() map[string]func(engram.Graph) string {
	return map[string]func(engram.Graph) string{"text": render.Graph, "json": nil, "dot": render.DOT, "mermaid": render.Mermaid}
}
