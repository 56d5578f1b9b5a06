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
	"github.com/alanbuscaglia/engram/internal/text"
)

func (p *program) reviewCommand() *cobra.Command {
	cmd := group("review", "List what waits for a person, approve or refuse it",
		examples("engram review", "engram review --kind suspect,waiting", "engram review approve 12 w3", "engram review refuse w4", "engram review done 13"),
		p.reviewListCommand(), p.reviewApproveCommand(), p.reviewRefuseCommand(), p.reviewDoneCommand(), p.reviewSnoozeCommand())
	cmd.Long = `List what waits for a person: memories that read like orders to an agent (suspect), what came from others and has to be
looked at first (waiting), what backfill proposes (proposal), memories whose code changed (changed), and those that are
due to be checked (due). approve lets one be told, or come in; refuse forgets it, or throws it away.

A decision falls due after six months, a policy after twelve, a preference after three; what is important after half the
time, what matters little after twice. The setting review_months has it otherwise. done says that a memory was checked
and holds, snooze puts that off.`
	var f reviewFlags
	f.register(cmd)
	cmd.Flags().StringSliceVar(&f.kinds, "kind", nil, "`kinds` alone: suspect, waiting, proposal, changed, due")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return p.reviewQueue(cmd, f) }
	return cmd
}

type reviewFlags struct {
	all           bool
	kinds         []string
	limit, offset int
}

func (f *reviewFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.all, "all-projects", false, "look in every project")
	cmd.Flags().IntVar(&f.limit, "limit", 20, "show at most so many")
	cmd.Flags().IntVar(&f.offset, "offset", 0, "leave out so many first")
}

func (p *program) reviewListCommand() *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List what is due, the longest overdue first",
		Example: examples("engram review list", "engram review list --all-projects --json"),
		Args:    between(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.reviews(cmd, f) },
	}
	f.register(cmd)
	return cmd
}

func (p *program) reviews(cmd *cobra.Command, f reviewFlags) error {
	if f.limit < 1 {
		return invalidf("limit %d is out of range", f.limit).WithHint("a number from 1")
	}
	e, err := p.open(cmd)
	if err != nil {
		return err
	}
	project, err := p.readProject(cmd, e, f.all)
	if err != nil {
		return err
	}
	page := engram.Page{Limit: f.limit, Offset: f.offset}
	due, err := e.Reviews(cmd.Context(), project, page)
	if err != nil {
		return err
	}
	return p.answerRows(reviewsDoc{project, page.Limit, page.Offset, memoriesOf(e, due)}, func(b *strings.Builder) { writeReviews(b, due, p.zone()) })
}

// reviewsDoc is the answer of `review list`.
type reviewsDoc struct {
	Project  string            `json:"project"` // "" is every project
	Limit    int               `json:"limit"`
	Offset   int               `json:"offset"`
	Memories []document.Memory `json:"memories"` // the longest overdue first
}

func writeReviews(b *strings.Builder, due []engram.Memory, o render.Options) {
	if len(due) == 0 {
		fmt.Fprintln(b, "No memories need review.")
	}
	for _, m := range due {
		fmt.Fprintf(b, "#%d [%s] %s — %s\n", m.Num, render.Line(string(m.Type), 0), render.Line(m.Title, 0), render.Line(m.Content, 100))
		fmt.Fprintf(b, "    due since %s | project: %s\n", render.Time(m.ReviewAfter, o), render.Line(m.Project, 0))
	}
}

// reviewedDoc is the answer of `review done` and `review snooze`.
type reviewedDoc struct {
	Memories []document.Memory `json:"memories"`
}

func (p *program) reviewDoneCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "done ID…",
		Aliases: []string{"mark"},
		Short:   "Note that memories were checked and hold: the time until the next review begins anew",
		Example: examples("engram review done 12", "engram review done 12 13"),
		Args:    between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.review(cmd, args, "marked reviewed", func(e *engine.Engine, ref engram.Ref) (engram.Memory, error) {
				return e.Reviewed(cmd.Context(), ref)
			})
		},
	}
}

func (p *program) reviewSnoozeCommand() *cobra.Command {
	var span, until string
	cmd := &cobra.Command{
		Use:     "snooze ID…",
		Short:   "Put the review of memories off",
		Example: examples("engram review snooze 12 --for 30d", "engram review snooze 12 --until 2027-01-31"),
		Args:    between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (span == "") == (until == "") {
				return invalidf("say until when").WithHint("either --for 30d or --until 2027-01-31")
			}
			e, err := p.open(cmd)
			if err != nil {
				return err
			}
			at, err := p.later(span, until, e.Now())
			if err != nil {
				return err
			}
			return p.review(cmd, args, "snoozed", func(e *engine.Engine, ref engram.Ref) (engram.Memory, error) {
				return e.Snooze(cmd.Context(), ref, at)
			})
		},
	}
	cmd.Flags().StringVar(&span, "for", "", "for so `long`: 30d, 12h, 2w")
	cmd.Flags().StringVar(&until, "until", "", "until a `date`: 2027-01-31")
	return cmd
}

// later reads a time to come: a span from now, or a date.
func (p *program) later(span, until string, now time.Time) (time.Time, error) {
	if until != "" {
		return p.when("until", until, now)
	}
	at, ok := text.Ahead(span, now.In(p.loaded.Timezone))
	if !ok {
		return at, invalidf("--for %q is not a span", span).WithHint("write it like 30d, 12h, 2w or 3mo")
	}
	return at, nil
}

// review runs a verb on each of the memories; all of them must exist.
func (p *program) review(cmd *cobra.Command, args []string, done string, verb func(*engine.Engine, engram.Ref) (engram.Memory, error)) error {
	refs, err := refsOf(args)
	if err != nil {
		return err
	}
	e, err := p.open(cmd)
	if err != nil {
		return err
	}
	var ms []engram.Memory
	for _, ref := range refs {
		m, err := verb(e, ref)
		if err != nil {
			return err
		}
		ms = append(ms, m)
	}
	return p.answer(reviewedDoc{memoriesOf(e, ms)}, func(b *strings.Builder) {
		for _, m := range ms {
			fmt.Fprintf(b, "Memory %s: %s", done, name(m))
			if m.ReviewAfter.IsZero() {
				fmt.Fprintln(b, "; it does not fall due again")
			} else {
				fmt.Fprintf(b, "; due on %s\n", render.Time(m.ReviewAfter, p.zone()))
			}
		}
	})
}
