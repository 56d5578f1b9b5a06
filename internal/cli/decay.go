package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) decayCommand() *cobra.Command {
	var f filterFlags
	var in engine.DecayInput
	var curve string
	cmd := &cobra.Command{
		Use:   "decay [ID…]",
		Short: "Show the strength of memories now and later, weakest first",
		Long: `Show the strength of memories now and later, with the reason; weakest first.

Strength is computed when it is needed and never stored, so this command changes nothing, with or without --dry-run. A
weak memory ranks lower in searches and is hidden only by --min-strength. To keep a memory from fading: engram mark ID
--permanent. To set how a project fades: engram projects decay.`,
		Example: examples("engram decay", "engram decay 12", "engram decay --below 0.3 --days 90", "engram decay --type decision --curve ebbinghaus"),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			refs, err := refsOf(args)
			if err != nil {
				return err
			}
			if in.Filter, err = p.filter(cmd, e, f, time.Time{}); err != nil {
				return err
			}
			in.Refs, in.Curve, in.Limit, in.Offset = refs, curveOf(curve), f.limit, f.offset
			return p.decay(cmd, e, in)
		}),
	}
	f.register(cmd, 20)
	flags := cmd.Flags()
	flags.IntVar(&f.offset, "offset", 0, "skip this many first")
	flags.Float64Var(&in.Below, "below", 0, "only memories weaker than `x`, from 0 to 1")
	flags.IntVar(&in.Days, "days", 30, "number of days to look ahead")
	flags.StringVar(&curve, "curve", "", "compute with this `curve`: importance, geometric or ebbinghaus")
	flags.Bool("dry-run", false, "no effect: this command never changes anything")
	return cmd
}

func curveOf(s string) engram.Curve { return engram.Curve(strings.ToLower(strings.TrimSpace(s))) }

// strengthsDoc is the answer of `decay`.
type strengthsDoc struct {
	Project  string           `json:"project"` // "" is every project
	Days     int              `json:"days"`    // how far ahead later looks
	Total    int              `json:"total"`   // how many pass, with those that are not shown
	Memories []document.Faded `json:"memories"`
}

func (p *program) decay(cmd *cobra.Command, e *engine.Engine, in engine.DecayInput) error {
	if in.Days < 1 { // the engine takes 0 for the default
		return invalidf("days %d is out of range", in.Days).WithHint("from 1 to %d", engine.MaxDecayDays)
	}
	out, err := e.Decay(cmd.Context(), in)
	if err != nil {
		return err
	}
	doc := strengthsDoc{in.Filter.Project, out.Days, out.Total, document.Each(out.Memories, fadedOf)}
	nothing, err := p.nothing(cmd, e, in.Filter.Project, len(doc.Memories) > 0)
	if err != nil {
		return err
	}
	return p.answerRows(doc, unless(nothing, func(b *strings.Builder) { writeDecay(b, doc, p.columns()) }))
}

func fadedOf(f engine.Faded) document.Faded {
	return document.FadedOf(f.Memory, f.Now, f.Later, f.Curve, f.Reason)
}

// decayIndent is where what is told of a memory stands, behind its strengths.
const decayIndent = "             "

func writeDecay(b *strings.Builder, doc strengthsDoc, columns int) {
	columns = cmp.Or(columns, render.Columns)
	if len(doc.Memories) == 0 {
		fmt.Fprintln(b, "No memories.")
		return
	}
	fmt.Fprintf(b, "  now  in %s\n", count(doc.Days, "day", "days"))
	for _, m := range doc.Memories {
		line := fmt.Sprintf(" %.2f  %.2f  #%d [%s] %s", m.Strength, m.Later, m.Num, render.Line(string(m.Type), 0), render.Line(m.Title, 60))
		fmt.Fprintf(b, "%s\n%s\n", fold(line, decayIndent, columns), fold(decayIndent+m.Reason, decayIndent, columns))
	}
	if more := doc.Total - len(doc.Memories); more > 0 {
		fmt.Fprintf(b, "%d of %s\n", len(doc.Memories), count(doc.Total, "memory", "memories"))
	}
}

func (p *program) projectsDecayCommand() *cobra.Command {
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
		Example: examples("engram projects decay shop", "engram projects decay shop --curve geometric --rate 0.98",
			"engram projects decay shop --type decision --rate 0.002", "engram projects decay shop --reset"),
		Args: between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			in := engine.ProjectDecayInput{Project: args[0], Type: engram.Type(typ), Reset: reset}
			if cmd.Flags().Changed("curve") {
				c := curveOf(curve)
				in.Curve = &c
			}
			if cmd.Flags().Changed("rate") {
				in.Rate = &rate
			}
			if cmd.Flags().Changed("max-boost") {
				in.MaxBoost = &boost
			}
			return p.decayProject(cmd, e, in)
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

func (p *program) decayProject(cmd *cobra.Command, e *engine.Engine, in engine.ProjectDecayInput) error {
	d, err := e.DecayProject(cmd.Context(), in)
	if err != nil {
		return err
	}
	doc := document.ProjectDecayOf(d.Project, d.Own, d.InForce)
	return p.answer(doc, func(b *strings.Builder) { writeProjectDecay(b, doc, in.Type) })
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

// decayWords is a decay in words.
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
