package cli

import (
	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) markCommand() *cobra.Command {
	var permanent bool
	cmd := &cobra.Command{
		Use:   "mark ID [--permanent[=false]]",
		Short: "Keep a memory from fading, or let it fade again",
		Long: `Keep a memory from fading, or let it fade again: each call toggles it; --permanent and --permanent=false set it. A
permanent memory has the tag "permanent"; adding or removing that tag has the same effect.`,
		Example: examples("engram mark 12", "engram mark 12 --permanent=false"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			ref, err := engram.ParseRef(args[0])
			if err != nil {
				return err
			}
			in := engine.UpdateInput{Ref: ref, Mark: !cmd.Flags().Changed("permanent")}
			if !in.Mark {
				in.Permanent = &permanent
			}
			return p.update(cmd, e, in, "marked")
		}),
	}
	cmd.Flags().BoolVar(&permanent, "permanent", false, "never fade")
	return cmd
}
