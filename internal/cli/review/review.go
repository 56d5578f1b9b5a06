// Package review holds the commands by which a person decides: the review queue (review.go), candidate contradictions
// (conflicts.go) and items received from others (pending.go), which are subcommands of sync.
package review

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
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	enginereview "github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Commands returns the commands that decide about memories.
func Commands() []command.Maker {
	return []command.Maker{
		command.In(command.GroupMemory, "review", reviewCommand),
		command.In(command.GroupMemory, "conflicts conflict", conflictsCommand),
	}
}

func reviewCommand(p *command.Program) *cobra.Command {
	cmd := command.Group("review", "Review pending items: list, approve, reject",
		command.Examples("engram review", "engram review --kind suspect,waiting", "engram review show w3", "engram review approve 12 w3", "engram review refuse w4", "engram review done 13"),
		reviewListCommand(p), reviewShowCommand(p), reviewApproveCommand(p), reviewRefuseCommand(p), reviewDoneCommand(p), reviewSnoozeCommand(p))
	cmd.Long = `List items that need a person: memories flagged as instruction-like (suspect), items received from others that need a
check (waiting), proposals of backfill (proposal), memories whose code changed (changed), and memories due for a check
(due). show prints an item in full; approve accepts it; refuse forgets or discards it; done confirms that a memory is
still right and anchors it to the current code; snooze postpones the check.

Decisions are due after six months, policies after twelve, preferences after three; important memories after half that
time, unimportant ones after twice. The setting review_months changes this.`
	var f reviewFlags
	f.register(cmd)
	cmd.RunE = p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return reviewQueue(p, cmd, e, f) })
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

// reviewListCommand is review by another name: it listed only due memories once, and must show the whole
// queue.
func reviewListCommand(p *command.Program) *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the review queue (the default)",
		Example: command.Examples("engram review list", "engram review list --kind changed,due", "engram review list --all-projects --json"),
		RunE:    p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return reviewQueue(p, cmd, e, f) }),
	}
	f.register(cmd)
	return cmd
}

// ReviewedDoc is the answer of `review done` and `review snooze`.
type ReviewedDoc struct {
	Memories []document.Memory      `json:"memories"`
	Done     []document.DecidedName `json:"done"`     // each memory, with its operation to undo
	Degraded []string               `json:"degraded"` // what could not be done, and why
}

func reviewDoneCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "done ID…",
		Aliases: []string{"mark"},
		Short:   "Mark memories as checked and still right; their review interval starts again",
		Example: command.Examples("engram review done 12", "engram review done 12 13"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			return review(p, e, args, "marked reviewed", func(ref engram.Ref) (enginereview.ReviewResult, error) {
				return e.Reviewed(cmd.Context(), ref)
			})
		}),
	}
}

func reviewSnoozeCommand(p *command.Program) *cobra.Command {
	var span, until string
	cmd := &cobra.Command{
		Use:     "snooze ID…",
		Short:   "Postpone the review of memories",
		Example: command.Examples("engram review snooze 12 --for 30d", "engram review snooze 12 --until 2027-01-31"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if (span == "") == (until == "") {
				return command.Invalidf("no time given").WithHint("use --for 30d or --until 2027-01-31")
			}
			at, err := later(p, span, until, e.Now())
			if err != nil {
				return err
			}
			return review(p, e, args, "snoozed", func(ref engram.Ref) (enginereview.ReviewResult, error) {
				return e.Snooze(cmd.Context(), ref, at)
			})
		}),
	}
	cmd.Flags().StringVar(&span, "for", "", "for a `span`: 30d, 12h, 2w")
	cmd.Flags().StringVar(&until, "until", "", "until a `time`: tomorrow, 7d, 2027-01-31")
	return cmd
}

// later parses a future time: a span from now, or a day.
func later(p *command.Program, span, until string, now time.Time) (time.Time, error) {
	if until != "" {
		at, ok := text.Until(until, now.In(p.Loaded.Timezone))
		if !ok {
			return at, command.Invalidf("--until %q is not a future time", until).WithHint("%s", text.UntilForms)
		}
		return at, nil
	}
	at, ok := text.Ahead(span, now.In(p.Loaded.Timezone))
	if !ok {
		return at, command.Invalidf("--for %q is not a time span", span).WithHint("write it like 30d, 12h, 2w or 3mo")
	}
	return at, nil
}

