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
		Example: examples("engram sleep --dry-run", "engram sleep", "engram sleep --only merge,boost --all-projects --json"),
		Args:    between(0, 0),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			if cmd.Flags().Changed("only") && len(only) == 0 {
				return invalidf("--only names no step").WithHint("leave it out to run all steps")
			}
			for _, name := range only {
				in.Only = append(in.Only, lifecycle.StepAction(strings.ToLower(strings.TrimSpace(name))))
			}
			return p.sleep(cmd, e, in, all)
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&in.DryRun, "dry-run", false, "print the plan without changing anything")
	flags.StringSliceVar(&only, "only", nil, "run only these `steps`: fade, boost, merge, prune, extract")
	flags.Float64Var(&in.Below, "below", 0, "forget memories weaker than `x`, from 0 to 1 (default 0.05)")
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
		return invalidf("--below 0 forgets nothing").WithHint("use a strength above 0, such as 0.1")
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
			p.warn("completed: " + doneBefore(res) + "; to undo: " + undo)
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
	return engram.Errorf(engram.CodeInternal, "the sleep was stopped after %s; the next one continues", doneBefore(res)).
		WithHint("to undo: %s", undo)
}

func doneBefore(res engine.Slept) string {
	return fmt.Sprintf("%d of %s", res.Applied, count(len(res.Plan), "step", "steps"))
}
