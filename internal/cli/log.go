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
		Short: "Show what was written: who, what, when and why",
		Long: `Show what was written, the latest first: each line is one operation, with who asked for it and what it touched.
With an ID only operations that touched this memory. undo takes one back. --compact takes old operations out of the
journal: they cannot be undone any more, and --as-of knows no more of the time before; no text is lost. --follow shows
what is written from now on, by whichever process, until it is interrupted; with --json an operation a line.`,
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
	flags.StringVar(&actor, "actor", "", "only what `who` asked for: cli, http, mcp, mcp:claude-code")
	flags.StringVar(&verb, "verb", "", "only what this `verb` did: save, update, forget, undo, …")
	flags.StringVar(&since, "since", "", "only since a `time`: 7d, 12h, yesterday, 2026-01-31")
	flags.StringVar(&until, "until", "", "only before a `time`, written like that of --since")
	flags.IntVar(&limit, "limit", 20, "show at most so many operations")
	flags.IntVar(&offset, "offset", 0, "leave out so many first")
	flags.BoolVar(&all, "all-projects", false, "what was written in every project")
	flags.BoolVar(&follow, "follow", false, "show what is written from now on, as it is written")
	flags.BoolVar(&c.compact, "compact", false, "take old operations out of the journal")
	flags.IntVar(&c.keep, "keep", 0, "with --compact: keep so many `days`; 0 is what journal_days says")
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
		return invalidf("--compact takes no memory: it is for the whole journal").WithHint("run: %s --help", cmd.CommandPath())
	}
	reading := []string{"actor", "verb", "since", "until", "limit", "offset", "all-projects", "follow"}
	compacting := []string{"keep", "dry-run"}
	wrong, why := compacting, "goes with"
	if c.compact {
		wrong, why = reading, "does not go with"
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
		return invalidf("--keep %d is out of range", c.keep).WithHint("a number of days, from 1")
	}
	done, err := e.CompactJournal(cmd.Context(), engine.CompactInput{Keep: time.Duration(c.keep) * 24 * time.Hour, DryRun: c.dry})
	if err != nil {
		return err
	}
	doc := compactDoc{c.dry, done.Entries, document.Stamp(done.Before)}
	return p.answer(doc, func(b *strings.Builder) {
		did := "Took"
		if c.dry {
			did = "Would take"
		}
		fmt.Fprintf(b, "%s %s out of the journal", did, count(done.Entries, "entry", "entries"))
		if !done.Before.IsZero() {
			fmt.Fprintf(b, ": what is older than %s", render.Time(done.Before, p.zone()))
		}
		b.WriteString(".\n")
	})
}