// review runs an operation on each memory; all of them must exist.
func review(p *command.Program, e *engine.Engine, args []string, done string, verb func(engram.Ref) (enginereview.ReviewResult, error)) error {
	refs, err := command.RefsOf(args)
	if err != nil {
		return err
	}
	var ms []engram.Memory
	doc := ReviewedDoc{Done: []document.DecidedName{}, Degraded: []string{}}
	for _, ref := range refs {
		res, err := verb(ref)
		if err != nil {
			if len(ms) > 0 { // only the error is printed otherwise
				p.Warn(command.Count(len(ms), "memory was "+done+" before that", "memories were "+done+" before that"))
			}
			return err
		}
		ms = append(ms, res.Memory)
		doc.Done = append(doc.Done, document.DecidedName(res.Decided()))
		doc.Degraded = append(doc.Degraded, res.Degraded...)
	}
	if doc.Memories = command.MemoriesOf(e, ms); !p.JSON {
		p.WarnAll(doc.Degraded)
	}
	return p.Answer(doc, func(b *strings.Builder) {
		for i, m := range ms {
			due := "it will not be due again"
			if !m.ReviewAfter.IsZero() {
				due = "due on " + render.Time(m.ReviewAfter, p.Zone())
			}
			fmt.Fprintf(b, "Memory %s: %s; %s%s\n", done, command.MemoryName(m), due, undoHint(doc.Done[i].Op))
			b.WriteString(render.AnchorChanges(doc.Done[i].Anchored, doc.Done[i].Released))
		}
	})
}

// ReviewShownDoc is the answer of `review show`.
type ReviewShownDoc struct {
	Items []document.Queued `json:"items"` // in the order of the arguments
}

func reviewShowCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME…",
		Short: "Show pending items in full, with all reasons",
		Long: `Show a pending item in full, as it would be injected or imported, with all reasons why it is pending: a memory by its id,
other items by w and a number. Read it here before engram review approve.`,
		Example: command.Examples("engram review show w3", "engram review show 12 w4"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var err error
			items := make([]engram.QueueItem, len(args))
			for i, name := range args {
				if items[i], err = e.QueuedNamed(cmd.Context(), name); err != nil {
					return err
				}
			}
			return p.Answer(ReviewShownDoc{document.Each(items, document.QueuedOf)}, func(b *strings.Builder) {
				for i, item := range items {
					if i > 0 {
						b.WriteByte('\n')
					}
					writeQueued(p, b, item, 0)
				}
				names := strings.Join(document.Each(items, engram.QueueItem.Name), " ")
				fmt.Fprintln(b, "\n"+render.Fold("To decide: "+howToDecide(items, names), "", p.ItemColumns()))
			})
		}),
	}
}

// queueIndent indents the lines below the title of a queue item.
const queueIndent = "       "

// shownLines is the number of lines of a text in a list; review show prints all.
const shownLines = 6

// writeQueued writes an item of the queue with at most so many lines of its text; 0 writes all lines, and all
// other texts that would be imported with it.
func writeQueued(p *command.Program, b *strings.Builder, item engram.QueueItem, most int) {
	columns := p.ItemColumns()
	title, about := queueLine(p, item)
	title = fmt.Sprintf("  %-4s %s", item.Name(), title)
	if most == 0 {
		fmt.Fprintln(b, render.Fold(title, queueIndent, columns))
	} else {
		if item.Pending == nil { // a memory, whose text engram get shows
			title += " — " + render.Line(gist.Line(item.Memory, command.ListedRunes), 0)
		}
		fmt.Fprintln(b, terminal.Fit(title, columns))
	}
	if most == 0 || item.Pending != nil {
		writeQuoted(p, b, item, most)
	}
	fmt.Fprintln(b, render.Fold(queueIndent+about, queueIndent, columns))
	for _, why := range item.Reasons {
		fmt.Fprintln(b, render.Fold(queueIndent+render.Line(why, 0), queueIndent, columns))
	}
}

