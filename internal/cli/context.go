package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) contextCommand() *cobra.Command {
	var o budgetFlags
	var scope string
	var all, superseded bool
	cmd := &cobra.Command{
		Use:   "context [PROJECT]",
		Short: "Show what a new session should know",
		Long: `Show what a new session should know: recent sessions, recent prompts and the most valuable memories, up to a token budget
(one token is about four letters of English, or one character of Chinese, Japanese or Korean). Permanent and important
memories, decisions and preferences, and memories that are read often or are new come first. With --session, memories
that this session has already seen are left out, unless nothing else remains.`,
		Example: examples("engram context", "engram context shop --scope personal", "engram context --budget 800 --session s1"),
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 { // before the settings are read
				if err := cmd.Flags().Set("project", args[0]); err != nil {
					return err
				}
			}
			e, err := p.open(cmd)
			if err != nil {
				return err
			}
			return p.context(cmd, e, engine.ContextInput{Superseded: superseded}, scope, all, o)
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only memories of this `scope`: project, personal or global")
	cmd.Flags().BoolVar(&all, "all-projects", false, "of every project")
	cmd.Flags().BoolVar(&superseded, "superseded", false, supersededUsage)
	o.register(cmd, engine.ContextBudget)
	cmd.Flags().StringVar(&o.session, "session", "", sessionUsage)
	cmd.Flags().StringVar(&o.asOf, "as-of", "", "as of a past `time`: 7d, yesterday, 2026-01-31")
	return cmd
}

func (p *program) context(cmd *cobra.Command, e *engine.Engine, in engine.ContextInput, scope string, all bool, o budgetFlags) error {
	var err error
	in.Budget, in.SessionID, in.Again = o.budget, o.session, o.again
	if in.Scope, err = scopeOf(scope); err != nil {
		return err
	}
	if in.AsOf, err = p.when("as-of", o.asOf, e.Now()); err != nil {
		return err
	}
	if in.Project, err = p.readProjectAt(cmd, e, all, in.AsOf); err != nil {
		return err
	}
	c, err := e.Context(cmd.Context(), in)
	if err != nil {
		return err
	}
	p.warnAll(c.Degraded)
	nothing, err := p.nothing(cmd, e, in.Project, !c.Empty() || len(c.LeftOut) > 0 || !in.AsOf.IsZero())
	if err != nil {
		return err
	}
	return p.answerWrapped(contextOf(in.Project, c, p.zone()), unless(nothing, func(b *strings.Builder) { writeContext(b, c, p.zone()) }))
}
