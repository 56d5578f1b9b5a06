package trial

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

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
		answer, err := t.ask(ctx, a, group, q.Text)
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

func (t *Trial) ask(ctx context.Context, a Asking, group, question string) (eval.Answer, error) {
	in := search.SearchInput{Query: question, Filter: engram.Filter{Project: t.projects[group]}, Limit: a.Limit}
	if in.Limit == 0 {
		in.Limit = DefaultLimit
	}
	if err := a.Config.apply(&in); err != nil {
		return eval.Answer{}, err
	}
	t.clock.set(t.latest[group].Add(24 * time.Hour))
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

// String returns the options as given, "default" for none.
func (c Config) String() string {
	if len(c.options) == 0 {
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
