package review

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/render"
)

func conflictsCommand(p *command.Program) *cobra.Command {
	cmd := command.Group("conflicts", "List and judge memories that may contradict each other",
		command.Examples("engram conflicts list --status pending", "engram conflicts judge 3 supersedes --reason 'measured again'"),
		conflictsListCommand(p), conflictsShowCommand(p), conflictsStatsCommand(p), conflictsScanCommand(p), conflictsJudgeCommand(p), conflictsIgnoreCommand(p),
		conflictsDeferredCommand(p))
	cmd.Aliases = []string{"conflict"}
	return cmd
}

func conflictsListCommand(p *command.Program) *cobra.Command {
	var status, since string
	var all bool
	var page engram.Page
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List candidate contradictions and verdicts, newest first",
		Example: command.Examples("engram conflicts list --status pending", "engram conflicts list --all-projects --since 7d --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			var err error
			if page.Limit < 1 {
				return command.Invalidf("limit %d is out of range", page.Limit).WithHint("use a number from 1 to %d", relate.MaxConflicts)
			}
			f := relate.ConflictFilter{Status: engram.RelationStatus(strings.ToLower(strings.TrimSpace(status))), Page: page}
			if f.Since, err = p.When("since", since, e.Now()); err != nil {
				return err
			}
			if f.Project, err = p.ReadProject(cmd, e, all); err != nil {
				return err
			}
			list, total, err := e.Conflicts(cmd.Context(), f)
			if err != nil {
				return err
			}
			doc := ConflictsDoc{f.Project, f.Status, page.Limit, page.Offset, total, document.Each(list, conflictOf)}
			return p.AnswerRows(doc, func(b *strings.Builder) { writeConflicts(b, f.Project, list, total, p.Zone()) })
		}),
	}
	cmd.Flags().StringVar(&status, "status", "", "only those with this `status`: pending, judged, ignored or orphaned")
	cmd.Flags().StringVar(&since, "since", "", "only those flagged since a `time`: 7d, 12h, yesterday, 2026-01-31")
	cmd.Flags().BoolVar(&all, "all-projects", false, "include every project")
	cmd.Flags().IntVar(&page.Limit, "limit", 50, "maximum number of results")
	cmd.Flags().IntVar(&page.Offset, "offset", 0, "skip this many first")
	return cmd
}

func conflictsShowCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show a candidate or verdict with both memories",
		Example: command.Examples("engram conflicts show 3", "engram conflicts show rel-0123456789abcdef --json"),
		RunE: onConflict(p, func(ctx context.Context, e *engine.Engine, ref engram.RelationRef) (relate.Conflict, error) {
			return e.Conflict(ctx, ref)
		}, func(b *strings.Builder, c relate.Conflict) { writeConflict(b, c, p.Zone()) }),
	}
}

// onConflict returns the RunE of a command whose first argument names a conflict.
func onConflict(p *command.Program, do func(context.Context, *engine.Engine, engram.RelationRef) (relate.Conflict, error), write func(*strings.Builder, relate.Conflict)) func(*cobra.Command, []string) error {
	return p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
		ref, err := relationRef(args[0])
		if err != nil {
			return err
		}
		c, err := do(cmd.Context(), e, ref)
		if err != nil {
			return err
		}
		return p.Answer(conflictShownOf(e, c), func(b *strings.Builder) { write(b, c) })
	})
}

