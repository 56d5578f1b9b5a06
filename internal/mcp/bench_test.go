package mcp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
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

// BenchmarkCall is one call over a pipe, one after the other, at 1,000 memories. The
// client's share of it is that of the SDK's client.
func BenchmarkCall(b *testing.B) {
	for _, bench := range []struct {
		name, tool string
		args       func(i int) string
	}{
		{"get", "mem_get_observation", func(i int) string { return fmt.Sprintf(`{"id":%d}`, i%1000+1) }},
		{"search", "mem_search", func(i int) string {
			return fmt.Sprintf(`{"query":"what did we decide about %s and %s?"}`, subject(i), subject(7*i+3))
		}},
		{"query", "memory_query", func(i int) string {
			return fmt.Sprintf(`{"query":"%s and %s"}`, subject(i), subject(7*i+3))
		}},
		{"recall", "recall", func(i int) string {
			return fmt.Sprintf(`{"query":"%s and %s"}`, subject(i), subject(7*i+3))
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := connectStdio(b, thousand(b), "2025-11-25")
			i := 0
			for b.Loop() {
				if r := use(b, c, bench.tool, bench.args(i)); r.IsError {
					b.Fatalf("%s: %s", bench.args(i), text(r))
				}
				i++
			}
		})
	}
}

// BenchmarkCallPipelined is the same for calls that do not wait for one another.
func BenchmarkCallPipelined(b *testing.B) {
	c := connectStdio(b, thousand(b), "2025-11-25")
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			r, err := c.CallTool(b.Context(), &sdk.CallToolParams{Name: "mem_search", Arguments: map[string]any{"query": subject(i)}})
			if err != nil || r.IsError {
				b.Errorf("search: %+v, %v", r, err)
			}
		}
	})
}

// subject is one of twenty words that memories are about.
func subject(i int) string {
	return strings.Fields("cache queue login invoice deploy schema retry backup theme search upload quota webhook session index postgres redis kafka token user")[i%20]
}

// word is one of some ten thousand that mean nothing.
func word(i int) string {
	syllables := strings.Fields("ka lo mi nu pe ro sa ti vu we xa yo ze")
	var b strings.Builder
	for range 4 {
		b.WriteString(syllables[i%len(syllables)])
		i = i/len(syllables) + 7*i%31
	}
	return b.String()
}

// thousand is a server over a thousand memories.
func thousand(b *testing.B) *mcp.Server {
	b.Helper()
	e := enginetest.New(b)
	for i := range 10 {
		var ins []engine.SaveInput
		for j := range 100 {
			n := 100*i + j
			ins = append(ins, engine.SaveInput{Project: "demo", Title: fmt.Sprintf("The %s of %s %s", subject(n), word(n), word(n+1000)),
				Content: fmt.Sprintf("We chose %s for the %s of %s because %s and %s need it, part %d.", word(3*n+1), subject(n/7), word(5*n), word(7*n+2), subject(n/11), n)})
		}
		if _, err := e.SaveBatch(b.Context(), ins); err != nil {
			b.Fatal(err)
		}
	}
	s, err := mcp.New(mcp.Options{Engine: e, Tools: "all", Dir: filepath.Join(b.TempDir(), "demo"), Project: "demo"})
	if err != nil {
		b.Fatal(err)
	}
	return s
}
