package review_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	engineundo "github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// proposals returns the numbers and texts of pending proposals.
func proposals(w enginetest.World) (names []string) {
	w.Helper()
	all, err := w.Proposals(w.Context(), "")
	if err != nil {
		w.Fatal(err)
	}
	for _, d := range all {
		m := d.Record.Memory.Memory
		names = append(names, strings.Join([]string{d.Batch, d.Reason, m.Title, m.Content, string(m.Type), m.CreatedAt.String(), d.FirstAt.String(), d.LastAt.String()}, "|"))
	}
	return names
}

func decideOne(w enginetest.World, verb func(context.Context, []string) (review.Decided, error), name string) review.DecidedName {
	w.Helper()
	res, err := verb(w.Context(), []string{name})
	if err != nil || len(res.Done) != 1 || res.Done[0].Op == 0 || res.Done[0].Op != w.LastOp() {
		w.Fatalf("%s: got %+v, %v; want operation %d", name, res, err, w.LastOp())
	}
	return res.Done[0]
}

func TestAnApprovedProposalThatIsUndoneWaitsAgain(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	propose(t, w.Engine, inTranscript("s1", found(sqlite), found(jitter)))
	before := proposals(w)
	done := decideOne(w, w.ApproveNamed, "w1")
	if len(proposals(w)) != 1 || done.Memory == 0 {
		t.Fatalf("approved %+v, and %d wait", done, len(proposals(w)))
	}
	w.TakeBack(done.Op)
	enginetest.Same(t, "what waits after the undo", proposals(w), before)
	_, err := w.Get(t.Context(), engram.ByNum(done.Memory))
	enginetest.WantCode(t, err, engram.CodeNotFound)
	undo := w.LastOp()
	w.TakeBack(undo)
	if m := w.MustGet(done.Memory).Memory; m.Forgotten() || m.Content != sqlite || len(proposals(w)) != 1 {
		t.Errorf("after the undo was undone %d wait and the memory is %+v", len(proposals(w)), m)
	}
	w.TakeBack(w.LastOp())
	enginetest.Same(t, "what waits after the third undo", proposals(w), before)
	again := decideOne(w, w.ApproveNamed, "w1")
	if m := w.MustGet(again.Memory).Memory; m.Content != sqlite || m.Forgotten() {
		t.Errorf("approved anew it is %+v", m)
	}
	_, err = w.Undo(t.Context(), engineundo.UndoInput{Op: undo})
	enginetest.WantCode(t, err, engram.CodeConflict) // somebody decided anew since
}

func TestARefusalThatIsUndoneLetsItWaitAgain(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("Lighthouse", "The keeper logs ships.")
	propose(t, w.Engine, inTranscript("s1", found(sqlite), found(jitter)))
	before := proposals(w)
	done := decideOne(w, w.RefuseNamed, "w2")
	if len(proposals(w)) != 1 {
		t.Fatalf("%d wait after the refusal", len(proposals(w)))
	}
	if again := propose(t, w.Engine, inTranscript("s2", found(jitter))); len(again.New) > 0 {
		t.Errorf("what was refused is proposed: %+v", again)
	}
	_, err := w.AcceptDeferred(t.Context(), 2)
	enginetest.WantCode(t, err, engram.CodeNotFound)
	_, err = w.RefuseNamed(t.Context(), []string{"w2"})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	if st, err := w.Deferred(t.Context(), ""); err != nil || len(st) > 0 {
		t.Errorf("it waits as what came from others: %+v, %v", st, err)
	}
	if u, err := w.Undo(t.Context(), engineundo.UndoInput{}); err != nil || u.Undone.Op != done.Op {
		t.Fatalf("undone %+v, %v; want operation %d", u, err, done.Op)
	}
	enginetest.Same(t, "what waits after the undo", proposals(w), before)
	w.TakeBack(w.LastOp())
	if len(proposals(w)) != 1 {
		t.Errorf("after the undo was undone %d wait, want 1", len(proposals(w)))
	}
	if m := w.MustGet(num).Memory; m.Forgotten() {
		t.Error("the save before it was taken back")
	}
}

