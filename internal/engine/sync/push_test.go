package sync_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

func status(w enginetest.World, r engram.Remote) sync.RemoteStatus {
	w.Helper()
	st, err := w.RemoteStatus(w.Context(), r, "demo")
	if err != nil {
		w.Fatalf("status: %v", err)
	}
	return st
}

// wentIn returns the records of batches, in their order.
func wentIn(w enginetest.World, r engram.Remote, batches []engram.Batch) (all []engram.Record) {
	w.Helper()
	for _, b := range batches {
		for rec, err := range r.Read(w.Context(), b.ID) {
			if err != nil {
				w.Fatalf("read batch %s: %v", b.ID, err)
			}
			all = append(all, rec)
		}
	}
	return all
}

// kindsOf returns the kinds of records, each run once.
func kindsOf(records []engram.Record) []string {
	var kinds []string
	for _, r := range records {
		k := string(r.Entity())
		if r.Erased != nil {
			k = "erased"
		}
		kinds = append(kinds, k)
	}
	return slices.Compact(kinds)
}

func TestAPushTakesWhatNoBatchHas(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	w.MustSession("s1", "demo")
	first := w.MustSave(remember.SaveInput{Title: "Pool", Content: "The pool has 20 connections", Project: "demo", SessionID: "s1", Tags: []string{"db"}}).Memory.Num
	w.MustSave(remember.SaveInput{Title: "Port", Content: "It listens on 8080", Project: "demo", SessionID: "s1", Related: []engram.Ref{engram.ByNum(first)}})
	w.Prompt(remember.PromptInput{Content: "Why does it wait?", Project: "demo", SessionID: "s1"})
	gone := w.Note("Wrong", "This is to go for good")
	if _, err := w.Delete(t.Context(), true, engram.ByNum(gone)); err != nil {
		t.Fatal(err)
	}
	w.MustSave(remember.SaveInput{Content: "of another project", Project: "other"})
	r := replicatest.NewPlace("here").Open()

	got := w.MustPush(r, sync.PushInput{By: "ann"})
	if len(got.Batches) != 1 || got.Batches[0].By != "ann" || got.Project != "demo" {
		t.Fatalf("got %+v, want one batch by ann", got)
	}
	enginetest.Same(t, "what went", []int{got.Sessions, got.Memories, got.Prompts, got.Relations, got.Erased}, []int{1, 2, 1, 1, 1})
	records := wentIn(w, r, got.Batches)
	enginetest.Same(t, "in order", kindsOf(records), []string{"session", "memory", "prompt", "relation", "erased"})
	for _, rec := range records {
		if rec.Erased == nil && (rec.Causal == nil || rec.Causal.Base.At == 0) {
			t.Errorf("%s went without the write that it comes from: %+v", rec.Entity(), rec.Causal)
		}
	}

	if again := w.MustPush(r, sync.PushInput{}); len(again.Batches) > 0 || again.Memories+again.Sessions+again.Prompts+again.Relations+again.Erased > 0 {
		t.Errorf("the second push took %+v", again)
	}
	if st := status(w, r); st.Unpushed != (sync.Unpushed{}) || st.Batches != 1 || st.Pulled != 1 || st.Pending != 0 {
		t.Errorf("the status says %+v", st)
	}

	text := "The pool has 50 connections"
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(first), Content: &text}); err != nil {
		t.Fatal(err)
	}
	if st := status(w, r); st.Unpushed != (sync.Unpushed{Memories: 1}) {
		t.Errorf("after an edit the status says %+v", st.Unpushed)
	}
	edit := wentIn(w, r, w.MustPush(r, sync.PushInput{}).Batches)
	if len(edit) != 1 || edit[0].Memory.Memory.Content != text || len(edit[0].Memory.Revisions) != 1 || edit[0].Memory.Revisions[0].Stamp != records[1].Causal.Base {
		t.Errorf("after an edit went %+v", edit)
	}
}

