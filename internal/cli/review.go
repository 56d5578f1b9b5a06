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
		examples("engram review", "engram review --kind suspect,waiting", "engram review show w3", "engram review approve 12 w3", "engram review refuse w4", "engram review done 13"),
		p.reviewListCommand(), p.reviewShowCommand(), p.reviewApproveCommand(), p.reviewRefuseCommand(), p.reviewDoneCommand(), p.reviewSnoozeCommand())
	cmd.Long = `List what waits for a person: memories that read like orders to an agent (suspect), what came from others and has to be
looked at first (waiting), what backfill proposes (proposal), memories whose code changed (changed), and those that are
due to be checked (due). show has one whole; approve lets it be told, or come in; refuse forgets it, or throws it away. done
says of a memory that it holds, and anchors it to what its code says now; snooze lets it wait for nobody until a time.

A decision falls due after six months, a policy after twelve, a preference after three; what is important after half the
time, what matters little after twice. The setting review_months has it otherwise.`
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
	cmd.Flags().StringSliceVar(&f.kinds, "kind", nil, "`kinds` alone: suspect, waiting, proposal, changed, due")
	cmd.Flags().BoolVar(&f.all, "all-projects", false, "look in every project")
	cmd.Flags().IntVar(&f.limit, "limit", 20, "show at most so many")
	cmd.Flags().IntVar(&f.offset, "offset", 0, "leave out so many first")
}

// reviewListCommand is review by its other name: who has learned that review list lists what is
// due is not to miss what waits for another reason.
func (p *program) reviewListCommand() *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List what waits, as review does without a word behind it",
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
		Short:   "Note that memories were checked and hold: the time until the next review begins anew",
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
		Short:   "Put the review of memories off",
		Example: examples("engram review snooze 12 --for 30d", "engram review snooze 12 --until 2027-01-31"),
		Args:    between(1, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if (span == "") == (until == "") {
				return invalidf("say until when").WithHint("either --for 30d or --until 2027-01-31")
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
	cmd.Flags().StringVar(&span, "for", "", "for so `long`: 30d, 12h, 2w")
	cmd.Flags().StringVar(&until, "until", "", "until a `time`: tomorrow, 7d, 2027-01-31")
	return cmd
}

// later reads a time to come: a span from now, or a day.
func (p *program) later(span, until string, now time.Time) (time.Time, error) {
	if until != "" {
		at, ok := text.Until(until, now.In(p.loaded.Timezone))
		if !ok {
			return at, invalidf("--until %q is not a time to come", until).WithHint("%s", text.UntilForms)
		}
		return at, nil
	}
	at, ok := text.Ahead(span, now.In(p.loaded.Timezone))
	if !ok {
		return at, invalidf("--for %q is not a span", span).WithHint("write it like 30d, 12h, 2w or 3mo")
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
			due := "it does not fall due again"
			if !m.ReviewAfter.IsZero() {
				due = "due on " + render.Time(m.ReviewAfter, p.zone())
			}
			fmt.Fprintf(b, "Memory %s: %s; %s%s\n", done, name(m), due, takeBack(doc.Done[i].Op))
			b.WriteString(render.Anew(doc.Done[i].Anchored, doc.Done[i].Released))
		}
	})
}
