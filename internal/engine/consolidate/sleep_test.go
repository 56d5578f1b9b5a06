package consolidate_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// tokens is a text that tests vary slightly.
const tokens = `Access tokens are signed with the key of the authentication service and kept in a cookie that scripts cannot read.
The browser sends it with every request, and the gateway checks the signature before anything else is asked.`

func mustUndo(w enginetest.World, op int64) {
	w.Helper()
	if _, err := w.Undo(w.Context(), undo.UndoInput{Op: op}); err != nil {
		w.Fatalf("undo %d: %v", op, err)
	}
}

func TestSleepMergesWhatSaysTheSame(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	first := w.MustSave(remember.SaveInput{Title: "Access tokens", Content: tokens, Project: "demo", Type: "discovery", Tags: []string{"auth"},
		Metadata: map[string]any{"by": "ann"}}).Memory.Num
	second := w.MustSave(remember.SaveInput{Title: "Access tokens", Content: tokens + "\nThe logout page clears it.", Project: "demo", Type: "discovery",
		Tags: []string{"web"}, Metadata: map[string]any{"by": "bob", "seen": true}, Importance: new(0.55)}).Memory.Num
	other := w.Note("Coffee", "The machine on the second floor wants to be cleaned every Friday afternoon.")
	w.Relate(second, engram.VerbCausedBy, other, engram.RelationJudged)
	w.Clock.Add(enginetest.Day)

	before := len(w.Journal())
	plan := w.MustSleep(consolidate.SleepInput{DryRun: true})
	if len(w.Journal()) != before {
		t.Errorf("a dry run wrote %d entries, want none", len(w.Journal())-before)
	}
	if len(plan.Plan) != 1 || plan.Plan[0].Action != lifecycle.StepMerge || plan.Plan[0].Into != first || plan.Titles[first] == "" {
		t.Fatalf("plan is %+v, want one merge into #%d", plan, first)
	}
	res := w.MustSleep(consolidate.SleepInput{})
	for i := range res.Plan { // the clock went on, so computed strengths differ a little
		res.Plan[i].From, plan.Plan[i].From = 0, 0
	}
	if !reflect.DeepEqual(res.Plan, plan.Plan) || res.Applied != 1 || len(res.Ops) != 1 {
		t.Errorf("the run did\n%+v\nthe dry run said\n%+v", res, plan)
	}
	kept := w.MustGet(first)
	if !strings.Contains(kept.Memory.Content, "logout page") || strings.Count(kept.Memory.Content, "gateway") != 1 {
		t.Errorf("kept text is\n%s\nwant what the second adds, and nothing twice", kept.Memory.Content)
	}
	if got := fmt.Sprint(kept.Memory.Tags, kept.Memory.Metadata["by"], kept.Memory.Metadata["seen"], kept.Memory.Importance); got != "[auth web]anntrue 0.55" {
		t.Errorf("kept has %s, want the tags and metadata of both, its own first, and the greater importance", got)
	}
	if len(kept.Revisions) != 1 || kept.Revisions[0].Content != tokens {
		t.Errorf("revisions of the kept memory are %+v, want its old text", kept.Revisions)
	}
	relations := map[string]bool{}
	for _, n := range kept.Relations {
		relations[fmt.Sprintf("%s #%d", n.Relation.Verb, n.Other.Num)] = n.Outgoing
	}
	if !relations[fmt.Sprintf("caused_by #%d", other)] {
		t.Errorf("relations of the kept memory are %v, want those of the other one", relations)
	}
	enginetest.Same(t, "live memories", w.MustList(engram.Filter{}), []int64{other, first})

	if again := w.MustSleep(consolidate.SleepInput{}); len(again.Plan) != 0 {
		t.Errorf("a second sleep in a row planned %+v, want nothing", again.Plan)
	}
	mustUndo(w, res.Ops[0])
	enginetest.Same(t, "live memories after the undo", w.MustList(engram.Filter{}), []int64{other, second, first})
	if kept := w.MustGet(first); kept.Memory.Content != tokens {
		t.Errorf("after the undo it says\n%s\nwant\n%s", kept.Memory.Content, tokens)
	}
	w.Clock.Add(enginetest.Day)
	w.Note("Tea", "There is green tea in the cupboard over the sink, behind the sugar.")
	if again := w.MustSleep(consolidate.SleepInput{}); len(again.Plan) != 0 {
		t.Errorf("what an undo brought back is in the plan of the next sleep: %+v", again.Plan)
	}
}

