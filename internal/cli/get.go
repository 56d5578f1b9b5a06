package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) getCommand() *cobra.Command {
	var session, asOf string
	cmd := &cobra.Command{
		Use:     "get ID",
		Aliases: []string{"show"},
		Short:   "Show a memory with its relations and revisions",
		Example: examples("engram get 12", "engram get mem_01k3", "engram get topic:architecture/auth-model"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			ref, err := engram.ParseRef(args[0])
			if err != nil {
				return err
			}
			at, err := p.when("as-of", asOf, e.Now())
			if err != nil {
				return err
			}
			var d engine.Detail
			if at.IsZero() {
				d, err = e.GetIn(cmd.Context(), session, ref)
			} else {
				d, err = e.GetAsOf(cmd.Context(), ref, at)
			}
			if err != nil {
				return err
			}
			p.warnAll(d.Degraded)
			return p.answerWrapped(detailOf(d), func(b *strings.Builder) { writeDetail(b, d, p.zone()) })
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "`id` of the calling session; engram why reports what it was shown")
	cmd.Flags().StringVar(&asOf, "as-of", "", "as of a past `time`: 7d, yesterday, 2026-01-31")
	return cmd
}
