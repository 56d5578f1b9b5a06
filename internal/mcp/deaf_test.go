package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
	"github.com/alanbuscaglia/engram/internal/waittest"
)

// An operation reports progress within its transaction. A client that asks for progress and does not read must not
// keep the database locked.
func TestAClientThatDoesNotReadLocksNobodyOut(t *testing.T) {
	t.Parallel()
	p := enginetest.NewParts(t)
	s, err := mcp.New(mcp.Options{Engine: p.Engine, Tools: "memory", Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	in, lines := io.Pipe()
	answers, out := io.Pipe() // holds nothing: a write waits for its reader
	served := make(chan error, 1)
	go func() { served <- s.ServeStdio(t.Context(), in, out) }()
	say := func(line string) {
		if _, err := io.WriteString(lines, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	reader := bufio.NewReader(answers)
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"deaf","version":"1"}}}`)
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(importing(t, 300))
	waittest.Until(t, "the import is written", func() bool { // unless it waits for its client
		f, err := p.Engine.Search(t.Context(), search.SearchInput{Query: "word 299", All: true})
		return err == nil && len(f.Hits) > 0
	})

	within, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := p.Engine.Save(within, remember.SaveInput{Title: "another", Content: "saved by somebody else", Project: "demo"}); err != nil {
		t.Errorf("another save, while the client does not read: %v, want none", err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	_ = lines.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// importing is a call of memory_import with n memories that asks to be told of progress.
func importing(t *testing.T, n int) string {
	t.Helper()
	type memory struct {
		Title   string `json:"title"`
		Content string `json:"content"`
	}
	all := make([]memory, n)
	for i := range all {
		all[i] = memory{fmt.Sprintf("word %d", i), fmt.Sprintf("what is kept under number %d of %d", i, i*7)}
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{
		"name": "memory_import", "_meta": map[string]any{"progressToken": "p"},
		"arguments": map[string]any{"data": map[string]any{"format": "engram", "version": 1, "memories": all}}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}
