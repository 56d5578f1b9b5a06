package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) diagnosticsCommand() *cobra.Command {
	var in engine.DiagnosticsInput
	var all bool
	cmd := &cobra.Command{
		Use:   "diagnostics",
		Short: "List memories to check: weakest, near-duplicates, orphans, never recalled",
		Long: `List memories that may need attention: the weakest; pairs of near-duplicates, with the reason why sleep does not merge
them; orphans (no relation, no topic, never accessed); and memories that were never recalled. Nothing is changed. To check
the store itself: engram doctor.`,
		Example: examples("engram diagnostics", "engram diagnostics --limit 50 --all-projects --json"),
		Args:    between(0, 0),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			if in.Limit < 1 { // the engine takes 0 for its default
				return invalidf("limit %d is out of range", in.Limit).WithHint("a number from 1")
			}
			var err error
			if in.Project, err = p.readProject(cmd, e, all); err != nil {
				return err
			}
			bar := p.progress("comparing")
			in.Progress = func(_ string, done, total int) { bar.tell(done, total) }
			d, err := e.Diagnose(cmd.Context(), in)
			bar.end()
			if err != nil {
				return err
			}
			p.warnAll(d.Degraded)
			return p.answerRows(document.DiagnosticsOf(d), func(b *strings.Builder) { fmt.Fprintln(b, render.Diagnosed(d)) })
		}),
	}
	cmd.Flags().IntVar(&in.Limit, "limit", 10, "maximum number of each, up to 100")
	cmd.Flags().BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}
