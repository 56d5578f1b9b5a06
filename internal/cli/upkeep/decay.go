package upkeep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
)

func decayCommand(p *command.Program) *cobra.Command {
	var f command.FilterFlags
	var in consolidate.DecayInput
	var curve string
	cmd := &cobra.Command{
		Use:   "decay [ID…]",
		Short: "Show the strength of memories now and later, weakest first",
		Long: `Show the strength of memories now and later, with the reason; weakest first.

Strength is computed when it is needed and never stored, so this command changes nothing, with or without --dry-run. A
weak memory ranks lower in searches and is hidden only by --min-strength. To keep a memory from fading: engram mark ID
--permanent. To set how a project fades: engram projects decay.`,
		Example: command.Examples("engram decay", "engram decay 12", "engram decay --below 0.3 --days 90", "engram decay --type decision --curve ebbinghaus"),
		Args:    cobra.ArbitraryArgs,
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			refs, err := command.RefsOf(args)
			if err != nil {
				return err
			}
			if in.Filter, err = p.Filter(cmd, e, f, time.Time{}); err != nil {
				return err
			}
			in.Refs, in.Curve, in.Limit, in.Offset = refs, curveOf(curve), f.Limit, f.Offset
			return decay(p, cmd, e, in)
		}),
	}
	f.Register(cmd, 20)
	flags := cmd.Flags()
	flags.IntVar(&f.Offset, "offset", 0, "skip this many first")
	flags.Float64Var(&in.Below, "below", 0, "only memories weaker than `x`, from 0 to 1")
	flags.IntVar(&in.Days, "days", 30, "number of days to look ahead")
	flags.StringVar(&curve, "curve", "", "compute with this `curve`: importance, geometric or ebbinghaus")
	flags.Bool("dry-run", false, "no effect: this command never changes anything")
	return cmd
}

func curveOf(s string) engram.Curve { return engram.Curve(strings.ToLower(strings.TrimSpace(s))) }

// StrengthsDoc is the answer of `decay`.
type StrengthsDoc struct {
	Project  string           `json:"project"` // "" is every project
	Days     int              `json:"days"`    // how many days ahead `later` is
	Total    int              `json:"total"`   // number of matches, including those not listed
	Memories []document.Faded `json:"memories"`
}

func decay(p *command.Program, cmd *cobra.Command, e *engine.Engine, in consolidate.DecayInput) error {
	if in.Days < 1 { // the engine replaces 0 by its default
		return command.Invalidf("days %d is out of range", in.Days).WithHint("use a number from 1 to %d", consolidate.MaxDecayDays)
	}
	out, err := e.Decay(cmd.Context(), in)
	if err != nil {
		return err
	}
	doc := StrengthsDoc{in.Filter.Project, out.Days, out.Total, document.Each(out.Memories, func(f consolidate.Faded) document.Faded {
		return document.FadedOf(f.Memory, f.Now, f.Later, f.Curve, f.Reason)
	})}
	nothing, err := p.Nothing(cmd, e, in.Filter.Project, len(doc.Memories) > 0, false)
	if err != nil {
		return err
	}
	return p.AnswerRows(doc, command.UnlessNothing(nothing, func(b *strings.Builder) { writeDecay(b, doc, p.Columns()) }))
}

// decayIndent aligns text below a memory's title, behind the two strengths.
const decayIndent = "             "

func writeDecay(b *strings.Builder, doc StrengthsDoc, columns int) {
	columns = cmp.Or(columns, render.Columns)
	if len(doc.Memories) == 0 {
		fmt.Fprintln(b, "No memories.")
		return
	}
	fmt.Fprintf(b, "  now  in %s\n", command.Count(doc.Days, "day", "days"))
	for _, m := range doc.Memories {
		line := fmt.Sprintf(" %.2f  %.2f  #%d [%s] %s", m.Strength, m.Later, m.Num, render.Line(string(m.Type), 0), render.Line(m.Title, 60))
		fmt.Fprintf(b, "%s\n%s\n", render.Fold(line, decayIndent, columns), render.Fold(decayIndent+m.Reason, decayIndent, columns))
	}
	if more := doc.Total - len(doc.Memories); more > 0 {
		fmt.Fprintf(b, "%d of %s\n", len(doc.Memories), command.Count(doc.Total, "memory", "memories"))
	}
}

