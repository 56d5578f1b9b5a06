package review

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// noRunner is the message that older scripts expect if no agent can judge.
const noRunner = "failed to resolve agent runner: invalid runner name: ENGRAM_AGENT_CLI is not set; supported values are: claude, opencode"

// scanFlags are the flags of `conflicts scan`.
type scanFlags struct {
	since       string
	dryRun, yes bool
	seconds     int
	in          engine.ScanInput
}

func conflictsScanCommand(p *command.Program) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan",
		Short: "Scan a project's memories for contradictions",
		Long: `Find memories of a project that are similar in meaning but differ in a negation, a number, a name or a verdict. A scan
changes nothing; --apply flags the pairs it finds as candidates.

With --semantic the agent set by agent_cli (ENGRAM_AGENT_CLI: claude or opencode) judges each pair, after a confirmation.
Titles and contents of the pairs are sent to that agent and so to the provider of its model. With --apply its verdicts
are recorded; engram undo reverts one.`,
		Example: command.Examples("engram conflicts scan", "engram conflicts scan --since 30d --apply",
			"ENGRAM_AGENT_CLI=claude engram conflicts scan --semantic --apply --max-semantic 20"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return scan(p, cmd, e, f) }),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "", "only memories created since a `time`: 7d, 2w, 2026-01-31; each is compared with all others")
	flags.BoolVar(&f.dryRun, "dry-run", false, "preview only (the default)")
	flags.BoolVar(&f.in.Apply, "apply", false, "flag candidates and record verdicts")
	flags.IntVar(&f.in.MaxInsert, "max-insert", 100, "maximum number of candidates to flag")
	flags.BoolVar(&f.in.Semantic, "semantic", false, "let the agent of agent_cli judge the pairs")
	flags.IntVar(&f.in.Concurrency, "concurrency", 5, "number of parallel calls, at most 20")
	flags.IntVar(&f.seconds, "timeout-per-call", 60, "seconds to wait for an answer, at most 600")
	flags.IntVar(&f.in.MaxSemantic, "max-semantic", 100, "maximum number of pairs to judge")
	flags.BoolVar(&f.yes, "yes", false, "with --semantic: skip the confirmation")
	return cmd
}

// check rejects values out of range by the name of the flag. The engine would replace 0 by its default; here
// it is a mistake.
func (f scanFlags) check() error {
	for _, n := range []struct {
		name  string
		given int
		most  int
	}{
		{"max-insert", f.in.MaxInsert, engine.MostScanPairs}, {"max-semantic", f.in.MaxSemantic, engine.MostScanPairs},
		{"concurrency", f.in.Concurrency, engine.MostScanCalls}, {"timeout-per-call", f.seconds, int(engine.MostScanWait / time.Second)},
	} {
		if n.given < 1 || n.given > n.most {
			return command.Invalidf("--%s %d is out of range", n.name, n.given).WithHint("use a number from 1 to %d", n.most)
		}
	}
	if f.dryRun && f.in.Apply {
		return command.Invalidf("--dry-run and --apply exclude each other").WithHint("remove one of them")
	}
	return nil
}

func scan(p *command.Program, cmd *cobra.Command, e *engine.Engine, f scanFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	in := f.in
	if in.Semantic && !e.CanJudge() {
		return engram.Errorf(engram.CodeUnavailable, noRunner).WithHint("set agent_cli, or ENGRAM_AGENT_CLI")
	}
	if in.Semantic {
		if err := p.Loaded.MayRun(); err != nil {
			return err
		}
	}
	var err error
	in.TimeoutPerCall = time.Duration(f.seconds) * time.Second
	if in.Since, err = p.When("since", f.since, e.Now()); err != nil {
		return err
	}
	if in.Project, err = p.ReadProject(cmd, e, false); err != nil {
		return err
	}
	report, end := p.Stages()
	in.Progress = report
	in.Confirm = func(judge string, pairs int) (bool, error) {
		end()
		return p.Confirm(f.yes, fmt.Sprintf("%s will be asked about %s of project %s. Continue?", judge, command.Count(pairs, "pair", "pairs"), in.Project))
	}
	res, err := e.Scan(cmd.Context(), in)
	end()
	if err != nil {
		return err
	}
	if res.Errors > 0 {
		p.Warn(fmt.Sprintf("%s without an answer: %s", command.Count(res.Errors, "question", "questions"), res.Trouble))
	}
	return p.Answer(scannedOf(res), func(b *strings.Builder) { writeScanned(b, res, in.Semantic) })
}

