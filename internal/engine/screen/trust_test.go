package screen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/render"
)

func TestWhatReadsLikeAnOrderWaitsUntilItIsApproved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		origin engram.Origin
		want   bool // it waits
	}{
		{"an agent's own", engram.OriginAgent, true},
		{"a tool's", engram.OriginTool, true},
		{"what was imported", engram.OriginImport, true},
		{"what came from others", engram.OriginSync, true},
		{"what a person typed", engram.OriginHuman, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			m := enginetest.Planted(t, w, tt.origin, "Release notes", enginetest.Order)
			c := enginetest.ToldOf(t, w)
			if got := c.Withheld == 1; got != tt.want || len(c.Memories) == c.Withheld {
				t.Errorf("told %d, withheld %d; want withheld %v", len(c.Memories), c.Withheld, tt.want)
			}
			if text := render.Context(c, render.Options{}); strings.Contains(text, "collect.example.net") == tt.want {
				t.Errorf("the context says %q; want the order in it: %v", text, !tt.want)
			}
			if got := len(enginetest.Waits(t, w, engram.QueueFlagged)) == 1; got != tt.want {
				t.Errorf("it waits: %v, want %v", got, tt.want)
			}
			d, err := w.Get(t.Context(), engram.ByNum(m.Num))
			if err != nil || (len(d.Flagged) > 0) != tt.want {
				t.Errorf("asked for: %v, %v; want reasons %v", d.Flagged, err, tt.want)
			}
			found, err := w.Search(t.Context(), search.SearchInput{Query: "release notes", Filter: engram.Filter{Project: "shop"}})
			if err != nil || len(found.Hits) != 1 || (len(found.Hits[0].Flagged) > 0) != tt.want {
				t.Errorf("found %+v, %v; want the memory, with reasons %v", found.Hits, err, tt.want)
			}
		})
	}
}

func TestAnApprovalIsOfAText(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	ctx := t.Context()
	m := enginetest.Planted(t, w, engram.OriginAgent, "Release notes", enginetest.Order)
	ref := engram.ByNum(m.Num)
	if _, err := w.Approve(ctx, ref); err != nil {
		t.Fatal(err)
	}
	expect := func(when string, withheld int, queue ...string) {
		t.Helper()
		if c := enginetest.ToldOf(t, w); c.Withheld != withheld {
			t.Errorf("%s: withheld %d, want %d", when, c.Withheld, withheld)
		}
		if got := enginetest.Waits(t, w, engram.QueueFlagged); !slices.Equal(got, queue) {
			t.Errorf("%s: waits %v, want %v", when, got, queue)
		}
	}
	expect("approved", 0)
	tags := []string{"release"}
	if _, err := w.Update(ctx, remember.UpdateInput{Ref: ref, Tags: &tags}); err != nil {
		t.Fatal(err)
	}
	expect("with a tag", 0)
	other := enginetest.Order + " Then delete the log."
	if _, err := w.Update(ctx, remember.UpdateInput{Ref: ref, Content: &other}); err != nil {
		t.Fatal(err)
	}
	expect("with another text", 1, "1")
	first := enginetest.Order
	if _, err := w.Update(ctx, remember.UpdateInput{Ref: ref, Content: &first}); err != nil {
		t.Fatal(err)
	}
	expect("with the text that was approved", 0)
	harmless := "The release is on Fridays."
	if _, err := w.Update(ctx, remember.UpdateInput{Ref: ref, Content: &harmless}); err != nil {
		t.Fatal(err)
	}
	expect("harmless", 0)
}

func TestAnApprovalIsUndoneAndRedone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	ctx := t.Context()
	m := enginetest.Planted(t, w, engram.OriginImport, "Release notes", enginetest.Order)
	if _, err := w.Approve(ctx, engram.ByNum(m.Num)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} { // undone, and that undone
		res, err := w.Undo(ctx, undo.UndoInput{})
		if err != nil {
			t.Fatal(err)
		}
		if c := enginetest.ToldOf(t, w); c.Withheld != want || len(enginetest.Waits(t, w, engram.QueueFlagged)) != want {
			t.Errorf("after %+v: withheld %d, want %d", res.Changes, c.Withheld, want)
		}
	}
}

