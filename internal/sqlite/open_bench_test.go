package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// BenchmarkOpen is what a short command spends on its store: opening an existing one to read, a first transaction, closing it.
func BenchmarkOpen(b *testing.B) {
	o := sqlite.Options{Path: filepath.Join(b.TempDir(), "engram.db"), Now: time.Now, Single: true}
	for b.Loop() {
		s, err := sqlite.Open(b.Context(), o)
		if err == nil {
			err = s.View(b.Context(), func(engram.Reader) error { return nil })
		}
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
