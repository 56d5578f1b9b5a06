// Package trial runs a set of questions with known answers through the engine: it saves the documents as
// memories in an empty store and asks the questions with one or more configurations.
//
// It calls the same operations as a user's frontends, so it measures what users get. The store should be
// discarded afterwards.
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Bench is what a trial needs. All but Progress is required.
type Bench struct {
	Store     engram.Store                                        // empty and not shared
	Engine    func(engram.Store, func() time.Time) *engine.Engine // returns an engine over a store, with a clock
	Stopwatch func() time.Time                                    // measures answer times
	Progress  func(what string, done, total int)                  // reports progress; may be nil
}

// Trial is a loaded set. It must not be used concurrently.
type Trial struct {
	set      eval.Set
	bench    Bench
	engine   *engine.Engine
	clock    *clock
	projects map[string]string    // by group
	latest   map[string]time.Time // time of a group's last document, by group
	named    map[int64][]string   // documents by the number of their memory
}

// Load saves every document of the set with its group as project and its time as creation time. The engine
// counts repetitions, so one memory may stand for several documents.
func Load(ctx context.Context, b Bench, set eval.Set) (*Trial, error) {
	t := &Trial{set: set, bench: b, clock: &clock{}, projects: map[string]string{}, latest: map[string]time.Time{}, named: map[int64][]string{}}
	t.engine = b.Engine(traceless{b.Store}, t.clock.now)
	// Different group names could normalise to one project name.
	for i, g := range set.Groups {
		t.projects[g] = fmt.Sprintf("group-%d", i+1)
	}
	documents := inOrder(set)
	const together = 500 // saves per transaction
	for done := 0; done < len(documents); {
		part := documents[done:min(done+together, len(documents))]
		err := b.Store.Update(ctx, func(tx engram.Tx) error {
			return t.save(ctx, b.Engine(within{tx}, t.clock.now), part)
		})
		if err != nil {
			return nil, err
		}
		done += len(part)
		t.report("Loading "+set.Name, done, len(documents))
	}
	return t, t.embed(ctx)
}

// embed makes the vectors of a model that is not instant, which saves leave to a server. One that cannot be asked is an
// error: another would be measured in its place.
func (t *Trial) embed(ctx context.Context) error {
	e := t.bench.Engine(t.bench.Store, t.clock.now)
	if now, err := e.Embedded(ctx); err != nil || now.Complete() {
		return err
	}
	_, err := e.Reembed(ctx, consolidate.ReembedInput{Progress: func(done, total int) { t.report("Embedding "+t.set.Name, done, total) }})
	return err
}

// save saves documents one after the other.
func (t *Trial) save(ctx context.Context, e *engine.Engine, documents []eval.Document) error {
	for _, d := range documents {
		t.clock.set(d.Time)
		content, project := cmp.Or(d.Text, d.Title), t.projects[d.Group]
		r, err := e.Save(ctx, remember.SaveInput{Title: d.Title, Content: content, Project: project,
			SessionID: project + "/" + d.Session, NewSession: true})
		if err != nil {
			return fmt.Errorf("set %s, document %s: %w", t.set.Name, d.ID, err)
		}
		t.named[r.Memory.Num] = append(t.named[r.Memory.Num], d.ID)
		if d.Time.After(t.latest[d.Group]) {
			t.latest[d.Group] = d.Time
		}
	}
	return nil
}

// inOrder returns the documents by group and position. One without a time follows the one before it by a
// minute.
func inOrder(set eval.Set) []eval.Document {
	place := map[string]int{}
	for i, g := range set.Groups {
		place[g] = i
	}
	documents := slices.Clone(set.Documents)
	slices.SortStableFunc(documents, func(a, b eval.Document) int {
		if a.Group != b.Group {
			return place[a.Group] - place[b.Group]
		}
		return a.Seq - b.Seq
	})
	last := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range documents {
		if documents[i].Time.IsZero() {
			documents[i].Time = last.Add(time.Minute)
		}
		last = documents[i].Time
	}
	return documents
}

func (t *Trial) report(what string, done, total int) {
	if t.bench.Progress != nil {
		t.bench.Progress(what, done, total)
	}
}

// within is a Store inside an open transaction, because a commit for each of ten thousand memories would be
// slow.
type within struct{ tx engram.Tx }

// View implements engram.Store.
func (w within) View(_ context.Context, fn func(engram.Reader) error) error { return fn(w.tx) }

// Update implements engram.Store. Its error must reach the outer transaction, which still contains what fn
// wrote.
func (w within) Update(_ context.Context, fn func(engram.Tx) error) error { return fn(w.tx) }

// UpdateAfter implements engram.Store.
func (w within) UpdateAfter(_ context.Context, look func(engram.Reader) error, fn func(engram.Tx) error) error {
	if err := look(w.tx); err != nil {
		return err
	}
	return fn(w.tx)
}

// Close implements engram.Store. The transaction belongs to its owner.
func (w within) Close() error { return nil }