// relationRef parses the number or id of a relation.
func relationRef(s string) (engram.RelationRef, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(strings.ToLower(s), engram.RelationIDPrefix) {
		return engram.RelationRef{ID: s}, nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || n < 1 {
		return engram.RelationRef{}, command.Invalidf("cannot parse %q as a relation", s).WithHint("use its number, or rel- and 16 hex digits; {conflicts list} shows both")
	}
	return engram.RelationRef{Num: n}, nil
}

func conflictsStatsCommand(p *command.Program) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "stats",
		Short:   "Count candidates and verdicts",
		Example: command.Examples("engram conflicts stats", "engram conflicts stats --all-projects --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			name, err := p.ReadProject(cmd, e, all)
			if err != nil {
				return err
			}
			s, err := e.ConflictStats(cmd.Context(), name)
			if err != nil {
				return err
			}
			return p.AnswerRows(ConflictStatsDoc{name, s.ByVerb, s.ByStatus}, func(b *strings.Builder) { writeConflictStats(b, name, s) })
		}),
	}
	cmd.Flags().BoolVar(&all, "all-projects", false, "count every project")
	return cmd
}

func conflictsJudgeCommand(p *command.Program) *cobra.Command {
	var in relate.JudgeInput
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
		Example: command.Examples("engram conflicts judge 3 supersedes --reason 'measured again'", "engram conflicts judge rel-0123456789abcdef not_conflict"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var err error
			if in.Ref, err = relationRef(args[0]); err != nil {
				return err
			}
			if in.Verb, err = engram.ParseVerb(args[1]); err != nil {
				in.Verb = engram.Verb(args[1]) // the engine's error lists the verdicts
			}
			in.Confidence, in.ActorKind = command.Given(cmd, "confidence", confidence), relate.KindHuman
			c, err := e.Judge(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.Answer(conflictShownOf(e, c), func(b *strings.Builder) { writeVerdict(b, c) })
		}),
	}
	cmd.Flags().StringVar(&in.Reason, "reason", "", "`reason`, one line")
	cmd.Flags().StringVar(&in.Evidence, "evidence", "", "supporting `text`")
	cmd.Flags().Float64Var(&confidence, "confidence", 1, "confidence, from 0 to 1")
	cmd.Flags().BoolVar(&in.Reverse, "reverse", false, "with supersedes: let the older memory replace the newer one")
	return cmd
}

func conflictsIgnoreCommand(p *command.Program) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:     "ignore ID",
		Short:   "Dismiss a candidate without a verdict",
		Example: command.Examples("engram conflicts ignore 3 --reason 'both are drafts'"),
		RunE: onConflict(p, func(ctx context.Context, e *engine.Engine, ref engram.RelationRef) (relate.Conflict, error) {
			return e.Ignore(ctx, ref, reason)
		}, writeVerdict),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`reason`, one line")
	return cmd
}

// ConflictsDoc is the answer of `conflicts list`.
type ConflictsDoc struct {
	Project   string                `json:"project"` // "" is every project
	Status    engram.RelationStatus `json:"status"`  // the status filter; "" is every status
	Limit     int                   `json:"limit"`
	Offset    int                   `json:"offset"`
	Total     int                   `json:"total"`
	Conflicts []conflictDoc         `json:"conflicts"` // newest first
}

// conflictDoc is a candidate or a verdict.
type conflictDoc struct {
	Num        int64                 `json:"num"`
	ID         string                `json:"id"` // rel-…
	Relation   engram.Verb           `json:"relation"`
	Status     engram.RelationStatus `json:"status"` // pending, judged, ignored or orphaned
	Reason     string                `json:"reason"`
	Evidence   string                `json:"evidence"`
	Confidence float64               `json:"confidence"` // 0 to 1
	Actor      string                `json:"actor"`
	ActorKind  string                `json:"actor_kind"` // agent, human or system
	Model      string                `json:"model"`
	SessionID  string                `json:"session_id"`
	Source     conflictEnd           `json:"source"`
	Target     conflictEnd           `json:"target"`
	CreatedAt  document.Timestamp    `json:"created_at"`
	UpdatedAt  document.Timestamp    `json:"updated_at"`
}

// conflictEnd is one of the two memories.
type conflictEnd struct {
	Num       int64     `json:"num"`
	ID        engram.ID `json:"id"`
	Title     string    `json:"title"`
	Forgotten bool      `json:"forgotten"`
}

