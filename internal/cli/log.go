package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) logCommand() *cobra.Command {
	var actor, verb, since, until string
	var limit, offset int
	var all, follow bool
	var c compactFlags
	cmd := &cobra.Command{
		Use:   "log [ID]",
		Short: "Show the log of operations: who, what, when and why",
		Long: `Show the log of operations, latest first: each line is one operation, with the caller and the records it changed. With an
ID only operations on this memory. engram undo reverts an operation. --compact removes old operations from the journal:
they cannot be undone any more, and --as-of cannot look behind them; no text is lost. --follow shows new operations of
every process until it is interrupted; with --json one operation per line.`,
		Example: examples("engram log", "engram log 12", "engram log --actor mcp --since 7d --all-projects", "engram log --follow", "engram log --compact --keep 365 --dry-run"),
		Args:    between(0, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if err := c.check(cmd, args); err != nil {
				return err
			}
			if follow {
				if err := checkFollow(cmd, args); err != nil {
					return err
				}
			}
			if c.compact {
				return p.compactJournal(cmd, e, c)
			}
			if follow {
				project, err := p.readProject(cmd, e, all)
				if err != nil {
					return err
				}
				return p.followLog(cmd, e, project)
			}
			var err error
			in := engine.LogInput{Actor: actor, Verb: verb, Page: engram.Page{Limit: limit, Offset: offset}}
			if len(args) == 1 {
				ref, err := engram.ParseRef(args[0])
				if err != nil {
					return err
				}
				in.Ref = &ref
			}
			if in.Since, err = p.when("since", since, e.Now()); err != nil {
				return err
			}
			if in.Until, err = p.when("until", until, e.Now()); err != nil {
				return err
			}
			if in.Project, err = p.readProject(cmd, e, all || in.Ref != nil); err != nil {
				return err
			}
			entries, begins, err := e.Log(cmd.Context(), in)
			if err != nil {
				return err
			}
			doc := document.Log{Begins: document.Stamp(begins), Operations: document.Each(entries, document.OperationOf)}
			nothing, err := p.nothing(cmd, e, in.Project, len(entries) > 0 || offset > 0)
			if err != nil {
				return err
			}
			return p.answerRows(doc, and(nothing, func(b *strings.Builder) { b.WriteString(render.Log(entries, begins, p.zone())) }))
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
	flags.BoolVar(&follow, "follow", false, "show new operations as they happen")
	flags.BoolVar(&c.compact, "compact", false, "remove old operations from the journal")
	flags.IntVar(&c.keep, "keep", 0, "with --compact: number of `days` to keep; 0 uses the setting journal_days")
	flags.BoolVar(&c.dry, "dry-run", false, "with --compact: only count them")
	return cmd
}

// compactFlags are those of log --compact.
type compactFlags struct {
	compact, dry bool
	keep         int
}

// check refuses what would be ignored: a journal that was compacted where it was only to
// be looked at does not come back.
func (c compactFlags) check(cmd *cobra.Command, args []string) error {
	if c.compact && len(args) > 0 {
		return invalidf("--compact works on the whole journal and takes no ID").WithHint("run: %s --help", cmd.CommandPath())
	}
	reading := []string{"actor", "verb", "since", "until", "limit", "offset", "all-projects", "follow"}
	compacting := []string{"keep", "dry-run"}
	wrong, why := compacting, "needs"
	if c.compact {
		wrong, why = reading, "cannot be combined with"
	}
	for _, name := range wrong {
		if cmd.Flags().Changed(name) {
			return invalidf("--%s %s --compact", name, why).WithHint("run: %s --help", cmd.CommandPath())
		}
	}
	return nil
}

// compactDoc is the answer of log --compact --json.
type compactDoc struct {
	DryRun  bool           `json:"dry_run"`
	Entries int            `json:"entries"` // that went
	Before  document.Stamp `json:"before"`  // all of them are older; null: nothing was to go
}

func (p *program) compactJournal(cmd *cobra.Command, e *engine.Engine, c compactFlags) error {
	if c.keep < 0 || c.keep > 36500 {
		return invalidf("--keep %d is out of range", c.keep).WithHint("use a number of days, from 1")
	}
	done, err := e.CompactJournal(cmd.Context(), engine.CompactInput{Keep: time.Duration(c.keep) * 24 * time.Hour, DryRun: c.dry})
	if err != nil {
		return err
	}
	doc := compactDoc{c.dry, done.Entries, document.Stamp(done.Before)}
	return p.answer(doc, func(b *strings.Builder) {
		did := "Took"
		if c.dry {
			did = "Would remove"
		}
		fmt.Fprintf(b, "%s %s from the journal", did, count(done.Entries, "entry", "entries"))
		if !done.Before.IsZero() {
			fmt.Fprintf(b, ": operations older than %s", render.Time(done.Before, p.zone()))
		}
		b.WriteString(".\n")
	})
}
