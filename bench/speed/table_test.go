package main

import (
	"slices"
	"strings"
	"testing"
)

func TestFigure(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 0.0561: "0.056", 0.5: "0.5", 0.996: "1", 1: "1", 2.449: "2.4", 9.96: "10", 14.4: "14", 800: "800"} {
		if got := figure(value); got != want {
			t.Errorf("figure(%v) = %q, want %q", value, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "", 999: "999", 1_000: "1,000", 20_000: "20,000", 1_000_000: "1,000,000"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

// measured has the results of a small run.
func measured() []result {
	one := func(cost, wall float64) []sample { return []sample{{cost, wall}} }
	return []result{
		{opVersion, 0, map[string][]sample{"engram": one(5, 6), "before": one(10, 12), refLinked: one(4, 4)}},
		{opQuestion, 1_000, map[string][]sample{"engram": one(2, 3), "before": one(4, 4), refBleve: one(0.5, 1)}},
		{opQuestion, 100_000, map[string][]sample{"engram": one(20, 30), "before": one(40, 40), refBleve: one(10, 10)}},
		{opWriters, 1_000, map[string][]sample{"engram": one(2, 1.25), "before": one(4, 2.5)}},
		{opIngest, 500, map[string][]sample{"engram": one(0.4, 1), "before": one(0.8, 1), refBatch: one(0.1, 1)}},
	}
}

func TestSummary(t *testing.T) {
	want := `| CPU in ms (target) | 1,000 | 100,000 | times | growth |
|---|---|---|---|---|
| question over everything | 2 (≤2.5) | 20 (≤16) | 2 bleve | 0.50 |
| save, 8 writers | 2 |  |  |  |
| 8 writers, saves/s | 800 (≥800) |  |  |  |
| version |  | 5 (≤4.8) | 1.2 Go with SQLite |  |
| ingest, each |  | 0.4 (≤0.88) | 4 rows with FTS5 |  |
`
	if got := summary(measured(), "engram"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDetails(t *testing.T) {
	var got []string
	for line := range strings.Lines(details(measured(), []build{{name: "engram"}, {name: "before"}})) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	for _, want := range []string{
		"operation memories measured target times references before ratio",
		"question over everything 100,000 20 ≤16 2 bleve bleve 10 40 0.50",
		"8 writers, saves/s 1,000 800 ≥800 400 2.00",
		"version 5 ≤4.8 1.2 Go with SQLite Go with SQLite 4 10 0.50",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("got\n%s\nwithout\n%s", strings.Join(got, "\n"), want)
		}
	}
}

func TestAligned(t *testing.T) {
	if got, want := aligned([][]string{{"a", "≤1", "x"}, {"bcd", "22", ""}}), "a    ≤1  x\nbcd  22\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTableIsReplacedInItsPlace(t *testing.T) {
	page := "# Benchmarks\n\n" + tableBegin + "\n| old |\n\n" + tableEnd + "\n## Next\n"
	want := "# Benchmarks\n\n" + tableBegin + "\n| new |\n\n" + tableEnd + "\n## Next\n"
	for range 2 { // the second time changes nothing
		got, err := replaceTable(page, "| new |\n")
		if err != nil || got != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
		page = got
	}
	for _, page := range []string{"", "only " + tableBegin, "only " + tableEnd, tableEnd + tableBegin} {
		if got, err := replaceTable(page, "| new |\n"); err == nil {
			t.Errorf("%q became %q, want an error: it has no place for the table", page, got)
		}
	}
}