func endOf(m engram.Memory) conflictEnd { return conflictEnd{m.Num, m.ID, m.Title, m.Forgotten()} }

func conflictOf(c relate.Conflict) conflictDoc {
	r := c.Relation
	return conflictDoc{r.Num, r.ID, r.Verb, c.Status(), r.Reason, r.Evidence, r.Confidence, r.Actor, r.ActorKind, r.Model, r.SessionID,
		endOf(c.Source), endOf(c.Target), document.Timestamp(r.CreatedAt), document.Timestamp(r.UpdatedAt)}
}

// ConflictShownDoc is the answer of `conflicts show`, `judge` and `ignore`.
type ConflictShownDoc struct {
	Conflict conflictDoc     `json:"conflict"`
	Source   document.Memory `json:"source"`
	Target   document.Memory `json:"target"`
}

func conflictShownOf(e *engine.Engine, c relate.Conflict) ConflictShownDoc {
	return ConflictShownDoc{conflictOf(c), document.MemoryOf(c.Source, e.StateOf(c.Source)), document.MemoryOf(c.Target, e.StateOf(c.Target))}
}

// ConflictStatsDoc is the answer of `conflicts stats`. Zero counts have no entry.
type ConflictStatsDoc struct {
	Project  string                        `json:"project"`     // "" is every project
	ByVerb   map[engram.Verb]int           `json:"by_relation"` // verdicts
	ByStatus map[engram.RelationStatus]int `json:"by_status"`
}

// projectText returns the name of a project for a heading.
func projectText(name string) string {
	if name == "" {
		return "all"
	}
	return render.Line(name, 0)
}

func writeConflicts(b *strings.Builder, project string, list []relate.Conflict, total int, o render.Options) {
	fmt.Fprintf(b, "Conflicts List (project: %s)\n", projectText(project))
	fmt.Fprintf(b, "  Total:  %d\n  Showing: %d\n", total, len(list))
	for _, c := range list {
		r := c.Relation
		fmt.Fprintf(b, "\n  id: %d\n  sync_id: %s\n  relation: %s\n  status: %s\n", r.Num, r.ID, r.Verb, c.Status())
		fmt.Fprintf(b, "  source: %s\n  target: %s\n  created_at: %s\n", endText(c.Source), endText(c.Target), render.Time(r.CreatedAt, o))
	}
}

// endText returns a memory of a conflict in one line.
func endText(m engram.Memory) string {
	text := fmt.Sprintf("#%d %s", m.Num, render.Line(m.Title, 0))
	if m.Forgotten() {
		text += " (forgotten)"
	}
	return text
}

func writeConflict(b *strings.Builder, c relate.Conflict, o render.Options) {
	r := c.Relation
	fmt.Fprintf(b, "Conflict #%d\n  sync_id: %s\n  relation: %s\n  status: %s\n", r.Num, r.ID, r.Verb, c.Status())
	confidence := ""
	if r.Confidence != 0 {
		confidence = fmt.Sprintf("%.2f", r.Confidence)
	}
	for _, l := range []struct{ name, value string }{
		{"reason", render.Line(r.Reason, 0)}, {"evidence", render.Line(r.Evidence, 0)}, {"confidence", confidence},
		{"judged by", judgeText(c)}, {"created_at", render.Time(r.CreatedAt, o)}, {"updated_at", render.Time(r.UpdatedAt, o)},
	} {
		if l.value != "" {
			fmt.Fprintf(b, "  %s: %s\n", l.name, l.value)
		}
	}
	for _, end := range []struct {
		name string
		m    engram.Memory
	}{{"source", c.Source}, {"target", c.Target}} {
		fmt.Fprintf(b, "\n%s: %s\n    %s\n", end.name, endText(end.m), render.Line(gist.Line(end.m, 300), 0))
	}
}

