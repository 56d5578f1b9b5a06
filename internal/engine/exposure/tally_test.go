package exposure_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// counters returns the store's counters as lines "operation outcome events fallbacks memories".
func counters(w enginetest.World, q engram.CounterQuery) (lines []string) {
	w.Helper()
	err := w.Store.View(w.Context(), func(r engram.Reader) error {
		cs, err := r.Counters(w.Context(), q)
		for _, c := range cs {
			if (c.Memories == 0) != (c.Tokens == 0) {
				w.Errorf("%+v: memories without tokens, or the other way round", c)
			}
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s %d %d %d", c.Project, c.Operation, c.Outcome, c.Events, c.Fallbacks, c.Memories)))
		}
		return err
	})
	if err != nil {
		w.Fatalf("read counters: %v", err)
	}
	return lines
}

func TestReadsAreCountedAndNothingOfThemIsKept(t *testing.T) {
	t.Parallel()
	w, e := enginetest.Tallied(t)
	num := w.Note("Tokens", "Tokens live in cookies.")
	used := mustUsed(w)
	ask := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{"tokens", "tokens live", "zeppelin", ""} {
		_, err := e.Search(t.Context(), enginetest.Asked(query))
		ask(err)
	}
	_, err := e.SearchIn(t.Context(), "unknown", enginetest.Asked("tokens"))
	ask(err)
	_, err = e.SearchWhole(t.Context(), "", enginetest.Asked("tokens"))
	ask(err)
	_, err = e.Recall(t.Context(), search.RecallInput{SearchInput: enginetest.Asked("tokens"), Unseen: true})
	ask(err)
	_, err = e.Recall(t.Context(), search.RecallInput{SearchInput: enginetest.Asked("zeppelin"), Unseen: true})
	ask(err)
	_, err = e.Context(t.Context(), brief.ContextInput{Project: "Demo"})
	ask(err)
	_, err = e.GetIn(t.Context(), "", engram.ByNum(num))
	ask(err)
	if _, err = e.GetIn(t.Context(), "", engram.ByNum(99)); engram.CodeOf(err) != engram.CodeNotFound {
		t.Fatalf("get of nothing: %v", err)
	}
	if _, err = e.Search(t.Context(), search.SearchInput{Limit: -1}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Fatalf("a wrong search: %v", err)
	}
	byProject := engram.CounterQuery{ByProject: true}
	enginetest.Same(t, "before the flush", counters(w, byProject), []string{"demo save inserted 1 0 0"})
	if err := e.FlushTally(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"get nothing 1 0 0", "recall found 2 0 2", "recall nothing 1 0 0", "search found 4 1 4", "search nothing 1 0 0",
		"demo context found 1 0 1", "demo get found 1 0 1", "demo save inserted 1 0 0"}
	enginetest.Same(t, "after it", counters(w, byProject), want)
	if err := e.FlushTally(t.Context()); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "after another", counters(w, byProject), want)
	if mustUsed(w) != used {
		t.Errorf("reads without a session were remembered")
	}
}

func TestCountsOfTheProcessKnowFailuresAndTimes(t *testing.T) {
	t.Parallel()
	w, e := enginetest.Tallied(t)
	w.Note("Tokens", "Tokens live in cookies.")
	for _, in := range []search.SearchInput{enginetest.Asked("tokens"), {Limit: -1}} {
		_, _ = e.Search(t.Context(), in) // the second is wrong, which is counted
	}
	saves, err := e.SaveBatch(t.Context(), []remember.SaveInput{{Content: "one", Project: "demo"}, {Content: "two", Project: "demo"}, {Content: "one", Project: "demo"}})
	if err != nil || len(saves) != 3 {
		t.Fatal(saves, err)
	}
	if _, err := e.Save(t.Context(), remember.SaveInput{}); err == nil {
		t.Fatal("a save of nothing was taken")
	}
	totals, times := e.Totals()
	var got []string
	for _, n := range totals {
		got = append(got, fmt.Sprint(n.Operation, " ", n.Outcome, " ", n.Events))
	}
	enginetest.Same(t, "totals", got, []string{"save inserted 2", "save repeated 1", "search found 1", "search invalid 1"})
	for _, n := range times {
		sum := 0
		for _, b := range n.Buckets {
			sum += b
		}
		want := map[string]int{"save": 1, "search": 2}[n.Operation]
		if n.Count != want || sum != want || n.Sum < time.Duration(want)*time.Second {
			t.Errorf("%s: %d answers in %v, %d in buckets; want %d, a second each", n.Operation, n.Count, n.Sum, sum, want)
		}
	}
}