// ScannedDoc is the answer of `conflicts scan`.
type ScannedDoc struct {
	Project         string        `json:"project"`
	Inspected       int           `json:"inspected"` // number of memories
	Candidates      int           `json:"candidates_found"`
	AlreadyRelated  int           `json:"already_related"` // candidates that were related already
	Inserted        int           `json:"inserted"`
	Capped          bool          `json:"capped"` // there are more than --max-insert
	DryRun          bool          `json:"dry_run"`
	SemanticJudged  int           `json:"semantic_judged"`
	SemanticSkipped int           `json:"semantic_skipped"`
	SemanticErrors  int           `json:"semantic_errors"`
	Pairs           []scanPairDoc `json:"pairs"` // new or judged pairs, likeliest first
}

type scanPairDoc struct {
	Newer      conflictEnd `json:"newer"`
	Older      conflictEnd `json:"older"`
	Difference string      `json:"difference"` // "" if only the meanings are similar
	Score      float64     `json:"score"`      // 0 to 1
	Verdict    engram.Verb `json:"verdict"`    // the agent's: newer VERDICT older; "" if it was not asked
	Confidence float64     `json:"confidence"`
	Reason     string      `json:"reason"`
}

func scannedOf(s engine.Scanned) ScannedDoc {
	return ScannedDoc{s.Project, s.Inspected, s.Found, s.AlreadyRelated, s.Inserted, s.Capped, s.DryRun, s.Judged, s.Skipped, s.Errors,
		document.Each(s.Pairs, func(pair engine.ScanPair) scanPairDoc {
			d := scanPairDoc{Newer: endOf(pair.Newer), Older: endOf(pair.Older), Difference: pair.Difference, Score: pair.Score}
			if o := pair.Opinion; o != nil {
				d.Verdict, d.Confidence, d.Reason = o.Verb, o.Confidence, o.Reason
			}
			return d
		})}
}

func writeScanned(b *strings.Builder, s engine.Scanned, semantic bool) {
	fmt.Fprintf(b, "Conflicts Scan (project: %s)\n", projectText(s.Project))
	fmt.Fprintf(b, "  Inspected:        %d\n  Candidates found: %d\n  Already related:  %d\n  Inserted:         %d\n",
		s.Inspected, s.Found, s.AlreadyRelated, s.Inserted)
	if semantic {
		fmt.Fprintf(b, "  Semantic judged:  %d\n  Semantic skipped: %d\n  Semantic errors:  %d\n", s.Judged, s.Skipped, s.Errors)
	}
	if s.Capped {
		fmt.Fprintf(b, "  Capped:           yes, there are more; raise --max-insert\n")
	}
	fmt.Fprintf(b, "  Dry run:          %s\n", map[bool]string{true: "yes", false: "no"}[s.DryRun])
	for _, pair := range s.Pairs {
		fmt.Fprintf(b, "\n  newer: %s\n  older: %s\n", endText(pair.Newer), endText(pair.Older))
		if pair.Difference != "" {
			fmt.Fprintf(b, "  difference: %s\n", render.Line(pair.Difference, 0))
		}
		if o := pair.Opinion; o != nil {
			fmt.Fprintf(b, "  verdict: %s (%.2f) %s\n", o.Verb, o.Confidence, render.Line(o.Reason, 0))
		}
	}
	if s.DryRun && len(s.Pairs) > 0 {
		fmt.Fprintf(b, "\nNothing was changed. Use --apply to apply this.\n")
	}
}
