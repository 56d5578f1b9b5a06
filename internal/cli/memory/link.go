package memory

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/render"
)

func linkCommand(p *command.Program) *cobra.Command {
	var strength float64
	var reason, session, verb string
	cmd := &cobra.Command{
		Use:   "link A [RELATION] B",
		Short: "Relate one memory to another",
		Long: `Relate two memories: A RELATION B. The relations are ` + strings.Join(command.Texts(engram.Verbs()), ", ") + `;
the default is relates_to.
supersedes hides B from searches and lists while A exists; contradicts marks both. Repeating a relation changes its
strength and reason. engram unlink removes it.`,
		Example: command.Examples("engram link 12 supersedes 9", "engram link 12 derived_from topic:architecture/auth-model --strength 0.5",
			"engram link 12 contradicts 9 --reason 'two lifetimes'"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if len(args) == 3 {
				if cmd.Flags().Changed("relation") {
					return command.Invalidf("the relation is given twice").WithHint("usage: %s", cmd.UseLine())
				}
				verb = args[1]
			}
			in := relate.LinkInput{Verb: engram.Verb(verb), Reason: reason, SessionID: session, ActorKind: relate.KindHuman, Strength: command.Given(cmd, "strength", strength)}
			var err error
			if in.Source, in.Target, err = refPair(args[0], args[len(args)-1]); err != nil {
				return err
			}
			l, err := e.Link(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.Answer(linkedOf(l), func(b *strings.Builder) { writeLinked(b, l) })
		}),
	}
	// Older scripts give the relation as a flag.
	cmd.Flags().StringVar(&verb, "relation", string(engram.VerbRelatesTo), "the `relation`")
	_ = cmd.Flags().MarkHidden("relation") // fails only for an unknown flag
	cmd.Flags().Float64Var(&strength, "strength", 1, "strength, from 0 to 1: a search that follows the relation multiplies the score by it")
	cmd.Flags().StringVar(&reason, "reason", "", "`reason`, for later readers")
	cmd.Flags().StringVar(&session, "session", "", "`id` of the calling session")
	return cmd
}

func unlinkCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "unlink A [RELATION] B",
		Short: "Remove a relation between two memories",
		Long: `Remove a relation between two memories, in either direction; without RELATION remove all of them, pending candidates
included. A pair whose verdict is removed may be flagged again.`,
		Example: command.Examples("engram unlink 12 supersedes 9", "engram unlink 12 9"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var in relate.UnlinkInput
			if len(args) == 3 {
				in.Verb = engram.Verb(args[1])
				if strings.TrimSpace(args[1]) == "" {
					return command.Invalidf("RELATION is empty").WithHint("leave it out to remove every relation")
				}
			}
			var err error
			if in.A, in.B, err = refPair(args[0], args[len(args)-1]); err != nil {
				return err
			}
			removed, err := e.Unlink(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.Answer(document.Unlinked{Removed: document.Each(removed, linkedOf)}, func(b *strings.Builder) {
				for _, l := range removed {
					fmt.Fprintf(b, "Removed: %s\n", relationText(l))
				}
			})
		}),
	}
}

// refPair parses the names of two memories.
func refPair(a, b string) (first, second engram.Ref, err error) {
	if first, err = engram.ParseRef(a); err == nil {
		second, err = engram.ParseRef(b)
	}
	return first, second, err
}

func linkedOf(l relate.Linked) document.Linked {
	return document.LinkedOf(string(l.Action), l.Relation, l.Source, l.Target)
}

func writeLinked(b *strings.Builder, l relate.Linked) {
	done := map[relate.LinkAction]string{relate.LinkMade: "Linked", relate.LinkChanged: "Changed", relate.LinkKnown: "Already known"}[l.Action]
	fmt.Fprintf(b, "%s: %s\n", done, relationText(l))
	if l.Relation.Supersedes() {
		fmt.Fprintf(b, "Memory #%d is now hidden from searches and lists; --superseded shows it\n", l.Target.Num)
	}
}

func relationText(l relate.Linked) string {
	return fmt.Sprintf("%s %s %s", command.MemoryName(l.Source), render.Line(string(l.Relation.Verb), 0), command.MemoryName(l.Target))
}

func graphCommand(p *command.Program) *cobra.Command {
	var in read.GraphInput
	var relations []string
	var format string
	cmd := &cobra.Command{
		Use:   "graph ID",
		Short: "Show the relation graph around a memory",
		Long: `Show the memories that relations connect to a memory, in both directions: as a tree, as JSON, or as a graph for Graphviz
(dot) or Mermaid. Superseded memories are included; forgotten ones, other projects and pending candidates only on
request.`,
		Example: command.Examples("engram graph 12", "engram graph 12 --depth 4 --relation supersedes,derived_from",
			"engram graph 12 --format dot | dot -Tsvg > graph.svg", "engram graph 12 --format mermaid"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if p.JSON && !cmd.Flags().Changed("format") {
				format = "json"
			}
			// json prints the answer itself.
			write, known := map[string]func(engram.Graph) string{"text": render.Graph, "json": nil, "dot": render.DOT, "mermaid": render.Mermaid}[format]
			if !known {
				return command.Invalidf("--format %q is unknown", format).WithHint("use text, json, dot or mermaid")
			}
			if p.JSON && write != nil {
				return command.Invalidf("--json and --format %s cannot be combined", format).WithHint("remove one of them")
			}
			// The engine would replace 0 by its default.
			if in.Depth == 0 {
				return command.Invalidf("depth 0 is out of range").WithHint("use a number from 1 to %d", search.MaxHops)
			}
			if in.Limit == 0 {
				return command.Invalidf("limit 0 is out of range").WithHint("use a number from 1 to %d", read.MaxGraph)
			}
			in.Verbs = document.Each(relations, func(r string) engram.Verb { return engram.Verb(r) })
			var err error
			if in.Ref, err = engram.ParseRef(args[0]); err != nil {
				return err
			}
			g, err := e.Graph(cmd.Context(), in)
			if err != nil {
				return err
			}
			p.JSON = write == nil
			return p.Answer(document.GraphOf(g), func(b *strings.Builder) { fmt.Fprintln(b, write(g)) })
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
