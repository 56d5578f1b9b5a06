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
		Short: "Show memories that deserve a look: the weakest, near-duplicates, orphans, never recalled",
		Long: `Show memories that deserve a look: the weakest; pairs that say nearly the same, and why sleep leaves some of them apart;
orphans, to which nothing leads (no relation, no topic, never accessed); and those that were never recalled. Nothing is
changed. Whether the store itself is well: engram doctor.`,
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
	cmd.Flags().IntVar(&in.Limit, "limit", 10, "show at most so many of each, up to 100")
	cmd.Flags().BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}
