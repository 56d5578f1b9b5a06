package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/trial"
	"github.com/alanbuscaglia/engram/internal/render"
)

// evalDoc is the answer of `eval`.
type evalDoc struct {
	Sets  []evalSet `json:"sets"`
	Mean  *evalSet  `json:"mean"`  // over the sets; null for one
	Notes []string  `json:"notes"` // what the figures should be read with
}

type evalSet struct {
	Name           string       `json:"name"`
	Documents      int          `json:"documents"`
	Questions      int          `json:"questions"`
	Unanswerable   int          `json:"unanswerable"` // questions asked where nothing answers them
	Configurations []evalConfig `json:"configurations"`
}

type evalConfig struct {
	Options string                     `json:"options"` // "default" for none
	Figures map[eval.Figure]*float64   `json:"figures"` // null where it was not measured
	P50     float64                    `json:"p50_ms"`
	P95     float64                    `json:"p95_ms"`
	Changes map[eval.Figure]evalChange `json:"changes"` // over the first configuration; {} in the first
}

type evalChange struct {
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`  // of the 95 % interval
	High       float64 `json:"high"` // of the 95 % interval
	P          float64 `json:"p"`
}

func evalSetOf(r trial.Report) evalSet {
	return evalSet{r.Name, r.Documents, r.Questions, r.Unanswerable, document.Each(r.Rows, func(row trial.Row) evalConfig {
		c := evalConfig{Options: row.Config.String(), Figures: map[eval.Figure]*float64{}, Changes: map[eval.Figure]evalChange{},
			P50: milliseconds(row.P50), P95: milliseconds(row.P95)}
		for _, f := range eval.Figures() {
			c.Figures[f] = nil
			if v, ok := row.Figures[f]; ok {
				c.Figures[f] = &v
			}
		}
		for f, v := range row.Changes {
			c.Changes[f] = evalChange{v.Difference, v.Low, v.High, v.P}
		}
		return c
	})}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// evalColumns are the heads of the figures in the order of eval.Figures.
func evalColumns() []string {
	return []string{"R@1", "R@5", "R@10", "R@20", "MRR", "nDCG", "prec", "kept", "lost", "abst", "empty", "tokens"}
}

// evalCell is the width of a figure.
const evalCell = 8

// writeEval writes a table a set: a row a configuration, and under each but the first
// how it differs from that one.
func writeEval(b *strings.Builder, reports []trial.Report, notes []string) {
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(b)
		}
		writeEvalSet(b, r)
	}
	if len(reports) > 0 && len(notes) > 0 {
		fmt.Fprintln(b)
	}
	for _, n := range notes {
		fmt.Fprintln(b, n)
	}
}

func writeEvalSet(b *strings.Builder, r trial.Report) {
	fmt.Fprintf(b, "%s: %s, %s", render.Line(r.Name, 0), count(r.Documents, "document", "documents"), count(r.Questions, "question", "questions"))
	if r.Unanswerable > 0 {
		fmt.Fprintf(b, ", %d unanswerable", r.Unanswerable)
	}
	width := len("  difference")
	for _, row := range r.Rows {
		width = max(width, utf8.RuneCountInString(row.Config.String()))
	}
	fmt.Fprintf(b, "\n%-*s", width, "")
	for _, c := range append(evalColumns(), "p50 ms", "p95 ms") {
		fmt.Fprintf(b, "%*s", evalCell, c)
	}
	fmt.Fprintln(b)
	for _, row := range r.Rows {
		fmt.Fprintf(b, "%-*s", width, row.Config)
		for _, f := range eval.Figures() {
			v, ok := row.Figures[f]
			writeFigure(b, f, v, ok, "%.3f")
		}
		fmt.Fprintf(b, "%*.2f%*.2f\n", evalCell, milliseconds(row.P50), evalCell, milliseconds(row.P95))
		if row.Changes != nil {
			writeChanges(b, width, row.Changes)
		}
	}
}

// writeChanges writes the difference to the first row, its interval and its chance.
func writeChanges(b *strings.Builder, width int, changes map[eval.Figure]eval.Change) {
	same := true
	for _, c := range changes {
		same = same && c == (eval.Change{P: 1})
	}
	if same {
		fmt.Fprintln(b, "  no difference in any figure")
		return
	}
	for _, line := range []struct {
		name, form string
		of         func(eval.Change) float64
	}{
		{"  difference", "%+.3f", func(c eval.Change) float64 { return c.Difference }},
		{"  95 % from", "%+.3f", func(c eval.Change) float64 { return c.Low }},
		{"  to", "%+.3f", func(c eval.Change) float64 { return c.High }},
		{"  p", "%.4f", func(c eval.Change) float64 { return c.P }},
	} {
		fmt.Fprintf(b, "%-*s", width, line.name)
		for _, f := range eval.Figures() {
			c, ok := changes[f]
			writeFigure(b, f, line.of(c), ok, line.form)
		}
		fmt.Fprintln(b)
	}
}

// writeFigure writes one cell; what was not measured is a dash.
func writeFigure(b *strings.Builder, f eval.Figure, v float64, ok bool, form string) {
	text := "–"
	if f == eval.Tokens { // thousandths of a token say nothing
		form = strings.Replace(form, ".3", ".0", 1)
	}
	if ok {
		text = fmt.Sprintf(form, v)
	}
	fmt.Fprintf(b, "%*s", evalCell, text)
}

// fewNote says that a set is too small to be believed.
func fewNote(set eval.Set) string {
	return fmt.Sprintf("%s: %s, too few for a result (at least %d are needed).", render.Line(set.Name, 0),
		count(len(set.Questions), "question", "questions"), eval.Few)
}
