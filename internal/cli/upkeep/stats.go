package upkeep

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/render"
)

// StatsDoc is the answer of `stats`.
type StatsDoc struct {
	Project   string              `json:"project"` // "" is every project
	Memories  int                 `json:"memories"`
	Forgotten int                 `json:"forgotten"`
	Sessions  int                 `json:"sessions"`
	Prompts   int                 `json:"prompts"`
	Relations int                 `json:"relations"`
	Revisions int                 `json:"revisions"`      // earlier texts of memories
	Pending   int                 `json:"contradictions"` // contradictions without a verdict
	Due       int                 `json:"due"`            // memories whose review is due
	Projects  []string            `json:"projects"`
	Types     map[engram.Type]int `json:"types"`
	Vectors   document.Vectors    `json:"vectors"` // of the embedding model in force, in all projects
	Bytes     int64               `json:"bytes"`   // on disk
	Database  string              `json:"database"`
	By        string              `json:"by"`     // grouping: project, type, day, week or month
	Since     document.Timestamp  `json:"since"`  // start of the groups; null: no limit
	Groups    []document.Group    `json:"groups"` // projects and types by size, time spans oldest first
}

func statsOf(project string, s read.StatsOver, database string) StatsDoc {
	types := map[engram.Type]int{}
	maps.Copy(types, s.Types)
	return StatsDoc{Project: project, Memories: s.Memories, Forgotten: s.Forgotten, Sessions: s.Sessions, Prompts: s.Prompts, Relations: s.Relations,
		Revisions: s.Revisions, Pending: s.Pending, Due: s.Due, Projects: document.OrEmpty(s.Projects), Types: types, Bytes: s.Bytes, Database: database,
		By: string(s.By), Since: document.Timestamp(s.Since), Groups: document.Each(s.Groups, document.GroupOf)}
}

func statsCommand(p *command.Program) *cobra.Command {
	var by, since string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count memories by project, type or time",
		Long: `Count stored records in every project, or in one with --project. --by groups memories by project or type, or by the day,
week or month of creation, as a chart. --since skips older ones; by default days cover the last 30, weeks the last 26, months
the last 12, and projects and types everything.`,
		Example: command.Examples("engram stats", "engram stats --by project", "engram stats --by week --project shop", "engram stats --by day --since 90d --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			var err error
			// Without --by, one line shows the last days.
			in := read.StatsInput{By: engram.Grouping(cmp.Or(by, string(engram.ByDay)))}
			if since != "" && by == "" {
				return command.Invalidf("--since needs --by").WithHint("run: %s --by day --since %s", cmd.CommandPath(), since)
			}
			if in.Since, err = p.When("since", since, e.Now()); err != nil {
				return err
			}
			if in.Project, err = p.ReadProject(cmd, e, !p.ProjectGiven()); err != nil {
				return err
			}
			s, err := e.StatsOver(cmd.Context(), in)
			if err != nil {
				return err
			}
			nothing, err := p.Nothing(cmd, e, in.Project, s.Memories > 0, false)
			if err != nil {
				return err
			}
			vectors, err := e.Embedded(cmd.Context())
			if err != nil {
				return err
			}
			doc := statsOf(in.Project, s, p.Loaded.Place())
			doc.Vectors = document.VectorsOf(vectors)
			return p.Answer(doc, command.WithNothing(nothing, func(b *strings.Builder) {
				if by == "" {
					writeStats(p, b, s, vectors)
					return
				}
				writeGroups(p, b, s)
			}))
		}),
	}
	cmd.Flags().StringVar(&by, "by", "", "group memories by this `key`: project, type, day, week or month")
	cmd.Flags().StringVar(&since, "since", "", "with --by: only memories created since a `time`: 90d, yesterday, 2026-01-31")
	return cmd
}

func writeStats(p *command.Program, b *strings.Builder, s read.StatsOver, vectors engram.Embedded) {
	projects := cmp.Or(strings.Join(s.Projects, ", "), "none yet")
	fmt.Fprintln(b, "Engram Memory Stats")
	fmt.Fprintf(b, "  Sessions:     %d\n", s.Sessions)
	fmt.Fprintf(b, "  Memories:     %d", s.Memories)
	if s.Forgotten > 0 {
		fmt.Fprintf(b, " (and %d forgotten)", s.Forgotten)
	}
	fmt.Fprintf(b, "\n  Prompts:      %d\n", s.Prompts)
	fmt.Fprintf(b, "  Relations:    %d", s.Relations)
	if s.Pending > 0 {
		fmt.Fprintf(b, " (and %s to judge)", command.Count(s.Pending, "contradiction", "contradictions"))
	}
	fmt.Fprintf(b, "\n  Revisions:    %d\n", s.Revisions)
	if s.Due > 0 {
		fmt.Fprintf(b, "  Reviews:      %d due\n", s.Due)
	}
	if !vectors.Complete() {
		next := ""
		if !vectors.Running {
			next = "; the others: engram reembed"
		}
		fmt.Fprintf(b, "  Vectors:      %s%s\n", document.VectorsOf(vectors).Line(), next)
	}
	fmt.Fprintf(b, "  Projects:     %s\n", render.Line(projects, 0))
	// On a line of its own, because scripts read it.
	fmt.Fprintf(b, "  Database:     %s\n", p.Loaded.Place())
	fmt.Fprintf(b, "  Size:         %s\n", command.SizeText(s.Bytes))
	saved := 0
	for _, g := range s.Groups {
		saved += g.Memories
	}
	if saved > 0 {
		line := fmt.Sprintf("  Last %d days: %s %d saved", len(s.Groups), sparkline(s.Groups, plainBars(p)), saved)
		if columns := p.Columns(); columns > 0 && terminal.Width(line) > columns {
			line = fmt.Sprintf("  Last %d days: %d saved", len(s.Groups), saved)
		}
		fmt.Fprintln(b, line)
	}
}

