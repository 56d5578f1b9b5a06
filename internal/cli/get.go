package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
)

func (p *program) getCommand() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:     "get ID",
		Aliases: []string{"show"},
		Short:   "Show a whole memory with its relations and revisions",
		Example: examples("engram get 12", "engram get mem_01k3", "engram get topic:architecture/auth-model"),
		Args:    between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := engram.ParseRef(args[0])
			if err != nil {
				return err
			}
			e, err := p.open(cmd)
			if err != nil {
				return err
			}
			d, err := e.GetIn(cmd.Context(), session, ref)
			if err != nil {
				return err
			}
			return p.answer(detailOf(d), func(b *strings.Builder) { writeDetail(b, d, p.zone()) })
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "the session that asks, by its `id`: engram why tells what it was shown")
	return cmd
}
