package embeddingtest

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// wordCases skip embedders that are not an engram.WordEmbedder.
func wordCases() []testCase {
	cases := []struct {
		name string
		run  func(k *kit, w engram.WordEmbedder)
	}{
		{"words that count alike have the vector of their text", func(k *kit, w engram.WordEmbedder) {
			words := strings.Fields("bread rises slowly in a cold kitchen")
			got := k.words(w, words, []float64{2, 2, 2, 2, 2, 2, 2})
			if want := k.embed(engram.RoleQuery, strings.Join(words, " "))[0]; !near(got, want) {
				k.Errorf("%q: cosine %v with the vector of the text, want 1", words, dot(got, want))
			}
		}},
		{"a word that counts more draws the vector to itself", func(k *kit, w engram.WordEmbedder) {
			words := []string{"bread", "database"}
			bread := k.embed(engram.RoleQuery, "bread")[0]
			light, heavy := k.words(w, words, []float64{0.2, 1}), k.words(w, words, []float64{5, 1})
			if dot(light, bread) >= dot(heavy, bread) {
				k.Errorf("bread counting a fifth: cosine %v; five times: %v", dot(light, bread), dot(heavy, bread))
			}
		}},
		{"words that do not count, or mean nothing, give the zero vector", func(k *kit, w engram.WordEmbedder) {
			for _, v := range [][]float32{k.words(w, nil, nil), k.words(w, []string{"bread", "kitchen"}, []float64{0, 0}), k.words(w, []string{"", "!?"}, []float64{1, 1})} {
				if dot(v, v) != 0 {
					k.Errorf("got %v…", v[:4])
				}
			}
		}},
		{"words are held against each other in order", func(k *kit, w engram.WordEmbedder) {
			words, others := []string{"bread", "database", ""}, []string{"database", "bread", "\xff", "kitchen"}
			rows := w.Similarities(words, others)
			if len(rows) != len(words) {
				k.Fatalf("got %d rows, want %d", len(rows), len(words))
			}
			for i, row := range rows {
				if len(row) != len(others) {
					k.Fatalf("row %d has %d numbers, want %d", i, len(row), len(others))
				}
				for j, x := range row {
					if same := words[i] == others[j]; !(math.Abs(x) <= 1.0001) || same && math.Abs(x-1) > 1e-4 {
						k.Errorf("%q and %q: got %v", words[i], others[j], x)
					}
				}
			}
			if rows[0][3] <= rows[1][3] {
				k.Errorf("kitchen: %v to bread, %v to database", rows[0][3], rows[1][3])
			}
			if len(w.Similarities(nil, others)) != 0 {
				k.Error("no words gave rows")
			}
		}},
		{"who gave up asking for words gets an error", func(k *kit, w engram.WordEmbedder) {
			ctx, cancel := context.WithCancel(k.Context())
			cancel()
			if _, err := w.EmbedWords(ctx, []string{"bread"}, []float64{1}); !errors.Is(err, context.Canceled) {
				k.Errorf("got error %v, want %v", err, context.Canceled)
			}
		}},
	}
	all := make([]testCase, len(cases))
	for i, c := range cases {
		all[i] = testCase{c.name, func(k *kit) {
			if w, ok := k.Embedder.(engram.WordEmbedder); ok {
				c.run(k, w)
			}
		}}
	}
	return all
}

// words embeds words and checks the vector.
func (k *kit) words(w engram.WordEmbedder, words []string, weights []float64) []float32 {
	k.Helper()
	v, err := w.EmbedWords(k.Context(), words, weights)
	if err != nil {
		k.Fatalf("embed words %q: %v", words, err)
	}
	if len(v) != k.Model().Dimensions {
		k.Fatalf("the vector of %q has %d numbers, want %d", words, len(v), k.Model().Dimensions)
	}
	if length := math.Sqrt(dot(v, v)); length != 0 && !(math.Abs(length-1) < 1e-4) {
		k.Errorf("the vector of %q has length %v, want 0 or 1", words, length)
	}
	return v
}
