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
		Short: "Show the relation graph around a memory",
		Long: `Show the memories that relations connect to a memory, in both directions: as a tree, as JSON, or as a graph for Graphviz
(dot) or Mermaid. Superseded memories are included; forgotten ones, other projects and pending candidates only on
request.`,
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
				return invalidf("--json and --format %s cannot be combined", format).WithHint("remove one of them")
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
	flags.IntVar(&in.Depth, "depth", 2, "number of relations to follow, at most 5")
	flags.StringSliceVar(&relations, "relation", nil, "follow only this `relation`, or several: a,b")
	flags.BoolVar(&in.Pending, "pending", false, "include pending candidates")
	flags.BoolVar(&in.AllProjects, "all-projects", false, "include memories of other projects")
	flags.IntVar(&in.Limit, "limit", 200, "maximum number of memories")
	flags.StringVar(&format, "format", "text", "output `format`: text, json, dot or mermaid")
	return cmd
}

// graphFormats are the ways to print a graph; that of json is the answer's own.
func graphFormats() map[string]func(engram.Graph) string {
	return map[string]func(engram.Graph) string{"text": render.Graph, "json": nil, "dot": render.DOT, "mermaid": render.Mermaid}
}