// traceless is a Store that rolls back every write. A search may record what it showed and learn from it, but
// every configuration must find the same memories.
type traceless struct{ engram.Store }

// Update runs fn and rolls it back.
func (t traceless) Update(ctx context.Context, fn func(engram.Tx) error) error {
	return rolledBack(t.Store.Update(ctx, undoing(fn)))
}

// UpdateAfter is Update that runs look first.
func (t traceless) UpdateAfter(ctx context.Context, look func(engram.Reader) error, fn func(engram.Tx) error) error {
	return rolledBack(t.Store.UpdateAfter(ctx, look, undoing(fn)))
}

// undoing returns fn with an error in place of success.
func undoing(fn func(engram.Tx) error) func(engram.Tx) error {
	return func(tx engram.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return undone{}
	}
}

// rolledBack returns the error of a transaction, nil for that of undoing.
func rolledBack(err error) error {
	if _, ok := errors.AsType[undone](err); ok {
		return nil
	}
	return err
}

// undone is the error that rolls back a successful transaction.
type undone struct{}

// Error implements error.
func (undone) Error() string { return "undone" }

// clock is a clock that stands still until it is set.
type clock struct{ at atomic.Pointer[time.Time] }

func (c *clock) set(t time.Time) { c.at.Store(&t) }

func (c *clock) now() time.Time { return *c.at.Load() }

// Report compares configurations on one set, or the means over several sets.
type Report struct {
	Name         string
	Documents    int
	Questions    int // answerable questions
	Unanswerable int // questions asked where they have no answer
	Rows         []Row
}

// Row is one configuration in a Report.
type Row struct {
	Config   Config
	Figures  map[eval.Figure]float64 // measured figures
	P50, P95 time.Duration           // of the time per question
	// Changes compares with the first row; nil in the first.
	Changes map[eval.Figure]eval.Change

	shares map[eval.Figure][]eval.Share
}

