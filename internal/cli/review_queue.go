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
		engram.QueueSuspect:  "Suspect: reads like an order to an agent, and is not told unasked",
		engram.QueueWaiting:  "Waiting: came from others, and is no memory yet",
		engram.QueueProposal: "Proposed: read out of transcripts and commits, and no memory yet",
		engram.QueueChanged:  "Changed: the code that it speaks of is another one, or gone",
		engram.QueueDue:      "Due: the time to check it has come",
	}
}

func (p *program) writeQueue(b *strings.Builder, q engine.Queue) {
	columns := p.waitingColumns()
	total := 0
	for _, n := range q.Counts {
		total += n
	}
	if total == 0 {
		fmt.Fprintln(b, "Nothing waits for review.")
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
		fmt.Fprintf(b, "\n%s; --limit and --offset show them.\n", count(rest, "more waits", "more wait"))
	}
	fmt.Fprintln(b, "\n"+fold("To read one: engram review show NAME. Then "+howToDecide(q.Items, "NAME"), "", columns))
}

// howToDecide says what can be done with things that wait, by their names.
func howToDecide(items []engram.QueueItem, names string) string {
	next := "engram review approve " + names + ", or engram review refuse " + names + "."
	if slices.ContainsFunc(items, func(i engram.QueueItem) bool { return i.Kind == engram.QueueChanged || i.Kind == engram.QueueDue }) {
		next += " Of what is changed or due: engram review done ID when it holds, engram review snooze ID --for 30d to be asked later," +
			" engram update ID when it is otherwise now."
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
		Short: "Let what waits be told, or come in",
		Long: `Let what waits be told, or come in, after you have read it: a memory, by its id, may be told to agents unasked as it is
now, and counts as reviewed; one whose code changed is anchored to what stands there now; what is called w and a number
becomes a memory. Where that reads like an order to an agent it is told to nobody unasked, and waits as suspect until it is
approved by its id, too. Another text of the memory is not approved by that. Each can be taken back with engram undo,
which lets a proposal wait again.

--operation approves all suspect memories that one operation wrote, instead of names: those of an import whose file you
know, such as an export of your own. One that says something else since waits on.`,
		Example: examples("engram review approve 12", "engram review approve w3 w4", "engram review approve --operation 42"),
		Args:    between(0, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if given := cmd.Flags().Changed("operation"); given == (len(args) > 0) {
				return invalidf("say what is approved").WithHint("either names, as {review} shows them, or --operation NUMBER")
			} else if given {
				res, err := e.ApproveOperation(cmd.Context(), operation)
				return p.answerDecided(e, "Approved", res, err)
			}
			res, err := e.ApproveNamed(cmd.Context(), args)
			return p.answerDecided(e, "Approved", res, err)
		}),
	}
	cmd.Flags().Int64Var(&operation, "operation", 0, "all suspect memories that the operation of this `number` wrote")
	return cmd
}

func (p *program) reviewRefuseCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "refuse NAME…",
		Short: "Forget what waits, or throw it away",
		Long: `Forget what waits, or throw it away: a memory, by its id, is forgotten, and engram undo brings it back; what is called w
and a number is thrown away, and is neither proposed nor taken in again, until engram undo lets it wait again.
engram sync drop removes it for good.`,
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
			p.warn(count(before, "thing was done before that", "things were done before that"))
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
				fmt.Fprintf(b, "Nothing changed: %s did not wait for review\n", what)
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
	return fmt.Sprintf("; to take it back: engram undo %d", op)
}