// sparkline returns a character per group, its height proportional to the memories; any memory is visible.
func sparkline(groups []engram.GroupCount, plain bool) string {
	heights := []rune(" ▁▂▃▄▅▆▇█")
	if plain {
		heights = []rune(" .:-=+*#@")
	}
	most := 1
	for _, g := range groups {
		most = max(most, g.Memories)
	}
	var b strings.Builder
	for _, g := range groups {
		b.WriteRune(heights[(g.Memories*(len(heights)-1)+most-1)/most])
	}
	return b.String()
}

func writeGroups(p *command.Program, b *strings.Builder, s read.StatsOver) {
	fmt.Fprintf(b, "Memories by %s", s.By)
	if !s.Since.IsZero() {
		fmt.Fprintf(b, " since %s", s.Since.In(p.Loaded.Timezone).Format(time.DateOnly))
	}
	fmt.Fprintln(b)
	if len(s.Groups) == 0 {
		fmt.Fprintln(b, "  none")
		return
	}
	if s.By == engram.ByProject || s.By == engram.ByType {
		writeGroupTable(p, b, s)
		return
	}
	bars := make([]bar, len(s.Groups))
	for i, g := range s.Groups {
		bars[i] = bar{g.Name, g.Memories}
	}
	writeBars(b, bars, "", p.Columns(), plainBars(p))
}

func writeGroupTable(p *command.Program, b *strings.Builder, s read.StatsOver) {
	t := &terminal.Table{Indent: "  ", Numbers: map[int]bool{1: true, 2: true}}
	most := slices.MaxFunc(s.Groups, func(a, b engram.GroupCount) int { return cmp.Compare(a.Memories, b.Memories) }).Memories
	t.Row(string(s.By), "memories", "forgotten")
	for _, g := range s.Groups {
		t.Row(cmp.Or(render.Line(g.Name, 0), "(none)"), strconv.Itoa(g.Memories), strconv.Itoa(g.Forgotten))
	}
	// The bars get the space that the numbers leave, if any.
	columns, wide := p.Columns(), 20
	if columns > 0 {
		left := columns - len(t.Indent) - 2
		for _, w := range t.Widths() {
			left -= w + 2
		}
		wide = min(wide, left+2)
	}
	for i, g := range s.Groups {
		if wide >= 4 {
			t.Rows[i+1] = append(t.Rows[i+1], barText(g.Memories, most, wide, plainBars(p)))
		}
	}
	t.Write(b, columns)
}