func projectsDecayCommand(p *command.Program) *cobra.Command {
	var curve, typ string
	var rate, boost float64
	var reset bool
	cmd := &cobra.Command{
		Use:   "decay NAME",
		Short: "Show or set how a project's memories fade",
		Long: `Show or set how the memories of a project fade, all of them or those of a --type. The most specific setting applies: a
type in the project, then the project, then a type in the settings, then the settings. The meaning of the rate depends on
the curve: importance is the loss per day (0.01), geometric the factor kept per day (0.95), ebbinghaus the stability in
days (30). A rate from 0.5 to 1 without a curve selects geometric.`,
		Example: command.Examples("engram projects decay shop", "engram projects decay shop --curve geometric --rate 0.98",
			"engram projects decay shop --type decision --rate 0.002", "engram projects decay shop --reset"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			return decayProject(p, cmd, e, consolidate.ProjectDecayInput{Project: args[0], Type: engram.Type(typ), Reset: reset, Curve: command.Given(cmd, "curve", curveOf(curve)),
				Rate: command.Given(cmd, "rate", rate), MaxBoost: command.Given(cmd, "max-boost", boost)})
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&typ, "type", "", "only memories of this `kind`")
	flags.StringVar(&curve, "curve", "", "the `curve`: importance, geometric or ebbinghaus")
	flags.Float64Var(&rate, "rate", 0, "rate of the curve; 0 is its default")
	flags.Float64Var(&boost, "max-boost", 0, "geometric: maximum factor gained by use; 0 is 2")
	flags.BoolVar(&reset, "reset", false, "remove the project's own setting")
	return cmd
}

func decayProject(p *command.Program, cmd *cobra.Command, e *engine.Engine, in consolidate.ProjectDecayInput) error {
	d, err := e.DecayProject(cmd.Context(), in)
	if err != nil {
		return err
	}
	doc := document.ProjectDecayOf(d.Project, d.Own, d.InForce)
	return p.Answer(doc, func(b *strings.Builder) { writeProjectDecay(b, doc, in.Type) })
}

func writeProjectDecay(b *strings.Builder, doc document.ProjectDecay, asked engram.Type) {
	own := "default"
	if doc.Own != nil {
		own = "own setting"
	}
	if _, single := doc.Types[asked]; asked != "" && single {
		own = "own setting for this type"
	}
	what := render.Line(doc.Project, 0)
	if asked != "" {
		what += " [" + render.Line(string(asked), 0) + "]"
	}
	fmt.Fprintf(b, "%s fades by %s (%s)\n", what, decayWords(doc.InForce), own)
	for _, t := range slices.Sorted(maps.Keys(doc.Types)) {
		if t != asked {
			fmt.Fprintf(b, "  [%s] %s\n", render.Line(string(t), 0), decayWords(doc.Types[t]))
		}
	}
}

// decayWords describes a decay in words.
func decayWords(d document.Decay) string {
	s := fmt.Sprintf("the %s curve", d.Curve)
	if d.Rate > 0 {
		s += fmt.Sprintf(", rate %v", d.Rate)
	}
	if d.MaxBoost > 0 {
		s += fmt.Sprintf(", max boost %v", d.MaxBoost)
	}
	return s
}

func pruneCommand(p *command.Program) *cobra.Command {
	in := consolidate.SleepInput{Only: []lifecycle.StepAction{lifecycle.StepPrune}}
	var all bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Forget weak memories",
		Long: `Forget weak memories: the prune step of engram sleep alone. The memories are hidden, not erased, and engram undo restores
them. Never forgotten are memories that are permanent, due for review, or restored by an undo; and, without --below, those
that are important, were ever read, or were created or changed in the last 30 days.

The importance curve (the default) never reports a strength below 0.1; for pruning it is continued below that. A memory of
average importance that is never read falls below 0.05 after 271 days.`,
		Example: command.Examples("engram prune --dry-run", "engram prune --below 0.2", "engram prune --below 0.3 --all-projects --json"),
		RunE:    p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return sleep(p, cmd, e, in, all) }),
	}
	flags := cmd.Flags()
	flags.BoolVar(&in.DryRun, "dry-run", false, "preview the memories that would be forgotten")
	flags.Float64Var(&in.Below, "below", 0, "forget memories weaker than `x`, from 0 to 1 (default 0.05)")
	flags.BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}

