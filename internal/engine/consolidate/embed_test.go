package consolidate_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// letters is an embedder by letter frequencies.
type letters struct {
	name    string
	instant bool
	// spoil, if not nil, changes the result.
	spoil func(texts []string, vs [][]float32) ([][]float32, error)
}

func (l *letters) Model() engram.Model {
	return engram.Model{Name: l.name, Fingerprint: l.name + "-1", Dimensions: 26, Related: 0.9, Duplicate: 0.99, Noise: 0.6, Answer: 0.9,
		Fusion: engram.FusionScore, Weight: 0.2, Instant: l.instant}
}

func (l *letters) Embed(ctx context.Context, texts []string, _ engram.Role) ([][]float32, error) {
	vs := make([][]float32, len(texts))
	for i, t := range texts {
		vs[i] = make([]float32, 26)
		sum := 0.0
		for _, r := range strings.ToLower(t) {
			if r >= 'a' && r <= 'z' {
				vs[i][r-'a']++
			}
		}
		for _, x := range vs[i] {
			sum += float64(x) * float64(x)
		}
		for j := range vs[i] {
			vs[i][j] /= float32(math.Sqrt(max(sum, 1)))
		}
	}
	if l.spoil != nil {
		return l.spoil(texts, vs)
	}
	return vs, ctx.Err()
}

// models returns how many memories each model covers.
func models(w enginetest.World) map[string]int {
	w.Helper()
	covered := map[string]int{}
	err := w.Store.View(w.Context(), func(r engram.Reader) error {
		ms, err := r.Models(w.Context())
		for _, m := range ms {
			covered[m.Model.Name] = m.Memories
		}
		return err
	})
	if err != nil {
		w.Fatalf("models: %v", err)
	}
	return covered
}

// spoilt are invalid results of a damaged model.
func spoilt() map[string]func([]string, [][]float32) ([][]float32, error) {
	return map[string]func([]string, [][]float32) ([][]float32, error){
		"it fails": func([]string, [][]float32) ([][]float32, error) {
			return nil, errors.New("the model file is cut short")
		},
		"it gives nothing":              func([]string, [][]float32) ([][]float32, error) { return nil, nil },
		"it gives too many":             func(_ []string, vs [][]float32) ([][]float32, error) { return append(vs, vs...), nil },
		"its vectors are too short":     func(_ []string, vs [][]float32) ([][]float32, error) { vs[0] = vs[0][:7]; return vs, nil },
		"its vectors are not numbers":   func(_ []string, vs [][]float32) ([][]float32, error) { vs[0][3] = float32(math.NaN()); return vs, nil },
		"its vectors are beyond bounds": func(_ []string, vs [][]float32) ([][]float32, error) { vs[0][3] = float32(math.Inf(1)); return vs, nil },
	}
}

func TestADamagedModelLeavesTheWordsToAnswer(t *testing.T) {
	t.Parallel()
	old := enginetest.Embedder().Model().Name
	for name, spoil := range spoilt() {
		t.Run(name, func(t *testing.T) {
			w, num := enginetest.Library(t)
			e := w.With(engine.Options{Embedder: &letters{name: "damaged", instant: true, spoil: spoil}})
			for _, mode := range []search.Mode{search.ModeHybrid, search.ModeSemantic} {
				found, err := e.Search(t.Context(), search.SearchInput{Query: "mailer retries", Mode: mode})
				if err != nil {
					t.Fatalf("%s: %v", mode, err)
				}
				if len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "meaning") {
					t.Errorf("%s: degraded says %q, want that finding by meaning did not work", mode, found.Degraded)
				}
				if mode == search.ModeHybrid && (len(found.Hits) == 0 || found.Hits[0].Memory.Num != num["other"]) {
					t.Errorf("got %v, want #%d first by its words", enginetest.HitNums(found.Hits), num["other"])
				}
			}
			if found, err := e.Search(t.Context(), search.SearchInput{Query: "mailer", Mode: search.ModeLexical}); err != nil || len(found.Degraded) > 0 {
				t.Errorf("by words alone: %q, %v, want no complaint", found.Degraded, err)
			}
			saved, err := e.Save(t.Context(), remember.SaveInput{Title: "Saved all the same", Content: "The model is damaged.", Project: "demo"})
			if err != nil {
				t.Fatalf("save: %v", err)
			}
			if n := models(w)["damaged"]; n != 0 {
				t.Errorf("%d memories have a vector of the damaged model", n)
			}
			if hits := w.MustSearch(search.SearchInput{Query: "the model is damaged"}).Hits; len(hits) == 0 || hits[0].Memory.Num != saved.Memory.Num {
				t.Errorf("got %v, want #%d", enginetest.HitNums(hits), saved.Memory.Num)
			}
			before := models(w)
			if _, err := e.Reembed(t.Context(), consolidate.ReembedInput{}); err == nil {
				t.Error("reembed: got no error, want one")
			}
			if after := models(w); len(after) != len(before) || after[old] != before[old] {
				t.Errorf("reembed left %v, was %v: the old vectors are still needed", after, before)
			}
		})
	}
}

