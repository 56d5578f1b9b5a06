package trial

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/eval"
)

// Report is how well each configuration answered one set, or, on average, several.
type Report struct {
	Name         string
	Documents    int
	Questions    int // that something answers
	Unanswerable int // asked where nothing answers them
	Rows         []Row
}

// Row is one configuration in a Report.
type Row struct {
	Config   Config
	Figures  map[eval.Figure]float64 // those that were measured
	P50, P95 time.Duration           // of a question
	// Changes compares with the first row; nil in the first.
	Changes map[eval.Figure]eval.Change

	shares map[eval.Figure][]eval.Share
}

// Check asks the store, which is empty, under each configuration: what the engine
// does not take is known before anything is loaded.
func (b Bench) Check(ctx context.Context, configs []Config) error {
	for _, c := range configs {
		var in engine.SearchInput
		if err := c.apply(&in); err != nil {
			return err
		}
		if _, err := b.Engine(b.Store, b.Stopwatch).Search(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// Compare asks every question under each configuration and compares the second and
// further ones with the first. Asking.Config is not looked at.
func (t *Trial) Compare(ctx context.Context, a Asking, configs []Config) (Report, error) {
	r := Report{Name: t.set.Name, Documents: len(t.set.Documents), Questions: len(t.set.Questions)}
	for _, c := range configs {
		a.Config = c
		answers, err := t.Ask(ctx, a)
		if err != nil {
			return Report{}, err
		}
		row := Row{Config: c, P50: eval.Percentile(answers.Answerable, 0.5), P95: eval.Percentile(answers.Answerable, 0.95),
			Figures: map[eval.Figure]float64{}, shares: t.shares(answers)}
		for f, shares := range row.shares {
			row.Figures[f] = eval.Ratio(shares)
		}
		r.Unanswerable = len(answers.Unanswerable)
		r.Rows = append(r.Rows, row)
	}
	r.compare(func(f eval.Figure, i int) []eval.Paired {
		if a, ok := r.Rows[0].shares[f]; ok {
			return []eval.Paired{{A: a, B: r.Rows[i].shares[f]}}
		}
		return nil
	})
	return r, nil
}

// shares returns what each question has in each figure.
func (t *Trial) shares(a Answers) map[eval.Figure][]eval.Share {
	all := map[eval.Figure][]eval.Share{}
	for _, f := range eval.Figures() {
		answers := a.Answerable
		if f.OfUnanswerable() {
			answers = a.Unanswerable
		}
		for i, answer := range answers {
			all[f] = append(all[f], f.Share(answer, t.set.Relevant[t.set.Questions[i].ID]))
		}
	}
	return all
}

// compare fills the Changes in; pairs has the shares of row i beside those of the
// first, set by set.
func (r *Report) compare(pairs func(f eval.Figure, i int) []eval.Paired) {
	for i := range r.Rows[1:] {
		row := &r.Rows[i+1]
		row.Changes = map[eval.Figure]eval.Change{}
		for _, f := range eval.Figures() {
			if p := pairs(f, i+1); len(p) > 0 {
				row.Changes[f] = eval.Compare(p...)
			}
		}
	}
}

// Mean is the average of reports about different sets under the same configurations:
// every set counts the same, whatever its size. A figure is the mean over the sets
// that have it. There must be one report at least.
func Mean(reports []Report) Report {
	m := Report{Name: "mean"}
	for _, r := range reports {
		m.Documents += r.Documents
		m.Questions += r.Questions
		m.Unanswerable += r.Unanswerable
	}
	for i, first := range reports[0].Rows {
		row := Row{Config: first.Config, Figures: map[eval.Figure]float64{}}
		for _, r := range reports {
			row.P50 += r.Rows[i].P50 / time.Duration(len(reports))
			row.P95 += r.Rows[i].P95 / time.Duration(len(reports))
		}
		for _, f := range eval.Figures() {
			var sum, sets float64
			for _, r := range reports {
				if v, ok := r.Rows[i].Figures[f]; ok {
					sum, sets = sum+v, sets+1
				}
			}
			if sets > 0 {
				row.Figures[f] = sum / sets
			}
		}
		m.Rows = append(m.Rows, row)
	}
	m.compare(func(f eval.Figure, i int) (pairs []eval.Paired) {
		for _, r := range reports {
			if a, ok := r.Rows[0].shares[f]; ok {
				pairs = append(pairs, eval.Paired{A: a, B: r.Rows[i].shares[f]})
			}
		}
		return pairs
	})
	return m
}