func TestWhatCameFromAnotherProjectIsComparedThoughBothHaveSlept(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	mine := w.MustSave(remember.SaveInput{Title: "Access tokens", Content: tokens, Project: "demo", Type: "discovery"}).Memory.Num
	theirs := w.MustSave(remember.SaveInput{Title: "Access tokens", Content: tokens + "\nThe logout page clears it.", Project: "old", Type: "discovery"}).Memory.Num
	w.Clock.Add(enginetest.Day)
	if res := w.MustSleep(consolidate.SleepInput{}); res.Applied != 0 {
		t.Fatalf("apart, %d steps were taken: %+v", res.Applied, res.Plan)
	}
	w.Merge("demo", "old")
	w.Clock.Add(enginetest.Day)
	res := w.MustSleep(consolidate.SleepInput{})
	if len(res.Plan) != 1 || res.Plan[0].Action != lifecycle.StepMerge || res.Plan[0].Into != mine {
		t.Errorf("together, the plan is %+v, want #%d merged into #%d", res.Plan, theirs, mine)
	}
}

func TestSleepMergesNothingThatMustStayApart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		first, second remember.SaveInput
		do            func(w enginetest.World, first, second int64)
	}{
		{"another number", remember.SaveInput{Content: tokens + " Tokens live 15 minutes."}, remember.SaveInput{Content: tokens + " Tokens live 60 minutes."}, nil},
		{"another project", remember.SaveInput{Content: tokens}, remember.SaveInput{Content: tokens, Project: "else"}, nil},
		{"another scope", remember.SaveInput{Content: tokens}, remember.SaveInput{Content: tokens, Scope: engram.ScopePersonal}, nil},
		{"another type", remember.SaveInput{Content: tokens, Type: "discovery"}, remember.SaveInput{Content: tokens, Type: "decision"}, nil},
		{"two topics", remember.SaveInput{Content: tokens, TopicKey: "auth/a"}, remember.SaveInput{Content: tokens, TopicKey: "auth/b"}, nil},
		{"summaries of sessions", remember.SaveInput{Content: tokens, Type: "session_summary"}, remember.SaveInput{Content: tokens, Type: "session_summary"}, nil},
		{"a pair that was judged", remember.SaveInput{Content: tokens}, remember.SaveInput{Content: tokens}, func(w enginetest.World, first, second int64) {
			w.Relate(second, engram.VerbNotConflict, first, engram.RelationJudged)
		}},
		{"a superseded one", remember.SaveInput{Content: tokens}, remember.SaveInput{Content: tokens}, func(w enginetest.World, first, second int64) {
			w.Relate(w.Note("News", "Sessions are kept on the server from now on."), engram.VerbSupersedes, first, engram.RelationJudged)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			var nums []int64
			for _, in := range []remember.SaveInput{tt.first, tt.second} {
				in.Title = "Access tokens"
				if in.Project == "" {
					in.Project = "demo"
				}
				nums = append(nums, w.MustSave(in).Memory.Num)
				w.Clock.Add(time.Hour) // beyond the window of repeats
			}
			if tt.do != nil {
				tt.do(w, nums[0], nums[1])
			}
			if res := w.MustSleep(consolidate.SleepInput{}); len(res.Plan) != 0 {
				t.Errorf("sleep planned %+v, want nothing", res.Plan)
			}
		})
	}
}

