package search_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A process with a warm cache answers like a new one, whatever other processes wrote and however small its cache.
func TestAWarmProcessAnswersAsAColdOne(t *testing.T) {
	t.Parallel()
	vocabulary := strings.Fields("cache caching queue login deploy deploys schema retry backup the not 30 60 Postgres indexing café 北京 get_user_name token")
	rapid.Check(t, func(rt *rapid.T) {
		parts := enginetest.NewPartsIn(t, t.TempDir())
		defer parts.Close(t)
		var at time.Time // the clock of a test steps: both are asked at one moment
		now := func() time.Time {
			if !at.IsZero() {
				return at
			}
			return parts.Clock.Now()
		}
		options := engine.Options{Embedder: enginetest.Embedder(), Now: now, NewID: enginetest.IDs(), Zone: time.UTC}
		// Another process writes too and answers half of the questions.
		other := parts.Again(t)
		defer other.Close(t)
		options.Store, options.TextCacheBytes = parts.Store, rapid.SampledFrom([]int{1, 5_000, 0}).Draw(rt, "shelf")
		warm := engine.New(options)
		sentence := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 12).Draw(rt, label), " ")
		}
		ctx := t.Context()
		saved := 0
		write := func(e *engine.Engine) error {
			what := rapid.IntRange(0, 5).Draw(rt, "what")
			if saved == 0 {
				what = 0
			}
			ref := engram.ByNum(rapid.Int64Range(1, int64(max(saved, 1))).Draw(rt, "num"))
			var err error
			switch what {
			case 0, 1:
				var res remember.SaveResult
				res, err = e.Save(ctx, remember.SaveInput{Title: sentence("title"), Content: sentence("content"), Project: "demo",
					Tags: rapid.SliceOfN(rapid.SampledFrom(vocabulary[:5]), 0, 2).Draw(rt, "tags")})
				saved = max(saved, int(res.Memory.Num))
			case 2:
				title, content := sentence("title"), sentence("content")
				_, err = e.Update(ctx, remember.UpdateInput{Ref: ref, Title: &title, Content: &content})
			case 3:
				importance := rapid.Float64Range(0, 1).Draw(rt, "importance")
				_, err = e.Update(ctx, remember.UpdateInput{Ref: ref, Importance: &importance, AddTags: []string{vocabulary[7]}, Metadata: map[string]any{"n": importance}})
			case 4:
				_, err = e.Forget(ctx, ref)
			case 5:
				_, err = e.Recall(ctx, search.RecallInput{SearchInput: search.SearchInput{Query: sentence("recall")}})
			}
			if what > 1 && (engram.CodeOf(err) == engram.CodeNotFound || engram.CodeOf(err) == engram.CodeInvalid) {
				return nil // it was forgotten, or merged into another
			}
			return err
		}
		for range rapid.IntRange(2, 12).Draw(rt, "steps") {
			for range rapid.IntRange(1, 3).Draw(rt, "writes") {
				if err := write(rapid.SampledFrom([]*engine.Engine{warm, other.Engine}).Draw(rt, "who")); err != nil {
					rt.Fatal(err)
				}
			}
			in := search.SearchInput{Query: sentence("query"), Filter: engram.Filter{Project: "demo"}, ByStrength: rapid.Bool().Draw(rt, "by strength")}
			store, err := enginetest.OpenStore(parts.Path)
			if err != nil {
				rt.Fatal(err)
			}
			at = parts.Clock.Now()
			cold := options
			cold.Store = store
			want := answer(t, engine.New(cold), in)
			if err := store.Close(); err != nil {
				rt.Fatal(err)
			}
			if got := answer(t, warm, in); got != want {
				rt.Fatalf("%+v\nwarm: %s\ncold: %s", in, got, want)
			}
			at = time.Time{}
		}
	})
}

// answer is everything a search returns, for comparison.
func answer(t *testing.T, e *engine.Engine, in search.SearchInput) string {
	t.Helper()
	found, err := e.Search(t.Context(), in)
	if err != nil {
		t.Fatalf("search %+v: %v", in, err)
	}
	told, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	return string(told)
}
