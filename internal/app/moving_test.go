package app_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/exchange"
)

// wide is a native file of n memories of some 3,000 bytes, made as it is read.
func wide(n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		fmt.Fprint(w, `{"format":"engram","version":1,"project":"","memories":[`)
		for i := range n {
			between := ","
			if i == 0 {
				between = ""
			}
			fmt.Fprintf(w, `%s{"id":"mem_%026d","project":"p%d","type":"decision","title":"Decision %d","content":"%s","created_at":"2026-01-02T03:04:05Z"}`,
				between, i, i%10, i, strings.Repeat(fmt.Sprintf("the pool of shard %d answers before queue %d does. ", i%97, i%31), 60))
		}
		fmt.Fprint(w, `]}`)
		_ = w.Close()
	}()
	return r
}

// peak returns a progress that notes how much the heap holds at most beyond what it holds now.
func peak() (progress func(done, total int), most func() uint64) {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, greatest := live(), uint64(0)
	return func(done, _ int) {
		if done%1000 == 0 {
			greatest = max(greatest, live())
		}
	}, func() uint64 { return greatest - min(before, greatest) }
}

func TestWhatIsMovedIsNeverInMemoryAsAWhole(t *testing.T) {
	const memories = 24_000
	const file, most = memories * 3_000, memories * 3_000 * 2 / 3 // its indexes are in memory
	a := newApp(t, t.TempDir())
	progress, used := peak()
	in, err := a.Engine.Import(t.Context(), wide(memories), exchange.ImportInput{Progress: progress})
	if err != nil || in.Memories.Added != memories {
		t.Fatalf("import: got %+v, %v", in.Memories, err)
	}
	if n := used(); n == 0 || n > most {
		t.Errorf("importing %d bytes: the heap grew by %d, want at most %d", file, n, most)
	}
	progress, used = peak()
	out, err := a.Engine.Export(t.Context(), io.Discard, exchange.ExportInput{Progress: progress})
	if err != nil || out.Memories != memories {
		t.Fatalf("export: got %+v, %v", out, err)
	}
	if n := used(); n == 0 || n > most {
		t.Errorf("exporting as much: the heap grew by %d, want at most %d", n, most)
	}
}
