// Command live measures a built engram binary as an agent meets it: it starts the
// program on an empty data directory, saves every document of a label set through
// HTTP or MCP, asks every question, and prints how good and how fast the answers were.
//
// It knows nothing of the inside; what it measures is what a user gets.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// answers is how many finds a question asks for.
const answers = 20

// allSets are the sets that -all takes.
const allSets = "locomo,locomo-obs,githist,decisions,beam,cosqa,pmb"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("live", flag.ContinueOnError)
	var (
		binary    = flags.String("bin", "bin/engram", "the engram `program` to measure")
		dir       = flags.String("dir", "../shared/eval", "the `folder` of the label sets")
		sets      = flags.String("sets", "decisions,githist", "comma-separated `names` of sets")
		all       = flags.Bool("all", false, "every set: "+allSets)
		questions = flags.String("queries", "queries.jsonl", "the `file` of questions in each set")
		overMCP   = flags.Bool("mcp", false, "save and ask through MCP on stdio instead of HTTP")
	)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if *all {
		*sets = allSets
	}
	if _, err := os.Stat(*dir); errors.Is(err, os.ErrNotExist) {
		_, err := fmt.Fprintf(out, "nothing measured: there are no label sets in %s (name their folder with -dir)\n", *dir)
		return err
	}
	program, err := filepath.Abs(*binary)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%-12s %6s %6s   %6s %6s %6s %7s   %8s %8s %8s\n",
		"set", "docs", "asked", "R@10", "nDCG", "MRR", "empty", "p50 ms", "p95 ms", "saves/s")
	for _, name := range strings.Split(*sets, ",") {
		set, err := eval.ReadSet(os.DirFS(*dir), name, *questions)
		if err != nil {
			return err
		}
		m, err := measure(ctx, program, set, *overMCP)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.print(out, set)
		if floor, ok := floors()[name]; ok && *questions == "queries.jsonl" {
			fmt.Fprintf(out, "%-12s %6s %6s   %6.3f %6.3f\n", "  floor", "", "", floor.recall, floor.ndcg)
		}
	}
	return nil
}

// floor is what a plain FTS5 index reaches: porter stems, stop words left out,
// words joined by OR, bm25().
type floor struct{ recall, ndcg float64 }

// floors has the floor of each set on its own questions, as the README of the label
// sets states it.
func floors() map[string]floor {
	return map[string]floor{
		"locomo": {.627, .483}, "locomo-obs": {.714, .615}, "githist": {.900, .806},
		"decisions": {.702, .641}, "beam": {.499, .391}, "cosqa": {.556, .375},
	}
}

// A face is one way to reach the program.
type face interface {
	// open makes the session of one group.
	open(ctx context.Context, session, project string) error
	// save returns the number under which the document is found again.
	save(ctx context.Context, session, project string, d eval.Document) (int64, error)
	// ask returns numbers, best first.
	ask(ctx context.Context, project, question string) ([]int64, error)
	close() error
}

// measured is what one set took and gave.
type measured struct {
	report eval.Report
	load   time.Duration
	asks   []time.Duration
}

// measure plays one set against a fresh data directory.
func measure(ctx context.Context, program string, set eval.Set, overMCP bool) (m measured, err error) {
	data, err := os.MkdirTemp("", "engram-eval-")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	start := startHTTP
	if overMCP {
		start = startMCP
	}
	f, err := start(ctx, program, data)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, f.close()) }()

	for _, g := range set.Groups {
		if err := f.open(ctx, "s-"+projectOf(set, g), projectOf(set, g)); err != nil {
			return m, err
		}
	}
	// A document that repeats another is counted by the program, not saved again: one
	// number may stand for several documents.
	named := map[int64][]string{}
	began := time.Now()
	for _, d := range set.Documents {
		p := projectOf(set, d.Group)
		if d.Title == "" {
			d.Title = firstLine(d.Text)
		}
		num, err := f.save(ctx, "s-"+p, p, d)
		if err != nil {
			return m, fmt.Errorf("save %s: %w", d.ID, err)
		}
		named[num] = append(named[num], d.ID)
	}
	m.load = time.Since(began)

	rankings := map[string][]string{}
	for _, q := range set.Questions {
		asked := time.Now()
		nums, err := f.ask(ctx, projectOf(set, q.Group), q.Text)
		m.asks = append(m.asks, time.Since(asked))
		if err != nil {
			return m, fmt.Errorf("ask %s: %w", q.ID, err)
		}
		for _, n := range nums {
			rankings[q.ID] = append(rankings[q.ID], named[n]...)
		}
	}
	m.report = eval.Measure(set, rankings)
	return m, nil
}

func (m measured) print(out io.Writer, set eval.Set) {
	slices.Sort(m.asks)
	ms := func(share float64) float64 {
		if len(m.asks) == 0 {
			return 0
		}
		return float64(m.asks[int(share*float64(len(m.asks)-1))].Microseconds()) / 1000
	}
	fmt.Fprintf(out, "%-12s %6d %6d   %6.3f %6.3f %6.3f %6.1f%%   %8.2f %8.2f %8.0f\n",
		set.Name, len(set.Documents), m.report.Questions, m.report.Recall, m.report.NDCG, m.report.MRR, 100*m.report.Empty,
		ms(.5), ms(.95), float64(len(set.Documents))/m.load.Seconds())
}

func projectOf(s eval.Set, group string) string { return "bench-" + s.Name + "-" + group }

// firstLine is the title of a document without one.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > 80 {
		line = string(r[:80])
	}
	return cmp.Or(line, "untitled")
}