func sleepCommand(p *command.Program) *cobra.Command {
	var in consolidate.SleepInput
	var only []string
	var all bool
	cmd := &cobra.Command{
		Use:   "sleep",
		Short: "Consolidate memories: fade, boost, merge near-duplicates, forget weak ones",
		Long: `Consolidate memories, in steps that each have a reason:

  fade     under the ebbinghaus curve, store the current strength of faded memories
  boost    strengthen memories that were read 3 times or more since their strength was last set, at most once a day
  merge    merge near-duplicates into one memory; the others are forgotten and keep their texts
  prune    forget memories weaker than 0.05 (the importance curve continued below its minimum of 0.1), except those that
           are permanent, important, due for review, were ever read, or were created or changed in the last 30 days
  extract  let the configured language model derive a memory of type pattern from several memories; without a
           model this step is skipped, and no memory leaves the program

--dry-run prints the plan that a run would apply. You can stop a sleep at any time; the next one continues, and running it
again right away does nothing. Every step is in engram log and can be reverted with engram undo.`,
		Example: command.Examples("engram sleep --dry-run", "engram sleep", "engram sleep --only merge,boost --all-projects --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			if cmd.Flags().Changed("only") && len(only) == 0 {
				return command.Invalidf("--only names no step").WithHint("leave it out to run all steps")
			}
			for _, name := range only {
				in.Only = append(in.Only, lifecycle.StepAction(strings.ToLower(strings.TrimSpace(name))))
			}
			return sleep(p, cmd, e, in, all)
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&in.DryRun, "dry-run", false, "print the plan without changing anything")
	flags.StringSliceVar(&only, "only", nil, "run only these `steps`: fade, boost, merge, prune, extract")
	flags.Float64Var(&in.Below, "below", 0, "forget memories weaker than `x`, from 0 to 1 (default 0.05)")
	flags.BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}

// sleep runs a sleep and prints the result.
func sleep(p *command.Program, cmd *cobra.Command, e *engine.Engine, in consolidate.SleepInput, all bool) error {
	var err error
	if in.Project, err = p.ReadProject(cmd, e, all); err != nil {
		return err
	}
	if cmd.Flags().Changed("below") && in.Below == 0 { // the engine replaces 0 by its default
		return command.Invalidf("--below 0 forgets nothing").WithHint("use a strength above 0, such as 0.1")
	}
	report, end := p.Stages()
	in.Progress = report
	res, err := e.Sleep(p.UntilEnded(cmd), in)
	end()
	if err != nil && cmd.Context().Err() != nil {
		return stopped(res)
	}
	if err != nil {
		if undo := render.UndoOfSleep(res); undo != "" {
			p.Warn("completed: " + doneBefore(res) + "; to undo: " + undo)
		}
		return err
	}
	p.WarnAll(res.Degraded)
	return p.Answer(document.SleepOf(res, in.DryRun), func(b *strings.Builder) { fmt.Fprintln(b, render.Slept(res, in.DryRun)) })
}

