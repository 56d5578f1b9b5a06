package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) listCommand() *cobra.Command {
	return p.lister("list [N]", "List memories, newest first", 20,
		examples("engram list", "engram list --type decision --limit 50 --offset 50", "engram list --forgotten --all-projects"))
}

// recentCommand is list with a short page: what happened lately.
func (p *program) recentCommand() *cobra.Command {
	return p.lister("recent [N]", "Show the newest memories, 5 or N", 5, examples("engram recent", "engram recent 10", "engram recent --since yesterday"))
}

func (p *program) lister(use, short string, limit int, example string) *cobra.Command {
	var f filterFlags
	var forgotten bool
	var asOf string
	cmd := &cobra.Command{
		Use: use, Short: short, Example: example, Args: between(0, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if len(args) == 1 && cmd.Flags().Changed("limit") {
				return invalidf("the number of memories is given twice").WithHint("use %s or --limit", render.Preview(args[0], 40))
			}
			if err := countOf(args, &f.limit); err != nil {
				return err
			}
			at, err := p.when("as-of", asOf, e.Now())
			if err != nil {
				return err
			}
			filter, err := p.filter(cmd, e, f, at)
			if err != nil {
				return err
			}
			filter.Forgotten, filter.Current = forgotten, !f.superseded
			page := engram.Page{Limit: f.limit, Offset: f.offset}
			list, err := e.ListNoted(cmd.Context(), filter, page, at)
			if err != nil {
				return err
			}
			p.warnAll(list.Degraded)
			nothing, err := p.nothing(cmd, e, filter.Project, len(list.Memories) > 0 || f.offset > 0 || forgotten || !at.IsZero())
			if err != nil {
				return err
			}
			return p.answerRows(listOf(filter.Project, list, page), unless(nothing, func(b *strings.Builder) { writeList(b, list, p.zone()) }))
		}),
	}
	f.register(cmd, limit)
	f.registerSuperseded(cmd)
	cmd.Flags().IntVar(&f.offset, "offset", 0, "skip this many first")
	cmd.Flags().BoolVar(&forgotten, "forgotten", false, "list forgotten memories instead of live ones")
	cmd.Flags().StringVar(&asOf, "as-of", "", "as of a past `time`: 7d, yesterday, 2026-01-31")
	return cmd
}
