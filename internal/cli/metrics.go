package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) metricsCommand() *cobra.Command {
	var session, since string
	cmd := &cobra.Command{
		Use:   "metrics",
		Short: "Show how memory is used: events, hit rate, fallback rate, tokens",
		Long: `Show how memory is used: saves, reads (searches, recalls, contexts, gets), the share of reads that found something, the
share that fell back (a channel could not answer, or an empty question listed the newest), and the tokens shown. Only
daily counts in UTC are kept for this, and no questions. Counts of a server's last ten seconds may be missing. With
--session the exposures of that session are counted, as far as engram why knows them.`,
		Example: examples("engram metrics", "engram metrics --project shop --since 90d", "engram metrics --session s1 --json"),
		Args:    between(0, 0),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			var err error
			in := engine.MetricsInput{Session: session}
			if session != "" && !cmd.Flags().Changed("since") || since == "all" {
				since = ""
			}
			if in.Since, err = p.when("since", since, e.Now()); err != nil {
				return err
			}
			if in.Project, err = p.readProject(cmd, e, p.loaded.Origins["project"].Source != config.SourceFlag); err != nil {
				return err
			}
			m, err := e.Metrics(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.answer(document.MetricsOf(in.Project, session, m), func(b *strings.Builder) { p.writeMetrics(b, m) })
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "only what this `session` was shown and saved")
	cmd.Flags().StringVar(&since, "since", "30d", "since the day of a `time`: 7d, yesterday, 2026-01-31; all counts from the beginning")
	return cmd
}

func (p *program) writeMetrics(b *strings.Builder, m engram.Metrics) {
	columns := p.columns()
	head := "Metrics since the beginning"
	if !m.Since.IsZero() {
		head = "Metrics since " + m.Since.UTC().Format(time.DateOnly)
	}
	fmt.Fprintln(b, head)
	fmt.Fprintf(b, "  Events:         %d (%s, %s)\n", m.Total.Events(), count(m.Total.Saves, "remember", "remember"), count(m.Total.Reads, "recall", "recall"))
	fmt.Fprintf(b, "  Sessions:       %d\n", m.Sessions)
	fmt.Fprintf(b, "  Hit rate:       %s\n", percent(m.Total.HitRate()))
	fmt.Fprintf(b, "  Fallback rate:  %s\n", percent(m.Total.FallbackRate()))
	fmt.Fprintf(b, "  Shown:          %s, about %s\n", count(m.Total.Memories, "memory", "memories"), count(m.Total.Tokens, "token", "tokens"))
	if len(m.Verbs) > 0 {
		fmt.Fprintln(b)
		verbs := activityTable("verb")
		for _, v := range m.Verbs {
			verbs.row(activityCells(v.Name, v.Activity)...)
		}
		verbs.write(b, columns)
	}
	if len(m.Projects) > 1 {
		fmt.Fprintln(b)
		projects := activityTable("project")
		for _, v := range m.Projects {
			name := render.Line(v.Name, 0)
			if name == "" {
				name = "(all, or gone)"
			}
			projects.row(activityCells(name, v.Activity)...)
		}
		projects.write(b, columns)
	}
	if len(m.Days) > 1 {
		fmt.Fprintln(b)
		writeBars(b, dayBars(m.Days), "events", columns, p.plainBars())
	}
}

func activityTable(of string) *table {
	t := &table{indent: "  ", numbers: map[int]bool{1: true, 2: true, 3: true, 4: true}}
	t.row(of, "events", "hits", "fallback", "tokens")
	return t
}

func activityCells(name string, a engram.Activity) []string {
	hits, fallback, tokens := "", "", ""
	if a.Reads > 0 {
		hits, fallback, tokens = percent(a.HitRate()), percent(a.FallbackRate()), strconv.Itoa(a.Tokens)
	}
	return []string{name, strconv.Itoa(a.Events()), hits, fallback, tokens}
}

// percent is a share for people. What is not all is never said to be, nor what is not
// nothing.
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

// dayBars are the days from the first to the last, those without anything too; where they
// are many, the latest.
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
