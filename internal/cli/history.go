package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) historyCommand() *cobra.Command {
	var diff string
	var version int
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "Show the version history of a memory",
		Long: `Show the version history of a memory, oldest first. --version prints one version in full. --diff compares two versions
(1,3), or one version with the current text (2). To restore a version: engram restore.`,
		Example: examples("engram history 12", "engram history 12 --version 2", "engram history 12 --diff 1,3", "engram history 12 --diff 2"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			ref, err := engram.ParseRef(args[0])
			if err != nil {
				return err
			}
			h, err := e.History(cmd.Context(), ref)
			switch {
			case err != nil:
				return err
			case cmd.Flags().Changed("diff"):
				return p.showDiff(h, diff)
			case cmd.Flags().Changed("version"):
				v, err := h.Version(version)
				if err != nil {
					return err
				}
				return p.answer(document.VersionOf(v), func(b *strings.Builder) { fmt.Fprintln(b, render.VersionText(v)) })
			}
			return p.answer(document.HistoryOf(h), func(b *strings.Builder) { b.WriteString(render.History(h, p.zone())) })
		}),
	}
	cmd.Flags().IntVar(&version, "version", 0, "print the version with this `number` in full; 0 is the current one, -1 the one before it")
	cmd.Flags().StringVar(&diff, "diff", "", "compare two `versions`: 1,3")
	return cmd
}

// showDiff prints what changed between the versions that spec names.
func (p *program) showDiff(h engram.History, spec string) error {
	first, second, both := strings.Cut(spec, ",")
	numbers := []int{0, 0}
	for i, text := range []string{first, second} {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil && (i == 0 || both) {
			return invalidf("--diff %q does not name two versions", spec).WithHint("use two numbers such as 1,3; {history %d} lists the versions", h.Memory.Num)
		}
		numbers[i] = n
	}
	from, err := h.Version(numbers[0])
	if err != nil {
		return err
	}
	to, err := h.Version(numbers[1])
	if err != nil {
		return err
	}
	doc := document.Diff{From: from.Number, To: to.Number, Diff: render.Diff(render.VersionText(from), render.VersionText(to))}
	return p.answer(doc, func(b *strings.Builder) { b.WriteString(render.VersionDiff(from, to)) })
}

func (p *program) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID VERSION",
		Short: "Restore an earlier version of a memory",
		Long: `Restore an earlier version of a memory; engram history shows the version numbers. The current text is kept as a version,
so nothing is lost.`,
		Example: examples("engram restore 12 1"),
		Args:    between(2, 2),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			ref, err := engram.ParseRef(args[0])
			if err != nil {
				return err
			}
			version, err := strconv.Atoi(args[1])
			if err != nil || version < 1 {
				return invalidf("%q is not a version number", args[1]).WithHint("{history %s} shows the numbers", ref)
			}
			m, err := e.Restore(cmd.Context(), ref, version)
			if err != nil {
				return err
			}
			return p.answer(document.MemoryOf(m, e.StateOf(m)), func(b *strings.Builder) {
				fmt.Fprintf(b, "Memory restored: %s has the text of version %d again\n", name(m), version)
			})
		}),
	}
}
