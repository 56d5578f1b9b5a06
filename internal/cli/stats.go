package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// statsDoc is the answer of `stats`.
type statsDoc struct {
	Project   string              `json:"project"` // "" is every project
	Memories  int                 `json:"memories"`
	Forgotten int                 `json:"forgotten"`
	Sessions  int                 `json:"sessions"`
	Prompts   int                 `json:"prompts"`
	Relations int                 `json:"relations"`
	Revisions int                 `json:"revisions"`      // what memories said before
	Pending   int                 `json:"contradictions"` // that wait for a verdict
	Due       int                 `json:"due"`            // memories whose review is due
	Projects  []string            `json:"projects"`
	Types     map[engram.Type]int `json:"types"`
	Bytes     int64               `json:"bytes"` // on disk
	Database  string              `json:"database"`
	By        string              `json:"by"`     // what groups are: project, type, day, week or month
	Since     document.Stamp      `json:"since"`  // of groups; null: from the beginning
	Groups    []document.Group    `json:"groups"` // by project and type those with most memories first; else oldest first
}

func statsOf(project string, s engine.StatsOver, database string) statsDoc {
	types := map[engram.Type]int{}
	maps.Copy(types, s.Types)
	return statsDoc{Project: project, Memories: s.Memories, Forgotten: s.Forgotten, Sessions: s.Sessions, Prompts: s.Prompts, Relations: s.Relations,
		Revisions: s.Revisions, Pending: s.Pending, Due: s.Due, Projects: document.OrEmpty(s.Projects), Types: types, Bytes: s.Bytes, Database: database,
		By: string(s.By), Since: document.Stamp(s.Since), Groups: document.Each(s.Groups, document.GroupOf)}
}

func (p *program) statsCommand() *cobra.Command {
	var by, since string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count memories by project, type or time",
		Long: `Count stored records in every project, or in one with --project. --by groups memories by project or type, or by the day,
week or month of creation, as a chart. --since skips older ones; by default days cover the last 30, weeks the last 26, months
the last 12, and projects and types everything.`,
		Example: examples("engram stats", "engram stats --by project", "engram stats --by week --project shop", "engram stats --by day --since 90d --json"),
		Args:    between(0, 0),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			var err error
			// Alone, a line of the last days tells how things go.
			in := engine.StatsInput{By: engram.Grouping(cmp.Or(by, string(engram.ByDay)))}
			if since != "" && by == "" {
				return invalidf("--since needs --by").WithHint("run: %s --by day --since %s", cmd.CommandPath(), since)
			}
			if in.Since, err = p.when("since", since, e.Now()); err != nil {
				return err
			}
			if in.Project, err = p.readProject(cmd, e, p.loaded.Origins["project"].Source != config.SourceFlag); err != nil {
				return err
			}
			s, err := e.StatsOver(cmd.Context(), in)
			if err != nil {
				return err
			}
			nothing, err := p.nothing(cmd, e, in.Project, s.Memories > 0)
			if err != nil {
				return err
			}
			return p.answer(statsOf(in.Project, s, p.loaded.DBPath), and(nothing, func(b *strings.Builder) {
				if by == "" {
					p.writeStats(b, s)
					return
				}
				p.writeGroups(b, s)
			}))
		}),
	}
	cmd.Flags().StringVar(&by, "by", "", "group memories by this `key`: project, type, day, week or month")
	cmd.Flags().StringVar(&since, "since", "", "with --by: only memories created since a `time`: 90d, yesterday, 2026-01-31")
	return cmd
}

func (p *program) writeStats(b *strings.Builder, s engine.StatsOver) {
	projects := strings.Join(s.Projects, ", ")
	if projects == "" {
		projects = "none yet"
	}
	fmt.Fprintln(b, "Engram Memory Stats")
	fmt.Fprintf(b, "  Sessions:     %d\n", s.Sessions)
	fmt.Fprintf(b, "  Memories:     %d", s.Memories)
	if s.Forgotten > 0 {
		fmt.Fprintf(b, " (and %d forgotten)", s.Forgotten)
	}
	fmt.Fprintf(b, "\n  Prompts:      %d\n", s.Prompts)
	fmt.Fprintf(b, "  Relations:    %d", s.Relations)
	if s.Pending > 0 {
		fmt.Fprintf(b, " (and %s to judge)", count(s.Pending, "contradiction", "contradictions"))
	}
	fmt.Fprintf(b, "\n  Revisions:    %d\n", s.Revisions)
	if s.Due > 0 {
		fmt.Fprintf(b, "  Reviews:      %d due\n", s.Due)
	}
	fmt.Fprintf(b, "  Projects:     %s\n", render.Line(projects, 0))
	// The path alone on its line, for scripts that read it.
	fmt.Fprintf(b, "  Database:     %s\n", p.loaded.DBPath)
	fmt.Fprintf(b, "  Size:         %s\n", sizeText(s.Bytes))
	saved := 0
	for _, g := range s.Groups {
		saved += g.Memories
	}
	if saved > 0 {
		line := fmt.Sprintf("  Last %d days: %s %d saved", len(s.Groups), sparkline(s.Groups, p.plainBars()), saved)
		if columns := p.columns(); columns > 0 && displaywidth.String(line) > columns {
			line = fmt.Sprintf("  Last %d days: %d saved", len(s.Groups), saved)
		}
		fmt.Fprintln(b, line)
	}
}

// sparkline is a character for each group, as high as it has memories; one that has any is
// seen.
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

func (p *program) writeGroups(b *strings.Builder, s engine.StatsOver) {
	fmt.Fprintf(b, "Memories by %s", s.By)
	if !s.Since.IsZero() {
		fmt.Fprintf(b, " since %s", s.Since.In(p.loaded.Timezone).Format(time.DateOnly))
	}
	fmt.Fprintln(b)
	if len(s.Groups) == 0 {
		fmt.Fprintln(b, "  none")
		return
	}
	if s.By == engram.ByProject || s.By == engram.ByType {
		p.writeGroupTable(b, s)
		return
	}
	bars := make([]bar, len(s.Groups))
	for i, g := range s.Groups {
		bars[i] = bar{g.Name, g.Memories}
	}
	writeBars(b, bars, "", p.columns(), p.plainBars())
}

func (p *program) writeGroupTable(b *strings.Builder, s engine.StatsOver) {
	t := &table{indent: "  ", numbers: map[int]bool{1: true, 2: true}}
	most := slices.MaxFunc(s.Groups, func(a, b engram.GroupCount) int { return cmp.Compare(a.Memories, b.Memories) }).Memories
	t.row(string(s.By), "memories", "forgotten")
	for _, g := range s.Groups {
		name := render.Line(g.Name, 0)
		if name == "" {
			name = "(none)"
		}
		t.row(name, strconv.Itoa(g.Memories), strconv.Itoa(g.Forgotten))
	}
	// The bars get what the numbers leave them; where that is nothing, there are none.
	columns, wide := p.columns(), 20
	if columns > 0 {
		left := columns - len(t.indent) - 2
		for _, w := range t.widths() {
			left -= w + 2
		}
		wide = min(wide, left+2)
	}
	for i, g := range s.Groups {
		if wide >= 4 {
			t.rows[i+1] = append(t.rows[i+1], barText(g.Memories, most, wide, p.plainBars()))
		}
	}
	t.write(b, columns)
}
