package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Names of the operations, in the order of the table.
const (
	opQuestion = "question over everything"
	opProject  = "question in a project"
	opCommon   = "common word"
	opSave     = "save"
	opWriters  = "save, 8 writers"
	opInTurn   = "a save and a question"
	opRate     = "8 writers, saves/s"
	opOwn      = "context, own memories"
	opImported = "context, imported"
	opStart    = "hook session-start"
	opPrompt   = "hook prompt"
	opVersion  = "version"
	opCold     = "search in a new process"
	opTools    = "mcp to tools/list"
	opAsk      = "search asking a server"
	opIngest   = "ingest, each"
	opImport   = "import, each"
	opResident = "serve, MB after searches"
	opPeak     = "serve, MB at most"
)

// A row is an operation of the table.
type row struct {
	operation  string
	of         string          // the operation that it is a figure of, if it has another name
	rate       bool            // operations a second by the clock: more is better
	targets    map[int]float64 // by size; that of size 0 is for all others
	yardstick  yardstick       // the reference of the targets
	references []string
}

// yardstick is a reference and its cost on the machine where the targets were set, by size; that of size 0 is for all others.
// Machines differ in their strengths, so a target is a multiple of the reference.
type yardstick struct {
	reference string
	costs     map[int]float64
}

// rows has the targets, and what their references cost beside them.
func rows() []row {
	linked, bare := []string{refLinked}, []string{refBare, refLinked}
	starts := yardstick{refLinked, map[int]float64{0: 4.6}}
	batches := yardstick{refBatch, map[int]float64{0: 0.057}}
	return []row{
		{operation: opQuestion, targets: map[int]float64{1_000: 2.5, 20_000: 8, 100_000: 14, 1_000_000: 60}, yardstick: yardstick{refBleve, map[int]float64{20_000: 2.9, 100_000: 8.5}},
			references: []string{refBleve, refFTS5, refFloor}},
		{operation: opProject, targets: map[int]float64{100_000: 6, 1_000_000: 12}, references: []string{refBleve, refFTS5, refFloor}},
		{operation: opCommon, targets: map[int]float64{20_000: 5, 100_000: 9}, yardstick: yardstick{refBleve, map[int]float64{20_000: 0.9, 100_000: 3.2}},
			references: []string{refBleve, refFTS5, refFloor}},
		{operation: opSave, targets: map[int]float64{1_000: 1.2, 0: 1.6}, yardstick: yardstick{refFTS5, map[int]float64{0: 0.45}},
			references: []string{refSave, refFTS5, refRow}},
		{operation: opWriters, references: []string{refSave}},
		{operation: opRate, of: opWriters, rate: true, targets: map[int]float64{0: 800}, references: []string{refSave}},
		{operation: opInTurn},
		{operation: opOwn, targets: map[int]float64{0: 3.5}},
		{operation: opImported, targets: map[int]float64{0: 3.5}},
		{operation: opStart, targets: map[int]float64{0: 18}, yardstick: starts, references: bare},
		{operation: opPrompt, targets: map[int]float64{0: 15}, yardstick: starts, references: bare},
		{operation: opVersion, targets: map[int]float64{0: 5.5}, yardstick: starts, references: []string{refLinked, refHello}},
		{operation: opCold, targets: map[int]float64{100_000: 10}, yardstick: starts, references: bare},
		{operation: opAsk, references: linked},
		{operation: opTools, targets: map[int]float64{0: 9}, yardstick: starts, references: linked},
		{operation: opIngest, targets: map[int]float64{0: 0.5}, yardstick: batches, references: []string{refCopy, refBatch}},
		{operation: opImport, targets: map[int]float64{0: 0.2}, yardstick: batches, references: []string{refCopy, refBatch}},
		{operation: opResident, targets: map[int]float64{100_000: 80}},
		{operation: opPeak},
	}
}

// resultOf returns what a row shows at a size.
func (r row) resultOf(results []result, size int) (result, bool) {
	i := slices.IndexFunc(results, func(res result) bool { return res.name == cmp.Or(r.of, r.operation) && res.size == size })
	if i < 0 {
		return result{}, false
	}
	return results[i], true
}

// target returns the target of a result as text, scaled by what its reference costs here if that was measured; "" if there
// is no target.
func (r row) target(res result, size int) string {
	t, ok := at(r.targets, size)
	if then, known := at(r.yardstick.costs, size); known {
		if now, measured := res.cost(r.yardstick.reference); measured {
			t *= now / then
		}
	}
	switch {
	case !ok:
		return ""
	case r.rate:
		return "≥" + figure(t)
	}
	return "≤" + figure(t)
}

// at returns the figure of a size, or that of all others.
func at(bySize map[int]float64, size int) (float64, bool) {
	if v, ok := bySize[size]; ok {
		return v, true
	}
	v, ok := bySize[0]
	return v, ok
}

// value returns the figure of a lane.
func (r row) value(res result, lane string) (float64, bool) {
	if r.rate {
		return res.rate(lane)
	}
	return res.cost(lane)
}

