package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// nearCounter is a store that counts how many finds by meaning are asked for.
type nearCounter struct {
	engram.Store
	limit *int
}

func (c nearCounter) View(ctx context.Context, fn func(engram.Reader) error) error {
	return c.Store.View(ctx, func(r engram.Reader) error { return fn(nearReader{r, c.limit}) })
}

type nearReader struct {
	engram.Reader
	limit *int
}

func (r nearReader) Nearest(ctx context.Context, q engram.VectorQuery) ([]engram.Ranked, error) {
	*r.limit = q.Limit
	return r.Reader.Nearest(ctx, q)
}

// Where as many memories as are read have the words, hardly any of the others' vectors are read: none of them would be shown.
func TestWordsAheadOfMeaning(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	for n := range 90 {
		w.Note(fmt.Sprintf("harbour rule %d", n), fmt.Sprintf("the harbour closes gate %d at night", n))
		w.Note(fmt.Sprintf("port rule %d", n), fmt.Sprintf("ships reach the port by canal %d in the morning", n))
	}
	limit := 0
	e := engine.New(engine.Options{Store: nearCounter{w.Store, &limit}, Embedder: enginetest.Embedder(), Now: w.Clock.Now, NewID: enginetest.IDs()})
	for _, tt := range []struct {
		query string
		mode  search.Mode
		least int // finds by meaning
		most  int
	}{
		{"harbour", search.ModeHybrid, 1, 50},
		{"harbour", search.ModeSemantic, 100, 1000},
		{"canal 17", search.ModeHybrid, 100, 1000}, // one is far ahead of the others
	} {
		found, err := e.Search(t.Context(), search.SearchInput{Query: tt.query, Mode: tt.mode})
		if err != nil || len(found.Hits) == 0 {
			t.Fatalf("%s, %s: %d hits, %v", tt.query, tt.mode, len(found.Hits), err)
		}
		if limit < tt.least || limit > tt.most {
			t.Errorf("%s, %s: asked for %d finds by meaning, want %d to %d", tt.query, tt.mode, limit, tt.least, tt.most)
		}
		if first, _, _ := strings.Cut(tt.query, " "); tt.mode == search.ModeHybrid && !strings.Contains(found.Hits[0].Memory.Content, first) {
			t.Errorf("%s: the first is %q", tt.query, found.Hits[0].Memory.Content)
		}
	}
}
