package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// subjects is a model that reads whole texts: one direction for each subject, whatever the words.
type subjects struct{ weight float64 }

func (s subjects) Model() engram.Model {
	return engram.Model{Name: "subjects", Fingerprint: "subjects@1", Dimensions: 3, Related: 2, Duplicate: 2, Noise: 0.1, Answer: 0.9, Fusion: engram.FusionScore, Weight: s.weight}
}

func (subjects) Embed(_ context.Context, texts []string, _ engram.Role) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, 3)
		switch {
		case strings.Contains(text, "ferry"), strings.Contains(text, "crossing"):
			vectors[i][0] = 1
		case strings.Contains(text, "oven"):
			vectors[i][1] = 1
		default:
			vectors[i][2] = 1
		}
	}
	return vectors, nil
}

// A model beside the built-in one finds what shares no word with the question, and takes nothing from what words find.
func TestASecondModelAddsItsRanking(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	e := w.With(engine.Options{Embedder: enginetest.Embedder(), Asked: subjects{0.4}})
	for _, text := range []string{"The ferry leaves at eight.", "The oven is cleaned on Sundays.", "Zanzibar has the spare keys.", "The garden gate squeaks.", "Bread rises near the window."} {
		if _, err := e.Save(t.Context(), remember.SaveInput{Content: text, Project: "demo"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Reembed(t.Context(), consolidate.ReembedInput{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query string
		mode  search.Mode
		first string
	}{
		{"when is the crossing", search.ModeHybrid, "ferry"},
		{"when is the crossing", search.ModeSemantic, "ferry"},
		{"who has the keys", search.ModeHybrid, "Zanzibar"},
		{"gate", search.ModeHybrid, "gate"},
	} {
		found, err := e.Search(t.Context(), search.SearchInput{Query: c.query, Mode: c.mode, Filter: engram.Filter{Project: "demo"}})
		if err != nil {
			t.Fatal(err)
		}
		all, _ := found.InOrder()
		var hits []string
		for _, h := range all {
			hits = append(hits, h.Memory.Content)
		}
		if len(hits) == 0 || !strings.Contains(hits[0], c.first) || len(found.Degraded) > 0 {
			t.Errorf("%q (%s): %q, degraded %q, want %q first", c.query, c.mode, hits, found.Degraded, c.first)
		}
	}
}

// role is a model to which every question is near to what has a word that no other memory has.
type role struct{ subjects }

func (r role) Embed(_ context.Context, texts []string, role engram.Role) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, 3)
		if role == engram.RoleQuery || strings.Contains(text, "quagga") {
			vectors[i][0] = 1
		} else {
			vectors[i][1] = 1
		}
	}
	return vectors, nil
}

// Words and the built-in model have more finds than they give; the second model's own stays beside them.
func TestWhatASecondModelAloneFindsStays(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	e := w.With(engine.Options{Embedder: enginetest.Embedder(), Asked: role{subjects{0.5}}})
	texts := []string{"A quagga stands in the museum."}
	for i := range 300 { // what stands beside finds would be one, and what most have in common counts for nothing
		texts = append(texts, fmt.Sprintf("Oak %d grows on the hill.", i))
	}
	for i := range 150 {
		texts = append(texts, fmt.Sprintf("The ferry to the island waits for train %d.", i))
	}
	for _, text := range texts {
		if _, err := e.Save(t.Context(), remember.SaveInput{Content: text, Project: "demo"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Reembed(t.Context(), consolidate.ReembedInput{}); err != nil {
		t.Fatal(err)
	}
	found, err := e.Search(t.Context(), search.SearchInput{Query: "ferry at nineteen island", Limit: 20, Filter: engram.Filter{Project: "demo"}})
	if err != nil {
		t.Fatal(err)
	}
	all, _ := found.InOrder()
	if !slices.ContainsFunc(all, func(h engram.Hit) bool { return strings.Contains(h.Memory.Content, "quagga") }) {
		t.Errorf("%d finds, and the second model's own is not among them", len(all))
	}
}
