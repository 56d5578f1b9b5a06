package review

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// PendingCommands returns the subcommands of sync that decide about items received from others.
func PendingCommands(p *command.Program) []*cobra.Command {
	return []*cobra.Command{syncDeferredCommand(p), syncAcceptCommand(p), syncDropCommand(p)}
}

// QueueDoc is the answer of `sync deferred`.
type QueueDoc struct {
	Project string             `json:"project"` // "" is every project
	Pending []document.Pending `json:"waiting"` // oldest first
}

func syncDeferredCommand(p *command.Program) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "deferred [NUMBER]",
		Short: "List pending items received from others",
		Long: `List pending items received from others: instruction-like texts, which a person must check; items dated in the future; and
items that refer to something that has not arrived. The last two are retried by each sync --import. With NUMBER one item is
shown in full. sync accept imports an item, sync drop discards it.`,
		Example: command.Examples("engram sync deferred", "engram sync deferred 3", "engram sync deferred --all-projects --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			project, err := p.ReadProject(cmd, e, all || len(args) == 1)
			if err != nil {
				return err
			}
			list, err := e.Deferred(cmd.Context(), project)
			if err != nil {
				return err
			}
			if len(args) == 1 { // proposals are listed elsewhere, but can be shown here
				proposed, err := e.Proposals(cmd.Context(), "")
				if err != nil {
					return err
				}
				list = append(list, proposed...)
			}
			docs := document.Each(list, document.PendingOf)
			if len(args) == 1 {
				return showDeferred(p, docs, args[0])
			}
			return p.Answer(QueueDoc{project, docs}, func(b *strings.Builder) { writePending(p, b, docs) })
		}),
	}
	cmd.Flags().BoolVar(&all, "all-projects", false, "of every project")
	return cmd
}

// showDeferred shows the item with this number.
func showDeferred(p *command.Program, docs []document.Pending, arg string) error {
	num, err := pendingNumber(arg)
	if err != nil {
		return err
	}
	for _, d := range docs {
		if d.Num == num {
			return p.Answer(QueueDoc{d.Project, []document.Pending{d}}, func(b *strings.Builder) { writeDeferred(p, b, d) })
		}
	}
	return engram.Errorf(engram.CodeNotFound, "no pending item has the number %d", num).WithHint("{sync deferred --all-projects} lists the pending items")
}

// pendingNumber parses the number of a pending item.
func pendingNumber(arg string) (int64, error) {
	num, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
	if err != nil || num < 1 {
		return 0, command.Invalidf("%q is not the number of a pending item", arg).WithHint("{sync deferred} shows the numbers")
	}
	return num, nil
}

func writePending(p *command.Program, b *strings.Builder, docs []document.Pending) {
	if len(docs) == 0 {
		fmt.Fprintln(b, "Nothing is pending.")
		return
	}
	const indent = "      "
	columns := p.ItemColumns()
	for _, d := range docs {
		fmt.Fprintln(b, terminal.Fit(fmt.Sprintf("#%-4d %-8s %s", d.Num, d.Kind, render.Line(TitleOf(d), 0)), columns))
		for _, line := range []string{pendingReason(d) + ": " + d.Reason, "from " + command.Author(d.By) + " in chunk " + d.Chunk} {
			fmt.Fprintln(b, render.Fold(indent+render.Line(line, 0), indent, columns))
		}
	}
	fmt.Fprintln(b, "\n"+render.Fold("To read an item: engram sync deferred NUMBER; then engram sync accept NUMBER, or engram sync drop NUMBER.", "", columns))
}

// pendingReason says who has to act.
func pendingReason(d document.Pending) string {
	if d.Why == string(engram.DeferredReview) {
		return "check it"
	}
	return "imported automatically"
}

// whatThen explains what will happen to an item.
func whatThen(d document.Pending) string {
	drop := fmt.Sprintf("engram sync drop %d discards it.", d.Num)
	switch engram.Deferral(d.Why) {
	case engram.DeferredClock:
		return "It is imported by the first engram sync --import after that time; " + drop
	case engram.DeferredProposal:
		return fmt.Sprintf("engram review approve w%d saves it, engram review refuse w%d rejects it.", d.Num, d.Num)
	case engram.DeferredMissing:
		return "It is imported by the first engram sync --import after that has arrived; " + drop
	}
	return fmt.Sprintf("engram sync accept %d imports it with everything above; %s", d.Num, drop)
}

