package cli

import (
	"fmt"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
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
  boost    what was read 3 times or more, and since its strength was last set, gets stronger, once a day at most
  merge    memories that say nearly the same become one; the others are forgotten and keep their texts
  prune    what is weaker than 0.05 is forgotten, the importance curve counted as if it did not end at 0.1; but nothing
           permanent, important, due for review, ever read, or here or changed for less than 30 days
  extract  what several memories have in common becomes a memory of type pattern, by the language model that
           is configured; without one this step is not taken, and no memory leaves the program

--dry-run prints the plan that a run applies. A sleep may be stopped at any time, and the next one goes on; a second one
in a row has nothing to do. Every step is in engram log and can be taken back with engram undo.`,
		Example: examples("engram sleep --dry-run", "engram sleep", "engram sleep --only merge,boost --all-projects --json"),
		Args:    between(0, 0),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			if cmd.Flags().Changed("only") && len(only) == 0 {
				return invalidf("--only names no step").WithHint("leave it out for all of them")
			}
			for _, name := range only {
				in.Only = append(in.Only, lifecycle.StepAction(strings.ToLower(strings.TrimSpace(name))))
			}
			return p.sleep(cmd, e, in, all)
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&in.DryRun, "dry-run", false, "print the plan and change nothing")
	flags.StringSliceVar(&only, "only", nil, "take only these `steps`: fade, boost, merge, prune, extract")
	flags.Float64Var(&in.Below, "below", 0, "forget what is weaker than `x`, 0 to 1 (default 0.05)")
	flags.BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}

// sleep runs a sleep and prints what it did.
func (p *program) sleep(cmd *cobra.Command, e *engine.Engine, in engine.SleepInput, all bool) error {
	var err error
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
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	res, err := e.Sleep(ctx, in)
	if bar != nil {
		bar.end()
	}
	if err != nil && ctx.Err() != nil {
		return stopped(res)
	}
	if err != nil {
		if undo := render.UndoOfSleep(res); undo != "" {
			p.warn("taken were " + doneBefore(res) + "; to take them back: " + undo)
		}
		return err
	}
	p.warnAll(res.Degraded)
	return p.answer(document.SleepOf(res, in.DryRun), func(b *strings.Builder) { fmt.Fprintln(b, render.Slept(res, in.DryRun)) })
}

// stopped says how far a sleep came that was interrupted.
func stopped(res engine.Slept) error {
	undo := render.UndoOfSleep(res)
	if undo == "" {
		return engram.Errorf(engram.CodeInternal, "the sleep was stopped before it changed anything")
	}
	return engram.Errorf(engram.CodeInternal, "the sleep was stopped after %s; the next one goes on", doneBefore(res)).
		WithHint("to take them back: %s", undo)
}

func doneBefore(res engine.Slept) string {
	return fmt.Sprintf("%d of %s", res.Applied, count(len(res.Plan), "step", "steps"))
}
