package exposure_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func why(w enginetest.World, session string) read.Account {
	w.Helper()
	a, err := w.Why(w.Context(), session)
	if err != nil {
		w.Fatalf("why %s: %v", session, err)
	}
	return a
}

func TestWhyTellsWhatASessionWasShown(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	first, second := w.Note("Tokens", "Tokens live in cookies."), w.Note("Cache", "The cache is warm.")
	w.MustSession("s", "demo")
	w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("tokens live in cookies <private>hunter2</private>"), SessionID: "s"})
	in := enginetest.Asked("cache")
	if _, err := w.SearchIn(t.Context(), "s", in); err != nil {
		t.Fatal(err)
	}
	if _, err := w.GetIn(t.Context(), "s", engram.ByNum(first)); err != nil {
		t.Fatal(err)
	}
	w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("zeppelin"), SessionID: "s"})
	w.Report(brief.ContextInput{Project: "demo", SessionID: "s"})

	a := why(w, "s")
	sum, told := 0, []string{}
	for _, u := range a.Exposures {
		sum += u.Tokens
		told = append(told, u.Operation+" "+u.Title)
		if (u.Memory == 0) != (u.Tokens == 0) || (u.Memory == 0) != (u.Rank == 0) || u.At.IsZero() || u.SessionID != "s" || u.Deleted || strings.Contains(u.Query, "hunter2") {
			t.Errorf("a use: %+v", u)
		}
	}
	enginetest.Same(t, "shown", told, []string{"recall Tokens", "search Cache", "get Tokens", "recall ", "context Tokens", "context Cache"})
	if a.Session.ID != "s" || a.Tokens != sum || sum == 0 {
		t.Errorf("the account: session %q, %d tokens, the uses have %d", a.Session.ID, a.Tokens, sum)
	}

	if _, err := w.Forget(t.Context(), engram.ByNum(second)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Delete(t.Context(), true, engram.ByNum(first)); err != nil {
		t.Fatal(err)
	}
	for _, u := range why(w, "s").Exposures {
		erased := u.Memory == 0 && u.Tokens > 0
		if u.Deleted != (erased || u.Memory == second) || erased && (u.Query != "" || u.Title != "") {
			t.Errorf("after forgetting #%d and erasing #%d: %+v", second, first, u)
		}
	}
	_, err := w.Why(t.Context(), "nope")
	enginetest.WantCode(t, err, engram.CodeNotFound)
}

func TestNobodyAsksNothingIsRemembered(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("Tokens", "Tokens live in cookies.")
	before := mustUsed(w)
	for _, session := range []string{"", "unknown"} {
		r := w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("tokens"), SessionID: session})
		c := w.Report(brief.ContextInput{Project: "demo", SessionID: session})
		found, err := w.SearchIn(t.Context(), session, enginetest.Asked("tokens"))
		if err != nil || len(found.Hits) != 1 || len(r.Items) != 1 || len(c.Memories) != 1 {
			t.Fatalf("session %q: found %d, recalled %d, told %d, %v", session, len(found.Hits), len(r.Items), len(c.Memories), err)
		}
		if _, err := w.GetIn(t.Context(), session, engram.ByNum(num)); err != nil {
			t.Fatal(err)
		}
		for what, degraded := range map[string][]string{"recall": r.Degraded, "context": c.Degraded, "search": found.Degraded} {
			if said := strings.Contains(strings.Join(degraded, " "), `session "unknown" is unknown`); said != (session != "") {
				t.Errorf("%s of session %q says %q", what, session, degraded)
			}
		}
	}
	if after := mustUsed(w); after != before {
		t.Errorf("reads without a session wrote: uses %d, then %d", before, after)
	}
}

// mustUsed counts the exposures of every session.
func mustUsed(w enginetest.World) (n int) {
	w.Helper()
	err := w.Store.View(w.Context(), func(r engram.Reader) error {
		us, err := r.Exposures(w.Context(), "", engram.Page{Limit: 1000})
		n = len(us)
		return err
	})
	if err != nil {
		w.Fatalf("read uses: %v", err)
	}
	return n
}

func TestAReadAnswersWhileSomebodyElseWrites(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Patience = 0 // as in the program
	w.Parts = w.Again(t)
	w.Note("Tokens", "Tokens live in cookies.")
	w.MustSession("s", "demo")
	other, err := enginetest.OpenStore(w.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- other.Update(context.Background(), func(engram.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	r := w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("tokens"), SessionID: "s"})
	if len(r.Items) != 1 || len(r.Degraded) != 1 || !strings.Contains(r.Degraded[0], "cannot record what session") {
		t.Errorf("while the store was locked: recalled %d, degraded %q; want one memory, and that it is not remembered", len(r.Items), r.Degraded)
	}
	c := w.Report(brief.ContextInput{Project: "demo", SessionID: "s"})
	if len(c.Memories) != 1 || len(c.Degraded) != 1 {
		t.Errorf("while the store was locked: told %d, degraded %q", len(c.Memories), c.Degraded)
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if r = w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("tokens"), SessionID: "s"}); len(r.Items) != 1 || len(r.Degraded) != 0 {
		t.Errorf("afterwards: recalled %d, degraded %q", len(r.Items), r.Degraded)
	}
}

func TestALongQuestionIsRememberedInPart(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("Tokens", "Tokens live in cookies.")
	w.MustSession("s", "demo")
	w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked(strings.Repeat("tokens ", 10_000)), SessionID: "s"})
	if uses := why(w, "s").Exposures; len(uses) != 1 || len(uses[0].Query) > 400 || !strings.HasPrefix(uses[0].Query, "tokens tokens") {
		t.Errorf("%d uses, the first %+v; want one with the beginning of the question", len(uses), uses)
	}
}

func BenchmarkRecall(b *testing.B) {
	for _, tt := range []struct{ name, session string }{{"nobody asks", ""}, {"a session asks", "s"}} {
		b.Run(tt.name, func(b *testing.B) {
			w := enginetest.NewWorld(b)
			for i := range 200 {
				w.Note("Tokens", strings.Repeat("Tokens live in cookies. ", 10)+time.Duration(i).String())
			}
			w.MustSession("s", "demo")
			for b.Loop() {
				w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("tokens in cookies"), SessionID: tt.session, Again: true})
			}
		})
	}
}