func metricsCommand(p *command.Program) *cobra.Command {
	var session, since string
	cmd := &cobra.Command{
		Use:   "metrics",
		Short: "Show how memory is used: events, hit rate, fallback rate, tokens",
		Long: `Show how memory is used: saves, reads (searches, recalls, contexts, gets), the share of reads that found something, the
share that fell back (a channel could not answer, or an empty question listed the newest), and the tokens shown. Only
daily counts in UTC are kept for this, and no questions. Counts of a server's last ten seconds may be missing. With
--session the exposures of that session are counted, as far as engram why knows them.`,
		Example: command.Examples("engram metrics", "engram metrics --project shop --since 90d", "engram metrics --session s1 --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			var err error
			in := read.MetricsInput{Session: session}
			if session != "" && !cmd.Flags().Changed("since") || since == "all" {
				since = ""
			}
			if in.Since, err = p.When("since", since, e.Now()); err != nil {
				return err
			}
			if in.Project, err = p.ReadProject(cmd, e, !p.ProjectGiven()); err != nil {
				return err
			}
			m, err := e.Metrics(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.Answer(document.MetricsOf(in.Project, session, m), func(b *strings.Builder) { writeMetrics(p, b, m) })
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "only what this `session` was shown and saved")
	cmd.Flags().StringVar(&since, "since", "30d", "since the day of a `time`: 7d, yesterday, 2026-01-31; all counts from the beginning")
	return cmd
}

func writeMetrics(p *command.Program, b *strings.Builder, m engram.Metrics) {
	columns := p.Columns()
	head := "Metrics since the beginning"
	if !m.Since.IsZero() {
		head = "Metrics since " + m.Since.UTC().Format(time.DateOnly)
	}
	fmt.Fprintln(b, head)
	fmt.Fprintf(b, "  Events:         %d (%s, %s)\n", m.Total.Events(), command.Count(m.Total.Saves, "remember", "remember"), command.Count(m.Total.Reads, "recall", "recall"))
	fmt.Fprintf(b, "  Sessions:       %d\n", m.Sessions)
	fmt.Fprintf(b, "  Hit rate:       %s\n", percent(m.Total.HitRate()))
	fmt.Fprintf(b, "  Fallback rate:  %s\n", percent(m.Total.FallbackRate()))
	fmt.Fprintf(b, "  Shown:          %s, about %s\n", command.Count(m.Total.Memories, "memory", "memories"), command.Count(m.Total.Tokens, "token", "tokens"))
	if len(m.Operations) > 0 {
		fmt.Fprintln(b)
		verbs := activityTable("verb")
		for _, v := range m.Operations {
			verbs.Row(activityCells(v.Name, v.Activity)...)
		}
		verbs.Write(b, columns)
	}
	if len(m.Projects) > 1 {
		fmt.Fprintln(b)
		projects := activityTable("project")
		for _, v := range m.Projects {
			projects.Row(activityCells(cmp.Or(render.Line(v.Name, 0), "(all, or deleted)"), v.Activity)...)
		}
		projects.Write(b, columns)
	}
	if len(m.Days) > 1 {
		fmt.Fprintln(b)
		writeBars(b, dayBars(m.Days), "events", columns, plainBars(p))
	}
}

func activityTable(of string) *terminal.Table {
	t := &terminal.Table{Indent: "  ", Numbers: map[int]bool{1: true, 2: true, 3: true, 4: true}}
	t.Row(of, "events", "hits", "fallback", "tokens")
	return t
}

func activityCells(name string, a engram.Activity) []string {
	hits, fallback, tokens := "", "", ""
	if a.Reads > 0 {
		hits, fallback, tokens = percent(a.HitRate()), percent(a.FallbackRate()), strconv.Itoa(a.Tokens)
	}
	return []string{name, strconv.Itoa(a.Events()), hits, fallback, tokens}
}

// percent returns a share in percent. Rounding never turns a part into all or nothing.
func percent(share float64, known bool) string {
	if !known {
		return "no reads"
	}
	tenths := math.Round(share * 1000)
	switch {
	case share > 0 && tenths == 0:
		tenths = 1
	case share < 1 && tenths == 1000:
		tenths = 999
	}
	return strconv.FormatFloat(tenths/10, 'f', -1, 64) + " %"
}

// dayBars returns all days from the first to the last, empty ones included, at most the latest 31.
func dayBars(days []engram.DailyActivity) []bar {
	const most = 31
	events := map[string]int{}
	for _, d := range days {
		events[d.Day.Format(time.DateOnly)] = d.Events()
	}
	var bars []bar
	for at := days[len(days)-1].Day; !at.Before(days[0].Day) && len(bars) < most; at = at.AddDate(0, 0, -1) {
		day := at.Format(time.DateOnly)
		bars = append(bars, bar{day, events[day]})
	}
	slices.Reverse(bars)
	return bars
}

type bar struct {
	label string
	n     int
}

// barColumns is the width of the longest bar if nothing limits it.
const barColumns = 40

// writeBars writes a chart into so many columns, 0 for no limit, with a line per bar. Any value above zero is
// visible.
func writeBars(b *strings.Builder, bars []bar, what string, columns int, plain bool) {
	labels, numbers, most := 0, 0, 0
	for _, r := range bars {
		labels = max(labels, terminal.Width(r.label))
		numbers = max(numbers, len(strconv.Itoa(r.n)))
		most = max(most, r.n)
	}
	wide := barColumns // 5 blanks
	if columns > 0 {
		wide = min(wide, max(4, columns-labels-numbers-5))
	}
	for i, r := range bars {
		gap := strings.Repeat(" ", labels-terminal.Width(r.label))
		line := fmt.Sprintf("  %s%s  %*d %s", r.label, gap, numbers, r.n, barText(r.n, most, wide, plain))
		if i == 0 && columns == 0 {
			line += " " + what
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// barText returns a bar of n of most in so many columns, in eighths of a column if the terminal can show
// them.
func barText(n, most, wide int, plain bool) string {
	if n <= 0 || most <= 0 {
		return ""
	}
	eighths := max(1, (n*wide*8+most/2)/most)
	if plain {
		return strings.Repeat("#", max(1, (eighths+4)/8))
	}
	parts := []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	return strings.Repeat("█", eighths/8) + parts[eighths%8]
}

// plainBars reports whether the terminal may lack block characters: by its name, or by a locale that is not
// UTF-8. Containers often have no locale, which counts as UTF-8.
func plainBars(p *command.Program) bool {
	if term, _ := p.Env("TERM"); term == "dumb" || term == "linux" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale, _ := p.Env(name); locale != "" {
			locale = strings.ToLower(locale)
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}
