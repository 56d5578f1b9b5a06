package engine_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// onlyProject is the project of the store for scans.
const onlyProject = "project-00"

// single builds the store: 20,000 memories in one project.
var single = sync.OnceValues(func() (string, error) {
	root, err := benchFolder()
	dir := filepath.Join(root, "single")
	if err != nil {
		return dir, err
	}
	return dir, fillProject(dir, 20_000, onlyProject)
})

// A scan compares all memories of a project with each other.
func BenchmarkScan(b *testing.B) {
	onOne(b, single, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		for b.Loop() {
			res, err := w.Scan(b.Context(), relate.ScanInput{Project: onlyProject})
			if err != nil || res.Inspected != 20_000 {
				b.Fatalf("%+v, %v", res, err)
			}
			b.ReportMetric(float64(res.Found), "pairs")
		}
	})
}