func TestWhatABatchHadIsPushedAgainWhenItIsGone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	place := replicatest.NewPlace("here")
	r := place.Open()
	w.Note("one", "the first text")
	first := w.MustPush(r, sync.PushInput{})
	w.Note("two", "the second text")
	w.MustPush(r, sync.PushInput{})
	place.Drop(first.Batches[0].ID)
	if st := status(w, r); st.Unpushed.Memories != 1 || st.Unpushed.Sessions != 1 {
		t.Errorf("without the first batch the status says %+v", st.Unpushed)
	}
	again := wentIn(w, r, w.MustPush(r, sync.PushInput{}).Batches)
	if len(again) != 2 || again[1].Memory.Memory.Title != "one" {
		t.Errorf("went again: %+v", again)
	}
	elsewhere := replicatest.NewPlace("elsewhere").Open()
	if got := w.MustPush(elsewhere, sync.PushInput{}); got.Memories != 2 {
		t.Errorf("to another remote went %+v", got)
	}
	if got := w.MustPush(r, sync.PushInput{}); len(got.Batches) > 0 {
		t.Errorf("to the first one went %+v", got)
	}
}

func TestWhatIsPersonalStays(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	shared := w.Note("shared", "for everybody here")
	w.MustSave(remember.SaveInput{Title: "mine", Content: "my own way", Project: "demo", Scope: engram.ScopePersonal, Related: []engram.Ref{engram.ByNum(shared)}})
	r := replicatest.NewPlace("here").Open()
	got := w.MustPush(r, sync.PushInput{})
	if got.Memories != 1 || got.Relations != 0 || len(got.Left) != 1 || !strings.Contains(got.Left[0].Reason, "1 memory is personal") {
		t.Errorf("got %+v", got)
	}
	if st := status(w, r); st.Unpushed != (sync.Unpushed{}) {
		t.Errorf("the status says %+v", st.Unpushed)
	}
	if all := w.MustPush(r, sync.PushInput{All: true}); len(all.Batches) > 0 || len(all.Left) != 1 {
		t.Errorf("of all went %+v", all)
	}
}

func TestWhatLeftTheProjectGoesOnceMoreWithoutItsText(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	moves, hides := w.Note("moves", "text that moves"), w.Note("hides", "text that hides")
	r := replicatest.NewPlace("here").Open()
	w.MustPush(r, sync.PushInput{})
	elsewhere, personal, text := "secret-customer", engram.ScopePersonal, "a text that came later"
	w.MustSave(remember.SaveInput{Content: "makes the project", Project: elsewhere})
	for _, in := range []remember.UpdateInput{{Ref: engram.ByNum(moves), Project: &elsewhere}, {Ref: engram.ByNum(moves), Content: &text}, {Ref: engram.ByNum(hides), Scope: &personal}} {
		if _, err := w.Update(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if st := status(w, r); st.Unpushed.Memories != 2 {
		t.Errorf("the status says %+v", st.Unpushed)
	}
	records := wentIn(w, r, w.MustPush(r, sync.PushInput{}).Batches)
	if len(records) != 2 {
		t.Fatalf("went %+v", records)
	}
	for _, rec := range records {
		if m := rec.Memory.Memory; !rec.Tombstone || !m.Forgotten() || m.Project != "demo" || m.ID == "" {
			t.Errorf("went %+v, want one that is gone from demo", rec)
		}
		said, _ := json.Marshal(rec)
		for _, secret := range []string{elsewhere, "text that", text} {
			if strings.Contains(string(said), secret) {
				t.Errorf("%s tells %q", said, secret)
			}
		}
	}
	if again := w.MustPush(r, sync.PushInput{}); len(again.Batches) > 0 {
		t.Errorf("the second push took %+v", again)
	}
	if all := w.MustPush(r, sync.PushInput{All: true}); all.Memories != 2 { // those of the other project
		t.Errorf("of all went %+v", all)
	}
	if st := status(w, r); st.Unpushed != (sync.Unpushed{}) {
		t.Errorf("afterwards the status says %+v", st.Unpushed)
	}
}

// Saved texts are clean; texts that came into the store by other ways are redacted on push.
func TestPrivateSpansAreNotPushed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	num := w.Note("t", "c")
	const secret = "<private>hunter2</private>"
	err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
		m, err := tx.Memory(t.Context(), engram.ByNum(num))
		if err != nil {
			return err
		}
		m.Title, m.Content, m.Metadata, m.RevisionCount = secret+"t", "the "+secret, map[string]any{"k": secret}, 2
		if err := tx.ReplaceMemory(t.Context(), m); err != nil {
			return err
		}
		return tx.InsertRevision(t.Context(), engram.Revision{Memory: num, Number: 1, Type: "manual", Title: secret, Content: secret, WrittenAt: m.CreatedAt, ReplacedAt: m.CreatedAt})
	})
	if err != nil {
		t.Fatal(err)
	}
	r := replicatest.NewPlace("here").Open()
	said, _ := json.Marshal(wentIn(w, r, w.MustPush(r, sync.PushInput{}).Batches))
	if strings.Contains(string(said), "hunter2") {
		t.Errorf("went %s", said)
	}
}

