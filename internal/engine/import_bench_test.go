package engine_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// benchFile is a native file of n memories of some 500 bytes.
func benchFile(n int) string {
	var b strings.Builder
	b.WriteString(`{"format":"engram","version":1,"project":"","memories":[`)
	for i := range n {
		between := ","
		if i == 0 {
			between = ""
		}
		fmt.Fprintf(&b, `%s{"id":"mem_%026d","project":"p%d","type":"decision","title":"Decision %d","content":"%s","created_at":"2026-01-02T03:04:05Z"}`,
			between, i, i%10, i, strings.Repeat(fmt.Sprintf("the pool of shard %d answers before queue %d does. ", i%97, i%31), 8))
	}
	b.WriteString(`]}`)
	return b.String()
}

func BenchmarkImport(b *testing.B) {
	const n = 1000
	file := benchFile(n)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		e := enginetest.New(b)
		if _, err := e.Import(b.Context(), strings.NewReader(file), engine.ImportInput{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/memory")
}

func BenchmarkExport(b *testing.B) {
	const n = 1000
	e := enginetest.New(b)
	if _, err := e.Import(b.Context(), strings.NewReader(benchFile(n)), engine.ImportInput{}); err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := e.Export(b.Context(), &out, engine.ExportInput{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(out.Len()))
	for b.Loop() {
		if _, err := e.Export(b.Context(), io.Discard, engine.ExportInput{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/memory")
}
