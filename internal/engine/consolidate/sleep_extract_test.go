package consolidate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// reader is a fake language model with given answers.
type reader struct {
	asked  [][]int64
	answer func(ms []engram.Memory) (engram.Pattern, bool, error)
}

func (r *reader) Model() string { return "reader" }

func (r *reader) Extract(_ context.Context, ms []engram.Memory) (engram.Pattern, bool, error) {
	r.asked = append(r.asked, enginetest.Nums(ms))
	return r.answer(ms)
}

// reading returns the same world with a language model.
func reading(w enginetest.World, x engram.Extractor) enginetest.World {
	n := 0
	w.Engine = engine.New(engine.Options{Store: w.Store, Embedder: enginetest.Embedder(), Now: w.Clock.Now, Extractor: x, NewID: func() engram.ID {
		n++
		return engram.ID(fmt.Sprintf("%s9%025d", engram.IDPrefix, n))
	}})
	return w
}

// retries saves three findings about one subject, and one about another.
func retries(w enginetest.World) (near []int64) {
	w.Helper()
	for i, text := range []string{
		"The payment service timed out because the retry loop of the HTTP client had no limit and no backoff.",
		"The mail service timed out because the retry loop of the SMTP client had no backoff and no limit.",
		"The search service timed out because the retry loop of its HTTP client had no limit on retries.",
	} {
		near = append(near, w.MustSave(remember.SaveInput{Title: fmt.Sprintf("Timeout %d of a service by retries", i), Content: text, Project: "demo", Type: "bugfix"}).Memory.Num)
	}
	w.MustSave(remember.SaveInput{Title: "Coffee", Content: "The machine on the second floor wants to be cleaned every Friday.", Project: "demo", Type: "discovery"})
	return near
}

func TestSleepKeepsThePatternOfABunch(t *testing.T) {
	t.Parallel()
	x := &reader{answer: func([]engram.Memory) (engram.Pattern, bool, error) {
		return engram.Pattern{Title: "Retries need a limit", Content: "Services time out where clients retry without limit and backoff."}, true, nil
	}}
	w := reading(enginetest.NewWorld(t), x)
	near := retries(w)
	if res := w.MustSleep(consolidate.SleepInput{DryRun: true}); len(res.Plan) != 1 || res.Plan[0].Action != lifecycle.StepExtract || len(x.asked) != 0 {
		t.Fatalf("a dry run planned %+v and asked %v, want one extraction and nobody asked", res.Plan, x.asked)
	}
	res := w.MustSleep(consolidate.SleepInput{})
	if len(res.Made) != 1 || res.Applied != 1 || len(x.asked) != 1 || len(x.asked[0]) != len(near) {
		t.Fatalf("sleep did %+v and asked about %v, want one pattern of %v", res, x.asked, near)
	}
	made := w.MustGet(res.Made[0])
	if m := made.Memory; m.Type != engram.TypePattern || m.Origin != engram.OriginTool || m.Metadata["model"] != "reader" || m.Project != "demo" {
		t.Errorf("the pattern is %+v, want one of type pattern and origin tool that names its model", m)
	}
	if len(made.Relations) != len(near) {
		t.Errorf("the pattern has relations %+v, want a derived_from to each of %v", made.Relations, near)
	}
	for _, n := range made.Relations {
		if n.Relation.Verb != engram.VerbDerivedFrom || !n.Outgoing || n.Relation.Model != "reader" {
			t.Errorf("relation of the pattern %+v, want derived_from to a source, by its model", n.Relation)
		}
	}
	w.MustSleep(consolidate.SleepInput{})
	w.Clock.Add(2 * enginetest.Day)
	mustUndo(w, res.Ops[0])
	w.MustSleep(consolidate.SleepInput{Only: []lifecycle.StepAction{lifecycle.StepExtract}})
	if len(x.asked) != 1 {
		t.Errorf("it was asked about %v, want once: what has a pattern, be it undone, is not asked about again", x.asked)
	}
}

func TestSleepAsksOnceWhereThereIsNoPattern(t *testing.T) {
	t.Parallel()
	x := &reader{answer: func([]engram.Memory) (engram.Pattern, bool, error) { return engram.Pattern{}, false, nil }}
	w := reading(enginetest.NewWorld(t), x)
	near := retries(w)
	for range 3 {
		w.MustSleep(consolidate.SleepInput{})
		w.Clock.Add(enginetest.Day)
	}
	if len(x.asked) != 1 {
		t.Errorf("asked about %v in three nights, want once", x.asked)
	}
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(near[0]), Content: new("The payment service timed out: its retry loop of the HTTP client had no limit.")}); err != nil {
		t.Fatal(err)
	}
	if w.MustSleep(consolidate.SleepInput{}); len(x.asked) != 2 {
		t.Errorf("asked about %v after one of them changed, want once more", x.asked)
	}
}

func TestSleepGoesOnWithoutALanguageModel(t *testing.T) {
	t.Parallel()
	x := &reader{answer: func([]engram.Memory) (engram.Pattern, bool, error) {
		return engram.Pattern{}, false, engram.Errorf(engram.CodeUnavailable, "the model is away")
	}}
	w := reading(enginetest.NewWorld(t), x)
	retries(w)
	weak := w.MustSave(remember.SaveInput{Title: "Tea", Content: "There is green tea in the cupboard over the sink.", Project: "demo", Importance: new(0.0)}).Memory.Num
	res := w.MustSleep(consolidate.SleepInput{Below: 0.6})
	if len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "the model is away") || res.Applied != 1 || !forgotten(w, weak) {
		t.Errorf("sleep did %+v, want the prune done and a warning", res)
	}
	ctx, stop := context.WithCancel(t.Context())
	x.answer = func([]engram.Memory) (engram.Pattern, bool, error) {
		stop()
		return engram.Pattern{}, false, ctx.Err()
	}
	if _, err := w.Sleep(ctx, consolidate.SleepInput{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while the model was asked: %v, want that it was cancelled", err)
	}
	if res := enginetest.NewWorld(t).MustSleep(consolidate.SleepInput{Only: []lifecycle.StepAction{lifecycle.StepExtract}}); len(res.Degraded) != 1 {
		t.Errorf("extraction without a model: %+v, want it said", res.Degraded)
	}
}

func forgotten(w enginetest.World, num int64) bool {
	w.Helper()
	for _, n := range w.MustList(engram.Filter{Forgotten: true}) {
		if n == num {
			return true
		}
	}
	return false
}
