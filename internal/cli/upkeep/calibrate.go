package upkeep

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/own"
)

// CalibratedDoc is the answer of `eval --calibrate`.
type CalibratedDoc struct {
	Model     string   `json:"model"`
	Memories  int      `json:"memories"`  // that were compared, in pairs of one project
	Pairs     int      `json:"pairs"`     // of them
	Questions int      `json:"questions"` // made of titles, prompts and searches
	Before    marks    `json:"before"`    // thresholds that were in force
	After     marks    `json:"after"`
	Notes     []string `json:"notes"` // caveats
}

// marks are thresholds: cosines, of -1 to 1; above 1 for those that nothing reaches.
type marks struct {
	Related   float64 `json:"related"`   // from which two memories are about the same matter
	Duplicate float64 `json:"duplicate"` // from which they say the same
	Noise     float64 `json:"noise"`     // median of questions and memories that do not answer them
	Answer    float64 `json:"answer"`    // median of questions and memories that do
}

func marksOf(m engram.Model) marks { return marks{m.Related, m.Duplicate, m.Noise, m.Answer} }

// calibrate fits the thresholds of the embedding model in force.
func calibrate(p *command.Program, cmd *cobra.Command, args []string) error {
	for _, name := range []string{"own", "wrapped", "against", "with", "write", "size", "questions", "queries"} {
		if err := command.OnlyOne(cmd, "calibrate", name); err != nil {
			return err
		}
	}
	if len(args) > 0 {
		return command.Invalidf("--calibrate uses your own memories, and no folder")
	}
	if _, err := p.Open(cmd); err != nil {
		return err
	}
	e, err := p.App.Calibrated()
	if err != nil {
		return err
	}
	bar := p.Progress("embedding")
	c, err := own.Calibrate(cmd.Context(), p.App, e, bar.Report)
	bar.End()
	if err != nil {
		return err
	}
	m := app.ModelMarks{Related: c.Related, Duplicate: c.Duplicate, Noise: c.Noise, Answer: c.Answer, Memories: c.Memories}
	if err := p.App.Fit(m); err != nil {
		return err
	}
	doc := CalibratedDoc{Model: e.Model().Name, Memories: c.Memories, Pairs: c.Pairs, Questions: c.Questions,
		Before: marksOf(e.Model()), After: marksOf(m.Apply(e.Model())), Notes: []string{}}
	switch {
	case c.Questions < eval.Few:
		doc.Notes = append(doc.Notes, fmt.Sprintf("%s, too few for the relevance thresholds, which stay (at least %d are needed).",
			command.Count(c.Questions, "question", "questions"), eval.Few))
	case c.Answer == 0:
		doc.Notes = append(doc.Notes, "Questions are no nearer to their answers than to other memories; the relevance thresholds stay.")
	}
	return p.Answer(doc, func(b *strings.Builder) { writeCalibrated(b, doc) })
}

func writeCalibrated(b *strings.Builder, doc CalibratedDoc) {
	fmt.Fprintf(b, "Thresholds of %s, fitted to %s (%s, %s)\n", doc.Model, command.Count(doc.Memories, "memory", "memories"),
		command.Count(doc.Pairs, "pair", "pairs"), command.Count(doc.Questions, "question", "questions"))
	for _, row := range []struct {
		name          string
		before, after float64
	}{
		{"related", doc.Before.Related, doc.After.Related}, {"duplicate", doc.Before.Duplicate, doc.After.Duplicate},
		{"noise", doc.Before.Noise, doc.After.Noise}, {"answer", doc.Before.Answer, doc.After.Answer},
	} {
		before := fmt.Sprintf("%.3f", row.before)
		if row.before > 1 {
			before = "never"
		}
		fmt.Fprintf(b, "  %-9s  %.3f  (was %s)\n", row.name, row.after, before)
	}
	for _, note := range doc.Notes {
		fmt.Fprintf(b, "%s\n", note)
	}
	b.WriteString("Commands use them from now on; a running server once it is restarted.\n")
}
