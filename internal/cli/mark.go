package cli

import (
	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) markCommand() *cobra.Command {
	var permanent bool
	cmd := &cobra.Command{
		Use:     "mark ID --permanent[=false]",
		Short:   "Keep a memory from fading, or let it fade again",
		Example: examples("engram mark 12 --permanent", "engram mark 12 --permanent=false"),
		Args:    between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("permanent") {
				return invalidf("nothing says how to mark it").WithHint("--permanent keeps it from fading, --permanent=false lets it fade again")
			}
			ref, err := engram.ParseRef(args[0])
			if err != nil {
				return err
			}
			done := "marked permanent"
			if !permanent {
				done = "may fade again"
			}
			return p.update(cmd, engine.UpdateInput{Ref: ref, Permanent: &permanent}, done)
		},
	}
	cmd.Flags().BoolVar(&permanent, "permanent", false, "never fade")
	return cmd
}
