package memory

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/render"
)

func logCommand(p *command.Program) *cobra.Command {
	var actor, verb, since, until string
	var limit, offset int
	var all bool
	var c logFlags
	cmd := &cobra.Command{
		Use:   "log [ID]",
		Short: "Show the log of operations: who, what, when and why",
		Long: `Show the log of operations, latest first: each line is one operation, with the caller and the records it changed. With an
ID only operations on this memory. engram undo reverts an operation. --compact removes old operations from the journal:
they cannot be undone any more, and --as-of cannot look behind them; no text is lost. --follow shows new operations of
every process until it is interrupted; with --json one operation per line.`,
		Example: command.Examples("engram log", "engram log 12", "engram log --actor mcp --since 7d --all-projects", "engram log --follow", "engram log --compact --keep 365 --dry-run"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if err := c.check(cmd, args); err != nil {
				return err
			}
			if c.compact {
				return compactJournal(p, cmd, e, c)
			}
			if c.follow {
				project, err := p.ReadProject(cmd, e, all)
				if err != nil {
					return err
				}
				return followLog(p, cmd, e, project)
			}
			var err error
			in := read.LogInput{Actor: actor, Operation: verb, Page: engram.Page{Limit: limit, Offset: offset}}
			if len(args) == 1 {
				ref, err := engram.ParseRef(args[0])
				if err != nil {
					return err
				}
				in.Ref = &ref
			}
			if in.Since, err = p.When("since", since, e.Now()); err != nil {
				return err
			}
			if in.Until, err = p.When("until", until, e.Now()); err != nil {
				return err
			}
			if in.Project, err = p.ReadProject(cmd, e, all || in.Ref != nil); err != nil {
				return err
			}
			entries, begins, err := e.Log(cmd.Context(), in)
			if err != nil {
				return err
			}
			doc := document.Log{Begins: document.Timestamp(begins), Operations: document.Each(entries, document.OperationOf)}
			nothing, err := p.Nothing(cmd, e, in.Project, len(entries) > 0 || offset > 0, false)
			if err != nil {
				return err
			}
			return p.AnswerRows(doc, command.WithNothing(nothing, func(b *strings.Builder) { b.WriteString(render.Log(entries, begins, p.Zone())) }))
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&actor, "actor", "", "only operations of this `caller`: cli, http, mcp, mcp:claude-code")
	flags.StringVar(&verb, "verb", "", "only operations of this `kind`: save, update, forget, undo, …")
	flags.StringVar(&since, "since", "", "only operations since a `time`: 7d, 12h, yesterday, 2026-01-31")
	flags.StringVar(&until, "until", "", "only operations before a `time`, in the format of --since")
	flags.IntVar(&limit, "limit", 20, "maximum number of operations")
	flags.IntVar(&offset, "offset", 0, "skip this many first")
	flags.BoolVar(&all, "all-projects", false, "operations in every project")
	flags.BoolVar(&c.follow, "follow", false, "show new operations as they happen")
	flags.BoolVar(&c.compact, "compact", false, "remove old operations from the journal")
	flags.IntVar(&c.keep, "keep", 0, "with --compact: number of `days` to keep; 0 uses the setting journal_days")
	flags.BoolVar(&c.dry, "dry-run", false, "with --compact: only count them")
	return cmd
}

// logFlags are the flags that make log do something else than list operations.
type logFlags struct {
	follow, compact, dry bool
	keep                 int
}

// check rejects arguments and flags that would be ignored: compacting by mistake cannot be undone.
func (c logFlags) check(cmd *cobra.Command, args []string) error {
	reject := func(format string, args ...any) error {
		return command.Invalidf(format, args...).WithHint("run: %s --help", cmd.CommandPath())
	}
	rejectGiven := func(why string, names ...string) error {
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				return reject("--%s %s", name, why)
			}
		}
		return nil
	}
	reading := []string{"actor", "verb", "since", "until", "limit", "offset"}
	if c.compact {
		if len(args) > 0 {
			return reject("--compact works on the whole journal and takes no ID")
		}
		return rejectGiven("cannot be combined with --compact", append(reading, "all-projects", "follow")...)
	}
	if err := rejectGiven("needs --compact", "keep", "dry-run"); err != nil || !c.follow {
		return err
	}
	if len(args) > 0 {
		return reject("--follow shows all operations and takes no ID")
	}
	return rejectGiven("cannot be combined with --follow", reading...)
}

// CompactDoc is the answer of log --compact --json.
type CompactDoc struct {
	DryRun  bool               `json:"dry_run"`
	Entries int                `json:"entries"` // entries removed
	Before  document.Timestamp `json:"before"`  // all of them are older; null if nothing was removed
}

