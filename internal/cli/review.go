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
	cmd := group("review", "Review pending items: list, approve, reject",
		examples("engram review", "engram review --kind suspect,waiting", "engram review show w3", "engram review approve 12 w3", "engram review refuse w4", "engram review done 13"),
		p.reviewListCommand(), p.reviewShowCommand(), p.reviewApproveCommand(), p.reviewRefuseCommand(), p.reviewDoneCommand(), p.reviewSnoozeCommand())
	cmd.Long = `List items that need a person: memories flagged as instruction-like (suspect), items received from others that need a
check (waiting), proposals of backfill (proposal), memories whose code changed (changed), and memories due for a check
(due). show prints an item in full; approve accepts it; refuse forgets or discards it; done confirms that a memory is
still right and anchors it to the current code; snooze postpones the check.

Decisions are due after six months, policies after twelve, preferences after three; important memories after half that
time, unimportant ones after twice. The setting review_months changes this.`
	var f reviewFlags
	f.register(cmd)
	cmd.RunE = p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return p.reviewQueue(cmd, e, f) })
	return cmd
}

type reviewFlags struct {
	all           bool
	kinds         []string
	limit, offset int
}

func (f *reviewFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.kinds, "kind", nil, "only these `kinds`: suspect, waiting, proposal, changed, due")
	cmd.Flags().BoolVar(&f.all, "all-projects", false, "include every project")
	cmd.Flags().IntVar(&f.limit, "limit", 20, "maximum number of results")
	cmd.Flags().IntVar(&f.offset, "offset", 0, "skip this many first")
}

// reviewListCommand is review by its other name: who has learned that review list lists what is
// due is not to miss what waits for another reason.
func (p *program) reviewListCommand() *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the review queue (the default)",
		Example: examples("engram review list", "engram review list --kind changed,due", "engram review list --all-projects --json"),
		Args:    between(0, 0),
		RunE:    p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return p.reviewQueue(cmd, e, f) }),
	}
	f.register(cmd)
	return cmd
}

// reviewedDoc is the answer of `review done` and `review snooze`.
type reviewedDoc struct {
	Memories []document.Memory      `json:"memories"`
	Done     []document.DecidedName `json:"done"`     // each of them, with what undo takes back
	Degraded []string               `json:"degraded"` // what could not be done of it, and why
}

func (p *program) reviewDoneCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "done ID…",
		Aliases: []string{"mark"},
		Short:   "Mark memories as checked and still right; their review interval starts again",
		Example: examples("engram review done 12", "engram review done 12 13"),
		Args:    between(1, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			return p.review(cmd, e, args, "marked reviewed", func(ref engram.Ref) (engine.ReviewResult, error) {
				return e.Reviewed(cmd.Context(), ref)
			})
		}),
	}
}

func (p *program) reviewSnoozeCommand() *cobra.Command {
	var span, until string
	cmd := &cobra.Command{
		Use:     "snooze ID…",
		Short:   "Postpone the review of memories",
		Example: examples("engram review snooze 12 --for 30d", "engram review snooze 12 --until 2027-01-31"),
		Args:    between(1, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if (span == "") == (until == "") {
				return invalidf("no time given").WithHint("use --for 30d or --until 2027-01-31")
			}
			at, err := p.later(span, until, e.Now())
			if err != nil {
				return err
			}
			return p.review(cmd, e, args, "snoozed", func(ref engram.Ref) (engine.ReviewResult, error) {
				return e.Snooze(cmd.Context(), ref, at)
			})
		}),
	}
	cmd.Flags().StringVar(&span, "for", "", "for a `span`: 30d, 12h, 2w")
	cmd.Flags().StringVar(&until, "until", "", "until a `time`: tomorrow, 7d, 2027-01-31")
	return cmd
}

// later reads a time to come: a span from now, or a day.
func (p *program) later(span, until string, now time.Time) (time.Time, error) {
	if until != "" {
		at, ok := text.Until(until, now.In(p.loaded.Timezone))
		if !ok {
			return at, invalidf("--until %q is not a future time", until).WithHint("%s", text.UntilForms)
		}
		return at, nil
	}
	at, ok := text.Ahead(span, now.In(p.loaded.Timezone))
	if !ok {
		return at, invalidf("--for %q is not a time span", span).WithHint("write it like 30d, 12h, 2w or 3mo")
	}
	return at, nil
}

// review runs a verb on each of the memories; all of them must exist.
func (p *program) review(cmd *cobra.Command, e *engine.Engine, args []string, done string, verb func(engram.Ref) (engine.ReviewResult, error)) error {
	refs, err := refsOf(args)
	if err != nil {
		return err
	}
	var ms []engram.Memory
	doc := reviewedDoc{Done: []document.DecidedName{}, Degraded: []string{}}
	for _, ref := range refs {
		res, err := verb(ref)
		if err != nil {
			if len(ms) > 0 { // the error is all that is told otherwise
				p.warn(count(len(ms), "memory was "+done+" before that", "memories were "+done+" before that"))
			}
			return err
		}
		ms = append(ms, res.Memory)
		doc.Done = append(doc.Done, document.DecidedName(res.Decided()))
		doc.Degraded = append(doc.Degraded, res.Degraded...)
	}
	if doc.Memories = memoriesOf(e, ms); !p.json {
		p.warnAll(doc.Degraded)
	}
	return p.answer(doc, func(b *strings.Builder) {
		for i, m := range ms {
			due := "it will not be due again"
			if !m.ReviewAfter.IsZero() {
				due = "due on " + render.Time(m.ReviewAfter, p.zone())
			}
			fmt.Fprintf(b, "Memory %s: %s; %s%s\n", done, name(m), due, takeBack(doc.Done[i].Op))
			b.WriteString(render.Anew(doc.Done[i].Anchored, doc.Done[i].Released))
		}
	})
}
