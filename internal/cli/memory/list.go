package memory

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/render"
)

func listCommand(p *command.Program) *cobra.Command {
	return lister(p, "list [N]", "List memories, newest first", 20,
		command.Examples("engram list", "engram list --type decision --limit 50 --offset 50", "engram list --forgotten --all-projects"))
}

// recentCommand is list with a shorter page.
func recentCommand(p *command.Program) *cobra.Command {
	return lister(p, "recent [N]", "Show the newest memories, 5 or N", 5, command.Examples("engram recent", "engram recent 10", "engram recent --since yesterday"))
}

func lister(p *command.Program, use, short string, limit int, example string) *cobra.Command {
	var f command.FilterFlags
	var forgotten bool
	var asOf string
	cmd := &cobra.Command{
		Use: use, Short: short, Example: example,
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if len(args) == 1 && cmd.Flags().Changed("limit") {
				return command.Invalidf("the number of memories is given twice").WithHint("use %s or --limit", render.Preview(args[0], 40))
			}
			if err := countOf(args, &f.Limit); err != nil {
				return err
			}
			at, err := p.When("as-of", asOf, e.Now())
			if err != nil {
				return err
			}
			filter, err := p.Filter(cmd, e, f, at)
			if err != nil {
				return err
			}
			filter.Forgotten, filter.Current = forgotten, !f.Superseded
			page := engram.Page{Limit: f.Limit, Offset: f.Offset}
			list, err := e.ListNoted(cmd.Context(), filter, page, at)
			if err != nil {
				return err
			}
			p.WarnAll(list.Degraded)
			nothing, err := p.Nothing(cmd, e, filter.Project, len(list.Memories) > 0 || f.Offset > 0 || forgotten || !at.IsZero(), false)
			if err != nil {
				return err
			}
			doc := ListDoc{filter.Project, page.Limit, page.Offset, document.MarkedOfAll(list.Memories, list.Notes)}
			return p.AnswerRows(doc, command.UnlessNothing(nothing, func(b *strings.Builder) { writeList(b, list, p.Zone()) }))
		}),
	}
	f.Register(cmd, limit)
	f.RegisterSuperseded(cmd)
	cmd.Flags().IntVar(&f.Offset, "offset", 0, "skip this many first")
	cmd.Flags().BoolVar(&forgotten, "forgotten", false, "list forgotten memories instead of live ones")
	cmd.Flags().StringVar(&asOf, "as-of", "", "as of a past `time`: 7d, yesterday, 2026-01-31")
	return cmd
}

func getCommand(p *command.Program) *cobra.Command {
	var session, asOf string
	cmd := &cobra.Command{
		Use:     "get ID",
		Aliases: []string{"show"},
		Short:   "Show a memory with its relations and revisions",
		Example: command.Examples("engram get 12", "engram get mem_01k3", "engram get topic:architecture/auth-model"),
		RunE: p.WithRef(func(cmd *cobra.Command, e *engine.Engine, ref engram.Ref, args []string) error {
			at, err := p.When("as-of", asOf, e.Now())
			if err != nil {
				return err
			}
			var d read.Detail
			if at.IsZero() {
				d, err = e.GetIn(cmd.Context(), session, ref)
			} else {
				d, err = e.GetAsOf(cmd.Context(), ref, at)
			}
			if err != nil {
				return err
			}
			p.WarnAll(d.Degraded)
			doc := func() any {
				return DetailDoc{document.MarkedOf(d.Memory, d.Note()).Memory, document.Share(d.Strength), d.Why, document.Each(d.Relations, document.RelationOf), document.Each(d.Revisions, document.RevisionOf)}
			}
			return p.AnswerWrapped(doc, func(b *strings.Builder) { writeDetail(b, d, p.Zone()) })
		}),
	}
	callerFlags(cmd, &session, &asOf)
	return cmd
}

