package trial

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/wrapped"
)

// Kind counts the answers to one kind of question.
type Kind struct {
	Name       string
	Project    wrapped.Tally // asked in the project; what has no answer is asked in another project
	Everywhere wrapped.Tally // asked over everything; what has no answer is about projects that were left out
}

// mostUseful is the number of hits that a Tally looks at.
const mostUseful = 10

// Kinds asks the questions of a plan, whose Store is the set that was loaded, and counts the answers by kind.
// Kinds without questions are left out. Asking.Limit is ignored.
func (t *Trial) Kinds(ctx context.Context, a Asking, p wrapped.Plan) ([]Kind, error) {
	a.Limit = mostUseful
	byName := map[string]*Kind{}
	kind := func(name string) *Kind {
		if byName[name] == nil {
			byName[name] = &Kind{Name: name}
		}
		return byName[name]
	}
	ask := func(q wrapped.Question, in place, count func(eval.Answer)) error {
		answer, err := t.ask(ctx, a, in, q.Text)
		if err != nil {
			return fmt.Errorf("%s question %q: %w", q.Kind, q.ID, err)
		}
		count(answer)
		return nil
	}
	everywhere := t.everywhere()
	done, total := 0, len(p.Known)+len(p.Unknown)
	for _, q := range p.Known {
		k := kind(q.Kind)
		if err := ask(q, t.place(q.Group), func(a eval.Answer) { k.Project.Known(a, q.Answers) }); err != nil {
			return nil, err
		}
		if err := ask(q, everywhere, func(a eval.Answer) { k.Everywhere.Known(a, q.Answers) }); err != nil {
			return nil, err
		}
		if a.Unanswerable && q.Elsewhere != "" {
			if err := ask(q, t.place(q.Elsewhere), k.Project.Unknown); err != nil {
				return nil, err
			}
		}
		done++
		t.report("Asking", done, total)
	}
	for _, q := range p.Unknown {
		if a.Unanswerable {
			if err := ask(q, everywhere, kind(q.Kind).Everywhere.Unknown); err != nil {
				return nil, err
			}
		}
		done++
		t.report("Asking", done, total)
	}
	var kinds []Kind
	for _, name := range wrapped.Kinds() {
		if k := byName[name]; k != nil {
			kinds = append(kinds, *k)
		}
	}
	return kinds, nil
}

// place is where a question is asked.
type place struct {
	project string // "" is every project
	latest  time.Time
}

func (t *Trial) place(group string) place { return place{t.projects[group], t.latest[group]} }

func (t *Trial) everywhere() place {
	var in place
	for _, at := range t.latest {
		if at.After(in.latest) {
			in.latest = at
		}
	}
	return in
}
