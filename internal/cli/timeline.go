package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) timelineCommand() *cobra.Command {
	var before, after int
	cmd := &cobra.Command{
		Use:     "timeline ID",
		Short:   "Show what was saved around a memory in its session",
		Example: examples("engram timeline 12", "engram timeline 12 --before 10 --after 0"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			ref, err := engram.ParseRef(args[0])
			if err != nil {
				return err
			}
			t, err := e.Timeline(cmd.Context(), ref, before, after)
			if err != nil {
				return err
			}
			return p.answerWrapped(timelineOf(t), func(b *strings.Builder) { writeTimeline(b, t, p.zone()) })
		}),
	}
	cmd.Flags().IntVar(&before, "before", 5, "number of memories before it")
	cmd.Flags().IntVar(&after, "after", 5, "number of memories after it")
	return cmd
}
