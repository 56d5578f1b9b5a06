package mcp_test

import (
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram/internal/mcp"
)

// BenchmarkNew is what a process spends before it can answer: it has to stay far below
// the 3 ms that the start of a session allows.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := mcp.New(mcp.Options{Tools: "all"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSearch is one mem_search of a real client over a pipe, on a small store.
func BenchmarkSearch(b *testing.B) {
	c := connectStdio(b, newServer(b), "2025-11-25")
	for i := range 200 {
		use(b, c, "mem_save", fmt.Sprintf(`{"title":"memory %d","content":"words of memory number %d about caching"}`, i, i))
	}
	b.ResetTimer()
	for b.Loop() {
		use(b, c, "mem_search", `{"query":"what did we decide about caching number 7?"}`)
	}
}