func TestSleepForgetsWhatIsWeak(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	weak := w.Note("Coffee", "The machine on the second floor wants to be cleaned every Friday afternoon.")
	stays := w.MustSave(remember.SaveInput{Title: "Tea", Content: "There is green tea in the cupboard over the sink.", Project: "demo", Permanent: true}).Memory.Num
	due := w.MustSave(remember.SaveInput{Title: "Lunch", Content: "We go at noon.", Project: "demo", Type: "preference"}).Memory.Num
	w.Clock.Add(150 * enginetest.Day)
	if res := w.MustSleep(consolidate.SleepInput{}); len(res.Plan) != 0 || res.Fading != 2 || len(res.Spared) != 4 {
		t.Errorf("by default sleep planned %+v, saw %d fading and spared %+v; want no step, 2 and four reasons", res.Plan, res.Fading, res.Spared)
	}
	w.Clock.Add(250 * enginetest.Day)
	res := w.MustSleep(consolidate.SleepInput{})
	enginetest.Same(t, "live memories", w.MustList(engram.Filter{}), []int64{due, stays})
	if len(res.Ops) != 1 || res.Applied != 1 || res.Plan[0].Memories[0] != weak || !strings.Contains(res.Plan[0].Reason, "below 0.05; 400 days") {
		t.Errorf("sleep did %+v, want one prune of #%d with its reason", res, weak)
	}
	mustUndo(w, res.Ops[0])
	if res := w.MustSleep(consolidate.SleepInput{Below: 0.5}); len(res.Plan) != 0 {
		t.Errorf("what an undo brought back is pruned again: %+v", res.Plan)
	}
	_, err := w.Sleep(t.Context(), consolidate.SleepInput{Below: 1.5})
	enginetest.WantCode(t, err, engram.CodeInvalid)
	_, err = w.Sleep(t.Context(), consolidate.SleepInput{Only: []lifecycle.StepAction{"dream"}})
	enginetest.WantCode(t, err, engram.CodeInvalid)
}

// tire saves n weak memories with different texts.
func tire(w enginetest.World, n int) {
	w.Helper()
	for i := range n {
		w.Note(fmt.Sprintf("Thing %d", i), fmt.Sprintf("%s belongs to the thing with the number %d.", strings.Repeat(string(rune('a'+i%26)), 3+i/26), i))
	}
	w.Clock.Add(400 * enginetest.Day)
}

func TestSleepSparesWhatCameInLately(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("Tea", "There is green tea in the cupboard over the sink.")
	w.Clock.Add(600 * enginetest.Day)
	enginetest.Imported(t, w.Engine, `{"format":"engram","version":1,"memories":[{"id":"mem_01m80fjn7a50pm95tw19tb75ga","project":"demo",
"title":"Coffee","content":"The machine wants to be cleaned.","created_at":"2024-01-02T03:04:05Z","updated_at":"2024-01-02T03:04:05Z"}]}`, exchange.ImportInput{})
	for _, tt := range []struct {
		name  string
		later time.Duration
		below float64
		want  int
	}{{"what was here", 0, 0, 1}, {"nothing that was imported today", 0, 0, 0}, {"after a month that too", 31 * enginetest.Day, 0, 1}, {"nothing twice", 0, 0, 0}} {
		w.Clock.Add(tt.later)
		if res := w.MustSleep(consolidate.SleepInput{Below: tt.below}); res.Applied != tt.want {
			t.Errorf("%s: sleep took %+v and spared %+v, want %d", tt.name, res.Plan, res.Spared, tt.want)
		}
	}
}

func TestSleepBoostsWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, curve := range engram.Curves() {
		w := enginetest.NewWorld(t)
		num := w.Note("Coffee", "The machine on the second floor wants to be cleaned every Friday afternoon.")
		if _, err := w.DecayProject(t.Context(), consolidate.ProjectDecayInput{Project: "demo", Curve: &curve}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			w.Clock.Add(2 * enginetest.Day)
			if res, err := w.Recall(t.Context(), search.RecallInput{SearchInput: search.SearchInput{Query: "coffee machine"}}); err != nil || len(res.Items) != 1 || res.Items[0].Hit.Memory.Num != num {
				t.Fatalf("recall has %+v, %v", res, err)
			}
		}
		w.Clock.Add(21 * enginetest.Day)
		first, second := w.MustSleep(consolidate.SleepInput{}), w.MustSleep(consolidate.SleepInput{})
		if len(first.Plan) != 1 || first.Plan[0].Action != lifecycle.StepBoost || first.Plan[0].To-first.Plan[0].From < 0.01 || len(second.Plan) != 0 {
			t.Errorf("under the %s curve sleep took %+v, and then %+v; want a boost and nothing", curve, first.Plan, second.Plan)
		}
	}
}

