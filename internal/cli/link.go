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

func (p *program) linkCommand() *cobra.Command {
	var strength float64
	var reason, session, verb string
	cmd := &cobra.Command{
		Use:   "link A [RELATION] B",
		Short: "Relate one memory to another",
		Long: `Relate two memories: A RELATION B. The relations are ` + verbNames() + `;
the default is relates_to.
supersedes hides B from searches and lists while A exists; contradicts marks both. Repeating a relation changes its
strength and reason. engram unlink removes it.`,
		Example: examples("engram link 12 supersedes 9", "engram link 12 derived_from topic:architecture/auth-model --strength 0.5",
			"engram link 12 contradicts 9 --reason 'two lifetimes'"),
		Args: between(2, 3),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if len(args) == 3 {
				if cmd.Flags().Changed("relation") {
					return invalidf("the relation is given twice").WithHint("usage: %s", cmd.UseLine())
				}
				verb = args[1]
			}
			in := engine.LinkInput{Verb: engram.Verb(verb), Reason: reason, SessionID: session, ActorKind: engine.KindHuman}
			if cmd.Flags().Changed("strength") {
				in.Strength = &strength
			}
			var err error
			if in.Source, in.Target, err = refPair(args[0], args[len(args)-1]); err != nil {
				return err
			}
			l, err := e.Link(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.answer(linkedOf(l), func(b *strings.Builder) { writeLinked(b, l) })
		}),
	}
	// Where the relation was a flag, scripts go on.
	cmd.Flags().StringVar(&verb, "relation", string(engram.VerbRelatesTo), "the `relation`")
	_ = cmd.Flags().MarkHidden("relation") // it fails for a flag that does not exist
	cmd.Flags().Float64Var(&strength, "strength", 1, "strength, from 0 to 1: a search that follows the relation multiplies the score by it")
	cmd.Flags().StringVar(&reason, "reason", "", "`reason`, for later readers")
	cmd.Flags().StringVar(&session, "session", "", "`id` of the calling session")
	return cmd
}

func (p *program) unlinkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unlink A [RELATION] B",
		Short: "Remove a relation between two memories",
		Long: `Remove a relation between two memories, in either direction; without RELATION remove all of them, pending candidates
included. A pair whose verdict is removed may be flagged again.`,
		Example: examples("engram unlink 12 supersedes 9", "engram unlink 12 9"),
		Args:    between(2, 3),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var in engine.UnlinkInput
			if len(args) == 3 {
				in.Verb = engram.Verb(args[1])
				if strings.TrimSpace(args[1]) == "" {
					return invalidf("RELATION is empty").WithHint("leave it out to remove every relation")
				}
			}
			var err error
			if in.A, in.B, err = refPair(args[0], args[len(args)-1]); err != nil {
				return err
			}
			gone, err := e.Unlink(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.answer(document.Unlinked{Removed: document.Each(gone, linkedOf)}, func(b *strings.Builder) {
				for _, l := range gone {
					fmt.Fprintf(b, "Removed: %s\n", tieText(l))
				}
			})
		}),
	}
}

// refPair reads two memories.
func refPair(a, b string) (first, second engram.Ref, err error) {
	if first, err = engram.ParseRef(a); err == nil {
		second, err = engram.ParseRef(b)
	}
	return first, second, err
}

// verbNames are the relations for a help text.
func verbNames() string {
	names := make([]string, 0, len(engram.Verbs()))
	for _, v := range engram.Verbs() {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

func linkedOf(l engine.Linked) document.Linked {
	return document.LinkedOf(string(l.Action), l.Relation, l.Source, l.Target)
}

func writeLinked(b *strings.Builder, l engine.Linked) {
	done := map[engine.LinkAction]string{engine.LinkMade: "Linked", engine.LinkChanged: "Changed", engine.LinkKnown: "Already known"}[l.Action]
	fmt.Fprintf(b, "%s: %s\n", done, tieText(l))
	if l.Relation.Supersedes() {
		fmt.Fprintf(b, "Memory #%d is now hidden from searches and lists; --superseded shows it\n", l.Target.Num)
	}
}

// tieText is a relation with its memories on one line.
func tieText(l engine.Linked) string {
	return fmt.Sprintf("%s %s %s", name(l.Source), render.Line(string(l.Relation.Verb), 0), name(l.Target))
}
