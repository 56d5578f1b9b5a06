package cli

import (
	"errors"
	"fmt"
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
	var verb string
	cmd := &cobra.Command{
		Use:   "undo [OP|FIRST..LAST]",
		Short: "Take back what an operation did",
		Long: `Take back what an operation did: the latest of the project, or the one whose number log shows. What was made is
forgotten, what was changed or forgotten is brought back, and what was merged is parted. The undo is an operation itself:
undoing that does the first one again. What was erased (delete --hard) cannot be brought back.

FIRST..LAST takes back several, the latest first: with --verb those of one verb, such as all that a sleep did.`,
		Example: examples("engram undo --dry-run", "engram undo", "engram undo 41", "engram undo 120..180 --verb sleep"),
		Args:    between(0, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var err error
			if len(args) == 1 && strings.Contains(args[0], "..") {
				return p.undoRange(cmd, e, args[0], engine.UndoRangeInput{Verb: verb, DryRun: dry})
			}
			if verb != "" {
				return invalidf("--verb goes with FIRST..LAST").WithHint("run: %s --help", cmd.CommandPath())
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
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only tell what would be taken back")
	cmd.Flags().BoolVar(&all, "all-projects", false, "the latest operation of every project")
	cmd.Flags().StringVar(&verb, "verb", "", "with FIRST..LAST: only operations of this `verb`")
	return cmd
}

// undoneRangeDoc is the answer of `undo FIRST..LAST --json`.
type undoneRangeDoc struct {
	DryRun bool              `json:"dry_run"`
	Undone []document.Undone `json:"undone"` // the latest first
}

// undoRange takes several operations back. What was taken back before an error is told
// all the same.
func (p *program) undoRange(cmd *cobra.Command, e *engine.Engine, span string, in engine.UndoRangeInput) error {
	first, last, _ := strings.Cut(span, "..")
	var err error
	if in.First, err = operationNumber(first); err != nil {
		return err
	}
	if in.Last, err = operationNumber(last); err != nil {
		return err
	}
	bar := p.progress("undo")
	in.Progress = bar.tell
	undone, err := e.UndoRange(cmd.Context(), in)
	bar.end()
	if len(undone) == 0 && err != nil {
		return err
	}
	doc := undoneRangeDoc{in.DryRun, document.Each(undone, func(u engram.Undone) document.Undone { return document.UndoneOf(u, in.DryRun) })}
	told := p.answer(doc, func(b *strings.Builder) {
		for _, u := range undone {
			b.WriteString(render.Undone(u, in.DryRun))
		}
		did := "taken back"
		if in.DryRun {
			did = "to take back"
		}
		fmt.Fprintf(b, "%s %s\n", count(len(undone), "operation", "operations"), did)
	})
	return errors.Join(err, told)
}

func operationNumber(arg string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
	if err != nil || n < 1 {
		return 0, engram.Errorf(engram.CodeInvalid, "%q is not the number of an operation", render.Preview(arg, 40)).WithHint("{log} shows the numbers")
	}
	return n, nil
}
