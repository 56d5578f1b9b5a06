package brief_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	words "github.com/alanbuscaglia/engram/internal/text"
)

func TestContextTellsWhatIsWorthMost(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	permanent := w.MustSave(remember.SaveInput{Title: "House rule", Content: "Never force-push.", Project: "demo", Permanent: true}).Memory.Num
	important := 1.0
	rated := w.MustSave(remember.SaveInput{Title: "Rated", Content: "The key is in the vault.", Project: "demo", Importance: &important}).Memory.Num
	used := w.Note("Asked for often", "How to release.")
	old := w.Note("Old and never asked for", "What was once.")
	w.Clock.Add(300 * 24 * time.Hour)
	for i := range 150 {
		w.Note(fmt.Sprint("New ", i), fmt.Sprint("A small thing of today, number ", i))
	}
	w.MustSession("s", "demo")
	for range 5 {
		if _, err := w.GetIn(t.Context(), "s", engram.ByNum(used)); err != nil {
			t.Fatal(err)
		}
	}
	c := w.Report(brief.ContextInput{Project: "demo"})
	told := enginetest.Nums(c.Memories)
	for what, num := range map[string]int64{"the permanent": permanent, "the important": rated, "the often used": used} {
		if !slices.Contains(told, num) {
			t.Errorf("%s #%d is not told: %v", what, num, told)
		}
	}
	if len(told) != 20 || slices.Contains(told, old) || !slices.IsSortedFunc(c.Memories, func(a, b engram.Memory) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
		t.Errorf("told %v; want 20, newest first, without #%d", told, old)
	}
	if more := w.Report(brief.ContextInput{Project: "demo", Budget: 8000}); len(more.Memories) != 80 {
		t.Errorf("with four times the budget %d are told, want 80", len(more.Memories))
	}
}

func TestContextLeavesOutWhatIsOver(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	was, is := w.Note("Port 7000", "It listened on 7000."), w.Note("Port 7437", "It listens on 7437.")
	err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
		return tx.InsertRelation(t.Context(), &engram.Relation{ID: "rel-1", Source: is, Target: was, Verb: engram.VerbSupersedes,
			Status: engram.RelationJudged, CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "what holds", enginetest.Nums(w.Report(brief.ContextInput{Project: "demo"}).Memories), []int64{is})
	if _, err := w.Forget(t.Context(), engram.ByNum(is)); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "once the newer one was forgotten", enginetest.Nums(w.Report(brief.ContextInput{Project: "demo"}).Memories), []int64{was})
}

func TestContextTellsOfAChainTheNewestWhateverWasJudgedFirst(t *testing.T) {
	t.Parallel()
	for _, newestFirst := range []bool{true, false} {
		w := enginetest.NewWorld(t)
		first, second, third := w.Note("Port 1", "It was one."), w.Note("Port 2", "It was two."), w.Note("Port 3", "It is three.")
		if newestFirst {
			w.Relate(third, engram.VerbSupersedes, second, engram.RelationJudged)
		}
		w.Relate(second, engram.VerbSupersedes, first, engram.RelationJudged)
		if !newestFirst {
			w.Relate(third, engram.VerbSupersedes, second, engram.RelationJudged)
		}
		enginetest.Same(t, fmt.Sprintf("the newest judged first: %t", newestFirst), enginetest.Nums(w.Report(brief.ContextInput{Project: "demo"}).Memories), []int64{third})
		w.Relate(first, engram.VerbSupersedes, third, engram.RelationJudged)
		if told := enginetest.Nums(w.Report(brief.ContextInput{Project: "demo"}).Memories); len(told) != 1 {
			t.Errorf("of a circle %v are told, want one", told)
		}
	}
}

func TestContextTellsASessionWhatItHasNotSeen(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	first, second := w.Note("Tokens", "Tokens live in cookies."), w.Note("Cache", "The cache is warm.")
	w.MustSession("s", "demo")
	w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("tokens"), SessionID: "s"})
	in := brief.ContextInput{Project: "demo", SessionID: "s"}
	c := w.Report(in)
	enginetest.Same(t, "not seen", enginetest.Nums(c.Memories), []int64{second})
	if len(c.LeftOut) != 1 || c.LeftOut[0].Memory.Num != first || c.LeftOut[0].Reason != retrieval.LeftSeen || c.Again {
		t.Errorf("left out: %+v, again: %t", c.LeftOut, c.Again)
	}
	c = w.Report(in)
	enginetest.Same(t, "when nothing else is left", enginetest.Nums(c.Memories), []int64{second, first})
	if text := render.Context(c, render.Options{}); !c.Again || !strings.Contains(text, "already seen all of these") {
		t.Errorf("again: %t\n%s", c.Again, text)
	}
	w.Note("News", "Something new.")
	if c = w.Report(in); len(c.Memories) != 1 || c.Memories[0].Title != "News" || c.Again {
		t.Errorf("with something new: %v, again: %t", enginetest.Nums(c.Memories), c.Again)
	}
	in.Again = true
	if c = w.Report(in); len(c.Memories) != 3 || c.Again {
		t.Errorf("a session that forgot: %v, again: %t", enginetest.Nums(c.Memories), c.Again)
	}
}

func TestContextKeepsItsBudget(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		w := enginetest.NewWorldIn(t, filepath.Join(dir, strconv.Itoa(n)))
		defer w.Close(t)
		size := func(name string) string { return strings.Repeat("word ", rapid.IntRange(1, 120).Draw(rt, name)) }
		for i := range rapid.IntRange(0, 12).Draw(rt, "n") {
			id := fmt.Sprint("s", i%3)
			w.MustSession(id, "demo")
			w.MustSave(remember.SaveInput{Title: fmt.Sprint(i, size("title")), Content: fmt.Sprint(i, size("content")), Project: "demo", SessionID: id})
			if _, err := w.SavePrompt(w.Context(), remember.PromptInput{Content: fmt.Sprint(i, size("prompt")), Project: "demo", SessionID: id}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.EndSession(w.Context(), id, size("summary")); err != nil {
				t.Fatal(err)
			}
		}
		budget := rapid.IntRange(1, 3000).Draw(rt, "budget")
		c := w.Report(brief.ContextInput{Project: "demo", Budget: budget})
		cost := words.Tokens(render.Context(c, render.Options{}))
		if cost > budget || cost != c.Tokens || c.Budget != budget {
			rt.Fatalf("the text costs %d, the context says %d of %d, the budget is %d", cost, c.Tokens, c.Budget, budget)
		}
		again := w.Report(brief.ContextInput{Project: "demo", Budget: budget + 500})
		// A summary is shown in its session's line if that fits.
		told := func(c engram.Context) int {
			return len(slices.DeleteFunc(c.Memories, func(m engram.Memory) bool { return m.Type == engram.TypeSessionSummary }))
		}
		if less, more := told(c), told(again); more < less {
			rt.Fatalf("with %d tokens %d memories, with %d only %d", budget, less, budget+500, more)
		}
	})
}
