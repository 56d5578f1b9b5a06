package trial

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Limits of how many finds a question may ask for.
const (
	DefaultLimit = 20 // recall@20 needs as many
	MaxLimit     = 100
)

// Asking is how questions are asked.
type Asking struct {
	Config       Config
	Limit        int  // finds a question asks for; 0 is DefaultLimit
	Unanswerable bool // ask each question in another group's project too
}

// Answers are what one configuration answered, in the order of the questions.
type Answers struct {
	Answerable []eval.Answer
	// Unanswerable are the answers to the same questions in another group's project,
	// where what they are about is not stored. Nil when that was not asked, or when the
	// set has one group only.
	Unanswerable []eval.Answer
}

// Ask asks every question in the project of its group, a day after the group's last document, and
// leaves no trace. An option that the engine does not take is CodeInvalid.
func (t *Trial) Ask(ctx context.Context, a Asking) (Answers, error) {
	var out Answers
	foreign := map[string]string{}
	if a.Unanswerable {
		foreign = t.neighbours()
	}
	// The first answers pay for what the store reads once; the first configuration
	// should not pay for the others.
	for _, q := range t.set.Questions[:min(5, len(t.set.Questions))] {
		if _, err := t.ask(ctx, a, q.Group, q.Text); err != nil {
			return Answers{}, fmt.Errorf("set %s, question %s: %w", t.set.Name, q.ID, err)
		}
	}
	total := len(t.set.Questions)
	for i, q := range t.set.Questions {
		answer, err := t.ask(ctx, a, q.Group, q.Text)
		if err != nil {
			return Answers{}, fmt.Errorf("set %s, question %s: %w", t.set.Name, q.ID, err)
		}
		out.Answerable = append(out.Answerable, answer)
		if other, ok := foreign[q.Group]; ok {
			if answer, err = t.ask(ctx, a, other, q.Text); err != nil {
				return Answers{}, fmt.Errorf("set %s, question %s: %w", t.set.Name, q.ID, err)
			}
			out.Unanswerable = append(out.Unanswerable, answer)
		}
		t.tell("Asking "+t.set.Name, i+1, total)
	}
	return out, nil
}

// neighbours names for each group the next that has documents, which is asked what
// only this one can know. Empty when there is no other.
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
	in := engine.SearchInput{Query: question, Filter: engram.Filter{Project: t.projects[group]}, Limit: a.Limit}
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
	hits, weak := found.InOrder()
	for i, h := range hits {
		documents := t.named[h.Memory.Num]
		out.Ranking = append(out.Ranking, documents...)
		if !weak[i] {
			out.Strong = append(out.Strong, documents...)
		}
	}
	return out, nil
}

// shown is how many finds a search shows unless it is asked for more.
const shown = 10

// tokens is about what a usual answer costs the agent that reads it.
func tokens(question string, f engram.Found) int {
	f.Hits = f.Hits[:min(len(f.Hits), shown)]
	f.Weak = f.Weak[:min(len(f.Weak), shown-len(f.Hits))]
	answer, _ := render.Search(question, f, render.Options{Zone: time.UTC})
	return text.Tokens(answer)
}
