package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) conflictsCommand() *cobra.Command {
	cmd := group("conflicts", "List and judge memories that may contradict each other",
		examples("engram conflicts list --status pending", "engram conflicts judge 3 supersedes --reason 'measured again'"),
		p.conflictsListCommand(), p.conflictsShowCommand(), p.conflictsStatsCommand(), p.conflictsScanCommand(), p.conflictsJudgeCommand(), p.conflictsIgnoreCommand(),
		p.conflictsDeferredCommand())
	cmd.Aliases = []string{"conflict"}
	return cmd
}

func (p *program) conflictsListCommand() *cobra.Command {
	var status, since string
	var all bool
	var page engram.Page
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List candidate contradictions and verdicts, newest first",
		Example: examples("engram conflicts list --status pending", "engram conflicts list --all-projects --since 7d --json"),
		Args:    between(0, 0),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			var err error
			if page.Limit < 1 {
				return invalidf("limit %d is out of range", page.Limit).WithHint("from 1 to %d", engine.MaxConflicts)
			}
			f := engine.ConflictFilter{Status: engram.RelationStatus(strings.ToLower(strings.TrimSpace(status))), Page: page}
			if f.Since, err = p.when("since", since, e.Now()); err != nil {
				return err
			}
			if f.Project, err = p.readProject(cmd, e, all); err != nil {
				return err
			}
			list, total, err := e.Conflicts(cmd.Context(), f)
			if err != nil {
				return err
			}
			return p.answerRows(conflictsOf(f, list, total), func(b *strings.Builder) { writeConflicts(b, f.Project, list, total, p.zone()) })
		}),
	}
	cmd.Flags().StringVar(&status, "status", "", "only those with this `status`: pending, judged, ignored or orphaned")
	cmd.Flags().StringVar(&since, "since", "", "only those flagged since a `time`: 7d, 12h, yesterday, 2026-01-31")
	cmd.Flags().BoolVar(&all, "all-projects", false, "include every project")
	cmd.Flags().IntVar(&page.Limit, "limit", 50, "maximum number of results")
	cmd.Flags().IntVar(&page.Offset, "offset", 0, "skip this many first")
	return cmd
}

func (p *program) conflictsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show a candidate or verdict with both memories",
		Example: examples("engram conflicts show 3", "engram conflicts show rel-0123456789abcdef --json"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			ref, err := relationRef(args[0])
			if err != nil {
				return err
			}
			c, err := e.Conflict(cmd.Context(), ref)
			if err != nil {
				return err
			}
			return p.answer(conflictShownOf(e, c), func(b *strings.Builder) { writeConflict(b, c, p.zone()) })
		}),
	}
}

// relationRef reads what names a relation: its number, or its id.
func relationRef(s string) (engram.RelationRef, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(strings.ToLower(s), engram.RelationIDPrefix) {
		return engram.RelationRef{ID: s}, nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || n < 1 {
		return engram.RelationRef{}, invalidf("cannot parse %q as a relation", s).WithHint("use its number, or rel- and 16 hex digits; {conflicts list} shows both")
	}
	return engram.RelationRef{Num: n}, nil
}

func (p *program) conflictsStatsCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "stats",
		Short:   "Count candidates and verdicts",
		Example: examples("engram conflicts stats", "engram conflicts stats --all-projects --json"),
		Args:    between(0, 0),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			name, err := p.readProject(cmd, e, all)
			if err != nil {
				return err
			}
			s, err := e.ConflictStats(cmd.Context(), name)
			if err != nil {
				return err
			}
			return p.answerRows(conflictStatsDoc{name, s.ByVerb, s.ByStatus}, func(b *strings.Builder) { writeConflictStats(b, name, s) })
		}),
	}
	cmd.Flags().BoolVar(&all, "all-projects", false, "count every project")
	return cmd
}

func (p *program) conflictsJudgeCommand() *cobra.Command {
	var in engine.JudgeInput
	var confidence float64
	cmd := &cobra.Command{
		Use:   "judge ID VERDICT",
		Short: "Record a verdict on a candidate pair",
		Long: `Record how the two memories of a candidate pair relate. An earlier verdict is overwritten.

supersedes      the newer memory (the source) replaces the other, which is hidden; --reverse swaps the two
contradicts     both stay visible and are marked; which one is right is open
scoped          both are true, each in its own context: branch, customer or time
compatible      both are true together
relates_to      both are about the same thing, nothing more
not_conflict    they are unrelated; the pair is never flagged again`,
		Example: examples("engram conflicts judge 3 supersedes --reason 'measured again'", "engram conflicts judge rel-0123456789abcdef not_conflict"),
		Args:    between(2, 2),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var err error
			if in.Ref, err = relationRef(args[0]); err != nil {
				return err
			}
			if in.Verb, err = engram.ParseVerb(args[1]); err != nil {
				in.Verb = engram.Verb(args[1]) // the engine says which verdicts there are
			}
			if cmd.Flags().Changed("confidence") {
				in.Confidence = &confidence
			}
			in.ActorKind = engine.KindHuman
			c, err := e.Judge(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.answer(conflictShownOf(e, c), func(b *strings.Builder) { writeVerdict(b, c) })
		}),
	}
	cmd.Flags().StringVar(&in.Reason, "reason", "", "`reason`, one line")
	cmd.Flags().StringVar(&in.Evidence, "evidence", "", "supporting `text`")
	cmd.Flags().Float64Var(&confidence, "confidence", 1, "confidence, from 0 to 1")
	cmd.Flags().BoolVar(&in.Reverse, "reverse", false, "with supersedes: let the older memory replace the newer one")
	return cmd
}

func (p *program) conflictsIgnoreCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:     "ignore ID",
		Short:   "Dismiss a candidate without a verdict",
		Example: examples("engram conflicts ignore 3 --reason 'both are drafts'"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			ref, err := relationRef(args[0])
			if err != nil {
				return err
			}
			c, err := e.Ignore(cmd.Context(), ref, reason)
			if err != nil {
				return err
			}
			return p.answer(conflictShownOf(e, c), func(b *strings.Builder) { writeVerdict(b, c) })
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`reason`, one line")
	return cmd
}