// judgeText returns who judged; "" before a verdict.
func judgeText(c relate.Conflict) string {
	if c.Relation.Status != engram.RelationJudged {
		return ""
	}
	text := render.Line(c.Relation.Actor, 0) + " (" + render.Line(c.Relation.ActorKind, 0)
	if c.Relation.Model != "" {
		text += ", " + render.Line(c.Relation.Model, 0)
	}
	return text + ")"
}

func writeConflictStats(b *strings.Builder, project string, s relate.ConflictStats) {
	fmt.Fprintf(b, "Conflicts Stats (project: %s)\n", projectText(project))
	for _, status := range relate.ConflictStatuses() {
		fmt.Fprintf(b, "  %-13s %d\n", string(status)+":", s.ByStatus[status])
	}
	for _, verb := range relate.Verdicts() {
		if n := s.ByVerb[verb]; n > 0 {
			fmt.Fprintf(b, "  %-13s %d\n", string(verb)+":", n)
		}
	}
}

// writeVerdict writes the new status of a candidate in one sentence.
func writeVerdict(b *strings.Builder, c relate.Conflict) {
	if c.Relation.Status == engram.RelationIgnored {
		fmt.Fprintf(b, "Conflict #%d dismissed: %s, %s\n", c.Relation.Num, endText(c.Source), endText(c.Target))
		return
	}
	fmt.Fprintf(b, "Conflict #%d judged: %s %s %s\n", c.Relation.Num, endText(c.Source), c.Relation.Verb, endText(c.Target))
	if c.Relation.Verb == engram.VerbSupersedes {
		fmt.Fprintf(b, "  #%d is hidden now; --superseded shows it\n", c.Target.Num)
	}
}

// DeferredDoc is the answer of `conflicts deferred`.
type DeferredDoc struct {
	Total int                    `json:"total"` // including those not listed
	Limit int                    `json:"limit"`
	Rows  []document.DeferredRow `json:"rows"` // oldest first
}

// ReplayedDoc is the answer of `conflicts deferred --replay`.
type ReplayedDoc struct {
	Retried   int `json:"retried"`
	Succeeded int `json:"succeeded"` // applied now
	Failed    int `json:"failed"`    // still pending
	Dead      int `json:"dead"`      // failed ones that were tried often
}

type deferredFlags struct {
	status, inspect string
	limit           int
	replay          bool
}

// conflictsDeferredCommand is sync deferred in the vocabulary of the mem_* dialect.
func conflictsDeferredCommand(p *command.Program) *cobra.Command {
	var f deferredFlags
	cmd := &cobra.Command{
		Use:   "deferred",
		Short: "List changes from other stores that could not be applied yet",
		Long: `List changes from other stores that could not be applied yet: they refer to something that has not arrived, they are
dated in the future, or a person has to review them first (engram sync deferred, accept and drop).`,
		Example: command.Examples("engram conflicts deferred", "engram conflicts deferred --replay --json"),
		RunE:    p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return deferred(p, cmd, e, f) }),
	}
	cmd.Flags().StringVar(&f.status, "status", "", "only those with this `status`: use deferred or dead")
	cmd.Flags().StringVar(&f.inspect, "inspect", "", "show the change with this `sync id` in full")
	cmd.Flags().IntVar(&f.limit, "limit", 50, "maximum number of results")
	cmd.Flags().BoolVar(&f.replay, "replay", false, "try to apply them again")
	return cmd
}

func deferred(p *command.Program, cmd *cobra.Command, e *engine.Engine, f deferredFlags) error {
	switch {
	case f.status != "" && f.status != "deferred" && f.status != "dead":
		return command.Invalidf("status %q does not exist", f.status).WithHint("use deferred or dead")
	case f.limit < 1:
		return command.Invalidf("limit %d is out of range", f.limit).WithHint("use a number from 1")
	}
	if f.replay {
		return replay(p, cmd, e)
	}
	all, err := e.Deferred(cmd.Context(), "")
	if err != nil {
		return err
	}
	if f.inspect != "" {
		return inspectDeferred(p, all, f.inspect)
	}
	doc := DeferredDoc{Limit: f.limit, Rows: []document.DeferredRow{}}
	for _, d := range all {
		if f.status != "" && document.DeferredStatus(d) != f.status {
			continue
		}
		if doc.Total++; len(doc.Rows) < f.limit {
			doc.Rows = append(doc.Rows, document.DeferredRowOf(d))
		}
	}
	return p.Answer(doc, doc.write)
}

