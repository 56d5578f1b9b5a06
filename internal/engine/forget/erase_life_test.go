package forget_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// A memory leaves its words in many places while it lives: in revisions, relations and
// the reasons for them, verdicts, merges, questions that found it, vectors, the journal
// and what undid parts of it.
func TestErasingAMemoryAfterALongLifeLeavesNothing(t *testing.T) {
	enginetest.OfFile(t)
	t.Parallel()
	w := enginetest.NewWorld(t)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w.MustSession("s1", "demo")
	other := w.Note("Lighthouse", "The lighthouse keeper logs every ship.")
	saved := w.MustSave(remember.SaveInput{Title: "Quokkaone", Content: "The quokkatwo service keeps tokens for 15 minutes.", Project: "demo", SessionID: "s1",
		TopicKey: "quokkathree/key", Tags: []string{"quokkafour"}, Metadata: map[string]any{"quokkafive": "quokkasix"}})
	num := saved.Memory.Num
	ref := engram.ByNum(num)
	w.MustSave(remember.SaveInput{Title: "Quokkaseven", Content: "The quokkatwo service keeps tokens for 5 minutes.", Project: "demo", TopicKey: "quokkathree/key", Type: "quokkatype"})
	w.MustUpdate(remember.UpdateInput{Ref: ref, Content: new("Quokkaeight keeps tokens for 9 minutes."), TopicKey: new("quokkanine")})
	w.TakeBack(w.LastOp())
	_, err := w.Restore(ctx, ref, 1)
	must(err)
	_, err = w.Link(ctx, relate.LinkInput{Source: ref, Target: engram.ByNum(other), Verb: engram.VerbCausedBy, Reason: "quokkaten said so"})
	must(err)
	_, err = w.Compare(ctx, relate.CompareInput{A: engram.ByNum(other), B: ref, Verb: engram.VerbContradicts, Confidence: 1, Reasoning: "quokkaeleven against it"})
	must(err)
	_, err = w.Unlink(ctx, relate.UnlinkInput{A: ref, B: engram.ByNum(other)})
	must(err)
	w.TakeBack(w.LastOp())
	_, err = w.Reviewed(ctx, ref)
	must(err)
	_, err = w.SearchIn(ctx, "s1", search.SearchInput{Query: "which quokkatwo tokens"})
	must(err)
	_, err = w.GetIn(ctx, "s1", ref)
	must(err)
	_, err = w.MergeProjects(ctx, []string{"demo"}, "elsewhere")
	must(err)
	// Another says the same, and is merged into it while both sleep.
	duplicate := w.MustSave(remember.SaveInput{Title: "Quokkaone", Content: "The quokkatwo service keeps tokens for 15 minutes, quokkatwelve said.", Project: "elsewhere", Admit: lifecycle.AdmitMerging})
	w.MustForget(num)
	w.TakeBack(w.LastOp())
	w.Clock.Add(200 * 24 * time.Hour) // not so long that sleep forgets for it
	_, err = w.Sleep(ctx, consolidate.SleepInput{})
	must(err)
	refs := []engram.Ref{ref}
	if duplicate.Memory.Num != num {
		refs = append(refs, engram.ByNum(duplicate.Memory.Num))
	}
	if names := w.Holds("quokka"); len(names) == 0 {
		t.Fatal("the words are in no file before the erase: the test looks in the wrong place")
	}
	_, err = w.Delete(ctx, true, refs...)
	must(err)
	if names := w.Holds("quokka"); len(names) > 0 {
		t.Errorf("after the erase the words are in %v", names)
	}
	if got := w.MustGet(other).Memory.Title; got != "Lighthouse" {
		t.Errorf("the other memory: %q", got)
	}
}
