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
		Short: "Undo an operation",
		Long: `Undo an operation: the latest one of the project, or the one with a number from engram log. Created records are forgotten,
changed or forgotten ones are restored, and merges are split. An undo is an operation itself: undoing it applies the first
one again. Erased memories (delete --hard) cannot be restored.

FIRST..LAST undoes several operations, latest first; --verb limits it to one kind, such as all steps of a sleep.`,
		Example: examples("engram undo --dry-run", "engram undo", "engram undo 41", "engram undo 120..180 --verb sleep"),
		Args:    between(0, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var err error
			if len(args) == 1 && strings.Contains(args[0], "..") {
				return p.undoRange(cmd, e, args[0], engine.UndoRangeInput{Verb: verb, DryRun: dry})
			}
			if verb != "" {
				return invalidf("--verb needs FIRST..LAST").WithHint("run: %s --help", cmd.CommandPath())
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
	cmd.Flags().BoolVar(&dry, "dry-run", false, "preview only")
	cmd.Flags().BoolVar(&all, "all-projects", false, "undo the latest operation of any project")
	cmd.Flags().StringVar(&verb, "verb", "", "with FIRST..LAST: only operations of this `kind`")
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
		did := "undone"
		if in.DryRun {
			did = "to undo"
		}
		fmt.Fprintf(b, "%s %s\n", count(len(undone), "operation", "operations"), did)
	})
	return errors.Join(err, told)
}

func operationNumber(arg string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
	if err != nil || n < 1 {
		return 0, engram.Errorf(engram.CodeInvalid, "%q is not an operation number", render.Preview(arg, 40)).WithHint("{log} shows the numbers")
	}
	return n, nil
}