func writeQuoted(p *command.Program, b *strings.Builder, item engram.QueueItem, most int) {
	pending := item.Pending
	if pending == nil {
		pending = &engram.Deferred{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: item.Memory}}}
	}
	d := document.PendingOf(*pending)
	texts := append([]document.PendingText{{Text: d.Content}}, d.More...)
	if d.Source != "" { // the author is printed separately
		texts = slices.DeleteFunc(texts, func(t document.PendingText) bool { return t.What == document.PendingTool && t.Text == d.Source })
	}
	for i, text := range texts {
		if text.What != "" {
			if most > 0 {
				fmt.Fprintf(b, "%sand %s: engram review show %s\n", queueIndent, command.Count(len(texts)-i, "more text", "more texts"), item.Name())
				return
			}
			fmt.Fprintf(b, "%s%s:\n", queueIndent, render.Line(text.What, 0))
		}
		// The title, shown above, is often the whole text.
		if same := strings.TrimSpace(text.Text); same == "" || most > 0 && i == 0 && same == strings.TrimSpace(d.Title) && len(same) < render.Columns/2 {
			continue
		}
		lines := quotedLines(p, text.Text)
		for _, line := range lines[:cutAt(len(lines), most)] {
			fmt.Fprintln(b, line)
		}
		if rest := len(lines) - cutAt(len(lines), most); rest > 0 {
			fmt.Fprintf(b, "%s… %s: engram review show %s\n", queueIndent, command.Count(rest, "more line", "more lines"), item.Name())
		}
	}
}

// quotedLines returns the lines of a text as a quotation, wrapped to the screen.
func quotedLines(p *command.Program, text string) (lines []string) {
	for line := range strings.SplitSeq(render.Quote(text), "\n") {
		lines = append(lines, strings.Split(render.Fold(queueIndent+line, queueIndent+"> ", p.ItemColumns()), "\n")...)
	}
	return lines
}

// cutAt returns how many of n lines to show if most is the limit, 0 for none. One more line is shown rather
// than a remark that it is missing.
func cutAt(n, most int) int {
	if most == 0 || n <= most+1 {
		return n
	}
	return most
}

// ReviewQueueDoc is the answer of `review`.
type ReviewQueueDoc struct {
	Project string                   `json:"project"` // "" is every one
	Limit   int                      `json:"limit"`
	Offset  int                      `json:"offset"`
	Counts  map[engram.QueueKind]int `json:"counts"` // number of items by kind: suspect, waiting, proposal, changed, due
	Items   []document.Queued        `json:"items"`  // by kind, then longest pending first
}

func reviewQueue(p *command.Program, cmd *cobra.Command, e *engine.Engine, f reviewFlags) error {
	if f.limit < 1 {
		return command.Invalidf("limit %d is out of range", f.limit).WithHint("use a number from 1")
	}
	kinds, err := engram.ParseQueueKinds(f.kinds)
	if err != nil {
		return err
	}
	project, err := p.ReadProject(cmd, e, f.all)
	if err != nil {
		return err
	}
	q, err := e.Queue(cmd.Context(), enginereview.QueueInput{Project: project, Kinds: kinds, Page: engram.Page{Limit: f.limit, Offset: f.offset}})
	if err != nil {
		return err
	}
	doc := ReviewQueueDoc{project, q.Page.Limit, q.Page.Offset, q.Counts, document.Each(q.Items, document.QueuedOf)}
	return p.AnswerRows(doc, func(b *strings.Builder) { writeQueue(p, b, q) })
}

func kindTitles() map[engram.QueueKind]string {
	return map[engram.QueueKind]string{
		engram.QueueFlagged:  "Suspect: flagged as instruction-like, never injected",
		engram.QueuePending:  "Waiting: received from others, not yet a memory",
		engram.QueueProposal: "Proposed: found in transcripts or commits, not yet a memory",
		engram.QueueChanged:  "Changed: the code it refers to was changed or removed",
		engram.QueueDue:      "Due: time to check it",
	}
}

func writeQueue(p *command.Program, b *strings.Builder, q enginereview.Queue) {
	columns := p.ItemColumns()
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
			fmt.Fprintln(b, render.Fold(fmt.Sprintf("%s (%d)", kindTitles()[kind], q.Counts[kind]), "  ", columns))
		}
		writeQueued(p, b, item, shownLines)
	}
	if rest := total - q.Page.Offset - len(q.Items); rest > 0 {
		fmt.Fprintf(b, "\n%s; --limit and --offset show them.\n", command.Count(rest, "more pending", "more pending"))
	}
	fmt.Fprintln(b, "\n"+render.Fold("To read an item: engram review show NAME. Then "+howToDecide(q.Items, "NAME"), "", columns))
}

func howToDecide(items []engram.QueueItem, names string) string {
	next := "engram review approve " + names + ", or engram review refuse " + names + "."
	if slices.ContainsFunc(items, func(i engram.QueueItem) bool { return i.Kind == engram.QueueChanged || i.Kind == engram.QueueDue }) {
		next += " For changed or due memories: engram review done ID if it is still right, engram review snooze ID --for 30d to postpone it," +
			" engram update ID to correct it."
	}
	return next
}