func TestSavesAreCountedAsTheJournalHasThem(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	save := func(in remember.SaveInput) {
		t.Helper()
		in.Project = "demo"
		if _, err := w.Save(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	save(remember.SaveInput{Content: "Tokens live 15 minutes", TopicKey: "a/b"})
	save(remember.SaveInput{Content: "Tokens live 5 minutes", TopicKey: "a/b"})
	save(remember.SaveInput{Content: "The cache is warm"})
	save(remember.SaveInput{Content: "The cache is warm"})
	if _, err := w.Save(t.Context(), remember.SaveInput{Content: "x", Project: "demo", SessionID: "nope"}); err == nil {
		t.Fatal("a save in a session that does not exist was taken")
	}
	if _, err := w.Capture(t.Context(), remember.CaptureInput{Project: "demo", Content: "## Key Learnings:\n\n1. Cookies must be httpOnly in every browser\n2. The cache must be warmed before a deploy\n"}); err != nil {
		t.Fatal(err)
	}
	counted := counters(w, engram.CounterQuery{})
	enginetest.Same(t, "counted", counted, []string{"save inserted 4 0 0", "save repeated 1 0 0", "save revised 1 0 0"})
	entries := 0
	ops, _, err := w.Engine.Log(t.Context(), read.LogInput{Page: engram.Page{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ops {
		for _, item := range op.Items {
			if item.Entity == engram.EntityMemory {
				entries++
			}
		}
	}
	if entries != 6 {
		t.Errorf("the journal has %d memories that were saved, counted were 6", entries)
	}
}

// A locked store delays counters but loses none.
func TestWhatCannotBeFlushedWaits(t *testing.T) {
	t.Parallel()
	w, e := enginetest.Tallied(t)
	if _, err := e.Search(t.Context(), enginetest.Asked("tokens")); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.FlushTally(gone); err == nil {
		t.Fatal("a flush that was given up succeeded")
	}
	enginetest.Same(t, "counters", counters(w, engram.CounterQuery{}), []string(nil))
	if err := e.FlushTally(t.Context()); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "counters", counters(w, engram.CounterQuery{}), []string{"search nothing 1 0 0"})
}

func TestManyCountAtOnce(t *testing.T) {
	t.Parallel()
	w, e := enginetest.Tallied(t)
	w.Note("Tokens", "Tokens live in cookies.")
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 50 {
				in := enginetest.Asked("tokens")
				in.Filter.Project = []string{"", "demo", fmt.Sprint("made-up-", i, "-", j)}[j%3]
				if _, err := e.Search(t.Context(), in); err != nil {
					t.Error(err)
				}
				if j%10 == 0 {
					if err := e.FlushTally(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	if err := e.FlushTally(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := counters(w, engram.CounterQuery{ByProject: true})
	if want := []string{"search found 68 0 68", "search nothing 64 0 0", "demo save inserted 1 0 0", "demo search found 68 0 68"}; !slices.Equal(got, want) {
		t.Errorf("200 searches: got %q, want %q", got, want)
	}
}

// A server that searches for a command does not count; the command does, under its own operation.
func TestWhatAnotherProcessFoundIsCountedOnceAsWhatWasAsked(t *testing.T) {
	t.Parallel()
	w, server := enginetest.Tallied(t)
	w.Note("Tokens", "Tokens live in cookies.")
	answers := 0
	e := engine.New(engine.Options{Store: w.Store, Now: w.Clock.Now, NewID: enginetest.IDs(), Tally: exposure.NewTally(w.Clock.Now),
		Warm: func(ctx context.Context, in search.SearchInput) (engram.Found, bool) {
			answers++
			found, err := w.Engine.Search(ctx, in)
			return found, err == nil
		}})
	in := search.SearchInput{Query: "tokens"}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := e.Search(t.Context(), in)
	must(err)
	_, err = e.Recall(t.Context(), search.RecallInput{SearchInput: in, Unseen: true})
	must(err)
	_, err = e.SearchWhole(t.Context(), "", in)
	must(err)
	must(e.FlushTally(t.Context()))
	must(server.FlushTally(t.Context()))
	want := []string{"recall found 2 0 2", "save inserted 1 0 0", "search found 1 0 1"}
	if got := counters(w, engram.CounterQuery{}); answers != 3 || !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("%d asked elsewhere: got %q, want 3 and %q", answers, got, want)
	}
}
