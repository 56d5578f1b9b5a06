package trial_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/trial"
)

// newBench returns a bench on an empty store. Its stopwatch advances a millisecond per look.
func newBench(t *testing.T) trial.Bench {
	t.Helper()
	s, err := enginetest.OpenStore(filepath.Join(t.TempDir(), "engram.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	ids, watch := enginetest.IDs(), enginetest.Start()
	return trial.Bench{
		Store: s,
		Engine: func(s engram.Store, now func() time.Time) *engine.Engine {
			return engine.New(engine.Options{Store: s, Now: now, NewID: ids})
		},
		Stopwatch: func() time.Time { watch = watch.Add(time.Millisecond); return watch },
	}
}

// twoBoats is a set of two groups. The log of the second one repeats itself.
func twoBoats() eval.Set {
	day := func(n int) time.Time { return time.Date(2025, 3, n, 12, 0, 0, 0, time.UTC) }
	return eval.Set{
		Name:   "boats",
		Groups: []string{"Wind Rose", "wind-rose"},
		Documents: []eval.Document{
			{ID: "r2", Title: "Rudder", Text: "The rudder is loose and was wedged with oak.", Time: day(2), Group: "Wind Rose", Session: "s", Seq: 2},
			{ID: "r1", Title: "Anchor", Text: "The anchor chain broke in the harbour.", Time: day(1), Group: "Wind Rose", Session: "s", Seq: 1},
			{ID: "w1", Text: "Painted the hull blue.", Group: "wind-rose"},
			{ID: "w2", Text: "Painted the hull blue.", Group: "wind-rose", Seq: 1},
			{ID: "w3", Title: "Galley stove", Group: "wind-rose", Seq: 2},
		},
		Questions: []eval.Question{
			{ID: "q1", Text: "what broke the anchor chain?", Group: "Wind Rose"},
			{ID: "q2", Text: "which colour is the hull painted?", Group: "wind-rose"},
			{ID: "q3", Text: "stove", Group: "wind-rose"},
		},
		Relevant: map[string]eval.Relevant{"q1": {"r1": true}, "q2": {"w1": true, "w2": true}, "q3": {"w3": true}},
	}
}

func load(t *testing.T, b trial.Bench, set eval.Set) *trial.Trial {
	t.Helper()
	tr, err := trial.Load(t.Context(), b, set)
	if err != nil {
		t.Fatalf("load %s: %v", set.Name, err)
	}
	return tr
}

func TestDocumentsBecomeMemoriesOfTheirTimeAndSession(t *testing.T) {
	b := newBench(t)
	load(t, b, twoBoats())
	var got []string
	err := b.Store.View(t.Context(), func(r engram.Reader) error {
		ms, err := r.List(t.Context(), engram.Filter{Project: "group-1"}, engram.Page{Limit: 10})
		for _, m := range ms {
			got = append(got, fmt.Sprint(m.Title, m.CreatedAt.Format(" 2006-01-02 "), m.SessionID))
		}
		return err
	})
	want := []string{"Rudder 2025-03-02 group-1/s", "Anchor 2025-03-01 group-1/s"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("memories of the first group, newest first\n got: %q, %v\nwant: %q", got, err, want)
	}
}

// slow is the built-in model under another name, which does not embed what is saved.
type slow struct{ engram.Embedder }

func (s slow) Model() engram.Model {
	m := s.Embedder.Model()
	m.Name, m.Fingerprint, m.Instant = "slow", "slow@1", false
	return m
}

func TestASlowModelEmbedsTheDocuments(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Engine = func(s engram.Store, now func() time.Time) *engine.Engine {
		return engine.New(engine.Options{Store: s, Now: now, NewID: enginetest.IDs(), Embedder: enginetest.Embedder(), Asked: slow{enginetest.Embedder()}})
	}
	load(t, b, twoBoats())
	err := b.Store.View(t.Context(), func(r engram.Reader) error {
		models, err := r.Models(t.Context())
		for _, m := range models {
			if m.Memories != 4 {
				t.Errorf("%d memories have a vector of %s, want 4", m.Memories, m.Model.Name)
			}
		}
		if len(models) != 2 {
			t.Errorf("vectors are of %d models, want 2", len(models))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// away is a slow model whose server cannot be asked.
type away struct{ slow }

func (away) Embed(context.Context, []string, engram.Role) ([][]float32, error) {
	return nil, engram.Errorf(engram.CodeUnavailable, "the model's server does not answer")
}

// Else the answers would be those of the built-in model, under the name of the other one.
func TestAModelThatCannotBeAskedIsNotMeasured(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Engine = func(s engram.Store, now func() time.Time) *engine.Engine {
		return engine.New(engine.Options{Store: s, Now: now, NewID: enginetest.IDs(), Embedder: enginetest.Embedder(), Asked: away{slow{enginetest.Embedder()}}})
	}
	if _, err := trial.Load(t.Context(), b, twoBoats()); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v, want code %s", err, engram.CodeUnavailable)
	}
}

func TestAskGivesDocumentsBestFirst(t *testing.T) {
	got, err := load(t, newBench(t), twoBoats()).Ask(t.Context(), trial.Asking{Unanswerable: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"r1"}, {"w1", "w2"}, {"w3"}} {
		a := got.Answerable[i]
		if len(a.Ranking) < len(want) || !slices.Equal(a.Ranking[:len(want)], want) || len(a.Strong) < len(want) || a.Took != time.Millisecond || a.Tokens == 0 {
			t.Errorf("question %d\n got: %+v\nwant: %v first, strong, after a millisecond, at a cost", i+1, a, want)
		}
	}
	// Nothing in the other boat's log shares a word with these questions.
	if len(got.Unanswerable) != 3 || len(got.Unanswerable[0].Ranking) != 0 || len(got.Unanswerable[2].Ranking) != 0 {
		t.Errorf("asked in the other group\n got: %+v\nwant: three answers, the first and the last of them nothing", got.Unanswerable)
	}
}

func TestOneGroupHasNowhereElseToAsk(t *testing.T) {
	set := twoBoats()
	set.Documents, set.Questions, set.Groups = set.Documents[:2], set.Questions[:1], set.Groups[:1]
	got, err := load(t, newBench(t), set).Ask(t.Context(), trial.Asking{Unanswerable: true})
	if err != nil || got.Unanswerable != nil || len(got.Answerable) != 1 {
		t.Errorf("got %+v, %v; want one answer and none elsewhere", got, err)
	}
}

func TestCompareSetsConfigurationsSideBySide(t *testing.T) {
	tr := load(t, newBench(t), twoBoats())
	var configs []trial.Config
	for _, s := range []string{"", "all=true", "mode=fts"} {
		c, err := trial.ParseConfig(s)
		if err != nil {
			t.Fatal(err)
		}
		configs = append(configs, c)
	}
	r, err := tr.Compare(t.Context(), trial.Asking{Unanswerable: true}, configs)
	if err != nil || len(r.Rows) != 3 || r.Documents != 5 || r.Questions != 3 || r.Unanswerable != 3 {
		t.Fatalf("got %+v, %v; want three rows on 5 documents, 3 questions, 3 of them elsewhere too", r, err)
	}
	all, same := r.Rows[1], r.Rows[2]
	// No document says "colour".
	if got, want := all.Figures[eval.Lost], 1.0/3; got != want {
		t.Errorf("lost where every word must be there: got %v, want %v", got, want)
	}
	if c := all.Changes[eval.Recall10]; c.Difference != all.Figures[eval.Recall10]-r.Rows[0].Figures[eval.Recall10] || c.Difference >= 0 || c.Low > c.Difference || c.High < c.Difference {
		t.Errorf("the change of recall: got %+v, want the difference of %v and %v inside an interval", c, all.Figures, r.Rows[0].Figures)
	}
	for f, c := range same.Changes {
		if c != (eval.Change{P: 1}) {
			t.Errorf("%s without an embedder, by words and by default: got %+v, want no change", f, c)
		}
	}
	if r.Rows[0].Changes != nil {
		t.Errorf("the first row: got changes %v, want none", r.Rows[0].Changes)
	}
}

func TestMeanCountsEverySetTheSame(t *testing.T) {
	one := func(v float64) trial.Report {
		return trial.Report{Questions: 1, Rows: []trial.Row{{P50: time.Second, Figures: map[eval.Figure]float64{eval.MRR10: v}}}}
	}
	great := one(0.5)
	great.Questions, great.Rows[0].Figures[eval.Abstained], great.Rows[0].P50 = 99, 0.3, 3*time.Second
	m := trial.Mean([]trial.Report{one(1), great})
	got := m.Rows[0]
	if m.Questions != 100 || got.Figures[eval.MRR10] != 0.75 || got.Figures[eval.Abstained] != 0.3 || got.P50 != 2*time.Second {
		t.Errorf("got %+v, want 100 questions, mrr 0.75, abstained 0.3 (one set has it), two seconds", m)
	}
}

// noting is a Store that records every read, like a search that records what it has shown.
type noting struct {
	engram.Store
	notes *int
}

func (n noting) View(ctx context.Context, fn func(engram.Reader) error) error {
	if err := n.Store.View(ctx, fn); err != nil {
		return err
	}
	return n.Update(ctx, func(tx engram.Tx) error {
		*n.notes++
		return tx.PutProject(ctx, engram.Project{Name: fmt.Sprint("note-", *n.notes)})
	})
}

func TestAskingLeavesNoTrace(t *testing.T) {
	b := newBench(t)
	notes, plain := 0, b.Engine
	b.Engine = func(s engram.Store, now func() time.Time) *engine.Engine { return plain(noting{s, &notes}, now) }
	tr := load(t, b, twoBoats())
	names := func() (names []string) {
		err := b.Store.View(t.Context(), func(r engram.Reader) (err error) {
			names, err = engram.ProjectNames(t.Context(), r)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	before, noted := names(), notes
	if _, err := tr.Ask(t.Context(), trial.Asking{}); err != nil {
		t.Fatal(err)
	}
	if after := names(); notes == noted || !slices.Equal(after, before) {
		t.Errorf("after asking, with %d notes\n got: %v\nwant: some notes, and %v", notes-noted, after, before)
	}
}

func TestAWrongWordIsKnownBeforeLoading(t *testing.T) {
	b := newBench(t)
	c, err := trial.ParseConfig("mode=guessing")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(t.Context(), []trial.Config{{}, c}); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "guessing") {
		t.Errorf("got %v, want an error of usage that names the word", err)
	}
	if err := b.Check(t.Context(), []trial.Config{{}}); err != nil {
		t.Errorf("the defaults: got %v, want nil", err)
	}
}

func TestWhatCannotBeRememberedIsNamed(t *testing.T) {
	set := twoBoats()
	set.Documents[3].Text = "\x00"
	_, err := trial.Load(t.Context(), newBench(t), set)
	if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "document w2") {
		t.Errorf("got %v, want an error of usage that names the document", err)
	}
}
