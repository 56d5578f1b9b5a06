package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) sleepCommand() *cobra.Command {
	var in engine.SleepInput
	var only []string
	var all bool
	cmd := &cobra.Command{
		Use:   "sleep",
		Short: "Consolidate memories: fade, boost, merge what says the same, forget what is too weak",
		Long: `Consolidate memories, in steps that each have a reason:

  fade     under the ebbinghaus curve, what a memory has lost becomes its strength
  boost    what was accessed often, and lately, gets stronger
  merge    memories that say nearly the same become one; the others are forgotten and keep their texts
  prune    what is weaker than 0.05 is forgotten, but nothing permanent and nothing that is due for review
  extract  what several memories have in common becomes a memory of type pattern, by the language model that
           is configured; without one this step is not taken, and no memory leaves the program

--dry-run prints the plan that a run applies. A sleep may be stopped at any time, and the next one goes on; a second one
in a row has nothing to do. Every step is in engram log and can be taken back with engram undo.`,
		Example: examples("engram sleep --dry-run", "engram sleep", "engram sleep --only merge,boost --all-projects --json"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range only {
				in.Only = append(in.Only, lifecycle.StepAction(strings.ToLower(strings.TrimSpace(name))))
			}
			return p.sleep(cmd, in, all)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&in.DryRun, "dry-run", false, "print the plan and change nothing")
	flags.StringSliceVar(&only, "only", nil, "take only these `steps`: fade, boost, merge, prune, extract")
	flags.Float64Var(&in.Below, "below", 0, "forget what is weaker than `x`, 0 to 1 (default 0.05)")
	flags.BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}

// sleep runs a sleep and prints what it did.
func (p *program) sleep(cmd *cobra.Command, in engine.SleepInput, all bool) error {
	e, err := p.open(cmd)
	if err != nil {
		return err
	}
	if in.Project, err = p.readProject(cmd, e, all); err != nil {
		return err
	}
	if cmd.Flags().Changed("below") && in.Below == 0 { // the engine takes 0 for its default
		return invalidf("--below 0 forgets nothing").WithHint("give a strength above 0, such as 0.1")
	}
	var bar *progress
	in.Progress = func(what string, done, total int) {
		if bar == nil || bar.what != what {
			bar = p.progress(what)
		}
		bar.tell(done, total)
	}
	res, err := e.Sleep(cmd.Context(), in)
	if bar != nil {
		bar.end()
	}
	if err != nil {
		return err
	}
	for _, why := range res.Degraded {
		p.warn(why)
	}
	doc := document.SleepOf(res, in.DryRun)
	return p.answer(doc, func(b *strings.Builder) { writeSleep(b, doc) })
}

// mostSteps is how many steps of one action are printed; --json has all.
const mostSteps = 50

func writeSleep(b *strings.Builder, doc document.Sleep) {
	for _, a := range lifecycle.StepActions() {
		var steps []document.Step
		for _, step := range doc.Plan {
			if step.Action == a {
				steps = append(steps, step)
			}
		}
		for _, step := range steps[:min(len(steps), mostSteps)] {
			writeStep(b, step)
		}
		if left := len(steps) - mostSteps; left > 0 {
			fmt.Fprintf(b, "  … and %d more to %s; --json has all\n", left, a)
		}
	}
	writeSlept(b, doc)
}

func writeStep(b *strings.Builder, s document.Step) {
	fmt.Fprintf(b, "%-7s #%d", s.Action, s.Memories[0])
	if len(s.Memories) > 1 {
		others := make([]string, 0, len(s.Memories)-1)
		for _, num := range s.Memories[1:] {
			others = append(others, fmt.Sprintf("#%d", num))
		}
		fmt.Fprintf(b, " ← %s", strings.Join(others, " "))
	}
	if s.Title != "" {
		fmt.Fprintf(b, " %s", render.Line(s.Title, 60))
	}
	switch {
	case s.From != s.To:
		fmt.Fprintf(b, "  %.2f → %.2f", s.From, s.To)
	case s.From > 0:
		fmt.Fprintf(b, "  %.2f", s.From)
	}
	fmt.Fprintf(b, "\n        %s\n", render.Line(s.Reason, 0))
}

func writeSlept(b *strings.Builder, doc document.Sleep) {
	if len(doc.Plan) == 0 {
		fmt.Fprintf(b, "Nothing to do among %s.", count(doc.Memories, "memory", "memories"))
	} else if doc.DryRun {
		fmt.Fprintf(b, "Would take %s on %s.", count(len(doc.Plan), "step", "steps"), count(doc.Memories, "memory", "memories"))
	} else {
		fmt.Fprintf(b, "Took %d of %s on %s.", doc.Applied, count(len(doc.Plan), "step", "steps"), count(doc.Memories, "memory", "memories"))
	}
	if doc.Fading > 0 {
		fmt.Fprintf(b, " %d get weaker by themselves as time passes: engram decay shows them.", doc.Fading)
	}
	b.WriteByte('\n')
	for _, k := range doc.Skipped {
		fmt.Fprintf(b, "Not taken: %s #%d: %s\n", k.Action, k.Memories[0], k.Reason)
	}
	if len(doc.Made) > 0 {
		fmt.Fprintf(b, "Patterns made: %s\n", numbers(doc.Made))
	}
	if ops := slices.Clone(doc.Operations); len(ops) > 0 {
		slices.Reverse(ops)
		fmt.Fprintf(b, "To take it back: engram undo %s\n", strings.ReplaceAll(numbers(ops), "#", ""))
	}
}

// numbers names memories: "#3 #5".
func numbers(nums []int64) string {
	words := make([]string, len(nums))
	for i, num := range nums {
		words[i] = fmt.Sprintf("#%d", num)
	}
	return strings.Join(words, " ")
}
