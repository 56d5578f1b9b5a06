//go:build unix

package encoder_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"github.com/alanbuscaglia/engram/internal/encoder"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
)

// realShapes are those of published models, with random weights: speed does not depend on what they are.
func realShapes() map[string]encodertest.Shape {
	mini := encodertest.Shape{Hidden: 384, Layers: 6, Heads: 12, Inner: 1536, Positions: 512, Vocabulary: 30522}
	bge := mini
	bge.Layers, bge.CLS = 12, true
	return map[string]encodertest.Shape{"all-MiniLM-L6-v2": mini, "bge-small-en-v1.5": bge}
}

// cpu is the time in milliseconds that the process has computed, on all cores.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

// BenchmarkEmbed prints the median processor time of a text in milliseconds, and tokens per second of it, which other work on
// the machine hardly changes.
func BenchmarkEmbed(b *testing.B) {
	for _, name := range []string{"all-MiniLM-L6-v2", "bge-small-en-v1.5"} {
		m := encodertest.New(realShapes()[name], 1)
		for _, set := range kernel.Sets() {
			for _, narrow := range []bool{false, true} {
				e := must(b, m, encoder.Options{Kernels: set, Narrow: narrow})
				for _, size := range [][2]int{{1, 16}, {1, 64}, {1, 256}, {16, 16}, {16, 64}} {
					texts, tokens := size[0], size[1]
					inputs := sequences(m.Shape, slices.Repeat([]int{tokens}, texts)...)
					b.Run(fmt.Sprintf("%s/%s/narrow=%v/%dx%d", name, set.Name(), narrow, texts, tokens), func(b *testing.B) {
						var times []float64
						for b.Loop() {
							before := cpu()
							if _, err := e.Embed(b.Context(), inputs, encoder.Mean); err != nil {
								b.Fatal(err)
							}
							times = append(times, cpu()-before)
						}
						slices.Sort(times)
						median := times[len(times)/2]
						b.ReportMetric(median/float64(texts), "cpu-ms/text")
						b.ReportMetric(float64(texts*tokens)/median*1000, "tokens/cpu-s")
					})
				}
			}
		}
	}
}

// BenchmarkNew is what a model costs before its first text.
func BenchmarkNew(b *testing.B) {
	m := encodertest.New(realShapes()["all-MiniLM-L6-v2"], 1)
	for _, narrow := range []bool{false, true} {
		b.Run(fmt.Sprintf("narrow=%v", narrow), func(b *testing.B) {
			before := cpu()
			for b.Loop() {
				must(b, m, encoder.Options{Narrow: narrow})
			}
			b.ReportMetric((cpu()-before)/float64(b.N), "cpu-ms/op")
		})
	}
}
