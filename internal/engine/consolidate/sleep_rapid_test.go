package consolidate_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// For any saves, reads and sleeps: every text is kept somewhere, permanent memories are live, a dry run equals
// the run, and a second sleep in a row does nothing.
func TestSleepOverAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := enginetest.NewWorldIn(t, t.TempDir())
		saved, kept := map[int64][]string{}, map[int64]bool{}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			w.Clock.Add(time.Duration(rapid.IntRange(0, 60).Draw(rt, "days")) * enginetest.Day)
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0, 1, 2:
				in := remember.SaveInput{Title: "Access tokens", Content: tokens, Project: rapid.SampledFrom([]string{"demo", "shop"}).Draw(rt, "project"),
					Type: "discovery", Permanent: rapid.IntRange(0, 4).Draw(rt, "permanent") == 0}
				in.Content += rapid.SampledFrom([]string{"", "\nLogout clears it.", "\nThe key is changed every month.", " Nobody else may."}).Draw(rt, "more")
				res := w.MustSave(in)
				saved[res.Memory.Num] = append(saved[res.Memory.Num], in.Content)
				kept[res.Memory.Num] = kept[res.Memory.Num] || in.Permanent
			case 3:
				if all := w.MustList(engram.Filter{}); len(all) > 0 {
					err := w.Store.Update(w.Context(), func(tx engram.Tx) error {
						return tx.RecordUse(w.Context(), engram.Use{Accessed: []int64{rapid.SampledFrom(all).Draw(rt, "used")}, At: w.Clock.Now()})
					})
					if err != nil {
						rt.Fatal(err)
					}
				}
			case 4:
				in := consolidate.SleepInput{Below: rapid.SampledFrom([]float64{0, 0.5, 0.9}).Draw(rt, "below")}
				res := w.MustSleep(in)
				if again := w.MustSleep(in); len(again.Plan) != 0 || len(res.Skipped) != 0 {
					rt.Errorf("a second sleep after %+v took %+v; want nothing, and nothing skipped before", res, again.Plan)
				}
			}
		}
		plan := w.MustSleep(consolidate.SleepInput{DryRun: true}).Plan
		res := w.MustSleep(consolidate.SleepInput{})
		if !slices.EqualFunc(plan, res.Plan, func(a, b lifecycle.Step) bool {
			return a.Action == b.Action && a.Into == b.Into && slices.Equal(a.Memories, b.Memories)
		}) || res.Applied != len(plan) {
			rt.Errorf("the dry run said\n%+v\nthe run did\n%+v", plan, res)
		}
		saysStill(w, rt, saved)
		for num, permanent := range kept {
			if permanent && forgotten(w, num) && !wasMerged(w, num) {
				rt.Errorf("permanent #%d is forgotten and in no other", num)
			}
		}
	})
}

// saysStill fails unless each text is still that of its memory, live or forgotten, or of a revision.
func saysStill(w enginetest.World, t *rapid.T, saved map[int64][]string) {
	err := w.Store.View(w.Context(), func(r engram.Reader) error {
		for num, texts := range saved {
			m, err := r.Memory(w.Context(), engram.ByNum(num))
			if err != nil {
				return err
			}
			revisions, err := r.Revisions(w.Context(), num)
			if err != nil {
				return err
			}
			said := []string{m.Content}
			for _, v := range revisions {
				said = append(said, v.Content)
			}
			for _, text := range texts {
				if !slices.Contains(said, text) {
					t.Errorf("#%d was saved with %q and has %q", num, text, said)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// wasMerged reports whether a live permanent memory was merged from it and others.
func wasMerged(w enginetest.World, num int64) (merged bool) {
	err := w.Store.View(w.Context(), func(r engram.Reader) error {
		for seen := map[int64]bool{}; !seen[num]; {
			seen[num] = true
			relations, err := engram.RelationsOf(w.Context(), r, []int64{num}, nil, 0)
			if err != nil {
				return err
			}
			for _, relation := range relations {
				if relation.Verb != engram.VerbDerivedFrom || relation.Target != num {
					continue
				}
				into, err := r.Memory(w.Context(), engram.ByNum(relation.Source))
				if err != nil {
					return err
				}
				if num = into.Num; !into.Forgotten() {
					merged = into.Permanent
					return nil
				}
				break
			}
		}
		return nil
	})
	if err != nil {
		w.Fatalf("%v", fmt.Errorf("read what became of #%d: %w", num, err))
	}
	return merged
}
