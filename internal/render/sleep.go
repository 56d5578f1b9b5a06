package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// mostSteps is how many steps of one action are told.
const mostSteps = 50

// Slept tells what a sleep did, or in a dry run would do: its steps and their reasons, at
// most 50 of each action, and how to take it back.
func Slept(s lifecycle.Slept, dryRun bool) string {
	var b strings.Builder
	for _, a := range lifecycle.StepActions() {
		var steps []lifecycle.Step
		for _, step := range s.Plan {
			if step.Action == a {
				steps = append(steps, step)
			}
		}
		for _, step := range steps[:min(len(steps), mostSteps)] {
			writeStep(&b, step, s.Titles[step.Memories[0]])
		}
		if left := len(steps) - mostSteps; left > 0 {
			fmt.Fprintf(&b, "  … and %d more to %s\n", left, a)
		}
	}
	writeSlept(&b, s, dryRun)
	return strings.TrimSuffix(b.String(), "\n")
}

// stepIndent is where what is told of a step stands, behind its action.
const stepIndent = "        "

func writeStep(b *strings.Builder, s lifecycle.Step, title string) {
	line := fmt.Sprintf("%-7s #%d", s.Action, s.Memories[0])
	if len(s.Memories) > 1 {
		line += " ← " + numbers("#", s.Memories[1:])
	}
	if title != "" {
		line += " " + Line(title, 60)
	}
	switch {
	case s.Action == lifecycle.StepPrune:
		line += fmt.Sprintf("  %.2f", s.From)
	case s.Action != lifecycle.StepExtract:
		line += fmt.Sprintf("  %.2f → %.2f", s.From, s.To)
	}
	fmt.Fprintf(b, "%s\n%s\n", Fold(line, stepIndent), Fold(stepIndent+s.Reason, stepIndent))
}

func writeSlept(b *strings.Builder, s lifecycle.Slept, dryRun bool) {
	steps, on := counted(len(s.Plan), "step", "steps"), counted(s.Memories, "memory", "memories")
	switch {
	case len(s.Plan) == 0:
		fmt.Fprintf(b, "Nothing to do among %s.\n", on)
	case dryRun:
		fmt.Fprintf(b, "Would apply %s to %s.\n", steps, on)
	default:
		fmt.Fprintf(b, "Applied %d of %s to %s.\n", s.Applied, steps, on)
	}
	if s.Fading > 0 {
		fmt.Fprintf(b, "%d grow weaker with time: engram decay shows them.\n", s.Fading)
	}
	tell := func(format string, args ...any) { fmt.Fprintln(b, Fold(fmt.Sprintf(format, args...), stepIndent)) }
	for _, a := range []lifecycle.StepAction{lifecycle.StepBoost, lifecycle.StepPrune} {
		if why := spared(s, a); why != "" {
			tell("Nothing to %s: %s", a, why)
		}
	}
	for _, k := range s.Skipped[:min(len(s.Skipped), mostSteps)] {
		tell("Not applied: %s #%d: %s", k.Step.Action, k.Step.Memories[0], k.Reason)
	}
	if len(s.Made) > 0 {
		tell("Patterns saved: %s", numbers("#", s.Made))
	}
	if s.Compacted > 0 {
		tell("Removed from the journal because of age: %s", counted(s.Compacted, "entry", "entries"))
	}
	if undo := UndoOfSleep(s); undo != "" {
		tell("To undo: %s", undo)
	}
}

// spared says of how many memories there was nothing to do, and why, the most first; "" where
// something was done, or nothing is known.
func spared(s lifecycle.Slept, a lifecycle.StepAction) string {
	all := slices.DeleteFunc(slices.Clone(s.Spared), func(k lifecycle.Spared) bool { return k.Action != a })
	slices.SortStableFunc(all, func(x, y lifecycle.Spared) int { return cmp.Compare(y.Memories, x.Memories) })
	words := make([]string, len(all))
	for i, k := range all {
		words[i] = fmt.Sprintf("%d %s", k.Memories, k.Reason)
	}
	return strings.Join(words, ", ")
}

// UndoOfSleep is the command that takes back all that a sleep did; "" where it did nothing.
func UndoOfSleep(s lifecycle.Slept) string {
	first, last := s.Span()
	switch {
	case last == 0:
		return ""
	case first == last:
		return fmt.Sprintf("engram undo %d", first)
	}
	// Others may have written meanwhile.
	return fmt.Sprintf("engram undo %d..%d --verb sleep", first, last)
}

// Diagnosed tells which memories deserve a look.
func Diagnosed(d lifecycle.Diagnostics) string {
	var b strings.Builder
	fmt.Fprintln(&b, counted(d.Memories, "memory", "memories"))
	if len(d.Weakest) > 0 {
		fmt.Fprintln(&b, "\nWeakest:")
	}
	for _, w := range d.Weakest {
		fmt.Fprintf(&b, "  %.2f  %s\n", w.Strength, outlined(w.Memory))
	}
	if d.Pairs > 0 {
		fmt.Fprintf(&b, "\nNear-duplicates (%s; engram sleep merges them):\n", counted(d.Pairs, "pair", "pairs"))
	}
	for _, pair := range d.Duplicates {
		fmt.Fprintf(&b, "  %.3f  %s\n         %s\n", pair.Cosine, outlined(pair.A), outlined(pair.B))
		if pair.Against != "" {
			fmt.Fprintf(&b, "         not merged: %s\n", pair.Against)
		}
	}
	writeOutlines(&b, "Orphans (no relation, no topic, never accessed)", d.Orphans)
	writeOutlines(&b, fmt.Sprintf("Never recalled (%d)", d.Never), d.Unrecalled)
	return strings.TrimSuffix(b.String(), "\n")
}

func writeOutlines(b *strings.Builder, what string, all []engram.Memory) {
	if len(all) > 0 {
		fmt.Fprintf(b, "\n%s:\n", what)
	}
	for _, m := range all {
		fmt.Fprintf(b, "  %s\n", outlined(m))
	}
}

func outlined(m engram.Memory) string {
	return fmt.Sprintf("#%d [%s] %s", m.Num, typeOf(m), Line(m.Title, 60))
}

// numbers lists numbers with a sign before each.
func numbers(sign string, nums []int64) string {
	words := make([]string, len(nums))
	for i, num := range nums {
		words[i] = fmt.Sprintf("%s%d", sign, num)
	}
	return strings.Join(words, " ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
