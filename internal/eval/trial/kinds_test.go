package trial_test

import (
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/trial"
	"github.com/alanbuscaglia/engram/internal/eval/wrapped"
)

// boatPlan asks two kinds of questions about twoBoats, and one that no boat answers.
func boatPlan() wrapped.Plan {
	ask := func(kind, text, group, elsewhere string, answers ...string) wrapped.Question {
		q := wrapped.Question{Question: eval.Question{ID: text, Text: text, Group: group}, Kind: kind, Elsewhere: elsewhere, Answers: eval.Relevant{}}
		for _, id := range answers {
			q.Answers[id] = true
		}
		return q
	}
	return wrapped.Plan{
		Store: twoBoats(),
		Known: []wrapped.Question{
			ask(wrapped.Title, "Galley stove", "wind-rose", "Wind Rose", "w3"),
			ask(wrapped.Title, "Rudder", "Wind Rose", "wind-rose", "r2"),
			ask("log line", "zzqx zzqy zzqz", "Wind Rose", "", "r1"),
		},
		Unknown: []wrapped.Question{ask(wrapped.Title, "Windlass motor", "", "")},
	}
}

func TestKindsCountsAnswersByKindAndScope(t *testing.T) {
	tr := load(t, newBench(t), twoBoats())
	got, err := tr.Kinds(t.Context(), trial.Asking{Unanswerable: true}, boatPlan())
	want := []trial.Kind{
		{Name: wrapped.Title,
			Project:    wrapped.Tally{Questions: 2, First: 2, Ten: 2, Unanswerable: 2, Abstained: 2},
			Everywhere: wrapped.Tally{Questions: 2, First: 2, Ten: 2, Unanswerable: 1, Abstained: 1}},
		{Name: "log line", Project: wrapped.Tally{Questions: 1}, Everywhere: wrapped.Tally{Questions: 1}},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	got, err = tr.Kinds(t.Context(), trial.Asking{}, boatPlan())
	if err != nil || got[0].Project.Unanswerable != 0 || got[0].Everywhere.Unanswerable != 0 {
		t.Errorf("without unanswerable questions: got %+v, %v", got, err)
	}
}
