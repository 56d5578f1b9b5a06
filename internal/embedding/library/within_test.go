package library_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/library"
	"github.com/alanbuscaglia/engram/internal/embedding/own"
	"github.com/alanbuscaglia/engram/internal/embedding/transformer"
)

// listed is List without the model that is part of the program.
func listed(l library.Library) ([]library.Lock, []error, error) {
	locks, problems, err := l.List()
	return slices.DeleteFunc(locks, library.Lock.Within), problems, err
}

func TestAModelIsPartOfTheProgram(t *testing.T) {
	t.Parallel()
	l := library.Library{Dir: t.TempDir(), Threads: 1}
	locks, problems, err := l.List()
	if err != nil || len(problems) > 0 || len(locks) != 1 || locks[0].Name != own.Name || !locks[0].Within() {
		t.Fatalf("listed %v, %v, %v", locks, problems, err)
	}
	if lock, err := l.Verify(t.Context(), strings.ToUpper(own.Name)); err != nil || lock.Size() != own.Size {
		t.Errorf("verify: %v, %v", lock, err)
	}
	if _, err := l.Remove(own.Name); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("remove: %v", err)
	}
	if _, err := l.Add(t.Context(), library.AddInput{Folder: t.TempDir(), Name: own.Name, Now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("add another of its name: %v", err)
	}
	if _, err := l.Reranker(own.Name); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("as a reranker: %v", err)
	}
	e, err := l.Embedder(own.Name)
	if err != nil {
		t.Fatal(err)
	}
	m := e.Model()
	if m.Name != own.Name || m.Dimensions != own.Dimensions || m.Weight != own.Weight || m.Instant {
		t.Errorf("model %+v", m)
	}
	long := strings.Repeat("The worker retries a failed upload three times. ", 40)
	v, err := e.Embed(t.Context(), []string{"How often is an upload retried?", long, " "}, engram.RoleMemory)
	if err != nil {
		t.Fatal(err)
	}
	cosine := 0.0
	for i, x := range v[0] {
		cosine += float64(x) * float64(v[1][i])
	}
	if len(v[0]) != m.Dimensions || len(v[1]) <= m.Dimensions || len(v[1])%m.Dimensions != 0 || cosine < 0.4 || math.IsNaN(cosine) {
		t.Errorf("%d and %d numbers, cosine %.2f", len(v[0]), len(v[1]), cosine)
	}
	if slices.ContainsFunc(v[2], func(x float32) bool { return x != 0 }) {
		t.Error("a blank text has a vector")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	again, err := e.Embed(t.Context(), []string{"How often is an upload retried?"}, engram.RoleQuery)
	if err != nil || !slices.Equal(again[0], v[0]) {
		t.Errorf("after Close, by the packed weights: other numbers, or %v", err)
	}
	if _, err := os.Stat(filepath.Join(l.Dir, ".packed", transformer.PackFile)); err != nil {
		t.Errorf("the weights are not kept as they were packed: %v", err)
	}
}