func TestADamagedVectorLeavesTheWordsToAnswer(t *testing.T) {
	enginetest.OfFile(t)
	t.Parallel()
	for name, damage := range map[string]string{
		"one that is cut short": `UPDATE vectors SET row = x'00ff' WHERE num = (SELECT max(num) FROM vectors)`,
		"all that are emptied":  `UPDATE vectors SET row = x''`,
	} {
		t.Run(name, func(t *testing.T) {
			w, num := enginetest.Library(t)
			db, err := sql.Open("sqlite", w.Path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.ExecContext(t.Context(), damage); err != nil {
				t.Fatal(err)
			}
			again := w.Reopened()
			found, err := again.Search(t.Context(), search.SearchInput{Query: "mailer retries"})
			if err != nil || len(found.Hits) == 0 || found.Hits[0].Memory.Num != num["other"] {
				t.Fatalf("got %v, %v, want #%d by its words", enginetest.HitNums(found.Hits), err, num["other"])
			}
			if len(found.Degraded) == 0 || !strings.Contains(found.Degraded[0], "reembed --all") {
				t.Errorf("degraded says %q, want what to do about it", found.Degraded)
			}
			if found := again.MustSearch(search.SearchInput{Query: "mailer retries", Mode: search.ModeLexical}); len(found.Hits) == 0 || len(found.Degraded) > 0 {
				t.Errorf("by words alone: %v, degraded %q, want hits and no complaint", enginetest.HitNums(found.Hits), found.Degraded)
			}
			if _, err := again.Reembed(t.Context(), consolidate.ReembedInput{All: true}); err != nil {
				t.Fatalf("reembed: %v", err)
			}
			if found := again.MustSearch(search.SearchInput{Query: "mailer retries"}); len(found.Degraded) > 0 {
				t.Errorf("embedded anew: still degraded: %q", found.Degraded)
			}
		})
	}
}

func TestWithoutAModelTheWordsAnswer(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	e := w.With(engine.Options{})
	found, err := e.Search(t.Context(), search.SearchInput{Query: "mailer retries"})
	if err != nil || len(found.Degraded) > 0 || len(found.Hits) == 0 || found.Hits[0].Memory.Num != num["other"] {
		t.Errorf("got %v, degraded %q, %v, want #%d and no complaint", enginetest.HitNums(found.Hits), found.Degraded, err, num["other"])
	}
	found, err = e.Search(t.Context(), search.SearchInput{Query: "mailer retries", Mode: search.ModeSemantic})
	if err != nil || len(found.Degraded) != 1 || len(found.Hits)+len(found.BelowThreshold) > 0 {
		t.Errorf("by meaning: got %v, degraded %q, %v, want nothing and the reason", enginetest.HitNums(found.Hits), found.Degraded, err)
	}
	_, err = e.Reembed(t.Context(), consolidate.ReembedInput{})
	enginetest.WantCode(t, err, engram.CodeUnavailable)
	if engram.HintOf(err) == "" {
		t.Errorf("%v has no hint", err)
	}
}

// crowd saves enough memories for several batches of Reembed.
func crowd(t testing.TB, n int) enginetest.World {
	w := enginetest.NewWorld(t)
	for i := range n {
		w.Note(fmt.Sprintf("Valve %d", i), fmt.Sprintf("Valve number %d of the boiler was greased.", i))
	}
	return w
}

// former is the model of the tests' engines.
func former(m engram.Model) engram.Embedder {
	if e := enginetest.Embedder(); e.Model().Fingerprint == m.Fingerprint {
		return e
	}
	return nil
}

func TestReembeddingGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	const total = 300 // more than a batch
	old := enginetest.Embedder().Model().Name
	w := crowd(t, total)
	e := w.With(engine.Options{Embedder: &letters{name: "young"}, Former: former})
	vectorRank := func() (by int, degraded []string) {
		w.Clock.Add(time.Minute) // what is known of the models is believed for seconds
		found, err := e.Search(t.Context(), search.SearchInput{Query: "valve 7 greased", Filter: engram.Filter{Project: "demo"}})
		if err != nil {
			t.Fatal(err)
		}
		hits, _ := found.InOrder()
		for _, h := range hits {
			if slices.ContainsFunc(h.Why.Channels, func(c engram.ChannelRank) bool { return c.Channel == engram.ChannelVector }) {
				by++
			}
		}
		return by, found.Degraded
	}
	answers := func(when string) {
		t.Helper()
		if n, degraded := vectorRank(); n == 0 || len(degraded) > 0 {
			t.Errorf("%s: %d finds by meaning, degraded %q, want some and no complaint", when, n, degraded)
		}
	}
	answers("before")

	ctx, cancel := context.WithCancel(t.Context())
	var told [][2]int
	res, err := e.Reembed(ctx, consolidate.ReembedInput{Progress: func(done, all int) {
		told = append(told, [2]int{done, all})
		if done > 0 {
			cancel()
		}
	}})
	if err == nil || res.Embedded == 0 || res.Embedded >= total || len(res.Dropped) > 0 {
		t.Fatalf("called off: %+v, %v, want an error, a part of %d embedded and nothing dropped", res, err, total)
	}
	done := res.Embedded
	if got, want := fmt.Sprint(told), fmt.Sprint([][2]int{{0, total}, {done, total}}); got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	if got := models(w); got["young"] != done || got[old] != total {
		t.Errorf("called off: models cover %v, want %d of young and all of the old", got, done)
	}
	answers("in the middle")

	told = nil
	res, err = e.Reembed(t.Context(), consolidate.ReembedInput{Progress: func(done, all int) { told = append(told, [2]int{done, all}) }})
	if err != nil || res.Embedded != total-done || res.Total != total || !slices.Equal(res.Dropped, []string{old}) {
		t.Fatalf("went on: %+v, %v, want the other %d embedded and the old vectors dropped", res, err, total-done)
	}
	if len(told) == 0 || told[0] != [2]int{done, total} || told[len(told)-1] != [2]int{total, total} {
		t.Errorf("told %v, want from %d to %d", told, done, total)
	}
	if got := models(w); len(got) != 1 || got["young"] != total {
		t.Errorf("afterwards models cover %v, want young alone and all", got)
	}
	answers("afterwards")

	res, err = e.Reembed(t.Context(), consolidate.ReembedInput{})
	if err != nil || res.Embedded != 0 {
		t.Errorf("once more: %+v, %v, want nothing to do", res, err)
	}
	res, err = e.Reembed(t.Context(), consolidate.ReembedInput{All: true})
	if err != nil || res.Embedded != total {
		t.Errorf("all anew: %+v, %v, want all", res, err)
	}
}

func TestVectorsThatAreNotThereYetAreTold(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	found, err := w.With(engine.Options{Embedder: &letters{name: "young"}}).Search(t.Context(), search.SearchInput{Query: "mailer retries"})
	if err != nil || len(found.Hits) == 0 || found.Hits[0].Memory.Num != num["other"] {
		t.Fatalf("got %v, %v, want #%d by its words", enginetest.HitNums(found.Hits), err, num["other"])
	}
	if len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "engram reembed") {
		t.Errorf("degraded says %q, want that engram reembed is needed", found.Degraded)
	}
}