// ratios returns how many times each reference the lane takes, as "1.6 bleve, 0.2 FTS5".
func (r row) ratios(res result, lane string) string {
	var all []string
	for _, ref := range r.references {
		ratio, ok := res.ratio(lane, ref)
		if r.rate {
			ratio, ok = res.quicker(lane, ref)
		}
		if ok {
			all = append(all, figure(ratio)+" "+ref)
		}
	}
	return strings.Join(all, ", ")
}

// exponent returns how a row grows with the memories, as "0.35"; "" of fewer than two sizes.
func (r row) exponent(results []result, lane string) string {
	var sizes []int
	var costs []float64
	for _, size := range sizesOf(results) {
		if res, ok := r.resultOf(results, size); ok && size > 0 {
			if cost, ok := res.cost(lane); ok && cost > 0 {
				sizes, costs = append(sizes, size), append(costs, cost)
			}
		}
	}
	e, ok := growth(sizes, costs)
	if !ok || r.rate {
		return ""
	}
	return fmt.Sprintf("%.2f", e)
}

// sizesOf returns the sizes of results, in order.
func sizesOf(results []result) []int {
	sizes := map[int]bool{}
	for _, r := range results {
		sizes[r.size] = true
	}
	return slices.Sorted(maps.Keys(sizes))
}

// details lists each figure in a line of its own: what was measured, its target, the references with their own cost, and
// with a second build how the first compares to it.
func details(results []result, builds []build) string {
	lines := [][]string{{"operation", "memories", "measured", "target", "times", "references"}}
	if len(builds) > 1 {
		lines[0] = append(lines[0], builds[1].name, "ratio")
	}
	for _, r := range rows() {
		for _, size := range sizesOf(results) {
			res, ok := r.resultOf(results, size)
			if !ok {
				continue
			}
			value, _ := r.value(res, builds[0].name)
			line := []string{r.operation, thousands(size), figure(value), r.target(res, size), r.ratios(res, builds[0].name), ""}
			var refs []string
			for _, ref := range r.references {
				if cost, ok := res.cost(ref); ok {
					refs = append(refs, ref+" "+figure(cost))
				}
			}
			line[5] = strings.Join(refs, ", ")
			if len(builds) > 1 {
				other, _ := r.value(res, builds[1].name)
				ratio, _ := res.ratio(builds[0].name, builds[1].name)
				if r.rate {
					ratio = value / other
				}
				line = append(line, figure(other), fmt.Sprintf("%.2f", ratio))
			}
			lines = append(lines, line)
		}
	}
	return aligned(lines)
}

// summary is the table of the documentation, with a row for each operation and a column for each size.
func summary(results []result, lane string) string {
	var sizes []int
	for _, size := range sizesOf(results) {
		if _, ok := rows()[0].resultOf(results, size); ok {
			sizes = append(sizes, size)
		}
	}
	head := []string{"CPU in ms (target)"}
	for _, size := range sizes {
		head = append(head, thousands(size))
	}
	lines := [][]string{append(head, "times", "growth")}
	for _, r := range rows() {
		line := []string{r.operation}
		ratios, has := "", false
		for i, size := range sizes {
			res, ok := r.resultOf(results, size)
			// What is measured without a store or on another number of memories stands in the last column.
			for _, other := range sizesOf(results) {
				if !ok && i == len(sizes)-1 && !slices.Contains(sizes, other) {
					res, ok = r.resultOf(results, other)
				}
			}
			if !ok {
				line = append(line, "")
				continue
			}
			value, _ := r.value(res, lane)
			cell := figure(value)
			if t := r.target(res, size); t != "" {
				cell += " (" + t + ")"
			}
			line, ratios, has = append(line, cell), r.ratios(res, lane), true
		}
		if has {
			lines = append(lines, append(line, ratios, r.exponent(results, lane)))
		}
	}
	return markdown(lines)
}

// The marks between which the table stands in the documentation.
const (
	tableBegin = "<!-- speed: written by make bench-speed -->\n"
	tableEnd   = "<!-- end of speed -->"
)

// replaceTable puts a table between the marks of a page.
func replaceTable(page, table string) (string, error) {
	before, rest, begins := strings.Cut(page, tableBegin)
	_, after, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		return "", fmt.Errorf("the page has no %q with %q after it", strings.TrimSpace(tableBegin), tableEnd)
	}
	return before + tableBegin + "\n" + table + "\n" + tableEnd + after, nil
}

// figure writes a number with two significant digits, whole from 10 on.
func figure(v float64) string {
	if v >= 10 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// thousands writes a number with commas; 0, which is no size, as "".
func thousands(n int) string {
	if n == 0 {
		return ""
	}
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// aligned writes columns for a terminal.
func aligned(lines [][]string) string {
	widths := map[int]int{}
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		var padded []string
		for i, cell := range line {
			padded = append(padded, cell+strings.Repeat(" ", widths[i]-len([]rune(cell))))
		}
		b.WriteString(strings.TrimRight(strings.Join(padded, "  "), " ") + "\n")
	}
	return b.String()
}

// markdown writes a table, its first line as head.
func markdown(lines [][]string) string {
	var b strings.Builder
	for i, line := range lines {
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(line)) + "|\n")
		}
	}
	return b.String()
}