func TestWhatAPersonCorrectedOfAProposalWaitsAgainAsCorrected(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	propose(t, w.Engine, inTranscript("s1", found(sqlite)))
	saved, err := w.AcceptProposal(t.Context(), 1, review.ProposalEdit{Title: "One file", Type: "pattern"})
	if err != nil {
		t.Fatal(err)
	}
	w.TakeBack(saved.Op)
	if all := proposals(w); len(all) != 1 || !strings.Contains(all[0], "|One file|"+sqlite+"|pattern|") {
		t.Errorf("it waits as %q", all)
	}
}

// Erasing the memory that a proposal became erases the proposal too.
func TestAnErasedMemoryIsNotKeptAsTheProposalThatItWas(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	propose(t, w.Engine, inTranscript("s1", found(sqlite)))
	done := decideOne(w, w.ApproveNamed, "w1")
	err := w.Store.View(t.Context(), func(r engram.Reader) error {
		d, _, err := r.Replica().DeferredAt(t.Context(), 1)
		if m := d.Record.Memory.Memory; m.Title+m.Content+m.NormalizedHash != "" {
			t.Errorf("beside the memory stays %+v", m)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Delete(t.Context(), true, engram.ByNum(done.Memory)); err != nil {
		t.Fatal(err)
	}
	u, err := w.Undo(t.Context(), engineundo.UndoInput{Op: done.Op})
	if err != nil || !slices.ContainsFunc(u.Left, func(s string) bool { return strings.Contains(s, "erased") }) || len(proposals(w)) > 0 {
		t.Errorf("undone %+v, %v, and %q wait; want nothing to wait", u, err, proposals(w))
	}
}

func TestWhatWasRefusedGoesWithTheJournalOrWhenItIsThrownAway(t *testing.T) {
	t.Parallel()
	kept := func(w enginetest.World) (found bool) {
		err := w.Store.View(w.Context(), func(r engram.Reader) (err error) {
			_, found, err = r.Replica().DeferredAt(w.Context(), 1)
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		return found
	}
	t.Run("thrown away", func(t *testing.T) {
		w := enginetest.NewWorld(t)
		propose(t, w.Engine, inTranscript("s1", found(sqlite)))
		done := decideOne(w, w.RefuseNamed, "w1")
		if err := w.DropDeferred(t.Context(), 1); err != nil || kept(w) {
			t.Fatalf("%v, kept %v; want it gone", err, kept(w))
		}
		u, err := w.Undo(t.Context(), engineundo.UndoInput{Op: done.Op})
		if engram.CodeOf(err) != engram.CodeConflict || !strings.Contains(err.Error(), "removed for good") {
			t.Errorf("undone %+v, %v; want that nothing is left to take back", u, err)
		}
	})
	t.Run("with the journal", func(t *testing.T) {
		w := enginetest.NewWorld(t)
		propose(t, w.Engine, inTranscript("s1", found(sqlite)))
		decideOne(w, w.RefuseNamed, "w1")
		w.Clock.Add(40 * 24 * time.Hour)
		if _, err := w.CompactJournal(t.Context(), consolidate.CompactInput{Keep: 50 * 24 * time.Hour}); err != nil || !kept(w) {
			t.Fatalf("%v, kept %v; want it kept as long as an undo reaches it", err, kept(w))
		}
		if _, err := w.CompactJournal(t.Context(), consolidate.CompactInput{Keep: 30 * 24 * time.Hour}); err != nil || kept(w) {
			t.Errorf("%v, kept %v; want it gone with the journal", err, kept(w))
		}
	})
}

func TestTheLogSaysWhatWasDecided(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	propose(t, w.Engine, inTranscript("s1", found(sqlite)))
	done := decideOne(w, w.RefuseNamed, "w1")
	w.TakeBack(done.Op)
	entries, _, err := w.Engine.Log(t.Context(), read.LogInput{})
	if err != nil || len(entries) < 2 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, want := range []string{"waits again", "decided"} {
		if items := entries[i].Items; len(items) != 1 || items[0].Entity != engram.EntityPending || items[0].Key != "w1" || strings.Join(items[0].Fields, ",") != want {
			t.Errorf("entry %d is %+v, want w1 %s", i, entries[i], want)
		}
	}
}