func timelineCommand(p *command.Program) *cobra.Command {
	var before, after int
	cmd := &cobra.Command{
		Use:     "timeline ID",
		Short:   "Show what was saved around a memory in its session",
		Example: command.Examples("engram timeline 12", "engram timeline 12 --before 10 --after 0"),
		RunE: p.WithRef(func(cmd *cobra.Command, e *engine.Engine, ref engram.Ref, args []string) error {
			t, err := e.Timeline(cmd.Context(), ref, before, after)
			if err != nil {
				return err
			}
			doc := func() any {
				return TimelineDoc{document.MarkedOf(t.Focus, t.Notes[t.Focus.Num]), document.MarkedOfAll(t.Before, t.Notes), document.MarkedOfAll(t.After, t.Notes), sessionOf(t.Session), t.Total}
			}
			return p.AnswerWrapped(doc, func(b *strings.Builder) { fmt.Fprintln(b, render.Timeline(t, p.Zone())) })
		}),
	}
	cmd.Flags().IntVar(&before, "before", 5, "number of memories before it")
	cmd.Flags().IntVar(&after, "after", 5, "number of memories after it")
	return cmd
}

func historyCommand(p *command.Program) *cobra.Command {
	var diff string
	var version int
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "Show the version history of a memory",
		Long: `Show the version history of a memory, oldest first. --version prints one version in full. --diff compares two versions
(1,3), or one version with the current text (2). To restore a version: engram restore.`,
		Example: command.Examples("engram history 12", "engram history 12 --version 2", "engram history 12 --diff 1,3", "engram history 12 --diff 2"),
		RunE: p.WithRef(func(cmd *cobra.Command, e *engine.Engine, ref engram.Ref, args []string) error {
			h, err := e.History(cmd.Context(), ref)
			switch {
			case err != nil:
				return err
			case cmd.Flags().Changed("diff"):
				return showDiff(p, h, diff)
			case cmd.Flags().Changed("version"):
				v, err := h.Version(version)
				if err != nil {
					return err
				}
				return p.Answer(document.VersionOf(v), func(b *strings.Builder) { fmt.Fprintln(b, render.VersionText(v)) })
			}
			return p.Answer(document.HistoryOf(h), func(b *strings.Builder) { b.WriteString(render.History(h, p.Zone())) })
		}),
	}
	cmd.Flags().IntVar(&version, "version", 0, "print the version with this `number` in full; 0 is the current one, -1 the one before it")
	cmd.Flags().StringVar(&diff, "diff", "", "compare two `versions`: 1,3")
	return cmd
}

// showDiff prints the changes between the two versions in spec.
func showDiff(p *command.Program, h engram.History, spec string) error {
	first, second, both := strings.Cut(spec, ",")
	numbers := []int{0, 0}
	for i, text := range []string{first, second} {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil && (i == 0 || both) {
			return command.Invalidf("--diff %q does not name two versions", spec).WithHint("use two numbers such as 1,3; {history %d} lists the versions", h.Memory.Num)
		}
		numbers[i] = n
	}
	from, err := h.Version(numbers[0])
	if err != nil {
		return err
	}
	to, err := h.Version(numbers[1])
	if err != nil {
		return err
	}
	doc := document.Diff{From: from.Number, To: to.Number, Diff: render.Diff(render.VersionText(from), render.VersionText(to))}
	return p.Answer(doc, func(b *strings.Builder) { b.WriteString(render.VersionDiff(from, to)) })
}

func restoreCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID VERSION",
		Short: "Restore an earlier version of a memory",
		Long: `Restore an earlier version of a memory; engram history shows the version numbers. The current text is kept as a version,
so nothing is lost.`,
		Example: command.Examples("engram restore 12 1"),
		RunE: p.WithRef(func(cmd *cobra.Command, e *engine.Engine, ref engram.Ref, args []string) error {
			version, err := strconv.Atoi(args[0])
			if err != nil || version < 1 {
				return command.Invalidf("%q is not a version number", args[0]).WithHint("{history %s} shows the numbers", ref)
			}
			m, err := e.Restore(cmd.Context(), ref, version)
			if err != nil {
				return err
			}
			return p.Answer(document.MemoryOf(m, e.StateOf(m)), func(b *strings.Builder) {
				fmt.Fprintf(b, "Memory restored: %s has the text of version %d again\n", command.MemoryName(m), version)
			})
		}),
	}
}

func whyCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "why SESSION",
		Short: "List what a session was shown, for which questions, at what cost",
		Long: `List what a session was shown by search, recall, context, get and remind (injected during its work), with the questions and
the cost in tokens. Exposures are recorded for sessions with an id and kept for 90 days.`,
		Example: command.Examples("engram why s1", "engram why s1 --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			a, err := e.Why(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			doc := AccountDoc{sessionOf(a.Session), a.Tokens, document.Each(a.Exposures, func(u read.Shown) document.Exposure {
				return document.ExposureOf(u.Exposure, u.Type, u.Title, u.Deleted)
			})}
			return p.Answer(doc, func(b *strings.Builder) { writeAccount(b, a, p.Zone()) })
		}),
	}
}

// AccountDoc is the answer of `why`.
type AccountDoc struct {
	Session   SessionDoc          `json:"session"`
	Tokens    int                 `json:"tokens"` // of all exposures, about
	Exposures []document.Exposure `json:"uses"`   // oldest first
}

// writeAccount writes a line for each answer, and one for each memory in it.
func writeAccount(b *strings.Builder, a read.Account, o render.Options) {
	fmt.Fprintf(b, "Session %s (%s)\n", render.Line(a.Session.ID, 0), render.Line(a.Session.Project, 0))
	if len(a.Exposures) == 0 {
		fmt.Fprintln(b, "No exposures are recorded.")
		return
	}
	var last read.Shown
	for _, u := range a.Exposures {
		if !u.At.Equal(last.At) || u.Operation != last.Operation || u.Rank <= last.Rank { // another answer
			fmt.Fprintf(b, "\n%s %s", render.Time(u.At, o), u.Operation)
			if u.Query != "" {
				fmt.Fprintf(b, " %s", command.Quote(render.Line(u.Query, 100)))
			}
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "  %s\n", shownText(u))
		last = u
	}
	fmt.Fprintf(b, "\n%s in all\n", command.Count(a.Tokens, "token", "tokens"))
}

func shownText(u read.Shown) string {
	switch {
	case u.Memory == 0 && u.Deleted:
		return fmt.Sprintf("an erased memory, %s", command.Count(u.Tokens, "token", "tokens"))
	case u.Memory == 0 && u.Rank > 0:
		return "nothing was shown: all hits had been shown before"
	case u.Memory == 0:
		return "nothing was shown"
	case u.Title == "":
		return fmt.Sprintf("%d. #%d, erased since, %s", u.Rank, u.Memory, command.Count(u.Tokens, "token", "tokens"))
	}
	gone := ""
	if u.Deleted {
		gone = ", forgotten since"
	}
	return fmt.Sprintf("%d. #%d [%s] %s, %s%s", u.Rank, u.Memory, render.Line(string(u.Type), 0), render.Line(u.Title, 0), command.Count(u.Tokens, "token", "tokens"), gone)
}

// DetailDoc is the answer of `get`.
type DetailDoc struct {
	Memory    document.Memory     `json:"memory"`
	Strength  float64             `json:"strength_now"` // 0 to 1
	Why       string              `json:"strength_reason"`
	Relations []document.Relation `json:"relations"`
	Revisions []document.Version  `json:"revisions"` // oldest first, without the current text
}

// ListDoc is the answer of `list` and `recent`.
type ListDoc struct {
	Project  string            `json:"project"` // "" is every project
	Limit    int               `json:"limit"`
	Offset   int               `json:"offset"`
	Memories []document.Marked `json:"memories"` // newest first
}

