package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type secretArgs struct {
	Secret string `json:"secret"`
}

// A panic in a tool is an answer, the session goes on, and the log says where it was
// without saying what was sent.
func TestPanicIsAnAnswer(t *testing.T) {
	t.Parallel()
	bad := tool.New(tool.Def{Name: "bad", Title: "Bad"}, func(_ context.Context, _ tool.Caller, a secretArgs) (secretArgs, error) {
		panic("index out of range")
	})
	var log, out bytes.Buffer
	s := newServer(Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, []tool.Tool{bad})
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bad","arguments":{"secret":"hunter2"}}}
{"jsonrpc":"2.0","id":3,"method":"ping"}
`
	if err := s.ServeStdio(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"structuredContent":{"error":{"code":"internal","message":"internal error in bad"}},"isError":true`, `{"jsonrpc":"2.0","id":3,"result":{}}`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the answers lack %s:\n%s", want, out.String())
		}
	}
	if !strings.Contains(log.String(), "index out of range") || !strings.Contains(log.String(), "panic_test.go") {
		t.Errorf("the log does not tell the panic and its place:\n%s", log.String())
	}
	if strings.Contains(log.String()+out.String(), "hunter2") {
		t.Errorf("the arguments are told:\n%s\n%s", log.String(), out.String())
	}
}

func TestClientNamesAreCleaned(t *testing.T) {
	t.Parallel()
	if got, want := (tool.Caller{Client: clientName(nil)}).Actor(), "mcp"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, want := range map[string]string{"Claude Code": "claude-code", "a\nb\x1b[31m\"": "ab31m", strings.Repeat("x", 99): strings.Repeat("x", 40)} {
		if got := clientName(&mcp.Implementation{Name: name}); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