func compactJournal(p *command.Program, cmd *cobra.Command, e *engine.Engine, c logFlags) error {
	if c.keep < 0 || c.keep > 36500 {
		return command.Invalidf("--keep %d is out of range", c.keep).WithHint("use a number of days, from 1")
	}
	done, err := e.CompactJournal(cmd.Context(), consolidate.CompactInput{Keep: time.Duration(c.keep) * 24 * time.Hour, DryRun: c.dry})
	if err != nil {
		return err
	}
	doc := CompactDoc{c.dry, done.Entries, document.Timestamp(done.Before)}
	return p.Answer(doc, func(b *strings.Builder) {
		fmt.Fprintf(b, "%s %s from the journal", command.Would(c.dry, "Would remove", "Removed"), command.Count(done.Entries, "entry", "entries"))
		if !done.Before.IsZero() {
			fmt.Fprintf(b, ": operations older than %s", render.Time(done.Before, p.Zone()))
		}
		b.WriteString(".\n")
	})
}

// followEvery is the polling interval of log --follow.
const followEvery = 250 * time.Millisecond

// followLog prints each operation when it is written, until it is interrupted; with --json one object per
// line.
func followLog(p *command.Program, cmd *cobra.Command, e *engine.Engine, project string) error {
	ctx := p.UntilEnded(cmd)
	in := read.WatchInput{Project: project, Wait: func(ctx context.Context) error { return command.Pause(ctx, followEvery) }}
	err := e.Watch(ctx, in, func(n read.Watched) error {
		switch {
		case n.Begun:
			fmt.Fprintln(p.Stderr, "Waiting for new operations; press Ctrl-C to stop.")
			return nil
		case n.Missed:
			p.Warn(fmt.Sprintf("missed operations up to #%d; engram log shows them", n.Entry.Op))
			return nil
		case p.JSON:
			return p.AnswerLine(document.OperationOf(n.Entry))
		}
		return p.ReportTo(0, func(b *strings.Builder) {
			b.WriteString(render.Log([]engram.LogEntry{n.Entry}, time.Time{}, p.Zone()))
		})
	})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // the usual end
	}
	return err
}

func undoCommand(p *command.Program) *cobra.Command {
	var dry, all bool
	var verb string
	cmd := &cobra.Command{
		Use:   "undo [OP|FIRST..LAST]",
		Short: "Undo an operation",
		Long: `Undo an operation: the latest one of the project, or the one with a number from engram log. Created records are forgotten,
changed or forgotten ones are restored, and merges are split. An undo is an operation itself: undoing it applies the first
one again. Erased memories (delete --hard) cannot be restored.

FIRST..LAST undoes several operations, latest first; --verb limits it to one kind, such as all steps of a sleep.`,
		Example: command.Examples("engram undo --dry-run", "engram undo", "engram undo 41", "engram undo 120..180 --verb sleep"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var err error
			if len(args) == 1 && strings.Contains(args[0], "..") {
				return undoRange(p, cmd, e, args[0], undo.UndoRangeInput{Operation: verb, DryRun: dry})
			}
			if verb != "" {
				return command.Invalidf("--verb needs FIRST..LAST").WithHint("run: %s --help", cmd.CommandPath())
			}
			in := undo.UndoInput{DryRun: dry}
			if len(args) == 1 {
				if in.Op, err = operationNumber(args[0]); err != nil {
					return err
				}
			} else if in.Project, err = p.ReadProject(cmd, e, all); err != nil {
				return err
			}
			u, err := e.Undo(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.Answer(document.UndoneOf(u, dry), func(b *strings.Builder) { b.WriteString(render.Undone(u, dry)) })
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "preview only")
	cmd.Flags().BoolVar(&all, "all-projects", false, "undo the latest operation of any project")
	cmd.Flags().StringVar(&verb, "verb", "", "with FIRST..LAST: only operations of this `kind`")
	return cmd
}

// UndoneRangeDoc is the answer of `undo FIRST..LAST --json`.
type UndoneRangeDoc struct {
	DryRun bool              `json:"dry_run"`
	Undone []document.Undone `json:"undone"` // latest first
}

// undoRange undoes several operations. After an error it still reports those that were undone.
func undoRange(p *command.Program, cmd *cobra.Command, e *engine.Engine, span string, in undo.UndoRangeInput) error {
	first, last, _ := strings.Cut(span, "..")
	var err error
	if in.First, err = operationNumber(first); err != nil {
		return err
	}
	if in.Last, err = operationNumber(last); err != nil {
		return err
	}
	bar := p.Progress("undo")
	in.Progress = bar.Report
	undone, err := e.UndoRange(cmd.Context(), in)
	bar.End()
	if len(undone) == 0 && err != nil {
		return err
	}
	doc := UndoneRangeDoc{in.DryRun, document.Each(undone, func(u engram.Undone) document.Undone { return document.UndoneOf(u, in.DryRun) })}
	printed := p.Answer(doc, func(b *strings.Builder) {
		for _, u := range undone {
			b.WriteString(render.Undone(u, in.DryRun))
		}
		fmt.Fprintf(b, "%s %s\n", command.Count(len(undone), "operation", "operations"), command.Would(in.DryRun, "to undo", "undone"))
	})
	return errors.Join(err, printed)
}

func operationNumber(arg string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
	if err != nil || n < 1 {
		return 0, engram.Errorf(engram.CodeInvalid, "%q is not an operation number", render.Preview(arg, 40)).WithHint("{log} shows the numbers")
	}
	return n, nil
}