func TestMuchIsPushedInSeveralBatches(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	for i := range 7 {
		w.Note(fmt.Sprintf("note %d", i), strings.Repeat(fmt.Sprintf("word%d ", i), 1<<20/7))
	}
	var told []int
	r := replicatest.NewPlace("here").Open()
	dry := w.MustPush(r, sync.PushInput{DryRun: true})
	got := w.MustPush(r, sync.PushInput{Progress: func(done, total int) { told = append(told, done, total) }})
	if len(got.Batches) != 2 || len(dry.Batches) != 0 || dry.Memories != 7 || got.Memories != 7 {
		t.Errorf("got %+v, dry %+v, want 7 memories in 2 batches", got, dry)
	}
	if len(told) != 4 || told[2] != 8 || told[3] != 8 {
		t.Errorf("the progress was %v, want two steps to 8 of 8", told)
	}
}

// torn is a remote that keeps so many batches and then fails.
type torn struct {
	engram.Remote
	left *int
}

var errTorn = errors.New("the disk is full")

func (r torn) Write(ctx context.Context, head engram.Batch, records []engram.Record) (engram.Batch, error) {
	if *r.left--; *r.left < 0 {
		return engram.Batch{}, errTorn
	}
	return r.Remote.Write(ctx, head, records)
}

func TestWhatWentBeforeAPushFailedIsNotPushedAgain(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	for i := range 9 {
		w.Note(fmt.Sprintf("note %d", i), strings.Repeat(fmt.Sprintf("word%d ", i), 1<<20/7))
	}
	place, left := replicatest.NewPlace("here"), 1
	_, err := w.Push(t.Context(), torn{place.Open(), &left}, sync.PushInput{Project: "demo"})
	if !errors.Is(err, errTorn) {
		t.Fatalf("got %v, want %v", err, errTorn)
	}
	before := wentIn(w, place.Open(), mustBatches(t, place.Open()))
	rest := wentIn(w, place.Open(), w.MustPush(place.Open(), sync.PushInput{}).Batches)
	if len(before)+len(rest) != 10 || len(rest) == 0 {
		t.Errorf("%d records went before, %d after, want 10 in all", len(before), len(rest))
	}
}

func mustBatches(t *testing.T, r engram.Remote) []engram.Batch {
	t.Helper()
	bs, err := r.Batches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return bs
}

func TestWhatCannotBePushed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	r := replicatest.NewPlace("here").Open()
	_, err := w.Push(t.Context(), r, sync.PushInput{Project: "nothing"})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	_, err = w.Push(t.Context(), r, sync.PushInput{})
	enginetest.WantCode(t, err, engram.CodeInvalid)
	if st, err := w.RemoteStatus(t.Context(), r, "nothing"); err != nil || st.Unpushed != (sync.Unpushed{}) {
		t.Errorf("the status of what does not exist: got %+v, %v", st, err)
	}
}

func TestASessionThatWasDeletedIsPushedAsGone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	w.MustSession("s1", "demo")
	if _, err := w.EndSession(t.Context(), "s1", "what it came to"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Delete(t.Context(), true, engram.ByNum(1)); err != nil { // the memory of the summary stands in it
		t.Fatal(err)
	}
	r := replicatest.NewPlace("here").Open()
	w.MustPush(r, sync.PushInput{})
	if err := w.DeleteSession(t.Context(), "s1", false); err != nil {
		t.Fatal(err)
	}
	records := wentIn(w, r, w.MustPush(r, sync.PushInput{}).Batches)
	if len(records) != 1 || !records[0].Tombstone || records[0].Session.ID != "s1" || records[0].Session.Project != "demo" {
		t.Errorf("went %+v", records)
	}
}
