package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// reviewQueueDoc is the answer of `review`.
type reviewQueueDoc struct {
	Project string                   `json:"project"` // "" is every one
	Limit   int                      `json:"limit"`
	Offset  int                      `json:"offset"`
	Counts  map[engram.QueueKind]int `json:"counts"` // how many there are of each kind: suspect, waiting, proposal, changed, due
	Items   []document.Queued        `json:"items"`  // by kind; of each the longest waiting first
}

func (p *program) reviewQueue(cmd *cobra.Command, e *engine.Engine, f reviewFlags) error {
	if f.limit < 1 {
		return invalidf("limit %d is out of range", f.limit).WithHint("a number from 1")
	}
	kinds, err := engram.ParseQueueKinds(f.kinds)
	if err != nil {
		return err
	}
	project, err := p.readProject(cmd, e, f.all)
	if err != nil {
		return err
	}
	q, err := e.Queue(cmd.Context(), engine.QueueInput{Project: project, Kinds: kinds, Page: engram.Page{Limit: f.limit, Offset: f.offset}})
	if err != nil {
		return err
	}
	doc := reviewQueueDoc{project, q.Page.Limit, q.Page.Offset, q.Counts, document.Each(q.Items, document.QueuedOf)}
	return p.answerRows(doc, func(b *strings.Builder) { p.writeQueue(b, q) })
}

// kindTitles say what the kinds of the queue are.
func kindTitles() map[engram.QueueKind]string {
	return map[engram.QueueKind]string{
		engram.QueueSuspect:  "Suspect: flagged as instruction-like, never injected",
		engram.QueueWaiting:  "Waiting: received from others, not yet a memory",
		engram.QueueProposal: "Proposed: found in transcripts or commits, not yet a memory",
		engram.QueueChanged:  "Changed: the code it refers to was changed or removed",
		engram.QueueDue:      "Due: time to check it",
	}
}

func (p *program) writeQueue(b *strings.Builder, q engine.Queue) {
	columns := p.waitingColumns()
	total := 0
	for _, n := range q.Counts {
		total += n
	}
	if total == 0 {
		fmt.Fprintln(b, "Nothing is pending review.")
		return
	}
	var kind engram.QueueKind
	for _, item := range q.Items {
		if item.Kind != kind {
			if kind != "" {
				fmt.Fprintln(b)
			}
			kind = item.Kind
			fmt.Fprintln(b, fold(fmt.Sprintf("%s (%d)", kindTitles()[kind], q.Counts[kind]), "  ", columns))
		}
		p.writeQueued(b, item, shownLines)
	}
	if rest := total - q.Page.Offset - len(q.Items); rest > 0 {
		fmt.Fprintf(b, "\n%s; --limit and --offset show them.\n", count(rest, "more pending", "more pending"))
	}
	fmt.Fprintln(b, "\n"+fold("To read an item: engram review show NAME. Then "+howToDecide(q.Items, "NAME"), "", columns))
}

// howToDecide says what can be done with things that wait, by their names.
func howToDecide(items []engram.QueueItem, names string) string {
	next := "engram review approve " + names + ", or engram review refuse " + names + "."
	if slices.ContainsFunc(items, func(i engram.QueueItem) bool { return i.Kind == engram.QueueChanged || i.Kind == engram.QueueDue }) {
		next += " For changed or due memories: engram review done ID if it is still right, engram review snooze ID --for 30d to postpone it," +
			" engram update ID to correct it."
	}
	return next
}

// shownCommit is how many characters of a commit a line shows.
const shownCommit = 12

// fromWhere says where something that waits came from: who pushed it, or whose words a proposal
// was read out of, and when those were written.
func (p *program) fromWhere(d document.Waiting) string {
	at := time.Time(d.At)
	if d.Source == "" {
		from := byWhom(d.By)
		if d.Chunk != "" {
			from += ", chunk " + render.Line(d.Chunk, 0)
		}
		return from
	}
	from := "a transcript of " + render.Line(d.Source, 0) + " (session " + render.Line(d.Place, 0) + ")"
	if d.Source == app.BackfillGit {
		from = "git commit " + render.Line(d.Place[:min(len(d.Place), shownCommit)], 0)
	}
	if !at.IsZero() {
		from += ", " + render.Time(at, p.zone())
	}
	return from
}