func TestARefusedMemoryIsForgottenAndCanBeBroughtBack(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	ctx := t.Context()
	m := enginetest.Planted(t, w, engram.OriginSync, "Release notes", enginetest.Order)
	if _, err := w.Refuse(ctx, engram.ByNum(m.Num)); err != nil {
		t.Fatal(err)
	}
	if got := enginetest.Waits(t, w); len(got) != 0 {
		t.Errorf("waits %v, want nothing", got)
	}
	if _, err := w.Get(ctx, engram.ByNum(m.Num)); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("get: %v, want not_found", err)
	}
	if _, err := w.Undo(ctx, undo.UndoInput{}); err != nil {
		t.Fatal(err)
	}
	if got := enginetest.Waits(t, w); !slices.Equal(got, []string{"1"}) {
		t.Errorf("brought back: waits %v, want memory 1", got)
	}
}

// A person's memory that an agent rewrote is trusted only as the agent's.
func TestAnAgentDoesNotSpeakInAPersonsName(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	m := enginetest.Planted(t, w, engram.OriginHuman, "Release notes", "The release is on Fridays.")
	text := enginetest.Order
	now, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(m.Num), Content: &text})
	if err != nil || now.Origin != engram.OriginAgent {
		t.Errorf("got origin %q, %v; want agent", now.Origin, err)
	}
	if c := enginetest.ToldOf(t, w); c.Withheld != 1 {
		t.Errorf("withheld %d, want 1", c.Withheld)
	}
}

func TestTheQueueListsEveryKindInPages(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	ctx := t.Context()
	for i := range 3 {
		enginetest.Planted(t, w, engram.OriginTool, fmt.Sprintf("Note %d", i), enginetest.Order+fmt.Sprint(i))
	}
	due, err := w.Save(ctx, remember.SaveInput{Title: "Queue", Content: "We chose NATS.", Type: engram.TypeDecision, Project: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(400 * 24 * time.Hour)
	err = w.Store.Update(ctx, func(tx engram.Tx) error {
		for i, why := range []engram.Deferral{engram.DeferredReview, engram.DeferredProposal, engram.DeferredMissing} {
			d := engram.Deferred{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: engram.Memory{ID: engram.ID(fmt.Sprint("m", i)), Title: "T"}}},
				Project: "shop", Batch: "b", Why: why, Reason: "r", FirstAt: w.Clock.Now(), LastAt: w.Clock.Now()}
			if err := tx.ReplicaTx().PutDeferred(ctx, &d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := enginetest.Waits(t, w)
	if want := []string{"1", "2", "3", "w1", "w2", fmt.Sprint(due.Memory.Num)}; !slices.Equal(all, want) {
		t.Fatalf("waits %v, want %v", all, want)
	}
	var paged []string
	for i := 0; i < len(all); i += 2 {
		q, err := w.Queue(ctx, review.QueueInput{Project: "shop", Page: engram.Page{Limit: 2, Offset: i}})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range q.Items {
			paged = append(paged, item.Name())
			if len(item.Reasons) == 0 || item.Since.IsZero() {
				t.Errorf("%s has no reason, or waits since no time: %+v", item.Name(), item)
			}
		}
	}
	if !slices.Equal(paged, all) {
		t.Errorf("in pages %v, want %v", paged, all)
	}
	if q, err := w.Queue(ctx, review.QueueInput{Kinds: []engram.QueueKind{engram.QueueProposal}}); err != nil || len(q.Items) != 1 || len(q.Counts) != 1 {
		t.Errorf("proposals: %+v, %v; want one, and no other count", q, err)
	}
	if q, err := w.Queue(ctx, review.QueueInput{Project: "nowhere"}); err != nil || len(q.Items) != 0 {
		t.Errorf("of a project that is not here: %+v, %v; want nothing", q, err)
	}
}
