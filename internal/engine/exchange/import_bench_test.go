package exchange_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// benchFile is a native file of n memories of about 500 bytes: words are as rare as in real texts, half of the
// memories have tags, and one in ten has an earlier version.
func benchFile(n int) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	words := rand.NewZipf(r, 1.1, 4, 30_000)
	text := func(length int) string {
		var b strings.Builder
		for b.Len() < length {
			w := words.Uint64()
			fmt.Fprintf(&b, "%s%s ", [...]string{"ka", "re", "mo", "ti", "su", "lan", "ver", "dol"}[w%8], string(rune('a'+w%26))+fmt.Sprintf("%x", w*2654435761%(w+997)))
		}
		return b.String()
	}
	var b strings.Builder
	b.WriteString(`{"format":"engram","version":1,"project":"","memories":[`)
	for i := range n {
		between, more := ",", ""
		if i == 0 {
			between = ""
		}
		if i%2 == 0 {
			more += fmt.Sprintf(`,"tags":["t%d","u%d"]`, i%7, i%40)
		}
		if i%10 == 0 {
			more += fmt.Sprintf(`,"revision_count":2,"revisions":[{"number":1,"type":"decision","title":"Was %d","content":"%s"}]`, i, text(400))
		}
		fmt.Fprintf(&b, `%s{"id":"mem_%026d","project":"p%d","type":"decision","title":"Decision %d %s","content":"%s","created_at":"2026-01-02T03:04:05Z"%s}`,
			between, i, i%10, i, text(30), text(500), more)
	}
	b.WriteString(`]}`)
	return b.String()
}

// benchSizes are few memories, which are indexed at once, and many.
func benchSizes() []int { return []int{1000, 100_000} }

func perMemory(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/memory")
}

func BenchmarkImport(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file := benchFile(n)
			b.SetBytes(int64(len(file)))
			enginetest.MeasureCPU(b, n, func() {
				for b.Loop() {
					e := enginetest.New(b)
					if _, err := e.Import(b.Context(), strings.NewReader(file), exchange.ImportInput{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			perMemory(b, n)
		})
	}
}

func BenchmarkExport(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := enginetest.New(b)
			if _, err := e.Import(b.Context(), strings.NewReader(benchFile(n)), exchange.ImportInput{}); err != nil {
				b.Fatal(err)
			}
			var out bytes.Buffer
			if _, err := e.Export(b.Context(), &out, exchange.ExportInput{}); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(out.Len()))
			for b.Loop() {
				if _, err := e.Export(b.Context(), io.Discard, exchange.ExportInput{}); err != nil {
					b.Fatal(err)
				}
			}
			perMemory(b, n)
		})
	}
}

func BenchmarkUndoOfAnImport(b *testing.B) {
	const n = 5000
	file := benchFile(n)
	for b.Loop() {
		b.StopTimer()
		e := enginetest.New(b)
		in, err := e.Import(b.Context(), strings.NewReader(file), exchange.ImportInput{})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := e.Undo(b.Context(), undo.UndoInput{Op: in.Op}); err != nil {
			b.Fatal(err)
		}
	}
	perMemory(b, n)
}

// BenchmarkImportReplace imports what is here already, which compares every memory.
func BenchmarkImportReplace(b *testing.B) {
	const n = 1000
	file := benchFile(n)
	e := enginetest.New(b)
	in := exchange.ImportInput{Mode: exchange.ImportReplace}
	for b.Loop() {
		if _, err := e.Import(b.Context(), strings.NewReader(file), in); err != nil {
			b.Fatal(err)
		}
	}
	perMemory(b, n)
}