// TitleOf returns the title of a pending item, or what replaces it.
func TitleOf(d document.Pending) string {
	for _, text := range []string{d.Title, d.Content, d.ID} {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return "without a title"
}

func writeDeferred(p *command.Program, b *strings.Builder, d document.Pending) {
	const indent = "           "
	columns := p.ItemColumns()
	fmt.Fprintf(b, "#%d %s %s\n", d.Num, d.Kind, render.Line(cmp.Or(d.ID, d.SyncID), 0))
	fmt.Fprintf(b, "  Project  %s\n  From     %s\n", render.Plain(d.Project), fromWhere(p, d))
	fmt.Fprintln(b, render.Fold(fmt.Sprintf("  Pending  since %s: %s", render.Time(time.Time(d.FirstAt), p.Zone()), render.Line(d.Reason, 0)), indent, columns))
	for _, text := range []string{d.Title, d.Content} {
		if strings.TrimSpace(text) != "" {
			fmt.Fprintf(b, "\n%s\n", render.Plain(text))
		}
	}
	for _, m := range d.More {
		fmt.Fprintf(b, "\n%s:\n%s\n", render.Plain(m.What), render.Plain(m.Text))
	}
	fmt.Fprintf(b, "\n%s\n", render.Fold(whatThen(d), "", columns))
}

// DecidedDoc is the answer of `sync accept` and `sync drop`.
type DecidedDoc struct {
	Taken   []int64 `json:"taken"`   // numbers of imported items
	Dropped []int64 `json:"dropped"` // numbers of discarded items

	Warnings []string `json:"warnings"` // imported memories that are flagged as instruction-like, and so not injected
}

func syncAcceptCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "accept NUMBER…",
		Short:   "Import pending items",
		Long:    "Import pending items after reading them (engram sync deferred NUMBER). engram undo reverts each import.",
		Example: command.Examples("engram sync accept 3"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(p, cmd, args, func(num int64, doc *DecidedDoc) error {
				took, err := p.App.Engine.AcceptDeferred(cmd.Context(), num)
				if err != nil {
					return err
				}
				doc.Taken, doc.Warnings = append(doc.Taken, num), append(doc.Warnings, took.Warnings...)
				p.WarnBeside(took.Warnings...)
				return nil
			})
		},
	}
}

func syncDropCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "drop NUMBER…",
		Short:   "Discard pending items",
		Long:    "Discard pending items. They stay in their chunk, which is not imported again.",
		Example: command.Examples("engram sync drop 3 4"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(p, cmd, args, func(num int64, doc *DecidedDoc) error {
				err := p.App.Engine.DropDeferred(cmd.Context(), num)
				if err == nil {
					doc.Dropped = append(doc.Dropped, num)
				}
				return err
			})
		},
	}
}

// decide processes each number; nothing if one of them is invalid.
func decide(p *command.Program, cmd *cobra.Command, args []string, one func(num int64, doc *DecidedDoc) error) error {
	nums := make([]int64, len(args))
	for i, arg := range args {
		var err error
		if nums[i], err = pendingNumber(arg); err != nil {
			return err
		}
	}
	if _, err := p.Open(cmd); err != nil {
		return err
	}
	doc := DecidedDoc{Taken: []int64{}, Dropped: []int64{}, Warnings: []string{}}
	for _, num := range nums {
		if err := one(num, &doc); err != nil {
			if done := append(doc.Taken, doc.Dropped...); len(done) > 0 { // only the error is printed otherwise
				p.Warn(fmt.Sprintf("%s before that: %s", command.Count(len(done), "item was processed", "items were processed"), strings.Trim(fmt.Sprint(done), "[]")))
			}
			return err
		}
	}
	return p.Answer(doc, func(b *strings.Builder) {
		if n := len(doc.Taken); n > 0 {
			fmt.Fprintf(b, "Imported: %s\n", command.Count(n, "item", "items"))
		}
		if n := len(doc.Dropped); n > 0 {
			fmt.Fprintf(b, "Discarded: %s\n", command.Count(n, "item", "items"))
		}
	})
}