func TestSleepGoesOnWhereItWasInterrupted(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	tire(w, 150)
	ctx, stop := context.WithCancel(t.Context())
	in := consolidate.SleepInput{Only: []lifecycle.StepAction{lifecycle.StepPrune}, Below: 0.6, Progress: func(_ string, done, _ int) {
		if done > 0 {
			stop()
		}
	}}
	res, err := w.Sleep(ctx, in)
	if !errors.Is(err, context.Canceled) || res.Applied != 40 || len(res.Ops) != 1 {
		t.Fatalf("interrupted after the first transaction: %d steps in %d, error %v; want 40 in 1 and that it was cancelled", res.Applied, len(res.Ops), err)
	}
	in.Progress = nil
	if res := w.MustSleep(in); res.Applied != 110 || len(w.MustList(engram.Filter{})) != 0 {
		t.Errorf("the next sleep took %d steps and left %d memories, want 110 and 0", res.Applied, len(w.MustList(engram.Filter{})))
	}
}

func TestSleepTakesNoStepThatIsNotDueAnyMore(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	tire(w, 3)
	first := w.MustList(engram.Filter{})[2]
	res := w.MustSleep(consolidate.SleepInput{Only: []lifecycle.StepAction{lifecycle.StepPrune}, Below: 0.6, Progress: func(_ string, done, total int) {
		if done == 0 && total > 0 {
			if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(first), Content: new("Somebody wants it still.")}); err != nil {
				t.Errorf("update: %v", err)
			}
		}
	}})
	if res.Applied != 2 || len(res.Skipped) != 1 || res.Skipped[0].Step.Memories[0] != first {
		t.Errorf("sleep took %d steps and skipped %+v, want 2 and that of #%d", res.Applied, res.Skipped, first)
	}
	enginetest.Same(t, "live memories", w.MustList(engram.Filter{}), []int64{first})
}

func TestTwoProcessesSleepAtOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	tire(w, 120)
	v := w.Reopened()
	var took [2]int
	var all sync.WaitGroup
	for i, world := range []enginetest.World{w, v} {
		all.Go(func() {
			res, err := world.Sleep(context.Background(), consolidate.SleepInput{Only: []lifecycle.StepAction{lifecycle.StepPrune}, Below: 0.6})
			if err != nil {
				t.Errorf("sleep %d: %v", i, err)
			}
			took[i] = res.Applied
		})
	}
	all.Wait()
	if took[0]+took[1] != 120 || len(w.MustList(engram.Filter{})) != 0 {
		t.Errorf("they took %v steps and left %d memories, want 120 together and none", took, len(w.MustList(engram.Filter{})))
	}
}

func TestSleepConsolidatesUnderEbbinghaus(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("Coffee", "The machine on the second floor wants to be cleaned every Friday afternoon.")
	err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
		p, _, err := tx.Project(t.Context(), "demo")
		if err != nil {
			return err
		}
		p.Decay = &engram.ProjectDecay{Decay: engram.Decay{Curve: engram.CurveEbbinghaus}}
		return tx.PutProject(t.Context(), p)
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(12 * time.Hour)
	if res := w.MustSleep(consolidate.SleepInput{}); len(res.Plan) != 0 {
		t.Errorf("after half a day sleep planned %+v, want nothing", res.Plan)
	}
	w.Clock.Add(20 * enginetest.Day)
	res := w.MustSleep(consolidate.SleepInput{})
	if len(res.Plan) != 1 || res.Plan[0].Action != lifecycle.StepFade || res.Applied != 1 {
		t.Fatalf("after 20 days sleep did %+v, want one fade", res)
	}
	if m := w.MustGet(num).Memory; m.Strength != res.Plan[0].To || !m.TouchedAt.Equal(res.At) || m.RevisionCount != 1 {
		t.Errorf("the memory has strength %v as of %v, want %v as of %v, and the same text", m.Strength, m.TouchedAt, res.Plan[0].To, res.At)
	}
	if again := w.MustSleep(consolidate.SleepInput{}); len(again.Plan) != 0 {
		t.Errorf("a second sleep in a row planned %+v, want nothing", again.Plan)
	}
}
