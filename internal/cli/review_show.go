package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/render"
)

// reviewShownDoc is the answer of `review show`.
type reviewShownDoc struct {
	Items []document.Queued `json:"items"` // as they were named
}

func (p *program) reviewShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME…",
		Short: "Show pending items in full, with all reasons",
		Long: `Show a pending item in full, as it would be injected or imported, with all reasons why it is pending: a memory by its id,
other items by w and a number. Read it here before engram review approve.`,
		Example: examples("engram review show w3", "engram review show 12 w4"),
		Args:    between(1, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var err error
			items := make([]engram.QueueItem, len(args))
			for i, name := range args {
				if items[i], err = e.QueuedNamed(cmd.Context(), name); err != nil {
					return err
				}
			}
			return p.answer(reviewShownDoc{document.Each(items, document.QueuedOf)}, func(b *strings.Builder) {
				for i, item := range items {
					if i > 0 {
						b.WriteByte('\n')
					}
					p.writeQueued(b, item, 0)
				}
				names := strings.Join(document.Each(items, engram.QueueItem.Name), " ")
				fmt.Fprintln(b, "\n"+fold("To decide: "+howToDecide(items, names), "", p.waitingColumns()))
			})
		}),
	}
}

// queueIndent is where what is said of a thing in the queue begins.
const queueIndent = "       "

// shownLines is how many lines of a text a list shows; review show has all of them.
const shownLines = 6

// writeQueued shows one thing that waits, and at most so many lines of its text; 0 is all of them
// and everything else that would come in with it.
func (p *program) writeQueued(b *strings.Builder, item engram.QueueItem, most int) {
	columns := p.waitingColumns()
	title, about := p.queueLine(item)
	title = fmt.Sprintf("  %-4s %s", item.Name(), title)
	if most == 0 {
		fmt.Fprintln(b, fold(title, queueIndent, columns))
	} else {
		if item.Waiting == nil { // a memory, which engram get shows
			title += " — " + render.Line(gist.Line(item.Memory, listed), 0)
		}
		fmt.Fprintln(b, fit(title, columns))
	}
	if most == 0 || item.Waiting != nil {
		p.writeQuoted(b, item, most)
	}
	fmt.Fprintln(b, fold(queueIndent+about, queueIndent, columns))
	for _, why := range item.Reasons {
		fmt.Fprintln(b, fold(queueIndent+render.Line(why, 0), queueIndent, columns))
	}
}

// writeQuoted shows the texts of what waits as quotations.
func (p *program) writeQuoted(b *strings.Builder, item engram.QueueItem, most int) {
	waits := item.Waiting
	if waits == nil {
		waits = &engram.Deferred{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: item.Memory}}}
	}
	d := document.WaitingOf(*waits)
	texts := append([]document.WaitingText{{Text: d.Content}}, d.More...)
	if d.Source != "" { // who wrote it is told apart
		texts = slices.DeleteFunc(texts, func(t document.WaitingText) bool { return t.What == document.WaitingTool && t.Text == d.Source })
	}
	for i, text := range texts {
		if text.What != "" {
			if most > 0 {
				fmt.Fprintf(b, "%sand %s: engram review show %s\n", queueIndent, count(len(texts)-i, "more text", "more texts"), item.Name())
				return
			}
			fmt.Fprintf(b, "%s%s:\n", queueIndent, render.Line(text.What, 0))
		}
		// A title is often all of the text, and was just read.
		if same := strings.TrimSpace(text.Text); same == "" || most > 0 && i == 0 && same == strings.TrimSpace(d.Title) && len(same) < render.Columns/2 {
			continue
		}
		lines := p.quotedLines(text.Text)
		for _, line := range lines[:cutAt(len(lines), most)] {
			fmt.Fprintln(b, line)
		}
		if rest := len(lines) - cutAt(len(lines), most); rest > 0 {
			fmt.Fprintf(b, "%s… %s: engram review show %s\n", queueIndent, count(rest, "more line", "more lines"), item.Name())
		}
	}
}

// quotedLines are the lines of a text as a quotation that fits the screen.
func (p *program) quotedLines(text string) (lines []string) {
	for line := range strings.SplitSeq(render.Quote(text), "\n") {
		lines = append(lines, strings.Split(fold(queueIndent+line, queueIndent+"> ", p.waitingColumns()), "\n")...)
	}
	return lines
}

// cutAt is how many of n lines are shown when at most so many may be, 0 being any number. One more is
// shown rather than the remark that it is missing.
func cutAt(n, most int) int {
	if most == 0 || n <= most+1 {
		return n
	}
	return most
}