// queueLine is what something that waits is called, and whose words it is.
func (p *program) queueLine(i engram.QueueItem) (title, about string) {
	if i.Waiting != nil {
		d := document.WaitingOf(*i.Waiting)
		about = "from " + p.fromWhere(d)
		kind := d.Kind
		if m := i.Waiting.Record.Memory; m != nil && !i.Waiting.Record.Gone {
			kind = string(m.Memory.Type) // what it would become
		}
		return fmt.Sprintf("[%s] %s", render.Line(kind, 0), render.QuoteLine(titleOf(d))), render.Line(about+" | project: "+d.Project, 0)
	}
	m := i.Memory
	title = fmt.Sprintf("[%s] %s", render.Line(string(m.Type), 0), render.Line(m.Title, 0))
	return title, render.Source(m, p.zone()) + " | project: " + cmp.Or(render.Line(m.Project, 0), "none")
}

func (p *program) reviewApproveCommand() *cobra.Command {
	var operation int64
	cmd := &cobra.Command{
		Use:   "approve NAME…",
		Short: "Approve pending items",
		Long: `Approve pending items after reading them. A memory (by its id) may then be injected in its current form and counts as
reviewed; if its code changed, it is anchored to the current code. An item named w and a number becomes a memory; if that
is instruction-like, it is never injected and stays pending as suspect until it is approved by its id, too. An approval
covers only the current text of a memory. engram undo reverts an approval, and a proposal is pending again.

--operation approves, instead of names, all suspect memories written by one operation, such as an import of your own
export. Memories that have changed since stay pending.`,
		Example: examples("engram review approve 12", "engram review approve w3 w4", "engram review approve --operation 42"),
		Args:    between(0, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if given := cmd.Flags().Changed("operation"); given == (len(args) > 0) {
				return invalidf("nothing to approve is given").WithHint("give names from {review}, or --operation NUMBER")
			} else if given {
				res, err := e.ApproveOperation(cmd.Context(), operation)
				return p.answerDecided(e, "Approved", res, err)
			}
			res, err := e.ApproveNamed(cmd.Context(), args)
			return p.answerDecided(e, "Approved", res, err)
		}),
	}
	cmd.Flags().Int64Var(&operation, "operation", 0, "approve all suspect memories written by the operation of this `number`")
	return cmd
}

func (p *program) reviewRefuseCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "refuse NAME…",
		Short: "Reject pending items",
		Long: `Reject pending items. A memory (by its id) is forgotten, and engram undo restores it. An item named w and a number is
discarded and neither proposed nor imported again, unless engram undo makes it pending again; engram sync drop deletes it
permanently.`,
		Example: examples("engram review refuse 12", "engram review refuse w3"),
		Args:    between(1, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			res, err := e.RefuseNamed(cmd.Context(), args)
			return p.answerDecided(e, "Refused", res, err)
		}),
	}
}

// reviewDecidedDoc is the answer of `review approve` and `review refuse`.
type reviewDecidedDoc struct {
	Memories []document.Memory      `json:"memories"`
	Records  []int64                `json:"records"`  // numbers of what was no memory yet
	Done     []document.DecidedName `json:"done"`     // all of them, as they were named, with what undo takes back
	Degraded []string               `json:"degraded"` // what could not be done of it, and why
}

// answerDecided tells what became of things that waited.
func (p *program) answerDecided(e *engine.Engine, done string, res engine.Decided, err error) error {
	if err != nil {
		if before := len(res.Names()); before > 0 { // the error is all that is told otherwise
			p.warn(count(before, "item was processed before that", "items were processed before that"))
		}
		return err
	}
	doc := reviewDecidedDoc{memoriesOf(e, res.Memories), res.Records,
		document.Each(res.Done, func(d engine.DecidedName) document.DecidedName { return document.DecidedName(d) }), document.OrEmpty(res.Degraded)}
	if !p.json {
		p.warnAll(res.Degraded)
	}
	return p.answer(doc, func(b *strings.Builder) {
		named := map[string]string{}
		for _, m := range res.Memories {
			named[strconv.FormatInt(m.Num, 10)] = name(m)
		}
		for _, d := range res.Done {
			what := cmp.Or(named[d.Name], d.Name)
			if named[d.Name] == "" && d.Memory != 0 {
				what += fmt.Sprintf(", memory #%d now", d.Memory)
			}
			if d.Op == 0 {
				fmt.Fprintf(b, "Nothing changed: %s was not pending review\n", what)
				continue
			}
			fmt.Fprintf(b, "%s: %s%s\n", done, what, takeBack(d.Op))
			b.WriteString(render.Anew(d.Anchored, d.Released))
		}
	})
}

// takeBack says how an operation is undone; nothing of none.
func takeBack(op int64) string {
	if op == 0 {
		return ""
	}
	return fmt.Sprintf("; to undo: engram undo %d", op)
}