// TimelineDoc is the answer of `timeline`.
type TimelineDoc struct {
	Focus   document.Marked   `json:"focus"`
	Before  []document.Marked `json:"before"` // oldest first
	After   []document.Marked `json:"after"`  // oldest first
	Session SessionDoc        `json:"session"`
	Total   int               `json:"total"` // live memories in the session
}

func writeDetail(b *strings.Builder, d read.Detail, o render.Options) {
	m := d.Memory
	fmt.Fprintln(b, render.Marked(m, engram.Note{Flagged: d.Flagged}, o))
	fmt.Fprintf(b, "Id: %s\n", m.ID)
	if len(m.Tags) > 0 {
		fmt.Fprintf(b, "Tags: %s\n", render.Line(strings.Join(m.Tags, ", "), 0))
	}
	if m.Permanent {
		fmt.Fprintln(b, "Permanent: yes")
	}
	fmt.Fprintf(b, "Strength: %s\n", d.Why)
	if d.State == engram.StateNeedsReview {
		fmt.Fprintf(b, "State: %s since %s\n", d.State, render.Time(m.ReviewAfter, o))
	}
	for _, a := range d.Anchors {
		fmt.Fprintf(b, "Code: %s\n", render.Anchor(a))
	}
	above, _ := splitRelations(d.Note().Relations)
	_, below := splitRelations(d.Relations)
	writeMarks(b, engram.Note{Relations: above}, "") // the state is printed above, with its time
	if len(below) > 0 {
		fmt.Fprint(b, "\n─── Relations ───\n")
	}
	for _, n := range below {
		fmt.Fprintf(b, "  %s\n", render.Relation(n))
	}
	if len(d.Revisions) > 0 {
		fmt.Fprint(b, "\n─── Revisions ───\n")
	}
	for _, r := range d.Revisions {
		fmt.Fprintf(b, "  %d. until %s (%s): %s — %s\n", r.Number, render.Time(r.ReplacedAt, o), render.Line(r.Reason, 0), render.Line(r.Title, 0), render.Line(r.Content, 150))
	}
}

// splitRelations separates relations so that a supersession is printed once: memories that supersede this one
// stand above, those it supersedes below.
func splitRelations(all []engram.RelationNote) (above, below []engram.RelationNote) {
	for _, n := range all {
		over := n.Relation.Supersedes()
		if !over || !n.Outgoing {
			above = append(above, n)
		}
		if !over || n.Outgoing {
			below = append(below, n)
		}
	}
	return above, below
}

func writeMarks(b *strings.Builder, n engram.Note, indent string) {
	for _, mark := range render.Marks(n) {
		fmt.Fprintln(b, indent+mark)
	}
}

func writeList(b *strings.Builder, list read.Listed, o render.Options) {
	if len(list.Memories) == 0 {
		fmt.Fprintln(b, "No memories.")
	}
	var sources render.Sources
	for _, m := range list.Memories {
		fmt.Fprintf(b, "#%d [%s] %s\n", m.Num, render.Line(string(m.Type), 0), render.ListItem(m, list.Notes[m.Num], command.ListedRunes))
		fmt.Fprintf(b, "    %s | project: %s | scope: %s", render.Time(m.CreatedAt, o), render.Line(m.Project, 0), m.Scope)
		if m.Forgotten() {
			fmt.Fprintf(b, " | forgotten: %s", render.Time(m.DeletedAt, o))
		}
		note := list.Notes[m.Num]
		if note.State == engram.StateNeedsReview {
			fmt.Fprintf(b, " | state: %s", note.State)
		}
		if render.Quoted(m, note) {
			fmt.Fprintf(b, " | %s", sources.Mark(m, o))
		}
		fmt.Fprintln(b)
		writeMarks(b, engram.Note{Relations: note.Relations, Flagged: note.Flagged}, "    ")
	}
}
