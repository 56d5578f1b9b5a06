package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestTwoEnginesThatSaveTheSameTopicMakeOneMemory(t *testing.T) {
	t.Parallel()
	const times = 10
	all := enginetest.Engines(t, 2)
	enginetest.Together(t, all, times, func(ctx context.Context, e *engine.Engine, i int) error {
		_, err := e.Save(ctx, remember.SaveInput{Title: "Auth", Content: fmt.Sprintf("text %d", i), TopicKey: "auth", Project: "demo"})
		return err
	})
	w := all[0]
	d := w.MustGet(1)
	if got := w.MustList(engram.Filter{}); len(got) != 1 || d.Memory.RevisionCount != len(all)*times {
		t.Fatalf("%d memories, the first revised %d times; want one that was written %d times", len(got), d.Memory.RevisionCount, len(all)*times)
	}
	texts := map[string]bool{d.Memory.Content: true}
	for _, r := range d.Revisions {
		texts[r.Content] = true
	}
	if len(texts) != len(all)*times {
		t.Errorf("%d texts are kept, want all %d", len(texts), len(all)*times)
	}
	if st := w.MustStats(); len(st.Projects) != 1 || st.Sessions != 1 {
		t.Errorf("got %+v", st)
	}
}

func TestTwoEnginesThatSaveTheSameTextMakeOneMemory(t *testing.T) {
	t.Parallel()
	const times = 10
	all := enginetest.Engines(t, 2)
	enginetest.Together(t, all, times, func(ctx context.Context, e *engine.Engine, _ int) error {
		_, err := e.Save(ctx, remember.SaveInput{Title: "Auth", Content: "the same words", Project: "demo"})
		return err
	})
	w := all[0]
	if got := w.MustList(engram.Filter{}); len(got) != 1 || w.MustGet(got[0]).Memory.DuplicateCount != len(all)*times {
		t.Errorf("%d memories, the first seen %d times; want one seen %d times", len(got), w.MustGet(got[0]).Memory.DuplicateCount, len(all)*times)
	}
}

func TestEnginesThatSaveDifferentTextsLoseNone(t *testing.T) {
	t.Parallel()
	const times = 10
	all := enginetest.Engines(t, 3)
	enginetest.Together(t, all, times, func(ctx context.Context, e *engine.Engine, i int) error {
		if _, err := e.Save(ctx, remember.SaveInput{Title: "t", Content: fmt.Sprintf("text number%03d", i), Project: "demo"}); err != nil {
			return err
		}
		query := fmt.Sprintf("number%03d", i)
		found, err := e.Search(ctx, search.SearchInput{Query: query})
		if err == nil && (len(found.Hits) == 0 || found.Hits[0].Memory.Content != "text "+query) {
			err = fmt.Errorf("what was just saved is not found first: %d hits for %s", len(found.Hits), query)
		}
		return err
	})
	w := all[0]
	if got := w.MustList(engram.Filter{}); len(got) != len(all)*times {
		t.Errorf("%d memories, want %d", len(got), len(all)*times)
	}
	seen := map[engram.Clock]bool{}
	for _, m := range w.Journal() {
		if seen[m.At] {
			t.Errorf("two entries at %d", m.At)
		}
		seen[m.At] = true
	}
}

func TestOneMemoryIsForgottenByOneOfMany(t *testing.T) {
	t.Parallel()
	all := enginetest.Engines(t, 2)
	num := all[0].Note("t", "c")
	var mu sync.Mutex
	done := 0
	enginetest.Together(t, all, 3, func(ctx context.Context, e *engine.Engine, _ int) error {
		_, err := e.Forget(ctx, engram.ByNum(num))
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil
		}
		mu.Lock()
		done++
		mu.Unlock()
		return err
	})
	if done != 1 {
		t.Errorf("it was forgotten %d times", done)
	}
}