func (d DeferredDoc) write(b *strings.Builder) {
	fmt.Fprintf(b, "Deferred Changes\n  Total:  %d\n  Showing: %d\n", d.Total, len(d.Rows))
	for _, r := range d.Rows {
		fmt.Fprintf(b, "\n  number: %d\n  sync_id: %s\n  entity: %s\n  status: %s\n  retries: %d\n  reason: %s\n", r.Num, render.Plain(r.SyncID), r.Entity, r.ApplyStatus,
			r.RetryCount, render.Line(r.LastError, 0))
	}
}

// inspectDeferred shows the oldest item with this sync id or id.
func inspectDeferred(p *command.Program, all []engram.Deferred, id string) error {
	for _, d := range all {
		if doc := document.PendingOf(d); doc.SyncID == id || doc.ID == id {
			return p.Answer(DeferredDoc{1, 1, []document.DeferredRow{document.DeferredRowOf(d)}}, func(b *strings.Builder) { writeDeferred(p, b, doc) })
		}
	}
	return engram.Errorf(engram.CodeNotFound, "deferred change %q does not exist", id).WithHint("{conflicts deferred} lists them")
}

func replay(p *command.Program, cmd *cobra.Command, e *engine.Engine) error {
	res, err := e.RetryDeferred(cmd.Context(), "")
	if err != nil {
		return err
	}
	doc := ReplayedDoc{Retried: res.Taken + len(res.Left), Succeeded: res.Taken, Failed: len(res.Left)}
	for _, d := range res.Left {
		if document.DeferredStatus(d) == "dead" {
			doc.Dead++
		}
	}
	return p.Answer(doc, func(b *strings.Builder) {
		fmt.Fprintf(b, "Deferred Replay\n  Retried:   %d\n  Succeeded: %d\n  Failed:    %d\n  Dead:      %d\n", doc.Retried, doc.Succeeded, doc.Failed, doc.Dead)
	})
}

// noRunner is the message that older scripts expect if no agent can judge.
const noRunner = "failed to resolve agent runner: invalid runner name: ENGRAM_AGENT_CLI is not set; supported values are: claude, opencode"

type scanFlags struct {
	since       string
	dryRun, yes bool
	seconds     int
	in          relate.ScanInput
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
		{"max-insert", f.in.MaxInsert, relate.MostScanPairs}, {"max-semantic", f.in.MaxSemantic, relate.MostScanPairs},
		{"concurrency", f.in.Concurrency, relate.MostScanCalls}, {"timeout-per-call", f.seconds, int(relate.MostScanWait / time.Second)},
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
	var err error
	if in.Semantic {
		if err = p.Loaded.MayRun(); err != nil {
			return err
		}
	}
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

func scannedOf(s relate.Scanned) ScannedDoc {
	return ScannedDoc{s.Project, s.Inspected, s.Found, s.AlreadyRelated, s.Inserted, s.Capped, s.DryRun, s.Judged, s.Skipped, s.Errors,
		document.Each(s.Pairs, func(pair relate.ScanPair) scanPairDoc {
			d := scanPairDoc{Newer: endOf(pair.Newer), Older: endOf(pair.Older), Difference: pair.Difference, Score: pair.Score}
			if o := pair.Opinion; o != nil {
				d.Verdict, d.Confidence, d.Reason = o.Verb, o.Confidence, o.Reason
			}
			return d
		})}
}

func writeScanned(b *strings.Builder, s relate.Scanned, semantic bool) {
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
