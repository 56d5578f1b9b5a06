package upkeep

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/own"
	"github.com/alanbuscaglia/engram/internal/eval/trial"
	"github.com/alanbuscaglia/engram/internal/eval/wrapped"
)

// mostStored is the most memories that --size makes.
const mostStored = 1_000_000

// measureKinds asks generated questions about all sets in one temporary database; of a user's own memories
// without --wrapped only those about known items. Nil if there is nothing to ask about.
func measureKinds(ctx context.Context, p *command.Program, sets []eval.Set, f evalFlags, config trial.Config) (*evalKinds, error) {
	o := wrapped.Options{Seed: f.seed, Each: f.questions}
	if f.own {
		sets = own.Complete(sets)
		if !f.wrapped {
			o.Kinds = []string{wrapped.Title, wrapped.Beginning, wrapped.Twelve}
		}
	}
	plan := wrapped.NewPlan(sets, f.size, o)
	if len(plan.Known) == 0 {
		return nil, nil
	}
	var kinds []trial.Kind
	err := onScratch(ctx, p, "", plan.Store, []trial.Config{config}, func(t *trial.Trial) (err error) {
		kinds, err = t.Kinds(ctx, trial.Asking{Config: config, Unanswerable: f.unanswerable}, plan)
		return err
	})
	if err != nil {
		return nil, err
	}
	doc := &evalKinds{Options: config.String(), Memories: len(plan.Store.Documents), Generated: plan.Generated, LeftOut: plan.LeftOut,
		Projects: len(plan.Store.Groups), Kinds: document.Each(kinds, evalKindOf)}
	var project, everywhere []wrapped.Tally
	for _, k := range kinds {
		project, everywhere = append(project, k.Project), append(everywhere, k.Everywhere)
	}
	doc.Mean = evalMean{evalSharesOf(wrapped.Mean(project)), evalSharesOf(wrapped.Mean(everywhere))}
	return doc, nil
}

// evalKinds are the figures by kind of question.
type evalKinds struct {
	Options   string     `json:"options"` // "default" without options
	Memories  int        `json:"memories"`
	Generated int        `json:"generated"` // memories generated to fill the database
	LeftOut   int        `json:"left_out"`  // documents of the groups left out
	Projects  int        `json:"projects"`
	Kinds     []evalKind `json:"kinds"`
	Mean      evalMean   `json:"mean"` // over the kinds
}

type evalMean struct {
	Project    evalShares `json:"project"`
	Everywhere evalShares `json:"everywhere"`
}

type evalKind struct {
	Kind         string     `json:"kind"`
	Questions    int        `json:"questions"`
	Unanswerable int        `json:"unanswerable"` // in another project
	Unknown      int        `json:"unknown"`      // over everything, about what is not stored
	Project      evalShares `json:"project"`      // asked in the project
	Everywhere   evalShares `json:"everywhere"`   // asked over everything
}

type evalShares struct {
	First     float64  `json:"first"`     // the first hit is an answer
	Ten       float64  `json:"ten"`       // an answer is among the first ten hits
	Lost      float64  `json:"lost"`      // "nothing relevant" though an answer is among the ten
	Abstained *float64 `json:"abstained"` // of unanswerable questions; null if not measured
}

func evalKindOf(k trial.Kind) evalKind {
	return evalKind{k.Name, k.Project.Questions, k.Project.Unanswerable, k.Everywhere.Unanswerable,
		evalSharesOf(k.Project.Shares()), evalSharesOf(k.Everywhere.Shares())}
}

func evalSharesOf(s wrapped.Shares) evalShares {
	out := evalShares{First: s.First, Ten: s.Ten, Lost: s.Lost}
	if s.Foreign {
		out.Abstained = &s.Abstained
	}
	return out
}

// writeKinds writes a row for each kind: the figures in the project, then those over everything.
func writeKinds(b *strings.Builder, doc evalKinds) {
	fmt.Fprintf(b, "kinds of questions: %s in %s", command.Count(doc.Memories, "memory", "memories"), command.Count(doc.Projects, "project", "projects"))
	if doc.Generated > 0 {
		fmt.Fprintf(b, ", %d of them generated", doc.Generated)
	}
	if doc.LeftOut > 0 {
		fmt.Fprintf(b, ", %d left out", doc.LeftOut)
	}
	const name, scope = 16, 4 * evalCell
	fmt.Fprintf(b, "\n%-*s%*s%*s%*s\n%-*s%*s", name, "", evalCell, "", scope, "in the project", scope, "over everything", name, "", evalCell, "asked")
	for range 2 {
		for _, c := range []string{"first", "ten", "lost", "abst"} {
			fmt.Fprintf(b, "%*s", evalCell, c)
		}
	}
	fmt.Fprintln(b)
	row := func(label string, questions int, scopes ...evalShares) {
		fmt.Fprintf(b, "%-*s%*d", name, label, evalCell, questions)
		for _, s := range scopes {
			fmt.Fprintf(b, "%*.3f%*.3f%*.3f", evalCell, s.First, evalCell, s.Ten, evalCell, s.Lost)
			if s.Abstained == nil {
				fmt.Fprintf(b, "%*s", evalCell, "–")
			} else {
				fmt.Fprintf(b, "%*.3f", evalCell, *s.Abstained)
			}
		}
		fmt.Fprintln(b)
	}
	total := 0
	for _, k := range doc.Kinds {
		total += k.Questions
		row(k.Kind, k.Questions, k.Project, k.Everywhere)
	}
	row("mean", total, doc.Mean.Project, doc.Mean.Everywhere)
}