// Check runs each configuration on the empty store, so that options which the engine rejects are reported
// before anything is loaded.
func (b Bench) Check(ctx context.Context, configs []Config) error {
	for _, c := range configs {
		var in search.SearchInput
		if err := c.apply(&in); err != nil {
			return err
		}
		if _, err := b.Engine(b.Store, b.Stopwatch).Search(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// Compare asks every question with each configuration and compares the others with the first. Asking.Config
// is ignored.
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
	r.compareRows()
	return r, nil
}

// compareRows compares each row with the first, question by question.
func (r *Report) compareRows() {
	r.compare(func(f eval.Figure, i int) []eval.Paired {
		if a, ok := r.Rows[0].shares[f]; ok {
			return []eval.Paired{{A: a, B: r.Rows[i].shares[f]}}
		}
		return nil
	})
}

// Join returns one report of reports on the same set, such as with several models: a row for each of theirs, compared with
// the first. reports must not be empty.
func Join(reports []Report) Report {
	all := reports[0]
	for _, r := range reports[1:] {
		all.Rows = append(all.Rows, r.Rows...)
	}
	all.compareRows()
	return all
}

// shares returns the contribution of each question to each figure.
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

// compare sets Changes; pairs returns the shares of row i with those of the first row, by set.
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

// Mean returns the mean of reports on different sets with the same configurations. Every set has the same
// weight, whatever its size; a figure is averaged over the sets that have it. reports must not be empty.
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

// Limits on the number of hits per question.
const (
	DefaultLimit = 20 // as many as recall@20 needs
	MaxLimit     = 100
)

// Asking says how to ask questions.
type Asking struct {
	Config       Config
	Limit        int  // hits per question; 0 is DefaultLimit
	Unanswerable bool // also ask each question in another group's project
}

// Answers are the answers of one configuration, in the order of the questions.
type Answers struct {
	Answerable []eval.Answer
	// Unanswerable are the answers to the same questions in another group's project, which does not contain
	// them. Nil if not asked for, or if the set has only one group.
	Unanswerable []eval.Answer
}

// Ask asks every question in the project of its group, a day after the group's last document, and rolls back
// all writes. CodeInvalid for options that the engine rejects.
func (t *Trial) Ask(ctx context.Context, a Asking) (Answers, error) {
	var out Answers
	foreign := map[string]string{}
	if a.Unanswerable {
		foreign = t.neighbours()
	}
	ask := func(q eval.Question, group string) (eval.Answer, error) {
		answer, err := t.ask(ctx, a, t.place(group), q.Text)
		if err != nil {
			err = fmt.Errorf("set %s, question %s: %w", t.set.Name, q.ID, err)
		}
		return answer, err
	}
	// Warm up, so that the first configuration does not pay for filling the caches.
	for _, q := range t.set.Questions[:min(5, len(t.set.Questions))] {
		if _, err := ask(q, q.Group); err != nil {
			return Answers{}, err
		}
	}
	total := len(t.set.Questions)
	for i, q := range t.set.Questions {
		answer, err := ask(q, q.Group)
		if err != nil {
			return Answers{}, err
		}
		out.Answerable = append(out.Answerable, answer)
		if other, ok := foreign[q.Group]; ok {
			if answer, err = ask(q, other); err != nil {
				return Answers{}, err
			}
			out.Unanswerable = append(out.Unanswerable, answer)
		}
		t.report("Asking "+t.set.Name, i+1, total)
	}
	return out, nil
}

// neighbours maps each group to the next one with documents, which cannot answer its questions. Empty for a
// single group.
func (t *Trial) neighbours() map[string]string {
	var full []string
	for _, g := range t.set.Groups {
		if !t.latest[g].IsZero() {
			full = append(full, g)
		}
	}
	next := map[string]string{}
	for i, g := range full {
		if other := full[(i+1)%len(full)]; other != g {
			next[g] = other
		}
	}
	return next
}

func (t *Trial) ask(ctx context.Context, a Asking, at place, question string) (eval.Answer, error) {
	in := search.SearchInput{Query: question, Filter: engram.Filter{Project: at.project}, Limit: cmp.Or(a.Limit, DefaultLimit)}
	if err := a.Config.apply(&in); err != nil {
		return eval.Answer{}, err
	}
	t.clock.set(at.latest.Add(24 * time.Hour))
	began := t.bench.Stopwatch()
	found, err := t.engine.Search(ctx, in)
	if err != nil {
		return eval.Answer{}, err
	}
	out := eval.Answer{Took: t.bench.Stopwatch().Sub(began), Tokens: tokens(question, found)}
	hits, below := found.InOrder()
	for i, h := range hits {
		documents := t.named[h.Memory.Num]
		out.Ranking = append(out.Ranking, documents...)
		if !below[i] {
			out.Strong = append(out.Strong, documents...)
		}
	}
	return out, nil
}

// shown is the default number of hits of a search.
const shown = 10

// tokens estimates the tokens of a usual answer.
func tokens(question string, f engram.Found) int {
	f.Hits = f.Hits[:min(len(f.Hits), shown)]
	f.BelowThreshold = f.BelowThreshold[:min(len(f.BelowThreshold), shown-len(f.Hits))]
	answer, _ := render.Search(question, f, render.Options{Zone: time.UTC})
	return text.Tokens(answer)
}

// Config is a configuration: search options that differ from the defaults. The zero value is the defaults.
type Config struct {
	text    string
	named   bool // the text names a model
	options []option
}

type option struct{ name, value string }

// ParseConfig parses options: name=value separated by commas; a name alone means true. Names are the fields
// of engine.SearchInput in lower case that hold a string, number or bool. CodeInvalid for an unknown name, a
// repeated name or a value of the wrong kind; the engine checks strings when it is asked.
func ParseConfig(s string) (Config, error) {
	c := Config{text: strings.TrimSpace(s)}
	for _, part := range strings.Split(s, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, given := strings.Cut(part, "=")
		if !given {
			value = "true"
		}
		o := option{strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)}
		if slices.ContainsFunc(c.options, func(p option) bool { return p.name == o.name }) {
			return Config{}, engram.Errorf(engram.CodeInvalid, "the search option %q is given twice", o.name)
		}
		c.options = append(c.options, o)
	}
	return c, c.apply(&search.SearchInput{})
}

// Of returns the configuration under the name of the embedding model that it is tried with.
func (c Config) Of(model string) Config {
	c.text = strings.TrimSuffix("model="+model+","+c.text, ",")
	c.named = true
	return c
}

// String returns the options as given, "default" for none.
func (c Config) String() string {
	if len(c.options) == 0 && !c.named {
		return "default"
	}
	return c.text
}

// apply sets the options in in.
func (c Config) apply(in *search.SearchInput) error {
	for _, o := range c.options {
		if !slices.Contains(Options(), o.name) {
			return engram.Errorf(engram.CodeInvalid, "unknown search option %q", o.name).
				WithHint("use one of: %s", strings.Join(Options(), ", "))
		}
		f := reflect.ValueOf(in).Elem().FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, o.name) })
		if err := set(f, o.value); err != nil {
			return engram.Errorf(engram.CodeInvalid, "search option %s: %v", o.name, err)
		}
	}
	return nil
}

// Options lists the names of the options of a search, in the order of the fields. They are found by
// reflection, so that every option of Search is one here.
func Options() []string {
	var names []string
	t := reflect.TypeFor[search.SearchInput]()
	for i := range t.NumField() {
		if isOption(t.Field(i)) {
			names = append(names, strings.ToLower(t.Field(i).Name))
		}
	}
	return names
}

// isOption reports whether a field says how to search; question, scope and limit are the same in every
// configuration.
func isOption(f reflect.StructField) bool {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Float64:
		return f.IsExported() && f.Name != "Query" && f.Name != "Limit"
	}
	return false
}

// set parses value into f, a field for which isOption is true.
func set(f reflect.Value, value string) error {
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	switch f.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is not true or false", value)
		}
		f.SetBool(b)
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", value)
		}
		f.SetInt(int64(n))
	case reflect.Float64:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", value)
		}
		f.SetFloat(x)
	default:
		f.SetString(value)
	}
	return nil
}
