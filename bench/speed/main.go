// Command speed measures Engram as its users run it, in CPU time and beside references in the same run: bleve and
// SQLite's FTS5 for searches, plain inserts for saves, small Go programs for starts. make bench-speed runs it.
//
// Stores and indexes of a corpus that is made by number (corpus.go) are kept in a folder, so that a second run is quick.
// Blocks of one operation by each build and reference take turns (measure.go), so that what else the machine does meets
// all of them: the figures are medians of rounds, and ratios are those of blocks side by side. Only on Linux.
//
// It is a module of its own, so that the references never become dependencies of Engram.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	// A run that is broken off ends its servers and removes what it made.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	binary := flag.String("binary", "bin/engram", "the `binary` to measure")
	against := flag.String("against", "", "an older `binary`, measured in turn with it")
	sizes := flag.String("sizes", "1000,20000,100000", "`numbers` of memories; 1000000 takes a quarter of an hour more of CPU, once, and 10 GB")
	keep := flag.String("keep", filepath.Join(os.TempDir(), "engram-speed"), "`folder` of stores and indexes for later runs")
	rounds := flag.Int("rounds", 7, "blocks of each operation")
	only := flag.String("only", "", "only operations whose name matches this `expression`")
	alone := flag.Bool("alone", false, "without the references")
	documents := flag.Int("moved", 10_000, "memories of the ingest and the import")
	page := flag.String("write", "", "Markdown `file` to put the table into")
	answers := flag.String("answers", "", "write the answers to 1,000 questions to this `file` instead")
	answersAgainst := flag.String("answers-against", "", "compare the answers with those of this `binary` instead")
	labels := flag.String("labels", "../shared/eval", "`folder` of the label sets that -answers asks")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flag.Arg(0))
	}
	if *page != "" && (*only != "" || *alone) {
		return errors.New("-write needs everything: leave out -only and -alone")
	}
	matches, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	builds, err := buildsOf(*binary, *against)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*keep, 0o700); err != nil {
		return err
	}
	work, err := os.MkdirTemp(*keep, "run-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	for i := range builds {
		if builds[i].binary, err = installed(builds[i].binary, filepath.Join(work, builds[i].name)); err != nil {
			return err
		}
	}
	kept := stores{folder: *keep, report: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format, args...) }}

	if *answers != "" || *answersAgainst != "" {
		return compareAnswers(ctx, builds[0], work, *labels, *answers, *answersAgainst)
	}

	b := bench{stores: kept, builds: builds, work: work, rounds: *rounds, only: matches, alone: *alone, programs: programs(work)}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if err := b.starts(ctx); err != nil {
		return err
	}
	for s := range strings.SplitSeq(*sizes, ",") {
		size, err := strconv.Atoi(s)
		if err != nil || size < 1 {
			return fmt.Errorf("%q is no number of memories", s)
		}
		if err := b.at(ctx, size); err != nil {
			return err
		}
	}
	if err := b.moves(ctx, *documents); err != nil {
		return err
	}
	fmt.Print(details(b.results, builds))
	table := summary(b.results, builds[0].name)
	fmt.Print("\n", table)
	if *page == "" {
		return nil
	}
	text, err := os.ReadFile(*page)
	if err != nil {
		return err
	}
	written, err := replaceTable(string(text), table)
	if err != nil {
		return err
	}
	return os.WriteFile(*page, []byte(written), 0o644)
}

// installed copies a program, as an installation does, and returns the copy. The linker writes its file through a mapping,
// which leaves it in the page cache in small pieces: its processes take up to a fifth more until that is read anew.
func installed(program, to string) (string, error) {
	if err := copyFile(program, to); err != nil {
		return "", err
	}
	return to, os.Chmod(to, 0o700)
}

// buildsOf names the builds; against may be empty.
func buildsOf(binary, against string) ([]build, error) {
	builds := []build{{"engram", binary}}
	if against != "" {
		builds = append(builds, build{"before", against})
	}
	for i := range builds {
		path, err := filepath.Abs(builds[i].binary)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		builds[i].binary = path
	}
	return builds, nil
}
