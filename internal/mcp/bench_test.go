package mcp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// BenchmarkNew is what a process spends before it can answer: it has to stay far below
// the 3 ms that the start of a session allows.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := mcp.New(mcp.Options{Tools: "all", Instructions: protocol()}); err != nil {
			b.Fatal(err)
		}
	}
}

// benchStores are the stores that calls are measured on, a thousand memories each, with
// what is asked of them: texts of the twenty same subjects, nearly all of which match any
// question, and texts whose words are as frequent as those of a language.
func benchStores() []benchStore {
	varied := storetest.NewCorpus(1)
	return []benchStore{
		{"alike", alike, func(i int) string {
			return fmt.Sprintf("what did we decide about %s and %s?", subject(i), subject(7*i+3))
		}},
		{"varied", func(int) (title, content string) { m := varied.Memory(enginetest.Start()); return m.Title, m.Content },
			func(int) string { return varied.Question(8) }},
	}
}

type benchStore struct {
	name     string
	text     func(n int) (title, content string)
	question func(i int) string
}

// calls are the tools that are measured.
func (s benchStore) calls() []benchCall {
	query := func(i int) map[string]any { return map[string]any{"query": s.question(i)} }
	return []benchCall{
		{"get", "mem_get_observation", func(i int) map[string]any { return map[string]any{"id": i%1000 + 1} }},
		{"search", "mem_search", query},
		{"query", "memory_query", query},
		{"recall", "recall", query},
	}
}

type benchCall struct {
	name, tool string
	args       func(i int) map[string]any
}

// BenchmarkCall is one call over a pipe, one after the other, at 1,000 memories. The
// client's share of it is that of the SDK's client.
func BenchmarkCall(b *testing.B) {
	eachCall(b, func(b *testing.B, call func(i int)) {
		for i := 0; b.Loop(); i++ {
			call(i)
		}
	})
}

// BenchmarkCallPipelined is the same for calls that do not wait for one another.
func BenchmarkCallPipelined(b *testing.B) {
	const atOnce = 16
	eachCall(b, func(b *testing.B, call func(i int)) {
		var wg sync.WaitGroup
		room := make(chan struct{}, atOnce)
		for i := 0; b.Loop(); i++ {
			room <- struct{}{}
			wg.Go(func() {
				call(i)
				<-room
			})
		}
		wg.Wait()
	})
}

// eachCall measures every tool on every store, after it was called some times. Beside the
// time on the clock stands that on the processor, the client's included, which the
// machine's other work does not change.
func eachCall(b *testing.B, measure func(b *testing.B, call func(i int))) {
	for _, store := range benchStores() {
		server := sync.OnceValue(func() *mcp.Server { return thousand(b, store.text) })
		for _, c := range store.calls() {
			b.Run(store.name+"/"+c.name, func(b *testing.B) {
				client := connectStdio(b, server(), "2025-11-25")
				var asking sync.Mutex
				call := func(i int) {
					asking.Lock()
					args := c.args(i)
					asking.Unlock()
					r, err := client.CallTool(b.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: args})
					if err != nil || r.IsError {
						b.Errorf("%s %v: %+v, %v", c.tool, args, r, err)
					}
				}
				for i := range 200 {
					call(i)
				}
				before := cpuTime()
				b.ResetTimer()
				measure(b, call)
				b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
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

// alike is the text of the nth memory about one of the twenty subjects.
func alike(n int) (title, content string) {
	return fmt.Sprintf("The %s of %s %s", subject(n), word(n), word(n+1000)),
		fmt.Sprintf("We chose %s for the %s of %s because %s and %s need it, part %d.", word(3*n+1), subject(n/7), word(5*n), word(7*n+2), subject(n/11), n)
}

// thousand is a server over a thousand memories.
func thousand(b *testing.B, text func(n int) (title, content string)) *mcp.Server {
	b.Helper()
	e := enginetest.New(b)
	for i := range 10 {
		var ins []remember.SaveInput
		for j := range 100 {
			title, content := text(100*i + j)
			ins = append(ins, remember.SaveInput{Project: "demo", Title: title, Content: content})
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
