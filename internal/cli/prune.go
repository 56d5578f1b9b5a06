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
		Short: "Forget weak memories",
		Long: `Forget weak memories: the prune step of engram sleep alone. The memories are hidden, not erased, and engram undo restores
them. Never forgotten are memories that are permanent, due for review, or restored by an undo; and, without --below, those
that are important, were ever read, or were created or changed in the last 30 days.

The importance curve (the default) never reports a strength below 0.1; for pruning it is continued below that. A memory of
average importance that is never read falls below 0.05 after 271 days.`,
		Example: examples("engram prune --dry-run", "engram prune --below 0.2", "engram prune --below 0.3 --all-projects --json"),
		Args:    between(0, 0),
		RunE:    p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return p.sleep(cmd, e, in, all) }),
	}
	flags := cmd.Flags()
	flags.BoolVar(&in.DryRun, "dry-run", false, "preview the memories that would be forgotten")
	flags.Float64Var(&in.Below, "below", 0, "forget memories weaker than `x`, from 0 to 1 (default 0.05)")
	flags.BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}