// shownCommit is the number of characters of a commit hash in a line.
const shownCommit = 12

// fromWhere returns where a pending item came from: who pushed it, or the transcript or commit of a proposal
// and its time.
func fromWhere(p *command.Program, d document.Pending) string {
	at := time.Time(d.At)
	if d.Source == "" {
		from := command.Author(d.By)
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
		from += ", " + render.Time(at, p.Zone())
	}
	return from
}

func queueLine(p *command.Program, i engram.QueueItem) (title, about string) {
	if i.Pending != nil {
		d := document.PendingOf(*i.Pending)
		about = "from " + fromWhere(p, d)
		kind := d.Kind
		if m := i.Pending.Record.Memory; m != nil && !i.Pending.Record.Tombstone {
			kind = string(m.Memory.Type) // the type it would get
		}
		return fmt.Sprintf("[%s] %s", render.Line(kind, 0), render.QuoteLine(TitleOf(d))), render.Line(about+" | project: "+d.Project, 0)
	}
	m := i.Memory
	title = fmt.Sprintf("[%s] %s", render.Line(string(m.Type), 0), render.Line(m.Title, 0))
	return title, render.Source(m, p.Zone()) + " | project: " + cmp.Or(render.Line(m.Project, 0), "none")
}

func reviewApproveCommand(p *command.Program) *cobra.Command {
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
		Example: command.Examples("engram review approve 12", "engram review approve w3 w4", "engram review approve --operation 42"),
		Args:    cobra.ArbitraryArgs,
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if given := cmd.Flags().Changed("operation"); given == (len(args) > 0) {
				return command.Invalidf("no items to approve were given").WithHint("give names from {review}, or --operation NUMBER")
			} else if given {
				res, err := e.ApproveOperation(cmd.Context(), operation)
				return answerDecided(p, e, "Approved", res, err)
			}
			res, err := e.ApproveNamed(cmd.Context(), args)
			return answerDecided(p, e, "Approved", res, err)
		}),
	}
	cmd.Flags().Int64Var(&operation, "operation", 0, "approve all suspect memories written by the operation of this `number`")
	return cmd
}

func reviewRefuseCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "refuse NAME…",
		Short: "Reject pending items",
		Long: `Reject pending items. A memory (by its id) is forgotten, and engram undo restores it. An item named w and a number is
discarded and neither proposed nor imported again, unless engram undo makes it pending again; engram sync drop deletes it
permanently.`,
		Example: command.Examples("engram review refuse 12", "engram review refuse w3"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			res, err := e.RefuseNamed(cmd.Context(), args)
			return answerDecided(p, e, "Rejected", res, err)
		}),
	}
}

// ReviewDecidedDoc is the answer of `review approve` and `review refuse`.
type ReviewDecidedDoc struct {
	Memories []document.Memory      `json:"memories"`
	Records  []int64                `json:"records"`  // numbers of items that were not memories yet
	Done     []document.DecidedName `json:"done"`     // all items in the order of the arguments, with their operations to undo
	Degraded []string               `json:"degraded"` // what could not be done, and why
}

func answerDecided(p *command.Program, e *engine.Engine, done string, res enginereview.Decided, err error) error {
	if err != nil {
		if before := len(res.Names()); before > 0 { // only the error is printed otherwise
			p.Warn(command.Count(before, "item was processed before that", "items were processed before that"))
		}
		return err
	}
	doc := ReviewDecidedDoc{command.MemoriesOf(e, res.Memories), res.Records,
		document.Each(res.Done, func(d enginereview.DecidedName) document.DecidedName { return document.DecidedName(d) }), document.OrEmpty(res.Degraded)}
	p.WarnBeside(res.Degraded...)
	return p.Answer(doc, func(b *strings.Builder) {
		named := map[string]string{}
		for _, m := range res.Memories {
			named[strconv.FormatInt(m.Num, 10)] = command.MemoryName(m)
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
			fmt.Fprintf(b, "%s: %s%s\n", done, what, undoHint(d.Op))
			b.WriteString(render.AnchorChanges(d.Anchored, d.Released))
		}
	})
}

// undoHint returns how to undo an operation; "" for none.
func undoHint(op int64) string {
	if op == 0 {
		return ""
	}
	return fmt.Sprintf("; to undo: engram undo %d", op)
}
