package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) contextCommand() *cobra.Command {
	var scope string
	var all bool
	cmd := &cobra.Command{
		Use:     "context [PROJECT]",
		Short:   "Show what a new session should know",
		Long:    "Show what a new session should know: the last sessions, what was asked, and the newest memories.",
		Example: examples("engram context", "engram context shop --scope personal"),
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := cmd.Flags().Set("project", args[0]); err != nil {
					return err
				}
			}
			return p.context(cmd, scope, all)
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only memories for `whom`: project, personal or global")
	cmd.Flags().BoolVar(&all, "all-projects", false, "of every project")
	return cmd
}

func (p *program) context(cmd *cobra.Command, scope string, all bool) error {
	e, err := p.open(cmd)
	if err != nil {
		return err
	}
	var in engine.ContextInput
	if in.Scope, err = scopeOf(scope); err != nil {
		return err
	}
	if in.Project, err = p.readProject(cmd, e, all); err != nil {
		return err
	}
	c, err := e.Context(cmd.Context(), in)
	if err != nil {
		return err
	}
	return p.answer(contextOf(e, in.Project, c, p.zone()), func(b *strings.Builder) { writeContext(b, c, p.zone()) })
}
