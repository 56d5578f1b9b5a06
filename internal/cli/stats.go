package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/config"
)

func (p *program) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "stats",
		Short:   "Count what is kept",
		Long:    "Count what is kept: in every project, or in one with --project.",
		Example: examples("engram stats", "engram stats --project shop --json"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := p.open(cmd)
			if err != nil {
				return err
			}
			name, err := p.readProject(cmd, e, p.loaded.Origins["project"].Source != config.SourceFlag)
			if err != nil {
				return err
			}
			s, err := e.Stats(cmd.Context(), name)
			if err != nil {
				return err
			}
			return p.answer(statsOf(name, s, p.loaded.DBPath), func(b *strings.Builder) { writeStats(b, s, p.loaded.DBPath) })
		},
	}
}
