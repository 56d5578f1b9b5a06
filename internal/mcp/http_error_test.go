package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

// Errors over HTTP are JSON-RPC errors with the id of the call.
func TestWhatIsRefusedOverHTTPIsToldInTheProtocol(t *testing.T) {
	t.Parallel()
	s, err := mcp.New(mcp.Options{Engine: enginetest.New(t), Tools: "agent", Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	const both = "application/json, text/event-stream"
	for _, tt := range []struct {
		name, method, body, accept, version string
		status                              int
		id                                  string
		code                                int
	}{
		{"half a message", "POST", `{bad`, both, "", 400, "null", -32700},
		{"no message", "POST", `"x"`, both, "", 400, "null", -32600},
		{"an id that is a fraction", "POST", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, both, "", 400, "1.5", -32600},
		{"an empty body", "POST", ``, both, "", 400, "null", -32600},
		{"a method that does not exist", "POST", `{"jsonrpc":"2.0","id":7,"method":"nope"}`, both, "", 400, "7", -32601},
		{"a family that is not offered", "POST", `{"jsonrpc":"2.0","id":"a","method":"resources/list"}`, both, "", 200, `"a"`, -32601},
		{"the same in the stateless revision", "POST", `{"jsonrpc":"2.0","id":"a","method":"prompts/list"}`, both, "2026-07-28", 404, `"a"`, -32601},
		{"an answer that cannot be taken", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "application/json", "", 400, "1", -32600},
		{"a revision that does not exist", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, both, "1999-01-01", 400, "1", -32600},
		{"a body that is too long", "POST", `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`, both, "", 413, "3", -32600},
		{"a stream of nothing", "GET", ``, "text/event-stream", "", 405, "null", -32600},
		{"the end of no session", "DELETE", ``, both, "", 405, "null", -32600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), tt.method, "/", strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", tt.accept)
			if tt.version != "" {
				r.Header.Set("Mcp-Protocol-Version", tt.version)
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			var got struct {
				JSONRPC string
				ID      json.RawMessage
				Error   struct {
					Code    int
					Message string
				}
			}
			err := json.Unmarshal(w.Body.Bytes(), &got)
			if err != nil || w.Code != tt.status || got.JSONRPC != "2.0" || string(got.ID) != tt.id || got.Error.Code != tt.code || got.Error.Message == "" ||
				!strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
				t.Errorf("got %d %s %s, want %d with id %s and code %d", w.Code, w.Header().Get("Content-Type"), w.Body, tt.status, tt.id, tt.code)
			}
			if tt.status == http.StatusMethodNotAllowed && w.Header().Get("Allow") == "" {
				t.Error("405 without Allow")
			}
		})
	}
}
