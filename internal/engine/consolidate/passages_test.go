package consolidate_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// lines is letters that reads a memory line by line.
type lines struct{ letters }

func (l *lines) Embed(ctx context.Context, texts []string, role engram.Role) ([][]float32, error) {
	vs, err := l.letters.Embed(ctx, texts, role)
	for i, text := range texts {
		passages := strings.Split(text, "\n")
		if role != engram.RoleMemory || len(passages) == 1 || err != nil {
			continue
		}
		var parts [][]float32
		if parts, err = l.letters.Embed(ctx, passages, role); err == nil {
			for _, v := range parts {
				vs[i] = append(vs[i], v...)
			}
		}
	}
	return vs, err
}

// A long memory is found by one of its passages, and takes the vectors of all along in an export.
func TestAMemoryIsFoundByItsPassages(t *testing.T) {
	t.Parallel()
	w := crowd(t, 30)
	long := w.Note("Rig", "abcabcabc abab\ndedede edd\nzyxzyx zzyyxx\nmnmnmn nnmm")
	asked := &lines{letters{name: "lines"}}
	with := func(w enginetest.World) *engine.Engine {
		return w.With(engine.Options{Embedder: enginetest.Embedder(), Asked: asked, Formats: enginetest.Formats()})
	}
	e := with(w)
	if _, err := e.Reembed(t.Context(), consolidate.ReembedInput{}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(time.Minute)
	found, err := e.Search(t.Context(), search.SearchInput{Query: "xyz zyx", Mode: search.ModeSemantic, Filter: engram.Filter{Project: "demo"}})
	if err != nil || len(found.Degraded) > 0 {
		t.Fatalf("search: %v, degraded %q", err, found.Degraded)
	}
	if hits, _ := found.InOrder(); len(hits) == 0 || hits[0].Memory.Num != long {
		t.Errorf("by one of its passages the long memory is not the first of %d", len(hits))
	}

	numbers := func(w enginetest.World) (n int) {
		err := w.Store.View(w.Context(), func(r engram.Reader) error {
			all, err := r.List(w.Context(), engram.Filter{}, engram.Page{Order: engram.OrderNumber, Limit: 100})
			if err != nil {
				return err
			}
			at := slices.IndexFunc(all, func(m engram.Memory) bool { return m.Title == "Rig" })
			vs, err := r.Vectors(w.Context(), asked.Model().Fingerprint, []int64{all[at].Num})
			n = len(vs[all[at].Num])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := numbers(w); n != 5*26 {
		t.Errorf("%d numbers are stored, want those of the text and its four passages", n)
	}
	var file bytes.Buffer
	if _, err := e.Export(t.Context(), &file, exchange.ExportInput{Vectors: true}); err != nil {
		t.Fatal(err)
	}
	other := enginetest.NewWorld(t)
	if _, err := with(other).Import(t.Context(), &file, exchange.ImportInput{}); err != nil {
		t.Fatal(err)
	}
	if n := numbers(other); n != 5*26 {
		t.Errorf("%d numbers arrived with the memory", n)
	}
}
