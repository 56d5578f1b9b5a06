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
)

// together runs do on each engine concurrently, several times, and fails on any error.
func together(t *testing.T, engines []world, times int, do func(ctx context.Context, e *engine.Engine, i int) error) {
	t.Helper()
	var wg sync.WaitGroup
	start := make(chan struct{})
	errs := make(chan error, len(engines)*times)
	for n, w := range engines {
		wg.Go(func() {
			<-start
			for i := range times {
				if err := do(t.Context(), w.Engine, n*times+i); err != nil {
					errs <- fmt.Errorf("engine %d, call %d: %w", n, i, err)
				}
			}
		})
	}
	close(start)
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

// engines are n engines on one file, two goroutines each.
func engines(t *testing.T, n int) []world {
	all := []world{newWorld(t)}
	for len(all) < n {
		all = append(all, all[0].again())
	}
	return append(all, all...)
}

func TestTwoEnginesThatSaveTheSameTopicMakeOneMemory(t *testing.T) {
	const times = 10
	all := engines(t, 2)
	together(t, all, times, func(ctx context.Context, e *engine.Engine, i int) error {
		_, err := e.Save(ctx, remember.SaveInput{Title: "Auth", Content: fmt.Sprintf("text %d", i), TopicKey: "auth", Project: "demo"})
		return err
	})
	w := all[0]
	d := w.get(1)
	if got := w.list(engram.Filter{}); len(got) != 1 || d.Memory.RevisionCount != len(all)*times {
		t.Fatalf("%d memories, the first revised %d times; want one that was written %d times", len(got), d.Memory.RevisionCount, len(all)*times)
	}
	texts := map[string]bool{d.Memory.Content: true}
	for _, r := range d.Revisions {
		texts[r.Content] = true
	}
	if len(texts) != len(all)*times {
		t.Errorf("%d texts are kept, want all %d", len(texts), len(all)*times)
	}
	if st := w.stats(); len(st.Projects) != 1 || st.Sessions != 1 {
		t.Errorf("got %+v", st)
	}
}

func TestTwoEnginesThatSaveTheSameTextMakeOneMemory(t *testing.T) {
	const times = 10
	all := engines(t, 2)
	together(t, all, times, func(ctx context.Context, e *engine.Engine, _ int) error {
		_, err := e.Save(ctx, remember.SaveInput{Title: "Auth", Content: "the same words", Project: "demo"})
		return err
	})
	w := all[0]
	if got := w.list(engram.Filter{}); len(got) != 1 || w.get(got[0]).Memory.DuplicateCount != len(all)*times {
		t.Errorf("%d memories, the first seen %d times; want one seen %d times", len(got), w.get(got[0]).Memory.DuplicateCount, len(all)*times)
	}
}

func TestEnginesThatSaveDifferentTextsLoseNone(t *testing.T) {
	const times = 10
	all := engines(t, 3)
	together(t, all, times, func(ctx context.Context, e *engine.Engine, i int) error {
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
	if got := w.list(engram.Filter{}); len(got) != len(all)*times {
		t.Errorf("%d memories, want %d", len(got), len(all)*times)
	}
	seen := map[engram.Clock]bool{}
	for _, m := range w.journal() {
		if seen[m.At] {
			t.Errorf("two entries at %d", m.At)
		}
		seen[m.At] = true
	}
}

func TestOneMemoryIsForgottenByOneOfMany(t *testing.T) {
	all := engines(t, 2)
	num := all[0].note("t", "c")
	var mu sync.Mutex
	done := 0
	together(t, all, 3, func(ctx context.Context, e *engine.Engine, _ int) error {
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
