package cli

import (
	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func (p *program) pruneCommand() *cobra.Command {
	in := engine.SleepInput{Only: []lifecycle.StepAction{lifecycle.StepPrune}}
	var all bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Forget what is too weak",
		Long: `Forget what is too weak, as a sleep does, and nothing else of it. The memories are hidden, not erased: engram undo brings
them back. Nothing permanent is forgotten, nor what is due for review, or was brought back by an undo. Without --below
nothing is forgotten either that is important, was ever read, or is here or changed for less than 30 days.

The importance curve, which is the default, shows no strength below 0.1; here it counts as if it went on. A memory of
ordinary importance that nobody reads falls below 0.05 after 271 days.`,
		Example: examples("engram prune --dry-run", "engram prune --below 0.2", "engram prune --below 0.3 --all-projects --json"),
		Args:    between(0, 0),
		RunE:    p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return p.sleep(cmd, e, in, all) }),
	}
	flags := cmd.Flags()
	flags.BoolVar(&in.DryRun, "dry-run", false, "print what would be forgotten and change nothing")
	flags.Float64Var(&in.Below, "below", 0, "forget what is weaker than `x`, 0 to 1 (default 0.05)")
	flags.BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}