// stopped returns the error of an interrupted sleep, with its progress.
func stopped(res consolidate.Slept) error {
	undo := render.UndoOfSleep(res)
	if undo == "" {
		return engram.Errorf(engram.CodeInternal, "the sleep was stopped before it changed anything")
	}
	return engram.Errorf(engram.CodeInternal, "the sleep was stopped after %s; the next one continues", doneBefore(res)).
		WithHint("to undo: %s", undo)
}

func doneBefore(res consolidate.Slept) string {
	return fmt.Sprintf("%d of %s", res.Applied, command.Count(len(res.Plan), "step", "steps"))
}

func diagnosticsCommand(p *command.Program) *cobra.Command {
	var in consolidate.DiagnosticsInput
	var all bool
	cmd := &cobra.Command{
		Use:   "diagnostics",
		Short: "List memories to check: weakest, near-duplicates, orphans, never recalled",
		Long: `List memories that may need attention: the weakest; pairs of near-duplicates, with the reason why sleep does not merge
them; orphans (no relation, no topic, never accessed); and memories that were never recalled. Nothing is changed. To check
the store itself: engram doctor.`,
		Example: command.Examples("engram diagnostics", "engram diagnostics --limit 50 --all-projects --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			if in.Limit < 1 { // the engine replaces 0 by its default
				return command.Invalidf("limit %d is out of range", in.Limit).WithHint("use a number from 1")
			}
			var err error
			if in.Project, err = p.ReadProject(cmd, e, all); err != nil {
				return err
			}
			bar := p.Progress("comparing")
			in.Progress = func(_ string, done, total int) { bar.Report(done, total) }
			d, err := e.Diagnose(cmd.Context(), in)
			bar.End()
			if err != nil {
				return err
			}
			p.WarnAll(d.Degraded)
			return p.AnswerRows(document.DiagnosticsOf(d), func(b *strings.Builder) { fmt.Fprintln(b, render.Diagnosed(d)) })
		}),
	}
	cmd.Flags().IntVar(&in.Limit, "limit", 10, "maximum number of each, up to 100")
	cmd.Flags().BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}

func reembedCommand(p *command.Program) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "reembed",
		Short: "Compute the vectors of the configured embedding model",
		Long: `Compute the missing vectors of the configured embedding model, and delete those of other models that no server used for
a week. Searches use the old vectors meanwhile. You can stop the command at any time; the next run continues. A server does
the same in the background.`,
		Example: command.Examples("engram reembed", "engram reembed --all --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			bar := p.Progress("embedding")
			res, err := e.Reembed(cmd.Context(), consolidate.ReembedInput{All: all, Progress: bar.Report})
			bar.End()
			if err != nil {
				return err
			}
			doc := ReembeddedDoc{res.Model.Name, res.Model.Fingerprint, res.Embedded, res.Total, document.OrEmpty(res.Dropped), document.OrEmpty(res.Kept)}
			return p.Answer(doc, func(b *strings.Builder) {
				fmt.Fprintf(b, "%s of %d embedded with %s\n", command.Count(res.Embedded, "memory", "memories"), res.Total, res.Model.Name)
				for _, name := range res.Dropped {
					fmt.Fprintf(b, "vectors of %s removed\n", name)
				}
				for _, name := range res.Kept {
					fmt.Fprintf(b, "vectors of %s kept, since a server uses them\n", name)
				}
			})
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "rebuild the word index and every vector, and delete those of all other models")
	return cmd
}

// ReembeddedDoc is the answer of `reembed`.
type ReembeddedDoc struct {
	Model       string   `json:"model"`
	Fingerprint string   `json:"fingerprint"`
	Embedded    int      `json:"embedded"` // memories embedded now
	Memories    int      `json:"memories"` // live ones
	Dropped     []string `json:"dropped"`  // models whose vectors were removed
	Kept        []string `json:"kept"`     // models whose vectors a server uses
}
