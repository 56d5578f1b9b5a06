package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) undoCommand() *cobra.Command {
	var dry, all bool
	cmd := &cobra.Command{
		Use:   "undo [OP]",
		Short: "Take back what an operation did",
		Long: `Take back what an operation did: the latest of the project, or the one whose number log shows. What was made is
forgotten, what was changed or forgotten is brought back, and what was merged is parted. The undo is an operation itself:
undoing that does the first one again. What was erased (delete --hard) cannot be brought back.`,
		Example: examples("engram undo --dry-run", "engram undo", "engram undo 41"),
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := p.open(cmd)
			if err != nil {
				return err
			}
			in := engine.UndoInput{DryRun: dry}
			if len(args) == 1 {
				if in.Op, err = operationNumber(args[0]); err != nil {
					return err
				}
			} else if in.Project, err = p.readProject(cmd, e, all); err != nil {
				return err
			}
			u, err := e.Undo(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.answer(document.UndoneOf(u, dry), func(b *strings.Builder) { b.WriteString(render.Undone(u, dry)) })
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only tell what would be taken back")
	cmd.Flags().BoolVar(&all, "all-projects", false, "the latest operation of every project")
	return cmd
}

func operationNumber(arg string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
	if err != nil || n < 1 {
		return 0, engram.Errorf(engram.CodeInvalid, "%q is not the number of an operation", render.Preview(arg, 40)).WithHint("engram log shows the numbers")
	}
	return n, nil
}
