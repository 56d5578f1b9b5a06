package static_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/static"
)

// The contract of engram.Embedder and of engram.WordEmbedder. The requirements are in their doc comments and in those
// of engram.Model; internal/eval measures the quality of a model's vectors. Nothing here is about this model, so that
// another one can be held to it.
func TestEmbedder(t *testing.T) {
	open := func(*testing.T) engram.Embedder { return static.New() }
	for _, c := range slices.Concat(manifestCases(), vectorCases(), textCases(), callCases(), wordCases()) {
		t.Run(c.name, func(t *testing.T) { c.run(&kit{T: t, Embedder: open(t)}) })
	}
}

type testCase struct {
	name string
	run  func(k *kit)
}

type kit struct {
	*testing.T
	engram.Embedder
}

func (k *kit) embed(role engram.Role, texts ...string) [][]float32 {
	k.Helper()
	vectors, err := k.Embed(k.Context(), texts, role)
	if err != nil {
		k.Fatalf("embed %.60q: %v", texts, err)
	}
	if len(vectors) != len(texts) {
		k.Fatalf("embed %d texts: got %d vectors", len(texts), len(vectors))
	}
	for i, v := range vectors {
		if len(v) != k.Model().Dimensions {
			k.Fatalf("the vector of %.60q has %d numbers, want %d", texts[i], len(v), k.Model().Dimensions)
		}
		if length := math.Sqrt(dot(v, v)); length != 0 && !(math.Abs(length-1) < 1e-4) {
			k.Errorf("the vector of %.60q has length %v, want 0 or 1", texts[i], length)
		}
	}
	return vectors
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func sentences() []string {
	return []string{
		"The importer keeps a checkpoint, so a second run goes on where the first one stopped.",
		"Bread rises slowly in a cold kitchen.",
		"db",
		"parseHTTPHeader() returns io.ErrUnexpectedEOF",
	}
}

func manifestCases() []testCase {
	return []testCase{
		{"the manifest says what is needed", func(k *kit) {
			m := k.Model()
			if m.Name == "" || m.Fingerprint == "" || m.Dimensions <= 0 {
				k.Errorf("name, fingerprint or dimensions are missing: %+v", m)
			}
			if !(0 < m.Related && m.Related <= m.Duplicate && m.Duplicate <= 1) {
				k.Errorf("marks: got related %v, duplicate %v, want 0 < related ≤ duplicate ≤ 1", m.Related, m.Duplicate)
			}
			if m.Fusion != engram.FusionScore && m.Fusion != engram.FusionRank {
				k.Errorf("fusion: got %q", m.Fusion)
			}
			if !(0 < m.Weight && m.Weight <= 1) {
				k.Errorf("weight: got %v, want above 0, at most 1", m.Weight)
			}
		}},
		{"the manifest never changes", func(k *kit) {
			before := k.Model()
			k.embed(engram.RoleMemory, sentences()...)
			if after := k.Model(); after != before {
				k.Errorf("got %+v, want %+v", after, before)
			}
		}},
	}
}

func vectorCases() []testCase {
	return []testCase{
		{"words give a vector of length 1", func(k *kit) {
			for i, v := range k.embed(engram.RoleMemory, sentences()...) {
				if dot(v, v) == 0 {
					k.Errorf("%q gave the zero vector", sentences()[i])
				}
			}
		}},
		{"a text alone has the vector that it has among others, in order", func(k *kit) {
			all := k.embed(engram.RoleMemory, sentences()...)
			for i, s := range sentences() {
				if alone := k.embed(engram.RoleMemory, s)[0]; !near(alone, all[i]) {
					k.Errorf("%q: alone %v…, among others %v…", s, alone[:4], all[i][:4])
				}
			}
		}},
		{"the same text has the same vector", func(k *kit) {
			for _, role := range []engram.Role{engram.RoleMemory, engram.RoleQuery} {
				s := sentences()[0]
				vs := k.embed(role, s, s)
				if !near(vs[0], vs[1]) || !near(vs[0], k.embed(role, s)[0]) {
					k.Errorf("as %s: got different vectors of %q", role, s)
				}
			}
		}},
		{"a question is nearer to its own words than to others", func(k *kit) {
			q := k.embed(engram.RoleQuery, sentences()[0])[0]
			vs := k.embed(engram.RoleMemory, sentences()...)
			for i := 1; i < len(vs); i++ {
				if dot(q, vs[i]) >= dot(q, vs[0]) {
					k.Errorf("%q: cosine %v with itself, %v with %q", sentences()[0], dot(q, vs[0]), dot(q, vs[i]), sentences()[i])
				}
			}
		}},
		{"the vectors are the caller's", func(k *kit) {
			vs := k.embed(engram.RoleMemory, sentences()...)
			want := slices.Clone(vs[1])
			for i := range vs[0] {
				vs[0][i] = 7
			}
			_ = append(vs[0], 7) // must not reach into the next one
			if !slices.Equal(vs[1], want) {
				k.Error("changing one vector changed another")
			}
			if again := k.embed(engram.RoleMemory, sentences()[0])[0]; again[0] == 7 {
				k.Error("changing a vector changed what the embedder answers")
			}
		}},
	}
}

// near tolerates models that compute differently in a batch.
func near(a, b []float32) bool { return len(a) == len(b) && 1-dot(a, b) < 1e-5 }

func textCases() []testCase {
	return []testCase{
		{"no texts give no vectors", func(k *kit) {
			for _, texts := range [][]string{nil, {}} {
				if vs, err := k.Embed(k.Context(), texts, engram.RoleMemory); err != nil || len(vs) != 0 {
					k.Errorf("got %v, %v", vs, err)
				}
			}
		}},
		{"an empty text gives a vector, and so does white space", func(k *kit) {
			k.embed(engram.RoleMemory, "", " \n\t", sentences()[0])
			k.embed(engram.RoleQuery, "")
		}},
		{"a text of 100 kB gives a vector", func(k *kit) {
			k.embed(engram.RoleMemory, strings.Repeat("how a long text ends ", 5000), strings.Repeat("x", 100_000),
				strings.Repeat("\xff", 100_000), strings.Repeat("é", 50_000), strings.Repeat("#", 100_000), strings.Repeat("漢", 33_000))
		}},
		{"bytes that are no text give a vector", func(k *kit) {
			k.embed(engram.RoleMemory, "\xff\xfe\x00", "a\x00b", "caf\xc3", "\xed\xa0\x80", "ok \x80 ok", "\u202e\u0000\ufeff")
		}},
		{"what stands beside a bad text keeps its vector", func(k *kit) {
			s := sentences()[1]
			vs := k.embed(engram.RoleMemory, "\xff\xfe", s, "")
			if !near(vs[1], k.embed(engram.RoleMemory, s)[0]) {
				k.Errorf("%q: got another vector beside bad texts", s)
			}
		}},
	}
}

func callCases() []testCase {
	return []testCase{
		{"many goroutines may ask at once", func(k *kit) {
			want := k.embed(engram.RoleMemory, sentences()...)
			var all sync.WaitGroup
			failures := make(chan string, 8)
			for range cap(failures) {
				all.Go(func() {
					for range 5 {
						vs, err := k.Embed(k.Context(), sentences(), engram.RoleMemory)
						if err != nil || len(vs) != len(want) {
							failures <- fmt.Sprintf("got %d vectors, %v", len(vs), err)
							return
						}
						for i := range vs {
							if !near(vs[i], want[i]) {
								failures <- fmt.Sprintf("%q: got another vector", sentences()[i])
								return
							}
						}
					}
				})
			}
			all.Wait()
			close(failures)
			for f := range failures {
				k.Error(f)
			}
		}},
		{"who gave up gets an error", func(k *kit) {
			ctx, cancel := context.WithCancel(k.Context())
			cancel()
			if vs, err := k.Embed(ctx, sentences(), engram.RoleMemory); !errors.Is(err, context.Canceled) {
				k.Errorf("got %d vectors, error %v, want %v", len(vs), err, context.Canceled)
			}
			k.embed(engram.RoleMemory, sentences()...) // and the embedder still works
		}},
	}
}

// wordCases skip embedders that are not an engram.WordEmbedder.
func wordCases() []testCase {
	cases := []struct {
		name string
		run  func(k *kit, w engram.WordEmbedder)
	}{
		{"common words come before rare ones, and unknown ones have no place", func(k *kit, w engram.WordEmbedder) {
			file, kitchen := w.Line("file"), w.Line("kitchen")
			if file < 0 || kitchen <= file {
				k.Errorf("lines: file %d, kitchen %d; want the common word first", file, kitchen)
			}
			for _, unknown := range []string{"", "!?", "fezolke", "xq7kitchen", "\xff"} {
				if line := w.Line(unknown); line != -1 {
					k.Errorf("line of %q: got %d, want -1", unknown, line)
				}
			}
		}},
		{"words are held against each other in order", func(k *kit, w engram.WordEmbedder) {
			words, others := []string{"bread", "database", ""}, []string{"database", "bread", "\xff", "kitchen"}
			rows := w.Similarities(linesOf(w, words), linesOf(w, others))
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
			if len(w.Similarities(nil, linesOf(w, others))) != 0 {
				k.Error("no words gave rows")
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
